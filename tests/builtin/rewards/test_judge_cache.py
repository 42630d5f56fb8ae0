import os
import sys

import pytest

from gpocli.builtin.rewards.judge_cache import ReplyCache

BODY = {"model": "m", "messages": [{"role": "user", "content": "ä"}]}


def test_a_reply_is_found_again(tmp_path):
    ReplyCache(tmp_path).keep("http://a/v1", BODY, "Score: 1 ä")
    assert ReplyCache(tmp_path).find("http://a/v1", dict(reversed(BODY.items()))) == "Score: 1 ä"


@pytest.mark.parametrize(("url", "changes"), [("http://b/v1", {}), ("http://a/v1", {"model": "n"})])
def test_another_request_has_another_reply(tmp_path, url, changes):
    cache = ReplyCache(tmp_path)
    cache.keep("http://a/v1", BODY, "Score: 1")
    assert cache.find(url, BODY | changes) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"reply": 1}', "\x00"])
def test_a_spoilt_file_is_as_if_it_were_not_there(tmp_path, text):
    cache = ReplyCache(tmp_path)
    cache.keep("u", BODY, "x")
    (file,) = tmp_path.glob("*/*.json")
    file.write_text(text)
    assert cache.find("u", BODY) is None


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    cache = ReplyCache(tmp_path / "file")
    cache.keep("u", BODY, "x")
    assert cache.find("u", BODY) is None


def test_it_holds_replies_alone_and_no_parts_of_files(tmp_path):
    ReplyCache(tmp_path).keep("u", BODY, "Score: 1")
    (file,) = (one for one in tmp_path.rglob("*") if one.is_file())
    assert file.read_text() == '{"reply": "Score: 1"}'


@pytest.mark.skipif(sys.platform == "win32", reason="rights of files are those of POSIX")
def test_others_cannot_read_it(tmp_path):
    ReplyCache(tmp_path / "cache").keep("u", BODY, "x")
    (file,) = tmp_path.rglob("*.json")
    assert os.stat(file).st_mode & 0o077 == 0
