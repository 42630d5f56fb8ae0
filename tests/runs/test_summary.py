"""The end of a run says whether anything could be learned."""

from gpocli.runs.summary import summarize


def lines(*logs, seconds=None):
    train = [{"step": step, "kind": "train", **log} for step, log in enumerate(logs, 1)]
    return [*train, {"step": len(train), "kind": "end", "train_runtime": seconds}]


def test_reward_and_length_are_compared_over_tenths():
    # 20 steps: a tenth is two steps; rewards 0.0 .. 0.95, lengths 100 .. 81
    logs = [{"reward": step / 20, "kept/mean_length": 100 - step, "grad_norm": 0.5} for step in range(20)]
    summary = summarize(lines(*logs, seconds=112.3))
    assert (summary.reward_first, summary.reward_last) == (0.025, 0.925)
    assert (summary.length_first, summary.length_last) == (99.5, 81.5)
    assert summary.lines()[0] == (
        "20 steps in 1:52: reward 0.025 to 0.925, length 99.5 to 81.5 tokens (first and last tenth)"
    )


def test_lengths_of_all_are_told_beside_those_of_the_kept():
    whole = {"kept/share": 0.5, "kept/mean_length": 10, "completions/mean_length": 40}
    raced = {"kept/share": 0.5, "kept/mean_length": 9, "completions/mean_length_at_least": 12}
    last = {"kept/share": 0.5, "kept/mean_length": 8, "completions/mean_length": 30}
    assert summarize(lines(whole, raced, last)).lines()[0] == (
        "3 steps: reward - to -, length of the kept 10.0 to 8.0 tokens, of all 40.0 to 30.0 (first and last tenth)"
    )


def test_a_length_of_all_that_one_step_tells_moves_nowhere():
    whole = {"kept/share": 0.5, "kept/mean_length": 10, "completions/mean_length": 40}
    assert (
        "length of the kept 10.0 to 10.0 tokens, of all 40.0 in one batch (first" in summarize(lines(whole)).lines()[0]
    )


def test_flat_groups_everywhere_mean_that_nothing_was_learned():
    summary = summarize(lines({"reward": 1.0, "frac_reward_zero_std": 1.0, "grad_norm": 0.0}))
    assert summary.could_learn is False
    assert summary.lines() == [
        "1 step: reward 1.000 to 1.000, length - to - tokens (first and last tenth)",
        "nothing could be learned: in every group all completions got the same reward, so every advantage was 0; "
        "use a reward that tells them apart, or prompts that are neither too easy nor too hard",
    ]


def test_completions_that_are_all_cut_are_the_cause_of_flat_groups():
    flat = {"reward": 0.0, "frac_reward_zero_std": 1.0, "grad_norm": 0.0}
    cut, not_told, one_ended = ({"completions/clipped_ratio": 1.0}, {}, {"completions/clipped_ratio": 0.9})
    assert summarize(lines(flat | cut, flat | not_told)).lines()[1] == (
        "nothing could be learned: every completion was cut at sampling.max_tokens, before it could end; raise it, or "
        "check that the model has an end token and writes it"
    )
    assert "all completions got the same reward" in summarize(lines(flat | cut, flat | one_ended)).lines()[1]


def test_completions_that_are_all_cut_may_teach_something():
    log = {"frac_reward_zero_std": 0.5, "grad_norm": 0.3, "completions/clipped_ratio": 1.0}
    assert summarize(lines(log)).lines()[1].startswith("signal: ")


def test_flat_groups_teach_nothing_even_when_another_term_has_a_gradient():
    assert summarize(lines({"frac_reward_zero_std": 1.0, "grad_norm": 0.3})).could_learn is False


def test_some_signal_is_reported_with_its_size():
    summary = summarize(
        lines({"frac_reward_zero_std": 0.0, "grad_norm": 0.2}, {"frac_reward_zero_std": 0.25, "grad_norm": 0.4})
    )
    assert summary.could_learn is True
    # 0.25 / 2 = 12.5 %, rounded to even
    assert summary.lines()[1] == "signal: gradient norm 0.3 on average; 12% of the groups were flat (no advantage)"


def test_a_gradient_of_zero_is_said():
    summary = summarize(lines({"frac_reward_zero_std": 0.0, "grad_norm": 0.0}))
    assert summary.could_learn is False
    assert summary.lines()[1] == (
        "nothing was learned: the gradient was 0 in every step, although groups differed in reward"
    )


def test_steps_without_figures_are_passed_over():
    summary = summarize(lines({"reward": None}, {"reward": 0.5}, {"loss": 0.0}))
    assert (summary.steps, summary.reward_first, summary.reward_last) == (3, 0.5, 0.5)
    assert summary.could_learn is None
    assert summary.lines()[1] == "signal: not logged"


def test_no_steps_at_all():
    assert summarize([]).lines()[0] == "0 steps: reward - to -, length - to - tokens (first and last tenth)"
