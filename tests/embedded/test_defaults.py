"""The layer of the run spec under a run on the embedded model."""

from ruamel.yaml import YAML

from gpocli.embedded import DEFAULTS_PATH
from gpocli.embedded.task import rows
from gpocli.spec.run_spec import RunSpec


def test_defaults_are_a_sound_spec():
    spec = RunSpec.model_validate(YAML(typ="safe", pure=True).load(DEFAULTS_PATH))
    assert (spec.sampling.max_tokens, spec.optim.learning_rate, spec.run.steps) == (256, 3e-4, 60)
    assert spec.optim.schedule == "linear"


def test_no_prompt_comes_twice_in_a_default_run():
    spec = RunSpec.model_validate(YAML(typ="safe", pure=True).load(DEFAULTS_PATH))
    assert spec.run.steps * spec.batch.prompts_per_step <= len(rows("train"))
