"""`gpo report` writes one file, or serves it."""

import json
import sys
import threading
from http.server import HTTPServer
from urllib.request import urlopen

import pytest

from tests.cli.in_process import User
from tests.runs.made_run import four, make_run, record


@pytest.fixture
def user(tmp_path, monkeypatch, capsys):
    record(make_run(tmp_path / "a"), four(1, 0), four(2, 0))
    return User(tmp_path, monkeypatch, capsys)


def test_a_file_is_written(user):
    done = user.gpo("report", "a")
    assert done.code == 0
    assert done.out.startswith("report.html: ")
    assert (user.folder / "report.html").read_text().startswith("<!doctype html>")


def test_where_it_went_is_json(user):
    told = json.loads(user.gpo("report", "a", "--to", "b.html", "--json").out)
    assert told == {"runs": ["a"], "file": "b.html", "size": (user.folder / "b.html").stat().st_size}


def test_a_place_that_cannot_be_written_is_told(user):
    done = user.gpo("report", "a", "--to", "none/b.html")
    fault = "cannot write 'none/b.html' (No such file or directory); name another file with --to\n"
    assert (done.code, done.err) == (5, fault)


def test_a_missing_package_is_told(user, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    done = user.gpo("report", "a")
    assert (done.code, "pip install 'gpocli[report]'" in done.err) == (5, True)


def test_it_is_served_until_ctrl_c(user, monkeypatch):
    def ask_once(server):
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        with urlopen(f"http://127.0.0.1:{server.server_port}/") as answer:
            assert b"<!doctype html>" in answer.read()
        thread.join()
        raise KeyboardInterrupt

    monkeypatch.setattr(HTTPServer, "serve_forever", ask_once)
    done = user.gpo("report", "a", "--live", "--port", "0")
    assert done.code == 130
