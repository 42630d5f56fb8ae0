"""What samples completions, one engine a file, in the order in which `rollout="auto"` tries them.

An engine is a module with

- `NAME`: what `rollout` calls it;
- `why_not(trainer) -> str | None`: one line that says why it cannot sample for this trainer, None when it can;
- `sample(trainer, request, parent) -> Rollout`: the completions of a request; `parent()` is TRL's own generation.
"""

from types import ModuleType

from gpocli.trainers.engines import continuous, loop, trl_path

ENGINES: tuple[ModuleType, ...] = (continuous, loop, trl_path)
"""The last one can always sample."""
