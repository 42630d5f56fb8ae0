"""The options of a filter or reward, checked by its own model."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import AliasChoices, AliasPath, BaseModel, ValidationError
from pydantic_core import ErrorDetails

from gpocli.contracts.nearest import did_you_mean
from gpocli.errors import SpecError


@dataclass(frozen=True, slots=True)
class OptionProblem:
    """What is wrong with one option: where it stands below `options`, and one line of text."""

    path: tuple[str | int, ...]
    text: str


class OptionsError(SpecError):
    """All that is wrong with the options of one filter or reward."""

    def __init__(self, owner: str, problems: Iterable[OptionProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__(f"{owner}: " + "; and ".join(problem.text for problem in self.problems))


def checked_options(model: type[BaseModel], given: Mapping[str, Any], owner: str) -> BaseModel:
    """The options of `owner` (as "filter 'random'") as an object of its model.

    Unknown names are refused even when the model would ignore them; a model with `extra="allow"` takes any.
    Raises `OptionsError` with every problem.
    """
    problems = _unknown_options(model, given)
    unknown = {problem.path for problem in problems}
    try:
        options = model.model_validate(dict(given))
    except ValidationError as error:
        found = map(_problem, error.errors(include_url=False))
        problems += [problem for problem in found if problem.path not in unknown]
    if problems:
        raise OptionsError(owner, problems)
    return options


def _unknown_options(model: type[BaseModel], given: Mapping[str, Any]) -> list[OptionProblem]:
    if model.model_config.get("extra") == "allow":
        return []
    known = _option_names(model)
    return [
        OptionProblem((name,), f"unknown option '{name}'; {did_you_mean(str(name), known)}")
        for name in given
        if name not in known
    ]


def _option_names(model: type[BaseModel]) -> set[str]:
    config = model.model_config
    by_name = config.get("populate_by_name") or config.get("validate_by_name")
    names: set[str] = set()
    for name, option in model.model_fields.items():
        alias = option.validation_alias
        choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
        aliases = {str(one.path[0]) if isinstance(one, AliasPath) else one for one in choices if one is not None}
        names |= aliases | ({name} if by_name or not aliases else set())
    return names


def _problem(details: ErrorDetails) -> OptionProblem:
    path = details["loc"]
    name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
    if details["type"] == "missing":
        return OptionProblem(path, f"option '{name}' is missing; write it")
    if details["type"] == "extra_forbidden":
        return OptionProblem(path, f"unknown option '{name}'; remove it")
    text = details["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
    if not path:  # a rule of the model that spans several options
        return OptionProblem(path, text)
    text = text.replace("Input should", "it should", 1)
    return OptionProblem(path, f"option '{name}' is {details['input']!r}; {text[:1].lower()}{text[1:]}")
