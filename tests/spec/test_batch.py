import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gpocli.errors import SpecError
from gpocli.spec import RunSpec
from gpocli.spec.batch import BatchError, notices, solve

GFPO = {"type": "gfpo", "group_size": 16, "keep": 4}


def spec_of(algorithm, **batch):
    return RunSpec.model_validate({"algorithm": algorithm, "batch": batch})


def test_the_sums_of_a_filtered_run():
    plan = solve(spec_of(GFPO, prompts_per_step=6, micro_batch=4, updates_per_generation=2), processes=2)
    assert plan.rows_per_step == 24  # 6 prompts x 4 kept
    assert plan.accumulation == 3  # 24 rows / 2 processes / 4 at a time
    assert plan.steps_per_generation == 6  # 3 micro-batches x 2 updates
    assert plan.prompts_per_generation == 12
    assert plan.generation_rows == 48
    assert plan.candidates_per_generation == 192  # 12 prompts x 16


def test_the_largest_micro_batch_up_to_16_that_divides_is_the_default():
    assert solve(spec_of(GFPO, prompts_per_step=9)).micro_batch == 12  # 36 rows: 12 divides, 13 to 16 do not


def test_gmpo_updates_eight_times_as_in_its_paper():
    plan = solve(spec_of({"type": "gmpo"}, prompts_per_step=2))
    assert (plan.updates_per_generation, plan.prompts_per_generation, plan.generation_rows) == (8, 16, 128)


def test_gmpo_with_a_filter_counts_the_kept():
    plan = solve(spec_of({"type": "gmpo", "keep": 4, "filters": ["length"]}, prompts_per_step=2))
    assert (plan.rows_per_step, plan.candidates_per_generation) == (8, 128)


def test_an_unfiltered_group_may_span_processes():
    assert solve(spec_of({"type": "grpo"}, prompts_per_step=1), processes=4).micro_batch == 2


@pytest.mark.parametrize(
    ("algorithm", "batch", "processes", "message"),
    [
        (
            GFPO,
            {"prompts_per_step": 3, "micro_batch": 5},
            1,
            "batch.prompts_per_step 3 x 4 kept = 12 rows a step, which do not split into micro-batches of 5; "
            "write batch.micro_batch: 4 or batch.micro_batch: 6",
        ),
        (
            GFPO,
            {"prompts_per_step": 4, "micro_batch": 3},
            2,
            "batch.prompts_per_step 4 x 4 kept = 16 rows a step, 8 a process, which do not split into "
            "micro-batches of 3; write batch.micro_batch: 2 or batch.micro_batch: 4",
        ),
        (
            {"type": "grpo", "group_size": 5},
            {"prompts_per_step": 5},
            2,
            "batch.prompts_per_step 5 x 5 completions = 25 rows a step, which 2 processes cannot share evenly; "
            "write batch.prompts_per_step: 4 or batch.prompts_per_step: 6",
        ),
        (
            GFPO,
            {"prompts_per_step": 3},
            2,
            "batch.prompts_per_step 3 x 1 updates = 3 groups a generation batch, of which 2 processes cannot "
            "hold equally many whole ones; write batch.prompts_per_step: 2 or batch.prompts_per_step: 4",
        ),
        (
            GFPO,
            {"prompts_per_step": 1},
            3,
            "batch.prompts_per_step 1 x 4 kept = 4 rows a step, which 3 processes cannot share evenly; "
            "write batch.prompts_per_step: 3",
        ),
    ],
)
def test_what_does_not_divide_is_answered_with_what_does(algorithm, batch, processes, message):
    with pytest.raises(BatchError) as caught:
        solve(spec_of(algorithm, **batch), processes)
    assert str(caught.value) == message


def test_no_process_cannot_train():
    with pytest.raises(SpecError, match="0 processes cannot train; start at least 1"):
        solve(RunSpec(), 0)


@st.composite
def specs(draw):
    group_size = draw(st.integers(2, 24))
    kept = {"group_size": group_size, "keep": draw(st.integers(2, group_size))}
    algorithm = draw(
        st.sampled_from(
            [
                {"type": "gfpo", **kept},
                {"type": "gmpo", "filters": ["length"], **kept},
                {"type": "gmpo", "group_size": group_size},
                {"type": "grpo", "group_size": group_size},
            ]
        )
    )
    return spec_of(
        algorithm,
        prompts_per_step=draw(st.integers(1, 40)),
        micro_batch=draw(st.none() | st.integers(1, 40)),
        updates_per_generation=draw(st.none() | st.integers(1, 9)),
        iterations=draw(st.integers(1, 3)),
    )


@given(specs(), st.integers(1, 9))
def test_the_sums_agree_with_each_other(spec, processes):
    try:
        plan = solve(spec, processes)
    except BatchError:
        assume(False)
    keep = getattr(spec.algorithm, "keep", None)
    k = keep or spec.algorithm.group_size
    assert plan.micro_batch * plan.accumulation * processes == spec.batch.prompts_per_step * k
    assert plan.steps_per_generation == plan.accumulation * plan.updates_per_generation
    assert plan.micro_batch * plan.steps_per_generation * processes == plan.generation_rows
    assert plan.generation_rows == plan.prompts_per_generation * k
    if keep is not None:  # a filtered run: whole groups on each process
        assert plan.micro_batch * plan.steps_per_generation % k == 0


@given(specs(), st.integers(1, 9))
def test_every_suggestion_works(spec, processes):
    for suggestion in suggestions_for(spec, processes):
        changed = {path.removeprefix("batch."): value for path, value in suggestion.items()}
        solve(spec.model_copy(update={"batch": spec.batch.model_copy(update=changed)}), processes)


def suggestions_for(spec, processes):
    try:
        solve(spec, processes)
    except BatchError as error:
        return error.suggestions or pytest.fail("no suggestion")
    return []


def test_a_gmpo_run_that_cannot_differ_from_grpo_is_told_so():
    assert notices(spec_of({"type": "gmpo"}, updates_per_generation=1)) == [
        "gmpo cannot differ from grpo here: with one update a generation batch and one iteration every ratio "
        "is 1; write batch.updates_per_generation: 8, as in its paper"
    ]
    assert notices(spec_of({"type": "gmpo"}, updates_per_generation=1, iterations=2)) == []
    assert notices(spec_of({"type": "gmpo"})) == []


def test_a_gfpo_run_that_keeps_all_is_told_so():
    assert notices(spec_of({"type": "gfpo", "group_size": 8, "keep": 8})) == [
        "gfpo cannot differ from grpo here: all 8 candidates of a group are kept; write a smaller algorithm.keep"
    ]
    assert notices(RunSpec()) == []


def unused(steps, **batch):
    spec = spec_of({"type": "gmpo"}, **batch)
    return notices(spec.model_copy(update={"run": spec.run.model_copy(update={"steps": steps, "epochs": None})}))


def test_a_run_that_samples_more_than_it_trains_on_is_told_so():
    assert unused(1) == [
        "1 step (run.steps) will sample 8 times what is trained on: each generation batch feeds 8 updates; write "
        "--steps 8, or batch.updates_per_generation: 1"
    ]
    # 16 updates are sampled for 9; with two iterations all that is sampled is trained on in the 8 steps of the first.
    assert unused(9)[0].startswith("9 steps (run.steps) will sample 1.8 times ")
    assert "write --steps 16," in unused(3, iterations=2)[0]
    assert [unused(8), unused(8, iterations=2), unused(16)] == [[], [], []]


def test_a_fifth_that_is_not_trained_on_is_not_worth_a_line():
    assert unused(33) == []  # 40 updates are sampled for 33
    assert (unused(26), len(unused(25))) == ([], 1)  # of 32, of which four fifths are 25.6
