"""Whether losers are stopped is told before anything is loaded, and why not."""

import pytest

from gpocli.checks.preflight import check_run
from gpocli.checks.race import race_of
from gpocli.spec.sources import SpecSources, load_run_spec

CORRECT = "algorithm.filters=[correct, length]"


@pytest.mark.parametrize(
    ("overrides", "told"),
    [
        ([], "yes"),
        ([CORRECT], "yes"),
        (["algorithm.filters=[token_efficiency]", "rewards=[accuracy, think_format]"], "yes"),
        (["algorithm.race=false"], "no, algorithm.race is false"),
        (["algorithm.divisor=group"], "no, algorithm.divisor: group counts the tokens of all candidates"),
        (["sampling.engine=generate"], "no, sampling.engine: generate is TRL's path"),
        (["algorithm.keep=24", "algorithm.group_size=24"], "no, all candidates are kept"),
        (["algorithm.filters=[adaptive_difficulty]"], "no, filter 'adaptive_difficulty' needs the rewards of all"),
        ([CORRECT, "rewards=[{name: accuracy, weight: -1}]"],
         "no, filter 'correct > length' needs rewards, and reward 'accuracy' has a weight below 0"),
        ([CORRECT, "rewards=[{name: accuracy, on_error: zero}]"],
         "no, filter 'correct > length' needs rewards, and reward 'accuracy' has on_error: zero, which is of whole "
         "batches"),
    ],
)  # fmt: skip
def test_a_run_tells_whether_losers_are_stopped(overrides, told):
    ready = check_run(load_run_spec(SpecSources(overrides=overrides)))
    assert race_of(ready.spec, ready.group_filter, ready.rewards) == told
