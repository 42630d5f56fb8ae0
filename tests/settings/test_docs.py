import annotated_types
import pytest

from gpocli.settings.batch import BatchSpec
from gpocli.settings.docs import field_docs
from gpocli.settings.section import Section
from gpocli.spec.algorithms import algorithms
from gpocli.spec.run_spec import RunSpec


def sections(section):
    """A section and those in it."""
    text = str([field.annotation for field in section.model_fields.values()])
    inner = [one for one in Section.__subclasses__() if f"{one.__module__}.{one.__name__}" in text]
    return {section, *(found for one in inner for found in sections(one))}


SECTIONS = sorted(
    set().union(sections(RunSpec), *(sections(one.section) for one in algorithms().values())), key=lambda s: s.__name__
)


def test_all_sections_are_here():
    assert {"RunSpec", "GFPOSpec", "CISPOSpec", "LoraSpec", "RewardSpec", "FilterSpec"} <= {
        section.__name__ for section in SECTIONS
    }


@pytest.mark.parametrize("section", SECTIONS)
def test_every_field_has_a_docstring(section):
    assert section.model_fields.keys() - field_docs(section).keys() == set()


@pytest.mark.parametrize("section", SECTIONS)
def test_every_number_has_a_bound(section):
    for name, field in section.model_fields.items():
        if field.annotation in (int, float) or str(field.annotation) in ("int | None", "float | None"):
            assert any(isinstance(one, annotated_types.BaseMetadata) for one in field.metadata), name


def test_a_docstring_is_that_of_its_field():
    assert field_docs(BatchSpec)["iterations"] == ("Times that each generation batch is trained on; 1 to 1000.")


def test_inherited_fields_have_theirs():
    assert "cut at `sampling.max_tokens`" in field_docs(algorithms()["grpo"].section)["mask_truncated"]
