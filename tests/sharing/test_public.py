"""What others may see of a spec."""

import pytest

from gpocli.sharing.public import HIDDEN, base_name, is_hub_id, public_spec, shown
from gpocli.spec import RunSpec


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("/home/me/train.jsonl", "train.jsonl"),
        ("~/train.jsonl", "train.jsonl"),
        ("../secret/train.jsonl", "train.jsonl"),
        ("/home/me/mine.py:score", "mine.py:score"),
        (r"C:\Users\me\train.jsonl", "train.jsonl"),
        ("file:///home/me/a", "a"),
        ("data/train.jsonl", "data/train.jsonl"),
        ("./mine.py:score", "./mine.py:score"),
        ("Qwen/Qwen3-0.6B", "Qwen/Qwen3-0.6B"),
        ("and/or", "and/or"),
    ],
)
def test_a_path_of_this_machine_is_its_last_part(text, seen):
    assert shown(text) == seen


def test_a_folder_is_no_hub_id(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert is_hub_id("models/mine")
    (tmp_path / "models" / "mine").mkdir(parents=True)
    assert not is_hub_id("models/mine")
    assert base_name("models/mine") == "`mine`"


@pytest.mark.parametrize("name", ["embedded", "data/train.jsonl", "a/b/c", "/a/b", "./a", "gym:sums", "-"])
def test_other_names_are_no_hub_ids(name):
    assert not is_hub_id(name)


def test_a_spec_tells_neither_folders_nor_servers_nor_secrets():
    spec = RunSpec.model_validate(
        {
            "model": {"name": "/home/me/base"},
            "data": {"source": "/home/me/train.jsonl"},
            "rewards": [{"name": "/home/me/mine.py:score", "options": {"api_key": "sk-1", "max_tokens": "5"}}],
            "run": {"dir": "/home/me/runs/x"},
            "sampling": {"engine": "vllm", "vllm": {"url": "http://node7:8000", "folder": "/scratch/me"}},
        }
    )
    public = public_spec(spec)
    assert public.model.name == "base"
    assert public.data.source == "train.jsonl"
    assert public.rewards[0].name == "mine.py:score"
    assert public.rewards[0].options == {"api_key": HIDDEN, "max_tokens": "5"}
    assert not any(word in str(public.model_dump()) for word in ("/home", "node7", "scratch", "sk-1"))
