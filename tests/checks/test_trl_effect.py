"""Options that do nothing beside the others are told in notes."""

import pytest

from gpocli.checks.findings import Findings
from gpocli.checks.preflight import check_run
from gpocli.checks.trl_effect import IDLE, note_without_effect
from gpocli.spec.trl_schema import trl_options


@pytest.fixture
def notes(draft):
    """The notes on a spec text."""

    def noted(text):
        findings = Findings(draft(text))
        note_without_effect(findings)
        return findings.notes

    return noted


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("trl: {vllm_importance_sampling_correction: false}", "without sampling.engine: vllm"),
        ("trl: {ref_model_mixup_alpha: 0.5}", "without trl.sync_ref_model: true"),
        ("trl: {use_bias_correction_kl: true}\nalgorithm: {beta: 0}", "with algorithm.beta: 0"),
        ("trl: {entropy_target: 0.5}", "without trl.use_adaptive_entropy: true"),
        ("trl: {delta: 2}\nalgorithm: {type: grpo, loss_type: sapo}", "on this loss, which clips in its own way"),
        ("trl: {num_generations_eval: 2}", "without run.eval_every"),
        ("trl: {hub_strategy: end}", "without trl.push_to_hub: true"),
        ("trl: {do_train: true}", "in gpo train; run.eval_every says when a run evaluates"),
    ],
)
def test_an_option_without_effect_is_told_with_the_reason(notes, text, why):
    (note,) = notes(f"{text}\n")
    assert note == f"trl.{text.partition('{')[2].partition(':')[0]} has no effect {why}"


@pytest.mark.parametrize(
    "text",
    [
        "trl: {vllm_importance_sampling_correction: false}\nsampling: {engine: vllm}",
        "trl: {ref_model_mixup_alpha: 0.5, sync_ref_model: true}",
        "trl: {delta: 2}",
        "trl: {num_generations_eval: 2}\nrun: {eval_every: 5}",
        "trl: {vllm_model_impl: vllm}\nsampling: {engine: vlm}",
    ],
)
def test_an_option_with_effect_or_beside_a_fault_is_not_told(notes, text):
    assert notes(f"{text}\n") == []


def test_the_user_sees_the_notes_of_a_sound_run(draft):
    assert check_run(draft("trl: {disable_tqdm: true}\n")).notes == [
        "trl.disable_tqdm has no effect in gpo train, which has its own display"
    ]


def test_each_option_is_one_of_trl():
    assert {name for idle in IDLE for name in idle.options.split()} <= trl_options().keys()
