"""Whether the model hub answers, asked for a few seconds at most."""

import threading
import urllib.request
from collections.abc import Callable, Iterator
from urllib.error import HTTPError

from gpocli.doctor.finding import Finding

SECONDS = 3.0
_CURE = "embedded and local models and data work as they are; hub ids only if they are in the cache"


def check_hub() -> Iterator[Finding]:
    """Ask the hub that the environment names."""
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        yield Finding("hub", "ok", "not asked, HF_HUB_OFFLINE is set: hub ids come from the cache")
        return
    yield reach(constants.ENDPOINT, _ask)


def reach(endpoint: str, ask: Callable[[str], str | None]) -> Finding:
    """Whether `ask`, in a thread that nobody waits for longer, gets an answer; it returns why not, or None."""
    answers: list[str | None] = []
    # resolving a name cannot be given a time limit, a thread can
    thread = threading.Thread(target=lambda: answers.append(ask(endpoint)), daemon=True)
    thread.start()
    thread.join(SECONDS)
    reason = answers[0] if answers else f"no answer in {SECONDS:g} seconds"
    if reason is None:
        return Finding("hub", "ok", f"{endpoint} answers")
    return Finding("hub", "warn", f"{endpoint} cannot be reached ({reason})", _CURE)


def _ask(endpoint: str) -> str | None:
    try:
        urllib.request.urlopen(urllib.request.Request(endpoint, method="HEAD"), timeout=SECONDS).close()
    except HTTPError:
        return None  # an answer, if not a friendly one
    except (OSError, ValueError) as error:
        return str(getattr(error, "reason", error))
    return None
