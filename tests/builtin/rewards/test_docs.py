from pathlib import Path

import pytest

from gpocli.builtin.rewards import accuracy, exact, gym, length_aware_accuracy, length_penalty, overlong, think_format
from tests.builtin.rewards.equalities import table

PAGE = Path(__file__).parents[3] / "docs" / "rewards.md"
EXTENSIONS = [
    module.EXTENSION for module in (accuracy, exact, think_format, length_penalty, overlong, length_aware_accuracy, gym)
]


def section(name):
    return PAGE.read_text(encoding="utf-8").partition(f"\n## `{name}`\n")[2].partition("\n## ")[0]


def test_the_page_has_the_table_that_is_tested():
    assert table() in (PAGE.parent / "maths.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("extension", EXTENSIONS, ids=lambda extension: extension.name)
def test_every_option_is_on_the_page_with_its_default(extension):
    inherited = accuracy.AccuracyOptions.model_fields if extension.name == "length_aware_accuracy" else {}
    text = section(extension.name)
    for name, field in extension.options.model_fields.items():
        if name not in inherited:
            default = str(field.default).lower()
            assert f"| `{name}` | `{default}` |" in text, name
