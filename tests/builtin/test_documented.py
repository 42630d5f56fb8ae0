"""Every built-in filter and reward stands in the README and on its page."""

import re
from pathlib import Path

import pytest
import yaml

from gpocli.errors import EnvironmentFault
from gpocli.plugin_manager import load_plugins
from gpocli.settings.reward import RewardSpec

ROOT = Path(__file__).parents[2]
HOST = load_plugins(entry_points=False)


def text_of(file):
    return (ROOT / file).read_text(encoding="utf-8")


README = text_of("README.md").partition("\n## Filters and rewards\n")[2].partition("\n## ")[0]


def rows_of(text):
    return re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)


def test_the_readme_has_a_row_for_each_filter():
    assert rows_of(README) == list(HOST.filters)


def test_the_table_of_the_guide_has_each_filter():
    assert set(HOST.filters) <= set(rows_of(text_of("docs/plugins.md")))


@pytest.mark.parametrize("name", HOST.rewards)
def test_the_readme_names_each_reward(name):
    assert f"`{name}`" in README


def test_the_page_of_the_rewards_has_a_section_for_each():
    assert re.findall(r"^## `(\w+)`$", text_of("docs/rewards.md"), re.MULTILINE) == list(HOST.rewards)


@pytest.mark.parametrize("name", HOST.rewards)
def test_the_section_of_a_reward_has_its_own_options_with_their_defaults(name):
    section = text_of("docs/rewards.md").partition(f"\n## `{name}`\n")[2].partition("\n## ")[0]
    options = HOST.rewards[name].extension.options
    missing = {
        option: field.default
        for option, field in options.model_fields.items()
        if option in options.__annotations__  # what is inherited stands where it is from
        if f"| `{option}` | `{str(field.default).lower()}` |" not in section.lower()
    }
    assert missing == {}


@pytest.mark.parametrize("name", HOST.filters)
def test_the_guide_names_the_options_of_each_filter(name):
    (row,) = re.findall(rf"^\| `{name}` \|.*$", text_of("docs/plugins.md"), re.MULTILINE)
    assert [option for option in HOST.filters[name].extension.options.model_fields if f"`{option}`" not in row] == []


def examples_of(page):
    """The entries of the `rewards` that are written on a page, but for those of the user's own files."""
    blocks = re.findall(r"^```yaml\n(.*?)^```$", text_of(page), re.MULTILINE | re.DOTALL)
    read = [yaml.safe_load(block) for block in blocks]
    entries = [RewardSpec.model_validate(one) for block in read for one in block.get("rewards", [])]
    return [one for one in entries if not one.name.startswith("./")]


@pytest.mark.parametrize("entry", examples_of("docs/rewards.md"), ids=lambda entry: entry.name)
def test_an_example_of_the_page_can_be_built(entry):
    try:
        assert HOST.build_reward(entry.name, entry.options).name == entry.name.partition(":")[0]
    except EnvironmentFault as missing:
        pytest.skip(str(missing))
