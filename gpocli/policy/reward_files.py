"""What the files of a reward model tell of it, before anything of it is loaded. Free of torch."""

from collections.abc import Mapping
from typing import Any

_HEAD = "ForSequenceClassification"
_UNTOLD = 2
"""Labels of a model whose config names none, as transformers has it."""


def why_no_reward_model(name: str, config: Mapping[str, Any]) -> str | None:
    """What is wrong with a model that is to give rewards, from its `config.json`; None for a sound one.

    A language model would be given a head of random numbers, and of several labels none is the reward.
    """
    classes = config.get("architectures") or []
    if not any(str(one).endswith(_HEAD) for one in classes):
        what = ", ".join(map(str, classes)) or "its config names no class"
        return f"'{name}' gives no scores ({what}); name a model that was saved as ...{_HEAD}"
    labels = config.get("id2label")
    count = len(labels) if isinstance(labels, Mapping) else config.get("num_labels", _UNTOLD)
    if count != 1:
        return f"'{name}' has {count} labels, and a reward model has one; name a model with one label"
    return None
