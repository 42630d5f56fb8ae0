"""Names of TRL and of other tools, given as flags."""

import pytest

from gpocli.cli.other_names import instead_of


@pytest.mark.parametrize(
    ("option", "algorithm", "flags", "answer"),
    [
        ("--num-generations", "gfpo", ["--group-size"], "write --group-size"),
        ("--learning-rate", "gfpo", ["--lr"], "write --lr"),
        ("--learning-rate", "gfpo", [], "write --set optim.learning_rate=VALUE"),
        ("--warmup", "grpo", ["--lr"], "write --set optim.warmup_steps=VALUE"),
        ("--bf16", "gfpo", [], "write --set trl.bf16=VALUE"),
        ("--zebra", "gfpo", [], None),
    ],
)
def test_what_to_write(option, algorithm, flags, answer):
    assert instead_of(option, algorithm, flags) == answer


def test_what_an_algorithm_lacks_names_one_that_has_it():
    answer = instead_of("--filter", "grpo", ["--group-size"])
    assert answer.startswith("grpo has no filters, but ")
    assert answer.endswith("; write gpo train gfpo")
