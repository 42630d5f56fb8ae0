"""What the options of every built-in filter and reward have in common."""

from pydantic import BaseModel, ConfigDict


class Options(BaseModel):
    """Options that refuse names they do not know, and text where a number is expected."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
