"""The run spec: its models, its loading from files and options, and the sums of a batch."""

from gpocli.spec.run_spec import RunSpec

__all__ = ["RunSpec"]
