"""`gpo serve`: what it would start, and why it cannot."""

import pytest

from tests.cli.in_process import User
from tests.vllm_here import EMBEDDED

SERVER = ("--set", "sampling.engine=vllm", "--set", "sampling.vllm.url=http://127.0.0.1:8123")


def test_the_command_is_printed_alone(user):
    done = user.gpo("serve", "--print", *SERVER, "--vllm=--max-num-seqs=8")
    assert done.code == 0
    assert done.out.startswith("VLLM_SERVER_DEV_MODE=1 ")
    assert f"vllm serve {EMBEDDED} --served-model-name embedded --host 127.0.0.1 --port 8123" in done.out
    assert done.out.rstrip().endswith("--max-num-seqs=8")


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    return User(tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize("flags", [(), ("--set", "sampling.engine=vllm")])
def test_a_spec_without_a_server(user, flags):
    done = user.gpo("serve", "--print", *flags)
    assert (done.code, done.out) == (2, "")
    assert done.err == "sampling.vllm: the spec names no server; write sampling: {engine: vllm, vllm: {}}\n"


def test_where_vllm_is_not_installed(user, monkeypatch):
    monkeypatch.setenv("PATH", "")
    done = user.gpo("serve", *SERVER)
    assert done.code == 5
    assert done.err == "the command vllm is not installed here; pip install 'gpocli[vllm]'\n"
