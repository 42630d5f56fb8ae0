"""How completions are sampled. Torch-free, so that a spec can be checked against it."""

from dataclasses import dataclass

from gpocli.errors import SpecError


@dataclass(frozen=True, slots=True)
class SamplingSettings:
    """The sampling settings of a rollout, all of them: the model's own `generation_config` is never read.

    `max_new_tokens` counts the end token. `top_k=0`, `top_p=1.0`, `min_p=None` and `repetition_penalty=1.0` switch
    the setting off. Any of `eos_token_ids` ends a completion; `pad_token_id` may be one of them, since nothing here
    recognises padding by its value.
    """

    max_new_tokens: int
    eos_token_ids: tuple[int, ...]
    pad_token_id: int
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float | None = None
    repetition_penalty: float = 1.0

    def __post_init__(self) -> None:
        if self.max_new_tokens < 1:
            raise SpecError(f"max_new_tokens is {self.max_new_tokens}: write 1 or more")
        if not self.temperature > 0:
            raise SpecError(
                f"temperature is {self.temperature}: a group of equal completions teaches nothing; "
                "write a number above 0"
            )
        if not 0 < self.top_p <= 1:
            raise SpecError(f"top_p is {self.top_p}: write a number above 0 and at most 1 (1 switches it off)")
        if self.top_k < 0:
            raise SpecError(f"top_k is {self.top_k}: write 0 (off) or more")
        if self.min_p is not None and not 0 <= self.min_p <= 1:
            raise SpecError(f"min_p is {self.min_p}: write a number from 0 to 1")
        if not self.repetition_penalty > 0:
            raise SpecError(f"repetition_penalty is {self.repetition_penalty}: write a number above 0 (1 is off)")
