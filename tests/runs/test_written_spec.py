"""What gpo writes as a spec is read back fast, and to the same values."""

import pytest

from gpocli.errors import SpecError
from gpocli.runs.written_spec import flat_settings, read_written_spec
from gpocli.spec import RunSpec
from gpocli.spec.dump import dump_spec

SPEC = RunSpec.model_validate(
    {
        "algorithm": {"type": "gfpo", "group_size": 4, "keep": 2, "filters": [{"name": "length"}]},
        "data": {"source": "2020-01-01", "system": "yes\n no: 'é' \u202e"},
        "optim": {"learning_rate": 1e-5},
        "trl": {"ddp_timeout": 12},
    }
)


def test_every_value_is_read_as_it_was(tmp_path):
    (tmp_path / "spec.yaml").write_text(dump_spec(SPEC), encoding="utf-8")
    assert read_written_spec(tmp_path / "spec.yaml") == SPEC.model_dump()


def test_some_sections_are_read_alone(tmp_path):
    (tmp_path / "spec.yaml").write_text(dump_spec(SPEC), encoding="utf-8")
    whole = SPEC.model_dump()
    assert read_written_spec(tmp_path / "spec.yaml", ["algorithm", "run"]) == {
        "algorithm": whole["algorithm"],
        "run": whole["run"],
    }


@pytest.mark.parametrize("text", ["a: [", "- 1", "\x00"])
def test_what_cannot_be_read_is_told(tmp_path, text):
    (tmp_path / "spec.yaml").write_text(text)
    with pytest.raises(SpecError, match=r"spec\.yaml'"):
        read_written_spec(tmp_path / "spec.yaml")


def test_settings_have_dotted_paths():
    spec = {"run": {"steps": 3, "trackers": []}, "rewards": [{"name": "a"}], "trl": {}}
    assert flat_settings(spec) == {"run.steps": 3, "run.trackers": [], "rewards": [{"name": "a"}], "trl": {}}
