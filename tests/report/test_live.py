"""A live report is made anew for each asking, on this machine alone."""

import shutil
import threading
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from gpocli.errors import EnvironmentFault
from gpocli.report.live import serve
from gpocli.runs.run import Run
from tests.runs.made_run import make_run


@pytest.fixture
def served(tmp_path):
    with serve([Run(make_run(tmp_path / "a"))], 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(server, path="/"):
    with urlopen(f"http://127.0.0.1:{server.server_port}{path}") as answer:
        return answer.read().decode()


def test_it_follows_the_run(served, tmp_path):
    assert "2/2" in ask(served)
    make_run(tmp_path / "a", steps=3, of=3)
    assert "3/3" in ask(served)


def test_it_is_of_this_machine_alone(served):
    assert served.server_address[0] == "127.0.0.1"


def test_there_is_nothing_else(served, tmp_path):
    with pytest.raises(HTTPError, match="404"):
        ask(served, "/spec.yaml")
    shutil.rmtree(tmp_path / "a")
    with pytest.raises(HTTPError, match="503"):
        ask(served)


def test_a_taken_port_is_told(served):
    with pytest.raises(EnvironmentFault, match="cannot listen on port"):
        serve([], served.server_port)
