"""An option that is refused as another loss's is read by that loss alone."""

import inspect
import re

import pytest
from trl import GRPOTrainer

from gpocli.algorithms.other_losses import OF_SAPO, OF_VESPO

SOURCE = inspect.getsource(GRPOTrainer)


@pytest.mark.parametrize(("loss", "options"), [("sapo", OF_SAPO), ("vespo", OF_VESPO)])
def test_it_is_read_in_the_branch_of_that_loss(loss, options):
    branch = re.search(rf'elif self\.loss_type == "{loss}":\n(.*?)\n        el', SOURCE, re.DOTALL)[1]
    for option in options:
        assert SOURCE.count(f"self.args.{option}") == branch.count(f"self.args.{option}") == 1
