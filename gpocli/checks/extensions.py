"""Filters and rewards: names, options, and whether they can work together."""

from typing import Any

from gpocli.checks.findings import Findings, kind_of
from gpocli.contracts.building import NamedReward
from gpocli.contracts.callables import call_signature
from gpocli.contracts.filter import GroupFilter, NamedFilter
from gpocli.contracts.filter_call import FILTER_KEYWORDS
from gpocli.data import ROW_KEY, Rows
from gpocli.errors import GpoError
from gpocli.plugin_manager import PluginHost, load_plugins


def find_plugins(findings: Findings) -> PluginHost | None:
    """The plugin host; None when it cannot be had, which is a fault then."""
    try:
        return load_plugins()
    except GpoError as error:  # the strict switch tells all that is broken, a line each
        for line in str(error).splitlines():
            findings.add_in_file(line, kind_of(error))
    return None


def check_filters(findings: Findings, host: PluginHost) -> GroupFilter | None:
    """Build the filters into the one that the run uses; None without any, or where one of them cannot be had."""
    algorithm = findings.spec.algorithm
    if not findings.are_sound("algorithm.type", "algorithm.filters"):
        return None
    built: list[NamedFilter] = []
    for i, one in enumerate(algorithm.chain):
        with findings.at(f"algorithm.filters.{i}.name"):
            found = host.build_filter(one.name, one.options)
            GroupFilter([found])  # a filter that is none by itself is told at its own place
            built.append(found)
    if not built or len(built) < len(algorithm.chain):
        return None
    chain: GroupFilter | None = None
    with findings.at("algorithm.filters"):
        chain = GroupFilter(built)
        if algorithm.kept is not None and findings.are_sound("algorithm.keep"):
            with findings.at("algorithm.keep"):
                chain.check_keep(algorithm.kept)
    return chain


def check_rewards(findings: Findings, host: PluginHost) -> list[NamedReward]:
    """Build the rewards; those that cannot be had are left out."""
    spec = findings.spec
    if not findings.are_sound("rewards"):
        return []
    built: list[NamedReward] = []
    for i, one in enumerate(spec.rewards):
        with findings.at(f"rewards.{i}.name"):
            options: dict[str, Any] = one.options
            # A reward that judges length against the run's limit should not need it written twice.
            limit = host.find("reward", one.name).extension.options.model_fields.get("max_tokens")
            if limit is not None and limit.default is None:
                options = {"max_tokens": spec.sampling.max_tokens} | options
            built.append(host.build_reward(one.name, options))
    return built


def check_keywords(findings: Findings, group_filter: GroupFilter | None, rows: Rows) -> None:
    """Find filters that need a keyword which is neither a data column nor given to filters."""
    offered = sorted({*FILTER_KEYWORDS, ROW_KEY, *rows.columns} - {"prompt"})
    for i, one in enumerate(group_filter.filters if group_filter is not None else ()):
        signature = call_signature(one.function, leading=2)
        for missing in signature.missing(dict.fromkeys(offered)) if signature else ():
            findings.add(
                f"algorithm.filters.{i}.name",
                f"filter '{one.name}' needs '{missing}', which is neither a data column nor one of what gpo gives to "
                f"filters; there are: {', '.join(offered)}",
                "plugin",
            )
