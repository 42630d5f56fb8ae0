import pytest

from gpocli.spec.layer import Place
from gpocli.spec.toml_text import read_toml
from gpocli.spec.yaml_text import TextError

TEXT = '''# a comment with [brackets] = "and quotes"
top = 1
[algorithm]
type = "gfpo"   # [not.a.table]
  keep = 3
"quoted key".x = [
  "a]", 'b = c', # d = e
]
[data]
system = """
[fake]
x = 1
"""
columns = { prompt = "q" }
[[rewards]]
name = "a"
[[rewards]]
name = 'b'
[rewards.options]
limit = 2
[model.lora]
rank = 4
'''


def test_values_are_those_of_toml():
    value = read_toml(TEXT, "f").value
    assert value["rewards"] == [{"name": "a"}, {"name": "b", "options": {"limit": 2}}]
    assert value["data"]["system"] == "[fake]\nx = 1\n"


@pytest.mark.parametrize(
    ("key", "line", "column"),
    [
        (("top",), 2, 1),
        (("algorithm",), 3, 2),
        (("algorithm", "keep"), 5, 3),
        (("algorithm", "quoted key", "x"), 6, 1),
        (("data", "system"), 10, 1),
        (("data", "columns"), 14, 1),
        (("rewards",), 15, 3),
        (("rewards", 1), 17, 3),
        (("rewards", 1, "name"), 18, 1),
        (("rewards", 1, "options", "limit"), 20, 1),
        (("model", "lora", "rank"), 22, 1),
    ],
)
def test_every_key_has_its_place(key, line, column):
    assert read_toml(TEXT, "f").places[key] == Place("f", line, column)


def test_text_within_values_is_no_key():
    assert not {("fake",), ("data", "x"), ("not",), ("d",)} & read_toml(TEXT, "f").places.keys()


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("a = \n", "f:1:5", "not valid TOML: invalid value; mend it here"),
        ("a = 1\na = 2\n", "f:2:6", "not valid TOML: cannot overwrite a value; mend it here"),
        ('a = "x', "f:1:7", "not valid TOML: unterminated string; mend it here"),
    ],
)
def test_text_that_is_not_toml(text, place, message):
    with pytest.raises(TextError) as caught:
        read_toml(text, "f")
    assert (str(caught.value.place), str(caught.value)) == (place, message)
