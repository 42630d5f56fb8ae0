"""The deep check: what is wrong with model, adapter, optimizer, schedule and sampling, before weights are loaded."""

import pytest

from gpocli.checks.preflight import check_run
from gpocli.errors import EnvironmentFault, SpecError
from gpocli.spec.sources import SpecSources, draft_run_spec
from gpocli.training.rehearsal import Problem, examine_deeply, require_no_problems


def faults(*overrides, processes=1):
    """The lines of a deep check of the embedded model, without their places."""
    draft = draft_run_spec(SpecSources(overrides=overrides))
    found = examine_deeply(draft, check_run(draft, processes), processes)
    return [f"{fault.key}: {fault.text}" for fault in found]


def test_a_sound_run_passes():
    assert faults("model.lora={rank: 4}", "optim.schedule=cosine", "optim.warmup_steps=3") == []


@pytest.mark.filterwarnings("ignore:Model has `tie_word_embeddings=True`:UserWarning")
@pytest.mark.parametrize(
    ("overrides", "line"),
    [
        (["model.lora={target_modules: [q_prj, v_proj]}"],
         "model.lora.target_modules: the model has no layer 'q_prj'; write q_proj"),
        (["model.lora={target_modules: [lm_head]}"], "model.lora.target_modules: an adapter on lm_head would never be "
         "trained, for the loss reads its weights directly; remove that"),
        (["trl.model_init_kwargs={foo: 1}"], "model: the model cannot be built (TypeError: Qwen3ForCausalLM.__init__() "
         "got an unexpected keyword argument 'foo')"),
        (["trl.router_aux_loss_coef=0.1"], "trl.router_aux_loss_coef: the model has no experts whose load could be "
         "balanced; remove it"),
        (["optim.optimizer=sgd", "trl.optim_args=nesterov=true"], "optim.optimizer: sgd cannot be built (ValueError: "
         "Nesterov momentum requires a momentum and zero dampening)"),
        (["optim.schedule=polynomial", "trl.lr_scheduler_kwargs={lr_end: 5}"], "optim.schedule: polynomial cannot be "
         "built (ValueError: lr_end (5) must be smaller than initial lr (0.0003))"),
    ],
)  # fmt: skip
def test_a_fault_is_told_in_one_line_at_its_setting(overrides, line):
    assert faults(*overrides) == [line]


def test_rows_are_counted_over_all_processes():
    """4 candidates of a group in two processes: neither holds a group, both together hold one."""
    sizes = ["algorithm={type: grpo, group_size: 4}", "batch={prompts_per_step: 1, micro_batch: 2}"]
    assert faults(*sizes, processes=2) == []


def test_problems_are_one_error_with_a_line_each():
    require_no_problems([])
    spec, machine = Problem("optim.optimizer", "x"), Problem("model", "y", "environment")
    with pytest.raises(EnvironmentFault, match=r"^model: y$"):
        require_no_problems([machine])
    with pytest.raises(SpecError, match=r"^optim\.optimizer: x\nmodel: y$"):
        require_no_problems([spec, machine])
