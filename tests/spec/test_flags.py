"""Flags that an algorithm of a plugin cannot have."""

from typing import Annotated, Literal

from gpocli.extensions import AlgorithmExtension
from gpocli.settings.algorithm import AlgorithmSection
from gpocli.settings.setting import Flag, Setting
from gpocli.spec.algorithms import algorithms
from gpocli.spec.flags import taken_flags


class Mine(AlgorithmSection):
    type: Literal["mine"] = "mine"
    rounds: Annotated[int, Setting("num_rounds", flag=Flag("--steps", "Rounds"))] = 1
    other: Annotated[int, Setting("other", flag=Flag("--other", "Another", short="-h"))] = 1


def test_a_flag_of_another_setting_or_of_the_commands_is_told():
    extension = AlgorithmExtension(name="mine", section=Mine, title="Mine", summary="mine", paper="none")
    assert taken_flags(extension) == [
        "setting 'rounds' of algorithm 'mine' has no flag --steps, which is that of run.steps; use --set "
        "algorithm.rounds=VALUE, or give it another",
        "setting 'other' of algorithm 'mine' has no flag -h, which is that of the commands; use --set "
        "algorithm.other=VALUE, or give it another",
    ]


def test_those_of_gpo_all_have_theirs():
    assert [line for one in algorithms().values() for line in taken_flags(one)] == []
