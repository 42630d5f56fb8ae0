"""The starter holds sound settings, in comments too."""

import re

import pytest

from gpocli.spec.algorithms import algorithms
from gpocli.spec.run_spec import RunSpec
from gpocli.spec.starter import starter
from gpocli.spec.yaml_text import read_yaml


@pytest.mark.parametrize("algorithm", algorithms())
def test_with_every_setting_uncommented_it_is_the_defaults(algorithm):
    text = starter(algorithm, "run.yaml")
    uncommented = re.sub(r"^#(?! )|^#(?=  \w)", "", text, flags=re.MULTILINE)
    read = read_yaml(uncommented, "f")
    assert read.faults == []
    assert set(read.value) == set(RunSpec.model_fields) - {"trl"}
    assert RunSpec.model_validate(read.value) == RunSpec.model_validate({"algorithm": {"type": algorithm}})


def test_settings_and_their_comments():
    lines = starter("gfpo", "a/b.yaml").splitlines()
    assert lines[:3] == [
        "# yaml-language-server: $schema=gpo-spec.schema.json",
        "# `gpo check a/b.yaml` tells what is wrong with it, `gpo train gfpo a/b.yaml` trains.",
        "# Values behind a # are the defaults for a model of your own; `gpo config show` lists every setting.",
    ]
    assert any(line.startswith("#  vllm: null") for line in lines)
    assert "  keep: 8                 # k, candidates kept and trained on; 2 to `group_size`." in lines
    assert "#  steps: 100        # Optimizer steps to train for; at least 1; null where `epochs` is given." in lines
