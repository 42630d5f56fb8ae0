"""Filters and rewards in a file or module, without a package."""

import sys
import textwrap

import pytest

from gpocli.contracts.reference import follow_reference, is_reference
from gpocli.errors import PluginError, SpecError


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name, code):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(code))
        return path

    return write


@pytest.mark.parametrize("text", ["./f.py:x", "f.py", "/a/f.py:x", "~/f.py:x", "pkg.mod:x", "mod:x", "pkg.mod", "a/b"])
def test_references(text):
    assert is_reference(text)


@pytest.mark.parametrize("text", ["length", "token_efficiency", "lenght"])
def test_names_are_no_references(text):
    assert not is_reference(text)


def test_name_in_a_file(here):
    path = here("my filters.py", "LIMIT = 3\ndef shortest(): pass\n")
    found = follow_reference("./my filters.py:shortest", "filter")
    assert (found.name, found.value.__name__, found.file) == ("shortest", "shortest", str(path))
    assert follow_reference(f"{path}:LIMIT", "filter").value == 3


def test_two_names_of_one_file_share_it(here):
    here("shared.py", "state = []\nalias = state\n")
    assert follow_reference("shared.py:state", "filter").value is follow_reference("./shared.py:alias", "filter").value


def test_file_can_use_what_lies_beside_it_after_all_that_was_on_the_path(here):
    here("deep/beside_it.py", "VALUE = 7\n")
    here("deep/user.py", "from beside_it import VALUE\n")
    before = list(sys.path)
    assert follow_reference("deep/user.py:VALUE", "filter").value == 7
    assert sys.path[: len(before)] == before


def test_file_with_a_dataclass_can_be_pickled_from(here):
    here("data.py", """
        from dataclasses import dataclass
        @dataclass
        class Point:
            x: int = 1
    """)  # fmt: skip
    import pickle

    point = follow_reference("./data.py:Point", "filter").value()
    assert pickle.loads(pickle.dumps(point)) == point


def test_name_in_a_module_that_is_installed_or_in_this_folder(here):
    assert follow_reference("os.path:join", "filter").name == "join"
    here("here_only/inner.py", "def shortest(): pass\n")
    assert follow_reference("here_only.inner:shortest", "filter").name == "shortest"


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("./mine.py", "filter './mine.py' does not say which name to take; write ./mine.py:NAME"),
        ("pkg.mod", "filter 'pkg.mod' does not say which name to take; write pkg.mod:NAME"),
        ("./mine.py:", "filter './mine.py:' does not say which name to take; write ./file.py:NAME"),
        ("./mine.py:a-b", "filter './mine.py:a-b' does not say which name to take; write ./file.py:NAME"),
        (":name", "filter ':name' does not say which name to take; write ./file.py:NAME"),
        ("./mine.py:shortst", "there is no 'shortst' in './mine.py'; did you mean 'shortest'?"),
        ("./mine.py:zzz", "there is no 'zzz' in './mine.py'; there are: longest, shortest"),
        ("not there:x", "filter 'not there' is no module name; write package.module:NAME or ./file.py:NAME"),
        ("not_there.deep:x", "filter 'not_there.deep': no module 'not_there'; install it or check the name"),
        ("os.nothing:x", "filter 'os.nothing': no module 'os.nothing'; install it or check the name"),
    ],
)
def test_wrong_references_are_faults_of_the_spec(here, reference, message):
    here("mine.py", "LIMIT = 3\ndef shortest(): pass\ndef longest(): pass\ndef _hidden(): pass\n")
    with pytest.raises(SpecError) as caught:
        follow_reference(reference, "filter")
    assert str(caught.value) == message


def test_missing_file_says_where_it_was_looked_for(here, tmp_path):
    with pytest.raises(SpecError) as caught:
        follow_reference("./none.py:x", "reward")
    assert str(caught.value) == f"reward './none.py': no such file; check the path, which starts at {tmp_path}"


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        ("raise ValueError('bad day')", "ValueError: bad day (broken.py:1)"),
        ("x = 1\nimport not_there_at_all", "ModuleNotFoundError: No module named 'not_there_at_all' (broken.py:2)"),
        ("import sys\nsys.exit('bye')", "SystemExit: bye (broken.py:2)"),
        ("x = (", "SyntaxError: '(' was never closed (broken.py, line 1)"),
    ],
)  # fmt: skip
def test_file_or_module_that_fails_is_a_fault_of_the_plugin(here, code, cause):
    here("broken.py", code)
    for reference in ("./broken.py:x", "broken:x"):
        place = reference.removesuffix(":x")
        mend = "file" if place.endswith(".py") else "module"
        with pytest.raises(PluginError) as caught:
            follow_reference(reference, "filter")
        assert str(caught.value) == f"filter '{place}' failed on import: {cause}; mend the {mend}"


def test_file_is_read_again_after_it_was_mended(here):
    here("mended.py", "raise ValueError('bad day')\n")
    with pytest.raises(PluginError):
        follow_reference("./mended.py:value", "filter")
    here("mended.py", "value = 1  # and longer than before\n")
    assert follow_reference("./mended.py:value", "filter").value == 1
