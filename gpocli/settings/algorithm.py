"""The `algorithm` section: which method trains, how many completions it samples and keeps, how it clips."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from gpocli.settings.section import Section, rule

ScaleRewards = Literal["group", "batch", "none"]
LossType = Literal["bnpo", "cispo", "dapo", "dr_grpo", "grpo", "luspo", "sapo", "vespo"]


class FilterSpec(Section):
    """A filter and its options; a bare name stands for a filter with default options."""

    name: str = Field(min_length=1)
    """A registered filter, `./file.py:name` or `package.module:name`."""
    options: dict[str, Any] = Field(default_factory=dict)
    """The filter's own settings, checked by its own model."""

    @model_validator(mode="before")
    @classmethod
    def bare_name_is_a_filter(cls, data: object) -> object:
        return {"name": data} if isinstance(data, str) else data


class _GroupSpec(Section):
    """What all three methods have."""

    scale_rewards: ScaleRewards = "group"
    """What rewards are divided by: the standard deviation of their `group`, of the `batch`, or `none`."""
    mask_truncated: bool = False
    """Leave completions that were cut at `sampling.max_tokens` out of the loss."""


def _repeated(filters: list[FilterSpec]) -> str | None:
    for i, one in enumerate(filters):
        if one in filters[:i]:
            return f"filter '{one.name}' is there twice with the same options; remove one"
    return None


class GFPOSpec(_GroupSpec):
    """Group Filtered Policy Optimization; defaults are those of arXiv 2508.09726 (8/24, shortest kept)."""

    type: Literal["gfpo"] = "gfpo"
    """The method."""
    group_size: int = Field(default=24, ge=2, le=4096)
    """G, candidates sampled a prompt; 2 to 4096."""
    keep: int = Field(default=8, ge=2, le=4096)
    """k, candidates kept and trained on; 2 to `group_size`."""
    filters: list[FilterSpec] = Field(default_factory=lambda: [FilterSpec(name="length")], min_length=1)
    """Filters that choose the kept: the first decides, each next one breaks its ties; at least one."""
    divisor: Literal["kept", "group"] = "kept"
    """Whose tokens divide the loss: the `kept` ones, or all G (`group`, the paper's; no race then)."""
    epsilon: float = Field(default=0.2, gt=0, le=1)
    """Lower clip range of the probability ratio; above 0, at most 1."""
    epsilon_high: float | None = Field(default=None, gt=0, le=100)
    """Upper clip range of the probability ratio; above 0, at most 100; null: as `epsilon`."""
    beta: float = Field(default=0.001, ge=0, le=10)
    """Weight of the KL divergence from the reference model; 0 (no reference model) to 10."""
    entropy_coef: float = Field(default=0.001, ge=0, le=10)
    """Weight of the entropy bonus; 0 to 10."""

    @rule("keep", "group_size")
    def keep_fits_the_group(self) -> str | None:
        return _keep_too_large(self.keep, self.group_size)

    @rule("filters")
    def no_filter_twice(self) -> str | None:
        return _repeated(self.filters)


class GMPOSpec(_GroupSpec):
    """Geometric-Mean Policy Optimization; defaults are those of arXiv 2507.20673. Filters are optional."""

    type: Literal["gmpo"] = "gmpo"
    """The method."""
    group_size: int = Field(default=8, ge=2, le=4096)
    """G, candidates sampled a prompt; 2 to 4096."""
    keep: int | None = Field(default=None, ge=2, le=4096)
    """k, candidates kept by `filters`; 2 to `group_size`; half of it where only filters are given; null: all."""
    filters: list[FilterSpec] = Field(default_factory=list)
    """Filters that choose the kept: the first decides, each next one breaks its ties; none by default."""
    epsilon: float = Field(default=0.4, gt=0, le=10)
    """Lower clip range of a token's log-ratio (log space: 0.4 is a factor of 0.67); above 0, at most 10."""
    epsilon_high: float | None = Field(default=None, gt=0, le=10)
    """Upper clip range of a token's log-ratio (log space); above 0, at most 10; null: as `epsilon`."""
    beta: float = Field(default=0.0, ge=0, le=10)
    """Weight of the KL divergence from the reference model; 0 (no reference model) to 10."""
    entropy_coef: float = Field(default=0.0, ge=0, le=10)
    """Weight of the entropy bonus; 0 to 10."""

    @model_validator(mode="before")
    @classmethod
    def filters_alone_keep_half(cls, data: Any) -> Any:
        if not isinstance(data, dict) or not data.get("filters") or "keep" in data:
            return data
        group_size = data.get("group_size", cls.model_fields["group_size"].default)
        return {**data, "keep": max(2, group_size // 2)} if isinstance(group_size, int) else data

    @rule("keep", "group_size")
    def keep_fits_the_group(self) -> str | None:
        return None if self.keep is None else _keep_too_large(self.keep, self.group_size)

    @rule("keep", "filters")
    def keep_has_a_filter(self) -> str | None:
        if self.keep is not None and not self.filters:
            return f"{self.keep} are to be kept, but no filter chooses them; write filters: [length] as well"
        return None

    @rule("filters", "keep")
    def filter_has_a_keep(self) -> str | None:
        if self.filters and self.keep is None:
            half = max(2, self.group_size // 2)
            return f"a filter needs the number to keep of {self.group_size}; write keep: {half} as well"
        return None

    @rule("filters")
    def no_filter_twice(self) -> str | None:
        return _repeated(self.filters)


class GRPOSpec(_GroupSpec):
    """Group Relative Policy Optimization, the baseline (arXiv 2402.03300), with TRL's defaults."""

    type: Literal["grpo"] = "grpo"
    """The method."""
    group_size: int = Field(default=8, ge=2, le=4096)
    """G, completions sampled and trained on a prompt; 2 to 4096."""
    epsilon: float = Field(default=0.2, gt=0, le=1)
    """Lower clip range of the probability ratio; above 0, at most 1."""
    epsilon_high: float | None = Field(default=None, gt=0, le=100)
    """Upper clip range of the probability ratio; above 0, at most 100; null: as `epsilon`."""
    beta: float = Field(default=0.0, ge=0, le=10)
    """Weight of the KL divergence from the reference model; 0 (no reference model) to 10."""
    entropy_coef: float = Field(default=0.0, ge=0, le=10)
    """Weight of the entropy bonus; 0 to 10."""
    loss_type: LossType = "dapo"
    """How token losses are averaged, one of TRL's."""


def _keep_too_large(keep: int, group_size: int) -> str | None:
    if keep <= group_size:
        return None
    return f"keep {keep} is more than group_size {group_size}; write keep: {group_size} or less"


AlgorithmSpec = Annotated[GFPOSpec | GMPOSpec | GRPOSpec, Field(discriminator="type")]
