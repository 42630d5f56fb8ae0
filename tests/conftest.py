"""What all tests share: no hub, one thread, and a tiny real model on disk."""

import functools
import gc
import logging
import os
import signal
import sys

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["TRL_EXPERIMENTAL_SILENCE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["OMP_NUM_THREADS"] = "1"

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.serving.real_server import real_server  # noqa: F401 (a fixture)

# Commands inherit what is ignored here, as it is under nohup and in the background of a shell.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
# How fast a busy machine draws and runs examples says nothing about what is tested.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


def pytest_collection_finish() -> None:
    """Leave what the tests import out of garbage collections: accelerate makes a full one after each training.

    It also reads the metadata of packages dozens of times in a training; once is enough, none of them comes or goes.
    """
    gc.collect()
    gc.freeze()
    if (looks := sys.modules.get("accelerate.utils.imports")) is not None:
        looks._is_package_available = functools.cache(looks._is_package_available)


@pytest.fixture(autouse=True)
def process_as_it_was():
    """Take back what a command does to its process: the level of the log, and folders of users' files on the path."""
    level, path = logging.getLogger().level, list(sys.path)
    yield
    logging.getLogger().setLevel(level)
    sys.path[:] = [entry for entry in sys.path if entry in path or Path(entry).name.startswith("gpo-modules-")]


def save_tiny_model(folder: Path, *, vocab_seed: int = 0) -> Path:
    """A random two-layer Qwen3 with a character tokenizer, saved as `from_pretrained` expects it."""
    import torch
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

    words = ["<pad>", "<eos>", "<unk>", *"abcdefghijklmnopqrstuvwxyz0123456789 +=?.:"]
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    tokenizer.decoder = decoders.Fuse()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", padding_side="left"
    )
    fast.chat_template = "{% for m in messages %}{{ m['content'] }}:{% endfor %}"
    fast.save_pretrained(folder)
    torch.manual_seed(vocab_seed)
    model = Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=len(words),
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=1,
            head_dim=8,
            max_position_embeddings=128,
            tie_word_embeddings=True,
            bos_token_id=None,
            eos_token_id=1,
            pad_token_id=0,
        )
    )
    model.generation_config.eos_token_id, model.generation_config.pad_token_id = 1, 0
    model.save_pretrained(folder)
    return folder


def save_reward_model(folder: Path, *, seed: int = 0) -> Path:
    """The tiny model with a random head that gives one number, which depends on all of a text."""
    import torch
    from transformers import AutoConfig, Qwen3ForSequenceClassification

    save_tiny_model(folder)
    torch.manual_seed(seed)
    config = AutoConfig.from_pretrained(folder, num_labels=1, max_position_embeddings=2048)
    model = Qwen3ForSequenceClassification(config)
    torch.nn.init.normal_(model.score.weight)
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of a tiny random model; completions of it end after about 40 tokens."""
    return str(save_tiny_model(tmp_path_factory.mktemp("tiny_model")))
