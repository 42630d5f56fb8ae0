"""A run is asked as it was trained, any other model with the defaults; flags stand above both."""

import shutil

import pytest
import yaml

from gpocli.asking.source import base_of, find_asked, run_of, was_trained_on_chats
from gpocli.embedded import MODEL_PATH
from gpocli.errors import SpecError
from gpocli.spec.layer import Assignment, Place


@pytest.fixture
def make_run(tmp_path):
    """A run on the embedded model, `x`, with its final model and a checkpoint, and settings in place of its own."""

    def make(**settings):
        run = tmp_path / "x"
        for place in ("model", "checkpoints/checkpoint-5"):
            shutil.copytree(MODEL_PATH, run / place)
            (run / place / "training_args.bin").touch()
        spec = {"model": {"name": "embedded", "lora": None}, "sampling": {"max_tokens": 256}, "data": {}} | settings
        (run / "spec.yaml").write_text(yaml.safe_dump(spec))
        return str(run)

    return make


def test_a_run_brings_how_it_was_sampled_and_prompted(make_run):
    run = make_run(
        sampling={"temperature": 0.5, "max_tokens": 99, "engine": "vllm", "vllm": {"start": True}},
        model={"name": "embedded", "dtype": "bfloat16", "lora": {"rank": 4}, "quantization": "4bit"},
        data={"source": "gone.jsonl", "system": "Be brief."},
        trl={"chat_template_kwargs": {"enable_thinking": False}, "disable_dropout": True},
    )
    asked = find_asked(run)
    spec = asked.spec
    assert (spec.sampling.temperature, spec.sampling.max_tokens, spec.sampling.engine) == (0.5, 99, "auto")
    assert (spec.model.name, spec.model.dtype, spec.model.lora, spec.model.quantization) == (
        run,
        "bfloat16",
        None,
        None,
    )
    assert (spec.data.system, asked.template_options) == ("Be brief.", {"enable_thinking": False})
    assert base_of(asked) == "embedded"


def test_flags_and_set_stand_above_what_a_run_brings(make_run):
    run = make_run(sampling={"temperature": 0.5, "top_p": 0.9, "max_tokens": 64})
    flags = [Assignment("sampling.temperature", 0.7, Place("--temperature"))]
    sampling = find_asked(run, ["sampling.top_p=0.8"], flags).spec.sampling
    assert (sampling.temperature, sampling.top_p) == (0.7, 0.8)


@pytest.mark.parametrize("place", ["", "/", "/model", "/checkpoints/checkpoint-5", "/checkpoints/checkpoint-5/"])
def test_a_model_within_a_run_is_of_the_run(make_run, place):
    found = run_of(make_run() + place)
    assert found is not None
    assert found.name == "x"


def test_a_model_elsewhere_is_of_no_run(make_run, tmp_path):
    make_run()
    (tmp_path / "x" / "export").mkdir()
    assert [run_of(f"{tmp_path}{place}") for place in ("/x/export", "/x/checkpoints", "")] == [None] * 3
    assert (run_of("embedded"), run_of("owner/name")) == (None, None)


def test_the_embedded_model_has_its_defaults_and_a_small_context_leaves_room(tmp_path):
    assert find_asked("embedded").spec.sampling.max_tokens == 256
    shutil.copytree(MODEL_PATH, tmp_path / "m")  # of a context of 1,024 tokens
    assert find_asked(f"{tmp_path}/m").spec.sampling.max_tokens == 512


@pytest.mark.parametrize(
    ("name", "overrides", "told"),
    [
        ("./none", [], "MODEL: model.name: no such folder './none'"),
        ("embedded", ["sampling.temperature=0"], "--set sampling.temperature=0: sampling.temperature:"),
        ("embedded", ["sampling.max_tokens=1024"], "leaves no room for a prompt"),
    ],
)
def test_what_cannot_be_asked_is_told(name, overrides, told):
    with pytest.raises(SpecError, match=told):
        find_asked(name, overrides)


def test_a_model_of_no_run_has_no_base():
    with pytest.raises(SpecError, match="'embedded' is no run, so nothing tells its base; name a model instead"):
        base_of(find_asked("embedded"))


@pytest.mark.parametrize(
    ("data", "is_chat"),
    [
        ({"source": "embedded"}, True),
        ({"source": "plain.jsonl"}, False),
        ({"source": "plain.jsonl", "chat": True}, True),
        ({"source": "plain.jsonl", "system": "Be brief."}, True),
        ({"source": "gone.jsonl"}, None),
        ({"source": "owner/name"}, None),
    ],
)
def test_prompts_are_chats_where_those_of_the_training_were(make_run, tmp_path, monkeypatch, data, is_chat):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.jsonl").write_text('{"prompt": "2+3=?"}\n')
    assert was_trained_on_chats(run_of(make_run(data=data))) is is_chat
    assert was_trained_on_chats(None) is None
