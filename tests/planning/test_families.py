"""Parameter counts and cache sizes from a config alone, against real models."""

import pytest
import torch
import transformers

from gpocli.planning.architecture import read_architecture
from tests.planning.real_models import IDS, MODELS, build

torch.set_num_threads(1)


@pytest.mark.parametrize(("name", "options"), MODELS, ids=IDS)
def test_parameters_are_those_of_the_real_model(name, options):
    model, config = build(name, options)
    architecture = read_architecture(config)
    assert architecture.known
    assert architecture.counted
    assert architecture.parameters == sum(parameter.numel() for parameter in model.parameters())


@pytest.mark.parametrize(("name", "options"), MODELS, ids=IDS)
def test_the_cache_is_as_large_as_the_real_one(name, options):
    model, config = build(name, options)
    ids = torch.arange(3 * 20).view(3, 20) % 50
    cache = transformers.DynamicCache(config=model.config)
    with torch.no_grad():
        model(input_ids=ids[:, :19], past_key_values=cache, use_cache=True)
        model(input_ids=ids[:, 19:], past_key_values=cache, use_cache=True)
    held = sum(layer.keys.numel() + layer.values.numel() for layer in cache.layers)
    assert read_architecture(config).cache_elements(rows=3, tokens=20) == held
