"""GMPO's loss and gradient against TRL's class where that is right, and against the paper's formula everywhere."""

import math

import pytest
import torch
from transformers import AutoModelForCausalLM
from trl.experimental.gmpo import GMPOConfig as TRLGMPOConfig
from trl.experimental.gmpo import GMPOTrainer as TRLGMPOTrainer

from gpocli import GMPOConfig, GMPOTrainer
from tests.algorithms.reference import gmpo_loss
from tests.trainers.closeness import SAME, gap
from tests.trainers.conftest import prompts


def count_letters(completions, **kwargs):
    return [float(sum(c.isalpha() for c in completion)) for completion in completions]


def random_batch(seed, *, rows=4, prompt=5, tokens=7, drift=0.5, reference=False, masked_rows=()):
    """Random prompts and completions of unequal lengths, and an old policy `drift` away in log space."""
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.randint(2, tokens + 1, (rows,), generator=generator)
    lengths[0] = tokens
    mask = (torch.arange(tokens) < lengths.unsqueeze(1)).long()
    for row in masked_rows:
        mask[row] = 0
    batch = {
        "prompt_ids": torch.randint(3, 44, (rows, prompt), generator=generator),
        "prompt_mask": torch.ones(rows, prompt, dtype=torch.long),
        "completion_ids": torch.randint(3, 44, (rows, tokens), generator=generator),
        "completion_mask": mask,
        "advantages": torch.tensor([1.5, -0.7, 0.4, -1.2])[:rows],
        "num_items_in_batch": mask.sum(),
    }
    noise = torch.randn(rows, tokens, generator=generator)
    batch["drift"] = drift * noise
    if reference:
        batch["ref_drift"] = 0.3 * torch.randn(rows, tokens, generator=generator)
    return batch


def logps_of(model, batch):
    ids = torch.cat([batch["prompt_ids"], batch["completion_ids"]], 1)
    mask = torch.cat([batch["prompt_mask"], batch["completion_mask"]], 1)
    tokens = batch["completion_ids"].size(1)
    logits = model(input_ids=ids, attention_mask=mask).logits[:, -tokens - 1 : -1]
    logps = logits.log_softmax(-1)
    picked = logps.gather(2, batch["completion_ids"].unsqueeze(2)).squeeze(2)
    return picked, -(logps.exp() * logps).sum(-1)


def with_old_policy(model, batch):
    """Fix the old (and reference) log-probabilities relative to those of the start weights."""
    with torch.no_grad():
        logps, _ = logps_of(model, batch)
    batch = dict(batch)
    batch["old_per_token_logps"] = logps - batch.pop("drift")
    if "ref_drift" in batch:
        batch["ref_per_token_logps"] = logps - batch.pop("ref_drift")
    return batch


def loss_and_gradient(trainer, batch):
    trainer.current_gradient_accumulation_steps = 1
    trainer.model.train()
    trainer.model.zero_grad()
    loss = trainer._compute_loss(trainer.model, dict(batch))
    loss.backward()
    return loss.item(), gradient_of(trainer.model)


def gradient_of(model):
    return torch.cat([parameter.grad.flatten() for parameter in model.parameters()])


def reference_loss(model, batch, *, beta=0.0, entropy_coef=0.0):
    """The paper's loss; KL (k3 estimator) averaged over a sequence, then over sequences; entropy over tokens."""
    logps, entropy = logps_of(model, batch)
    mask = batch["completion_mask"]
    live = mask.sum(1) > 0
    loss = gmpo_loss(logps - batch["old_per_token_logps"], batch["advantages"], mask)
    if beta:
        log_ratio = batch["ref_per_token_logps"] - logps
        kl = ((log_ratio.exp() - log_ratio - 1) * mask).sum(1) / mask.sum(1).clamp(min=1)
        loss = loss + beta * kl[live].mean()
    return loss - entropy_coef * (entropy * mask).sum() / mask.sum()


@pytest.mark.parametrize("beta", [0.0, 0.04])
@pytest.mark.parametrize("seed", range(4))
def test_equals_trls_class(make_trainer, seed, beta):
    options = {"beta": beta, "epsilon": 0.3, "epsilon_high": 0.5}
    theirs = make_trainer(TRLGMPOTrainer, TRLGMPOConfig, **options)
    ours = make_trainer(GMPOTrainer, GMPOConfig, **options)
    batch = with_old_policy(ours.model, random_batch(seed, reference=beta > 0))
    their_loss, their_gradient = loss_and_gradient(theirs, batch)
    our_loss, our_gradient = loss_and_gradient(ours, batch)
    assert their_gradient.norm() > 0.1
    assert our_loss == pytest.approx(their_loss, rel=SAME, abs=1e-5)
    assert gap(our_gradient, their_gradient) < SAME


@pytest.mark.parametrize(
    ("options", "masked_rows"),
    [
        ({}, ()),
        ({"beta": 0.04}, ()),
        ({"entropy_coef": 0.01}, ()),
        ({"beta": 0.04, "entropy_coef": 0.01}, (1, 3)),
        ({}, (0, 1, 2)),
    ],
    ids=["plain", "kl", "entropy", "all-with-masked-rows", "one-live-row"],
)
def test_equals_the_papers_formula(gmpo, tiny_model, options, masked_rows):
    trainer = gmpo(**options)
    batch = random_batch(11, reference="beta" in options, masked_rows=masked_rows)
    batch = with_old_policy(trainer.model, batch)
    loss, gradient = loss_and_gradient(trainer, batch)
    model = AutoModelForCausalLM.from_pretrained(tiny_model)
    expected = reference_loss(model, batch, **options)
    expected.backward()
    assert loss == pytest.approx(expected.item(), rel=SAME, abs=1e-5)
    assert gap(gradient, gradient_of(model)) < SAME


def test_a_batch_without_a_valid_token_has_loss_and_gradient_zero(gmpo):
    trainer = gmpo()
    batch = with_old_policy(trainer.model, random_batch(5, masked_rows=(0, 1, 2, 3)))
    loss, gradient = loss_and_gradient(trainer, batch)
    assert loss == 0.0
    assert gradient.abs().max() == 0.0


def test_zero_advantages_add_nothing_whatever_the_ratio(gmpo):
    trainer = gmpo()
    batch = with_old_policy(trainer.model, random_batch(5, drift=200.0))
    batch["advantages"] = torch.zeros(4)
    loss, gradient = loss_and_gradient(trainer, batch)
    assert loss == 0.0
    assert gradient.abs().max() == 0.0


def test_clip_shares_count_tokens_on_their_own_side(gmpo):
    trainer = gmpo(epsilon=0.4)
    batch = with_old_policy(trainer.model, random_batch(2))
    loss_and_gradient(trainer, batch)
    with torch.no_grad():
        logps, _ = logps_of(trainer.model, batch)
    ratio, mask = logps - batch["old_per_token_logps"], batch["completion_mask"].bool()
    positive = (batch["advantages"] >= 0).unsqueeze(1)
    high = ((ratio > 0.4) & positive & mask).sum() / mask.sum()
    low = ((ratio < -0.4) & ~positive & mask).sum() / mask.sum()
    metrics = trainer._metrics["train"]
    assert metrics["clip_ratio/high_mean"] == [pytest.approx(high.item())]
    assert metrics["clip_ratio/low_mean"] == [pytest.approx(low.item())]
    assert high > 0
    assert low > 0


@pytest.mark.parametrize("split", [(8, 1), (4, 2), (2, 4)])
def test_the_gradient_does_not_depend_on_the_accumulation(gmpo, split):
    micro_batch, accumulation = split
    trainer = gmpo(
        per_device_train_batch_size=micro_batch,
        gradient_accumulation_steps=accumulation,
        num_generations=8,
        num_iterations=2,
        mask_truncated_completions=True,
        max_completion_length=20,
        max_steps=1,
        max_grad_norm=0.0,
        optim="sgd",
        learning_rate=1.0,
        rewards=count_letters,
    )
    start = flat_weights(trainer).clone()
    trainer.train()
    assert (flat_weights(trainer) - start).abs().max() > 1e-3
    first = _first_split.setdefault("weights", flat_weights(trainer))
    assert gap(flat_weights(trainer), first, start) < SAME


_first_split: dict[str, torch.Tensor] = {}


def flat_weights(trainer):
    return torch.cat([parameter.detach().flatten() for parameter in trainer.model.parameters()])


def test_a_later_update_of_a_generation_batch_is_clipped(gmpo):
    trainer = gmpo(num_iterations=3, learning_rate=0.05, rewards=count_letters)
    trainer.train()
    assert any(entry.get("clip_ratio/region_mean", 0) > 0 for entry in trainer.state.log_history)


def test_a_loss_is_known_before_the_first_step(gmpo):
    evaluation = gmpo(eval_dataset=prompts(2), per_device_eval_batch_size=4, rewards=count_letters).evaluate()
    # Ratios of 1: the advantages of a group add up to nothing.
    assert evaluation["eval_loss"] == pytest.approx(0.0, abs=1e-5)


def test_gmpo_composes_with_a_filter(gmpo):
    from tests.trainers.conftest import length_filter

    trainer = gmpo(group_filter_func=length_filter, num_remains_in_group=2, num_iterations=2)
    records = []
    trainer.on_candidates = records.extend
    trainer.train()
    assert sum(record.kept for record in records) * 2 == len(records)
    assert all(entry["kept/share"] == 0.5 for entry in trainer.state.log_history if "kept/share" in entry)


def test_the_load_balancing_loss_of_a_mixture_of_experts_is_added(gmpo, tiny_model, tmp_path):
    from transformers import AutoTokenizer, Qwen3MoeConfig, Qwen3MoeForCausalLM

    torch.manual_seed(0)
    config = Qwen3MoeConfig(
        vocab_size=44,
        hidden_size=16,
        intermediate_size=32,
        moe_intermediate_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=8,
        num_experts=4,
        num_experts_per_tok=2,
        decoder_sparse_step=1,
        max_position_embeddings=128,
        eos_token_id=1,
        pad_token_id=0,
        bos_token_id=None,
    )
    Qwen3MoeForCausalLM(config).save_pretrained(tmp_path / "moe")
    AutoTokenizer.from_pretrained(tiny_model).save_pretrained(tmp_path / "moe")
    trainer = gmpo(model=str(tmp_path / "moe"), router_aux_loss_coef=0.5)
    batch = with_old_policy(trainer.model, random_batch(3))
    loss, gradient = loss_and_gradient(trainer, batch)

    model = AutoModelForCausalLM.from_pretrained(tmp_path / "moe")
    ids = torch.cat([batch["prompt_ids"], batch["completion_ids"]], 1)
    mask = torch.cat([batch["prompt_mask"], batch["completion_mask"]], 1)
    aux_loss = model(input_ids=ids, attention_mask=mask, output_router_logits=True).aux_loss
    expected = reference_loss(model, batch) + 0.5 * aux_loss
    expected.backward()
    assert aux_loss.item() > 0.5
    assert loss == pytest.approx(expected.item(), rel=SAME, abs=1e-5)
    assert gap(gradient, gradient_of(model)) < SAME


def test_the_off_policy_mask_sees_the_old_policy_not_the_clipped_ratios(gmpo):
    # Every token is 0.6 less likely in log space than it was. Rows of negative advantage are dropped at 0.5; with the
    # clip, which holds their ratios at -0.4, they would stay.
    trainer = gmpo(off_policy_mask_threshold=0.5)
    batch = random_batch(3)
    batch["drift"] = torch.full_like(batch["drift"], -0.6)
    loss, _ = loss_and_gradient(trainer, with_old_policy(trainer.model, batch))
    assert loss == pytest.approx(-(1.5 + 0.4) * math.exp(-0.6) / 4, rel=1e-5)
