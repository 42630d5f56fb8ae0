import pytest

from gpocli.algorithms.gfpo import GFPOSpec
from gpocli.algorithms.gmpo import GMPOSpec
from gpocli.algorithms.grpo import GRPOSpec
from gpocli.settings.algorithm import FilterSpec
from gpocli.settings.batch import BatchSpec
from gpocli.settings.data import DataSpec
from gpocli.settings.docs import field_docs
from gpocli.settings.model import LoraSpec, ModelSpec
from gpocli.settings.optim import OptimSpec
from gpocli.settings.reward import RewardSpec
from gpocli.settings.run import RunSettings
from gpocli.settings.sampling import SamplingSpec
from gpocli.spec.fields import Wanted
from gpocli.spec.run_spec import RunSpec

SECTIONS = [
    RunSpec, GFPOSpec, GMPOSpec, GRPOSpec, FilterSpec, ModelSpec, LoraSpec, DataSpec, RewardSpec, SamplingSpec,
    OptimSpec, BatchSpec, RunSettings,
]  # fmt: skip


@pytest.mark.parametrize("section", SECTIONS)
def test_every_field_has_a_docstring(section):
    assert list(field_docs(section).keys() ^ section.model_fields.keys()) == []


@pytest.mark.parametrize("section", SECTIONS)
def test_every_number_has_a_bound(section):
    for name, field in section.model_fields.items():
        annotation = str(field.annotation)
        if field.annotation in (int, float) or annotation in ("int | None", "float | None"):
            assert Wanted((field.annotation,), tuple(field.metadata)).bounds, name


def test_a_docstring_is_that_of_its_field():
    assert field_docs(BatchSpec)["iterations"] == ("Times that each generation batch is trained on; 1 to 1000.")


def test_inherited_fields_have_theirs():
    assert "cut at `sampling.max_tokens`" in field_docs(GRPOSpec)["mask_truncated"]
