import asyncio
import math
import threading
import time

import pytest

from gpocli.contracts.reward import checked_rewards
from gpocli.contracts.reward_call import SKIPPED, RewardRules
from gpocli.errors import EnvironmentFault, PluginError, SpecError

OFFERED = {
    "prompts": ["p", "p"],
    "completions": ["ab", "abc"],
    "completion_ids": [[1], [1, 2]],
    "finished": [True, False],
    "trainer_state": None,
    "log_extra": None,
    "log_metric": lambda name, value: None,
    "answer": ["1", "2"],
}


def wrapped(function, *, name="judge", note=None, **rules):
    (reward,) = checked_rewards([function], [name], [RewardRules(**rules)], note or (lambda text: None))
    return reward


# What it is given: what it names, as TRL's trainer and `gpo rewards test` call it alike


def by_place(prompts, completions, /):
    return [len(text) for text in completions]


def by_place_and_name(completions, /, answer, missing=5, **more):
    assert "completion_ids" in more
    assert "completions" not in more
    return [len(text) + int(one) + missing for text, one in zip(completions, answer, strict=True)]


def column_by_place(answer, unknown=3, /):
    return [int(one) + unknown for one in answer]


SIGNATURES = {
    "ids alone": (lambda completion_ids: [len(ids) for ids in completion_ids], [1, 2]),
    "finished alone": (lambda finished: finished, [1, 0]),
    "a column alone": (lambda answer: [int(one) for one in answer], [1, 2]),
    "by place": (by_place, [2, 3]),
    "by place and name": (by_place_and_name, [8, 10]),
    "a column by place": (column_by_place, [4, 5]),
    "any places": (lambda *args: [7, len(args)], [7, 0]),
    "nothing": (lambda: [7, 8], [7, 8]),
    "everything": (lambda **given: [len(given), 0], [8, 0]),
}


@pytest.mark.parametrize(("function", "values"), SIGNATURES.values(), ids=SIGNATURES)
def test_a_reward_gets_what_it_names(function, values):
    assert wrapped(function)(**OFFERED) == values


@pytest.mark.parametrize(("function", "values"), SIGNATURES.values(), ids=SIGNATURES)
def test_a_wrapped_reward_is_not_wrapped_again(function, values):
    """The trainer wraps what the command line has wrapped."""
    once = wrapped(function)
    assert checked_rewards([once]) == [once]


def test_a_name_that_a_wrapped_reward_has_is_taken():
    once = wrapped(by_place, name="by_place")
    assert [one.__name__ for one in checked_rewards([once, by_place])] == ["by_place", "by_place#2"]


@pytest.mark.parametrize("function", [lambda gold: gold, lambda gold, /: gold])
def test_what_nobody_gives_is_named(function):
    with pytest.raises(PluginError, match='reward "judge" needs "gold", which is neither a data column nor'):
        wrapped(function, on_error="zero")(**OFFERED)


# Faults


def fails(completions):
    raise ValueError("no answer of the judge")


async def fails_later(completions):
    raise ValueError("no answer of the judge")


def hangs(completions):
    time.sleep(3600)


async def hangs_later(completions):
    await asyncio.Event().wait()


FAULTS = {
    "raises": (fails, 'reward "judge" failed on a batch of 2: ValueError: no answer of the judge ('),
    "exits": (lambda completions: exit(0), 'reward "judge" failed on a batch of 2: SystemExit: 0 ('),
    "hangs": (hangs, 'reward "judge" took longer than 0.02 seconds for a batch of 2; make it faster'),
    "has another count": (lambda completions: [1.0], 'reward "judge" returned 1 values for 2 completions'),
    "raises later": (fails_later, 'reward "judge" failed on a batch of 2: ValueError: no answer of the judge ('),
    "hangs later": (hangs_later, 'reward "judge" took longer than 0.02 seconds for a batch of 2; make it faster'),
}


def called(reward, **offered):
    returned = reward(**OFFERED | offered)
    return asyncio.run(returned) if asyncio.iscoroutine(returned) else returned


@pytest.mark.parametrize(("function", "text"), FAULTS.values(), ids=FAULTS)
def test_a_fault_stops_the_run(function, text):
    with pytest.raises(PluginError) as refusal:
        called(wrapped(function, seconds=0.02))
    assert str(refusal.value).startswith(text)


@pytest.mark.parametrize(
    ("on_error", "value", "what"),
    [("zero", 0.0, "count 0"), ("skip_group", SKIPPED, "are left out with their groups")],
)
@pytest.mark.parametrize(("function", "text"), FAULTS.values(), ids=FAULTS)
def test_a_fault_counts_as_it_is_told_to(function, text, on_error, value, what):
    notes, logged = [], []
    reward = wrapped(function, seconds=0.02, on_error=on_error, note=notes.append)
    assert called(reward, log_metric=lambda *figure: logged.append(figure)) == [value, value]
    assert notes[0].startswith(text)
    assert notes[0].endswith(f"; its completions {what} (on_error: {on_error})")
    assert logged == [("rewards/judge/failed", 1.0)]


def test_calls_that_do_not_fail_are_counted_too():
    logged = []
    called(wrapped(by_place, on_error="zero"), log_metric=lambda *figure: logged.append(figure))
    called(wrapped(by_place), log_metric=lambda *figure: logged.append(figure))
    assert logged == [("rewards/judge/failed", 0.0)]


@pytest.mark.parametrize("error", [SpecError("the column is empty"), EnvironmentFault("no such package")])
def test_what_is_wrong_with_data_or_machine_stops_the_run_all_the_same(error):
    def reward(completions):
        raise error

    with pytest.raises(type(error)):
        wrapped(reward, on_error="zero")(**OFFERED)


def test_nothing_that_a_reward_may_return_is_taken_for_a_skipped_group():
    assert math.isinf(SKIPPED)
    with pytest.raises(PluginError, match="return a finite number"):
        wrapped(lambda completions: [SKIPPED, 1.0])(**OFFERED)


def test_a_signal_to_stop_the_run_passes():
    class StopNow(BaseException):
        pass

    def reward(completions):
        raise StopNow

    with pytest.raises(StopNow):
        wrapped(reward, on_error="zero", seconds=1000.0)(**OFFERED)


def test_a_reward_in_another_thread_is_called_without_a_deadline():
    values = []
    thread = threading.Thread(target=lambda: values.extend(wrapped(by_place, seconds=1e-9)(**OFFERED)))
    thread.start()
    thread.join()
    assert values == [2, 3]
