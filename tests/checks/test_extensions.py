"""Filters and rewards of a spec: built, or told at the place that names them."""

from gpocli.checks.extensions import check_filters, check_keywords, check_rewards
from gpocli.checks.findings import Findings
from gpocli.contracts.filter import GroupFilter, NamedFilter
from gpocli.data.rows import Rows
from gpocli.errors import PluginError
from gpocli.plugin_manager import load_plugins


def test_a_broken_plugin_under_the_strict_switch_is_told_with_the_rest(look, monkeypatch):
    def strict():
        raise PluginError("plugin 'a' (a 1.0) is broken: ImportError: no b\nplugin 'c' is broken: it has no hook")

    monkeypatch.setattr("gpocli.checks.extensions.load_plugins", strict)
    assert look("run: {steps: 0}\n") == [
        "run.yaml:1:7: run.steps: 0 is too small; write a whole number, at least 1, or null",
        "plugin 'a' (a 1.0) is broken: ImportError: no b",
        "plugin 'c' is broken: it has no hook",
    ]


def test_an_unknown_filter_stands_where_it_is_named(found_by):
    (line,) = found_by(check_filters, "algorithm: {type: gfpo, filters: [length, lenght]}\n", load_plugins())
    assert line.startswith("run.yaml:1:43: algorithm.filters.1.name: ")
    assert "length" in line


def test_wrong_options_stand_at_their_own_place(found_by):
    text = "rewards: [{name: length_penalty, options: {max_tokens: -1}}]\n"
    (line,) = found_by(check_rewards, text, load_plugins())
    assert line.startswith("run.yaml:1:44: rewards.0.options.max_tokens: ")


def test_a_reward_takes_the_limit_of_the_run(draft):
    findings = Findings(draft("rewards: [overlong]\nsampling: {max_tokens: 77}\n"))
    (reward,) = check_rewards(findings, load_plugins())
    assert reward.function.options.max_tokens == 77


def test_a_filter_that_needs_a_column_which_is_not_there_is_told(found_by):
    def by_level(group_completions, group_rewards, level):
        return group_rewards

    rows = Rows("a.jsonl", ("prompt", "answer"), [{"prompt": "p", "answer": "1"}], [1], ())
    (line,) = found_by(check_keywords, "{}\n", GroupFilter([NamedFilter("by_level", by_level)]), rows)
    assert "filter 'by_level' needs 'level', which is neither a data column nor one of what gpo gives" in line
    assert "answer, " in line
