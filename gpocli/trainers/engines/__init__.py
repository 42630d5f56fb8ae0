"""What samples completions, one engine a file, in the order in which `rollout="auto"` tries them.

An engine is a module with

- `why_not(trainer) -> str | None`: one line that says why it cannot sample for this trainer, None when it can;
- `why_not_this(trainer, request) -> str | None`: the same of one request, which TRL's own path then serves;
- `sample(trainer, request, parent) -> Rollout`: the completions of a request; `parent()` is TRL's own generation.
"""

from types import ModuleType

from gpocli.trainers.engines import continuous, loop, trl_path, vllm_colocated, vllm_server

ENGINES: tuple[ModuleType, ...] = (continuous, vllm_colocated, vllm_server, loop, trl_path)
"""The last one can always sample."""
