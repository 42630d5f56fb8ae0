"""What every section of a run spec has in common: strictness, and rules that span several fields."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

_SectionT = TypeVar("_SectionT", bound="Section")
_Check = Callable[[_SectionT], str | Mapping[str, str | None] | None]


def rule(*reads: str) -> Callable[[_Check[_SectionT]], _Check[_SectionT]]:
    """Mark a method as a cross-field rule.

    The method returns None, or one line that says what is wrong and what to write, or several lines by the
    dotted field that each is about. `reads` are the dotted fields that it looks at; a fault is reported at
    the first of them. All rules of a section are checked, so that a user sees every fault at once.
    """

    def mark(check: _Check[_SectionT]) -> _Check[_SectionT]:
        check.reads = reads  # type: ignore[attr-defined]
        return check

    return mark


class Section(BaseModel):
    """A part of a run spec: frozen, without unknown keys, and never converting one type into another."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        allow_inf_nan=False,
        defer_build=True,  # the parts are built once, inside RunSpec: 30 ms less for every command
    )

    rule_names: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        own = [(n, v) for base in reversed(cls.__mro__) for n, v in list(vars(base).items()) if n[0] != "_"]
        # Not asked of Pydantic's own attributes: a mere look at those of a model that waits to be built builds it.
        cls.rule_names = tuple(dict.fromkeys(n for n, v in own if hasattr(v, "reads")))

    @model_validator(mode="after")
    def every_rule_holds(self) -> Self:
        faults: list[InitErrorDetails] = []
        for name in self.rule_names:
            check = getattr(self, name)
            found = check()
            for at, text in (found if isinstance(found, Mapping) else {check.reads[0]: found}).items():
                if text:
                    loc = tuple(at.split("."))
                    context = {"text": text, "reads": check.reads, "depth": len(loc)}
                    error = PydanticCustomError("rule", "{text}", context)
                    faults.append({"type": error, "loc": loc, "input": None})
        if faults:
            raise ValidationError.from_exception_data(type(self).__name__, faults)
        return self
