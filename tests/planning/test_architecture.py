"""What a config tells of a model, and what it does not."""

import pytest

from gpocli.planning.architecture import UnknownModel, read_architecture
from tests.planning.real_models import SIZES


def test_an_old_config_without_newer_keys_gets_the_defaults_of_its_type():
    # Llama 2 as published: no head_dim, no tie_word_embeddings, torch_dtype for dtype
    architecture = read_architecture(
        {
            "model_type": "llama",
            "vocab_size": 32000,
            "hidden_size": 4096,
            "intermediate_size": 11008,
            "num_hidden_layers": 32,
            "num_attention_heads": 32,
            "torch_dtype": "float16",
        }
    )
    assert architecture.parameters == 6_738_415_616
    assert architecture.dtype == "float16"


def test_the_language_part_of_a_model_that_sees_images_is_counted():
    config = {"model_type": "gemma3", "text_config": {**SIZES, "model_type": "gemma3_text", "head_dim": 8}}
    assert read_architecture(config).model_type == "gemma3_text"


def test_an_unknown_type_is_counted_like_a_llama_and_says_so():
    architecture = read_architecture({**SIZES, "model_type": "newest"})
    assert not architecture.known
    assert architecture.parameters == read_architecture({**SIZES, "model_type": "llama"}).parameters


def test_layers_of_an_unknown_kind_make_it_an_estimate():
    config = {**SIZES, "model_type": "llama", "layer_types": ["full_attention", "linear_attention", "full_attention"]}
    assert not read_architecture(config).known


def test_windows_of_old_configs_follow_the_family():
    def windows(**options):
        return read_architecture({**SIZES, "sliding_window": 8, **options}).windows

    assert windows(model_type="gemma2") == (8, None, 8)
    assert windows(model_type="gemma3_text", num_hidden_layers=7) == (8, 8, 8, 8, 8, None, 8)
    assert windows(model_type="gemma3_text", sliding_window_pattern=2) == (8, None, 8)
    assert windows(model_type="mistral") == (8, 8, 8)
    assert windows(model_type="qwen2", use_sliding_window=False) == (None, None, None)


def test_windows_of_some_layers_that_the_config_does_not_name_make_it_an_estimate():
    config = {**SIZES, "model_type": "qwen2", "use_sliding_window": True, "sliding_window": 8}
    assert not read_architecture(config).known


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"model_type": "bert"}, "its config.json has no hidden_size"),
        (
            {**SIZES, "hidden_size": "wide"},
            "its config.json has a size that is no number (invalid literal for int() with base 10: 'wide')",
        ),
    ],
)
def test_what_is_no_decoder_is_told(config, reason):
    with pytest.raises(UnknownModel) as caught:
        read_architecture(config)
    assert str(caught.value) == reason
