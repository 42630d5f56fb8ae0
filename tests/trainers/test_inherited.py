"""Every option that GRPOConfig hands down works or is refused by name."""

from dataclasses import fields

import pytest
from trl import GRPOConfig

from gpocli import GFPOConfig, GMPOConfig
from gpocli.algorithms.gmpo import EXTENSION as GMPO
from gpocli.trainers.inherited import NEVER_READ, WORKS, is_decided

ANOTHER_VALUE = {
    "average_tokens_across_devices": False,
    "batch_eval_metrics": True,
    "data_seed": 7,
    "delta": 2.0,
    "importance_sampling_level": "token",
    "include_for_metrics": ["loss"],
    "label_names": ["labels"],
    "label_smoothing_factor": 0.1,
    "length_column_name": "size",
    "loss_type": "dr_grpo",
    "sapo_temperature_neg": 2.0,
    "sapo_temperature_pos": 2.0,
    "top_entropy_quantile": 0.2,
    "train_sampling_strategy": "group_by_length",
    "vespo_k_neg": 1.0,
    "vespo_k_pos": 1.0,
    "vespo_lambda_neg": 1.0,
    "vespo_lambda_pos": 1.0,
}


def test_every_inherited_option_is_decided():
    undecided = [option.name for option in fields(GRPOConfig) if not is_decided(option.name)]
    assert undecided == []


def test_no_option_is_both_working_and_refused_for_all():
    assert not WORKS & NEVER_READ.keys()


@pytest.mark.parametrize(
    ("config_class", "name"),
    [(GFPOConfig, name) for name in NEVER_READ] + [(GMPOConfig, name) for name in (*NEVER_READ, *GMPO.refused)],
)
def test_a_refused_option_is_named(tmp_path, config_class, name):
    with pytest.raises(ValueError, match=rf"^{name}=.* has no effect under {config_class.__name__}: "):
        config_class(
            output_dir=str(tmp_path), report_to="none", use_cpu=True, bf16=False, **{name: ANOTHER_VALUE[name]}
        )


@pytest.mark.parametrize("loss_type", ["dapo", "dr_grpo", "nonsense"])
def test_gmpo_refuses_other_losses(tmp_path, loss_type):
    with pytest.raises(ValueError) as caught:
        GMPOConfig(output_dir=str(tmp_path), use_cpu=True, bf16=False, loss_type=loss_type)
    assert str(caught.value) == (
        f"loss_type='{loss_type}' has no effect under GMPOConfig: GMPO has one loss, a mean over sequences: "
        "leave it out, or use GFPO for this one"
    )
