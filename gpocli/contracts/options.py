"""The options of a filter or reward, checked by its own model."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
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
    Raises `OptionsError` with every problem, unknown names first.
    """
    try:
        # Pydantic ignores unknown names by default: a misspelt option would silently have its default.
        if model.model_config.get("extra", "ignore") == "ignore":
            strict: type[BaseModel] = type(model.__name__, (model,), {"model_config": ConfigDict(extra="forbid")})
            strict.model_validate(dict(given))
        return model.model_validate(dict(given))
    except ValidationError as error:
        found = error.errors(include_url=False)
        unknown = [details for details in found if details["type"] == "extra_forbidden" and len(details["loc"]) == 1]
        problems = [_problem(details, model) for details in [*unknown, *(one for one in found if one not in unknown)]]
        raise OptionsError(owner, problems) from error


def _problem(details: ErrorDetails, model: type[BaseModel]) -> OptionProblem:
    path = details["loc"]
    name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
    if details["type"] == "missing":
        return OptionProblem(path, f"option '{name}' is missing; write it")
    if details["type"] == "extra_forbidden":
        known = [str(field.validation_alias or field_name) for field_name, field in model.model_fields.items()]
        fix = did_you_mean(name, known) if len(path) == 1 else "remove it"
        return OptionProblem(path, f"unknown option '{name}'; {fix}")
    text = details["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
    if not path:  # a rule of the model that spans several options
        return OptionProblem(path, text)
    text = text.replace("Input should", "it should", 1)
    return OptionProblem(path, f"option '{name}' is {details['input']!r}; {text[:1].lower()}{text[1:]}")
