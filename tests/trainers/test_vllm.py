import inspect
import re
from types import SimpleNamespace

import pytest
from trl.generation import vllm_generation
from trl.trainer import grpo_trainer

from gpocli.errors import SpecError
from gpocli.trainers.vllm import refuse_what_vllm_would_drop, suited_engine


class Options:
    use_vllm, vllm_mode, bf16, fp16 = True, "colocate", False, False
    num_generations, num_remains_in_group = 24, 8
    vllm_sync = "nccl"


def test_the_engine_has_room_for_all_candidates_and_the_dtype_of_the_weights(gfpo, monkeypatch):
    model = gfpo().model
    made = {}
    monkeypatch.setattr(grpo_trainer, "VLLMGeneration", lambda **options: made.update(options) or vllm_generation.LLM())
    monkeypatch.setattr(vllm_generation, "LLM", lambda **options: made.update(options), raising=False)
    before = grpo_trainer.VLLMGeneration, vllm_generation.LLM

    with suited_engine(Options):
        grpo_trainer.VLLMGeneration(model=model, max_num_seqs=64)

    assert (made["max_num_seqs"], made["dtype"]) == (192, model.dtype)
    assert (grpo_trainer.VLLMGeneration, vllm_generation.LLM) == before


def test_trl_still_has_the_names_that_are_replaced():
    assert "max_num_seqs" in inspect.signature(grpo_trainer.VLLMGeneration.__init__).parameters
    assert "self.llm = LLM(" in inspect.getsource(vllm_generation.VLLMGeneration._init_vllm)
    assert "self.llm.generate(" in inspect.getsource(vllm_generation.VLLMGeneration.generate)


@pytest.mark.parametrize("option", [{"n": 2}, {"seed": 1}])
def test_what_gpo_sets_a_row_is_refused(gfpo, option):
    trainer = gfpo()
    trainer.args.generation_kwargs = option
    with pytest.raises(SpecError, match=f"generation_kwargs.{next(iter(option))} does not work with vLLM"):
        refuse_what_vllm_would_drop(trainer)


def test_what_the_model_wants_and_vllm_does_not_take_is_refused(gfpo, model_that_wants):
    with pytest.raises(SpecError, match="vLLM would drop suppress_tokens of the model's generation_config"):
        refuse_what_vllm_would_drop(gfpo(model=model_that_wants(suppress_tokens=[5])))


IN_TURNS = "tools and rollout functions sample in turns; leave it out, or write sampling.vllm: null, which sends all"
ADAPTER_ALONE = {
    "sleep": ({"args": {"vllm_enable_sleep_mode": True}}, "vllm_enable_sleep_mode drops the engine's weights, and "
              "sampling.vllm.sync: lora sends the adapter alone; leave it out, or write sampling.vllm: null, which "),
    "tools": ({"tools": [len]}, f"sampling.vllm.sync: lora does not work in the training process: {IN_TURNS}"),
    "rollout functions": ({"rollout_func": len}, f"not work in the training process: {IN_TURNS}"),
    "TRL's own path": ({"args": {"rollout": "generate"}}, "rollout='generate' asks for TRL's own path; leave it out"),
}  # fmt: skip


@pytest.mark.parametrize(("given", "text"), ADAPTER_ALONE.values(), ids=ADAPTER_ALONE)
def test_what_needs_all_weights_in_the_engine_is_refused_for_an_adapter_alone(given, text):
    args = {"vllm_sync": "lora", "generation_kwargs": None, "vllm_enable_sleep_mode": False, "rollout": "auto"}
    args = SimpleNamespace(**(args | given.get("args", {})))
    turns = {"tools": given.get("tools"), "rollout_func": given.get("rollout_func")}
    with pytest.raises(SpecError, match=re.escape(text)) as caught:
        refuse_what_vllm_would_drop(SimpleNamespace(vllm_mode="colocate", args=args, **turns))
    assert "\n" not in str(caught.value)
