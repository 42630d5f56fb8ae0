import json

import pytest

from gpocli.builtin.rewards.code_tests import Pair, RowTests, read_tests
from gpocli.errors import SpecError

PAIRS = RowTests(pairs=(Pair("1\n", "2\n"), Pair("3\n", "4\n")))


@pytest.mark.parametrize("cell", [None, "", "  \n", [], {}])
def test_no_tests(cell):
    assert read_tests(cell) is None


@pytest.mark.parametrize(
    ("cell", "tests"),
    [
        ("assert f() == 1", RowTests(asserts=("assert f() == 1",))),
        (["assert f()", "assert g()"], RowTests(asserts=("assert f()", "assert g()"))),
        ("[f() for _ in '1'][0]", RowTests(asserts=("[f() for _ in '1'][0]",))),
        ({"inputs": ["1\n", "3\n"], "outputs": ["2\n", "4\n"]}, PAIRS),
        ([{"input": "1\n", "output": "2\n"}, {"input": "3\n", "output": "4\n", "kind": "x"}], PAIRS),
    ],
)
def test_the_forms(cell, tests):
    assert read_tests(cell) == tests


@pytest.mark.parametrize("cell", [["assert f()"], {"inputs": ["1"], "outputs": ["2"]}])
def test_json_in_a_text_is_what_it_holds(cell):
    assert read_tests(json.dumps(cell)) == read_tests(cell)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (42, "42 is no tests; write a text or"),
        (["assert f()", 1], r"\['assert f\(\)', 1\] is no tests"),
        ({"input": "x"}, "is no tests"),
        ({"inputs": ["1"], "outputs": []}, "tests have 1 inputs and 0 outputs; give one output for each input"),
        ({"inputs": [[1, 2]], "outputs": ["3"]}, r"the input \[1, 2\] and the output '3'; both must be texts"),
        ("assert f(", "a test is not Python .*; mend the data"),
    ],
)
def test_what_is_no_tests(cell, said):
    with pytest.raises(SpecError, match=said):
        read_tests(cell)


@pytest.mark.parametrize("output", [b"1\n2\n", b"1  \n2", b"1\r\n2\n\n\n"])
def test_the_ends_of_lines_do_not_matter(output):
    assert Pair("", "1\n2\n").is_met_by(output)


@pytest.mark.parametrize("output", [b"", b"12", b" 1\n2", b"1\n\n2", b"1\n2\n3", b"\xff"])
def test_other_output_does_not_meet_it(output):
    assert not Pair("", "1\n2\n").is_met_by(output)
