"""A server as a process of ours, with a command in place of vLLM's that serves health."""

import sys
import time

import pytest

from gpocli.errors import EnvironmentFault
from gpocli.serving.client import Control
from gpocli.serving.command import ServeCommand
from gpocli.serving.process import ServerProcess, server_of_a_run

SERVES = """#!{python}
import http.server, sys
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200), self.send_header("content-length", "0"), self.end_headers()
print("hello", sys.argv[1:], flush=True)
http.server.HTTPServer(("127.0.0.1", int(sys.argv[2])), H).serve_forever()
"""
DIES = "#!{python}\nimport sys\nprint('[x.py:1] ValueError: no such dtype')\nsys.exit(3)\n"


@pytest.fixture
def command(tmp_path, monkeypatch, unused_port):
    """`command(script)`: a command whose `vllm` is the script."""
    monkeypatch.setenv("PATH", str(tmp_path))

    def make(script):
        (tmp_path / "vllm").write_text(script.format(python=sys.executable))
        (tmp_path / "vllm").chmod(0o755)
        return ServeCommand(["vllm", "serve", str(unused_port)], {}, f"http://127.0.0.1:{unused_port}")

    return make


def test_it_is_up_inside_and_gone_outside(command, tmp_path):
    made, notes, log = command(SERVES), [], tmp_path / "log"
    with server_of_a_run(made, log, 60, notes.append) as server:
        assert Control(made.url).is_up()
        assert not server.has_ended()
    assert server.has_ended()
    assert not Control(made.url).is_up()
    assert notes == [f"vLLM is started at {made.url}, its log is {log}"]
    assert log.read_text().startswith("hello ['serve'")


def test_a_dead_one_is_started_again(command, tmp_path):
    made, notes = command(SERVES), []
    with server_of_a_run(made, tmp_path / "log", 60, notes.append) as server:
        server._process.kill()
        server._process.wait()
        assert Control(made.url).wait(60, lambda waited: None)
        assert notes[1:] == ["vLLM died, and is started again"]


def test_one_that_cannot_start_says_why(command, tmp_path):
    log = tmp_path / "log"
    with (
        pytest.raises(EnvironmentFault, match=r"ended with exit code 3 \(ValueError: no such dtype\); see .*log"),
        server_of_a_run(command(DIES), log, 60, lambda note: None),
    ):
        raise AssertionError("it is not up")


def test_one_that_is_not_up_in_time_is_ended(command, tmp_path):
    made = command("#!{python}\nimport time\ntime.sleep(600)\n")
    server = ServerProcess(made, tmp_path / "log")
    server.start()
    with pytest.raises(EnvironmentFault, match=r"is not up at .* after 0 s; see .*, or raise sampling.vllm.wait"):
        server.wait_until_up(0, lambda note: None)
    began = time.monotonic()
    server.stop()
    assert server.has_ended()
    assert time.monotonic() - began < 30


def test_an_address_that_is_taken(command, tmp_path):
    made = command(SERVES)
    with (
        server_of_a_run(made, tmp_path / "log", 60, lambda note: None),
        pytest.raises(EnvironmentFault, match=r"a server answers at .* already; end it, or write another port"),
    ):
        ServerProcess(made).start()
