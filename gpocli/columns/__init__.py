"""Values within the columns of data: paths such as `reward_model.ground_truth`, and named steps such as `:boxed`."""

from gpocli.columns.path import ColumnPath, read_path
from gpocli.columns.steps import STEPS

__all__ = ["STEPS", "ColumnPath", "read_path"]
