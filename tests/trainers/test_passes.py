"""Trimmed passes and ordered micro-batches give the loss and gradient of TRL's own, which sees each row as it is."""

import copy

import pytest
import torch
from datasets import Dataset
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

from gpocli import GFPOConfig, GFPOTrainer
from gpocli.rollout.support import base_model
from tests.trainers.closeness import SAME, gap


def count_letters(completions, **kwargs):
    return [float(sum(c.isalpha() for c in completion)) for completion in completions]


def flat_weights(trainer):
    return torch.cat([parameter.detach().flatten() for parameter in trainer.model.parameters()])


TRAININGS = {
    "dapo": {},
    "kl-and-old": {"beta": 0.1, "num_iterations": 2},
    "grpo-masked": {"loss_type": "grpo", "mask_truncated_completions": True},
    "bnpo": {"loss_type": "bnpo"},
    "two-updates": {"steps_per_generation": 8},
}


@pytest.mark.parametrize("options", TRAININGS.values(), ids=TRAININGS)
def test_training_is_the_same_with_and_without(make_trainer, tiny_model, options):
    assert_trains_the_same(make_trainer, tiny_model, options)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(options, id=name, marks=[] if name in ("dapo", "kl-and-old") else pytest.mark.slow)
        for name, options in TRAININGS.items()
    ],
)
def test_so_it_is_with_learned_positions(make_trainer, learned_positions, options):
    assert_trains_the_same(make_trainer, learned_positions, options)


def assert_trains_the_same(make_trainer, model, options):
    shared = {
        "rewards": count_letters,
        "per_device_train_batch_size": 2,
        "gradient_accumulation_steps": 4,
        "max_completion_length": 24,
        "max_grad_norm": 0.0,
        "optim": "sgd",
        "learning_rate": 0.1,
        "model": model,
    }
    theirs = make_trainer(GRPOTrainer, GRPOConfig, **shared, **options)
    start = flat_weights(theirs).clone()
    theirs.train()
    ours = make_trainer(GFPOTrainer, GFPOConfig, rollout="generate", **shared, **options)
    ours.train()
    assert (flat_weights(theirs) - start).abs().max() > 1e-4
    assert gap(flat_weights(ours), flat_weights(theirs), start) < SAME


def test_micro_batches_hold_rows_of_like_length_and_stay_in_their_step(gfpo):
    trainer = gfpo(
        rewards=count_letters,
        group_filter_func=None,
        num_remains_in_group=None,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=2,
        steps_per_generation=4,
        max_completion_length=24,
    )
    lengths = []
    trainer.current_gradient_accumulation_steps = 2
    trainer.model.train()
    before = trainer._arrange

    def watching(micro_batches):
        after = before(micro_batches)
        for step in (slice(0, 2), slice(2, 4)):
            rows = [
                sorted(row.tolist() for batch in some[step] for row in batch["completion_ids"])
                for some in (micro_batches, after)
            ]
            assert rows[0] == rows[1]
            lengths.append([batch["completion_mask"].sum(1).tolist() for batch in after[step]])
        return after

    trainer._arrange = watching
    trainer.train()
    assert lengths
    for first, second in lengths:
        assert min(first) >= max(second)


def test_columns_that_are_padding_in_all_rows_are_not_computed(gfpo):
    trainer = gfpo(rewards=count_letters, max_completion_length=24)
    widths = []
    forward = trainer.model.forward

    def watching(*args, **kwargs):
        if not kwargs.get("use_cache") and "attention_mask" in kwargs and kwargs["input_ids"].size(1) > 1:
            widths.append((kwargs["input_ids"].size(1), int(kwargs["attention_mask"].any(0).sum())))
        return forward(*args, **kwargs)

    trainer.model.forward = watching
    trainer.train()
    assert widths
    assert all(width == used for width, used in widths)


SIZES = {
    "hidden_size": 32,
    "n_embd": 32,
    "intermediate_size": 48,
    "dff": 48,
    "num_hidden_layers": 2,
    "n_layer": 2,
    "num_attention_heads": 4,
    "n_head": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 64,
    "n_positions": 64,
    "initializer_range": 0.3,
    "eos_token_id": 1,
    "bos_token_id": None,
    "pad_token_id": 0,
}
OF_ITS_OWN = {
    "gpt_neo": {"attention_types": [[["global", "local"], 1]], "window_size": 4},
    "xglm": {"d_model": 32, "ffn_dim": 48, "num_layers": 2, "attention_heads": 4, "init_std": 0.3},
    "opt": {"ffn_dim": 48, "word_embed_proj_dim": 32, "init_std": 0.3},
    "ministral3": {
        "rope_parameters": {
            "rope_type": "yarn",
            "rope_theta": 10000.0,
            "factor": 16.0,
            "original_max_position_embeddings": 4,
            "llama_4_scaling_beta": 1.0,
        }
    },
}
ROWS = [([5, 6, 7, 8, 9, 10, 11], [12, 13]), ([14, 15], [16, 17, 18, 19, 20]), ([21, 22, 23, 24], [25])]
"""Prompts and completions of unequal lengths."""


@pytest.fixture
def passing(make_trainer, tiny_model):
    """`passing(model type, **options)`: a trainer of such a tiny model."""

    def make(model_type, **options):
        size = SIZES | OF_ITS_OWN.get(model_type, {})
        torch.manual_seed(0)
        model = AutoModelForCausalLM.from_config(AutoConfig.for_model(model_type, vocab_size=44, **size))
        tokenizer = AutoTokenizer.from_pretrained(tiny_model)
        return make_trainer(GFPOTrainer, GFPOConfig, model=model, processing_class=tokenizer, **options)

    return make


def padded(rows):
    """The rows as TRL lays them out: ids, attention mask and the number of completion columns."""
    before, behind = max(len(prompt) for prompt, _ in rows), max(len(completion) for _, completion in rows)
    ids, mask = torch.zeros(2, len(rows), before + behind, dtype=torch.long)
    for row, (prompt, completion) in enumerate(rows):
        columns = slice(before - len(prompt), before + len(completion))
        ids[row, columns], mask[row, columns] = torch.tensor(prompt + completion), 1
    return ids, mask, behind


def alone(model, rows):
    """The log-probabilities of each completion by a pass over its row and nothing else, in float64."""
    model = copy.deepcopy(model).double().eval()
    vars(base_model(model)).pop("forward", None)  # TRL's, which leads to the model that was copied
    logps = []
    for prompt, completion in rows:
        logits = model(input_ids=torch.tensor([prompt + completion])).logits[0, len(prompt) - 1 : -1]
        logps.append(logits.log_softmax(-1).gather(1, torch.tensor(completion)[:, None]).squeeze(1))
    return model, logps


@pytest.mark.parametrize(
    "model_type", ["gpt2", "gpt_neo", "gpt_bigcode", "ctrl", "biogpt", "opt", "ministral3", "qwen3"]
)
@pytest.mark.parametrize("options", [{}, {"pad_to_multiple_of": 8}], ids=["trimmed", "padded"])
def test_a_padded_row_has_the_log_probs_that_it_has_alone(passing, model_type, options):
    trainer = passing(model_type, **options)
    trainer.model.train()
    logps_BT, _, _ = trainer._get_per_token_logps_and_entropies(trainer.model, *padded(ROWS), compute_entropy=True)
    for logps_T, expected in zip(logps_BT, alone(trainer.model, ROWS)[1], strict=True):
        torch.testing.assert_close(logps_T[: len(expected)].double(), expected, atol=1e-4, rtol=1e-4)


def test_so_it_has_where_trl_would_read_the_layers_inside(passing):
    # As TRL 1.14 does with this option, which later releases use for kernels alone.
    trainer = passing("gpt2")
    trainer.use_liger_kernel = True
    logps_BT = trainer._get_per_token_logps_and_entropies(trainer.model, *padded(ROWS))[0]
    for logps_T, expected in zip(logps_BT, alone(trainer.model, ROWS)[1], strict=True):
        torch.testing.assert_close(logps_T[: len(expected)].double(), expected, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("model_type", ["gpt2", "qwen3"])
def test_and_the_gradient_is_the_sum_of_theirs(passing, model_type):
    trainer = passing(model_type)
    trainer.model.train()
    trainer._get_per_token_logps_and_entropies(trainer.model, *padded(ROWS))[0].sum().backward()
    reference, logps = alone(trainer.model, ROWS)
    torch.cat(logps).sum().backward()
    ours, theirs = (
        torch.cat([weight.grad.flatten().double() for weight in model.parameters()])
        for model in (trainer.model, reference)
    )
    assert gap(ours, theirs) < SAME


def test_prompts_of_equal_length_give_what_trl_computes(passing):
    trainer = passing("gpt2", num_remains_in_group=None)
    rows = padded([([5, 6, 7], [8, 9]), ([10, 11, 12], [13])])
    trainer.model.train()
    ours = trainer._get_per_token_logps_and_entropies(trainer.model, *rows)[0]
    theirs = GRPOTrainer._get_per_token_logps_and_entropies(trainer, trainer.model, *rows)[0]
    torch.testing.assert_close(ours, theirs, atol=1e-6, rtol=1e-6)


def test_adapters_and_processes_around_the_model_are_passed_through(passing):
    peft = pytest.importorskip("peft")
    adapter = peft.LoraConfig(target_modules=["c_attn"], fan_in_fan_out=True, init_lora_weights=False)
    trainer = passing("gpt2", peft_config=adapter)
    expected = alone(trainer.model, ROWS)[1]

    class Distributed(torch.nn.Module):
        """What stands around a model in several processes, as far as a call goes."""

        module = trainer.model

        def forward(self, **inputs):
            return self.module(**inputs)

    trainer.accelerator.unwrap_model = lambda model, **how: getattr(model, "module", model)
    for model in (trainer.model, Distributed()):
        logps_BT = trainer._get_per_token_logps_and_entropies(model, *padded(ROWS))[0]
        for logps_T, row in zip(logps_BT, expected, strict=True):
            torch.testing.assert_close(logps_T[: len(row)].double(), row, atol=1e-4, rtol=1e-4)


def test_the_old_policy_is_the_one_that_sampled(passing):
    # Adapters drop half of what they see while they train; sampling and the old policy do not.
    peft = pytest.importorskip("peft")
    adapter = peft.LoraConfig(
        target_modules=["c_attn"], fan_in_fan_out=True, init_lora_weights=False, lora_dropout=0.5, lora_alpha=32
    )
    trainer = passing("gpt2", peft_config=adapter, steps_per_generation=4, max_steps=1)
    seen, compute_loss, sample = [], trainer._compute_loss, trainer._sampler.sample

    def sampling(*args, **kwargs):
        ids, logps = sample(*args, **kwargs)
        seen.append(dict(zip(map(tuple, ids), trainer._sampler._last.logps, strict=True)))
        return ids, logps

    def watching(model, inputs):
        for ids, mask, old in zip(
            inputs["completion_ids"], inputs["completion_mask"], inputs["old_per_token_logps"], strict=True
        ):
            length = int(mask.sum())
            assert old[:length].tolist() == pytest.approx(seen[-1][tuple(ids[:length].tolist())], abs=1e-4)
        seen.append(seen[-1])
        return compute_loss(model, inputs)

    trainer._sampler.sample, trainer._compute_loss = sampling, watching
    trainer.train()
    assert len(seen) > 1
    assert trainer.model.training


def test_the_first_update_of_several_has_ratios_of_one(gfpo, learned_positions):
    data = Dataset.from_dict({"prompt": [f"say {'a' * i}" for i in range(8)]})
    trainer = gfpo(model=learned_positions, data=data, steps_per_generation=4, gradient_accumulation_steps=2, beta=0.1)
    compute, gaps = trainer._get_per_token_logps_and_entropies, []

    def watching(model, ids, mask, keep, **kwargs):
        passed = compute(model, ids, mask, keep, **kwargs)
        if torch.is_grad_enabled() and trainer.state.global_step == 0:
            old_BT = trainer._buffered_inputs[trainer._step]["old_per_token_logps"]
            gaps.append(((passed[0] - old_BT) * mask[:, -keep:]).abs().max().item())
        return passed

    trainer._get_per_token_logps_and_entropies = watching
    trainer.train()
    assert len(gaps) == 2
    assert max(gaps) < 1e-5
