"""Trimmed passes and ordered micro-batches give the loss and gradient of TRL's own."""

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel
from trl import GRPOConfig, GRPOTrainer

from gpocli import GFPOConfig, GFPOTrainer
from tests.trainers.closeness import SAME, gap


def count_letters(completions, **kwargs):
    return [float(sum(c.isalpha() for c in completion)) for completion in completions]


def flat_weights(trainer):
    return torch.cat([parameter.detach().flatten() for parameter in trainer.model.parameters()])


@pytest.fixture(scope="session")
def learned_positions(tiny_model, tmp_path_factory):
    """A tiny GPT-2, whose positions are learned and absolute, with the tiny tokenizer."""
    from transformers import AutoTokenizer

    folder = tmp_path_factory.mktemp("gpt2")
    torch.manual_seed(1)
    config = GPT2Config(
        vocab_size=44,
        n_positions=128,
        n_embd=16,
        n_layer=2,
        n_head=2,
        eos_token_id=1,
        bos_token_id=None,
        pad_token_id=0,
        resid_pdrop=0.0,  # dropout draws by column
        embd_pdrop=0.0,
        attn_pdrop=0.0,
    )
    model = GPT2LMHeadModel(config)
    model.generation_config.eos_token_id, model.generation_config.pad_token_id = 1, 0
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(tiny_model).save_pretrained(folder)
    return str(folder)


@pytest.mark.parametrize("positions", ["rotary", "learned"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"beta": 0.1, "num_iterations": 2},
        {"loss_type": "grpo", "mask_truncated_completions": True},
        {"loss_type": "bnpo"},
        {"steps_per_generation": 8},
    ],
    ids=["dapo", "kl-and-old", "grpo-masked", "bnpo", "two-updates"],
)
def test_training_is_the_same_with_and_without(make_trainer, tiny_model, learned_positions, options, positions):
    shared = {
        "rewards": count_letters,
        "per_device_train_batch_size": 2,
        "gradient_accumulation_steps": 4,
        "max_completion_length": 24,
        "max_grad_norm": 0.0,
        "optim": "sgd",
        "learning_rate": 0.1,
        "model": tiny_model if positions == "rotary" else learned_positions,
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
