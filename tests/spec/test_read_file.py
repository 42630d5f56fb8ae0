import pytest


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "run.yaml: is empty; write at least algorithm: {type: gfpo}"),
        (" \n\n", "run.yaml: is empty; write at least algorithm: {type: gfpo}"),
        ("# only this\n", "run.yaml: is empty; write at least algorithm: {type: gfpo}"),
        ("- a\n", "run.yaml:1:1: holds a list rather than keys; start with algorithm: {type: gfpo}"),
        ("gfpo\n", "run.yaml:1:1: holds text rather than keys; start with algorithm: {type: gfpo}"),
        ("5\n", "run.yaml:1:1: holds a number rather than keys; start with algorithm: {type: gfpo}"),
        (b"a: 1\nb\xc3\xa4\xff: 2\n", "run.yaml:2:3: the byte 0xff is not UTF-8; save it as UTF-8"),
        ("a: 1\n".encode("utf-16"), "run.yaml:1:1: the byte 0xff is not UTF-8; save it as UTF-8"),
    ],
)
def test_a_file_that_holds_no_spec(faults, text, line):
    assert faults(text) == [line]


def test_a_byte_order_mark_is_no_text(load):
    assert load("\ufeffrun: {steps: 3}\n").spec.run.steps == 3


def test_a_missing_file_with_a_near_name(faults, write):
    from pathlib import Path

    from gpocli.errors import SpecError
    from gpocli.spec.load import load_spec

    write("run: {steps: 3}\n", "train.yaml")
    Path("folder.yaml").mkdir()
    with pytest.raises(SpecError) as caught:
        load_spec([Path("trian.yaml"), Path("none/x.yaml"), Path("other.toml"), Path("folder.yaml")])
    assert str(caught.value).splitlines() == [
        "trian.yaml: there is no such file; did you mean train.yaml?",
        "none/x.yaml: there is no such file; there is no folder none either",
        "other.toml: there is no such file; check the path",
        "folder.yaml: is a folder; name a file in it",
    ]


def test_an_unknown_kind_of_file(faults):
    assert faults("x", name="run.ini") == ["run.ini: has no known kind ('.ini'); name it .yaml, .yml, .toml or .json"]


def test_toml_and_json_hold_specs_too(load):
    assert load("[run]\nsteps = 3\n", name="run.toml").spec.run.steps == 3
    assert load('{\n\t"run": {"steps": 3}\n}', name="run.json").spec.run.steps == 3


def test_json_faults_have_places(faults):
    text = '{\n\t"run": {"steps": 0},\n\t"run": 1, "data": {"system": "\\ud83d"}\n}'
    assert faults(text, name="run.json") == [
        "run.json:2:10: run.steps: 0 is too small; write a whole number, at least 1, or null",
        "run.json:3:2: run: is there already, in line 2, column 2; remove one of the two",
        "run.json:3:21: data.system: holds the character U+D83D; remove it",
    ]
    assert faults('{"run": 1,}', name="run.json") == [
        "run.json:1:11: not valid JSON: expecting property name enclosed in double quotes; mend it here"
    ]
