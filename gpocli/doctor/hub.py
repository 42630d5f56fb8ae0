"""The model hub: whether it answers, asked for a few seconds at most, and whether it is told of runs."""

import threading
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from urllib.error import HTTPError

from gpocli.doctor.finding import Finding

SECONDS = 3.0
_CURE = "embedded and local models and data work as they are; hub ids only if they are in the cache"
_TELEMETRY_SWITCHES = ("HF_HUB_DISABLE_TELEMETRY", "DISABLE_TELEMETRY")
_TRUE = {"1", "ON", "YES", "TRUE"}


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


def check_telemetry(environment: Mapping[str, str]) -> Iterator[Finding]:
    """TRL pings the hub whenever a trainer is built, unless it is told not to."""
    for switch in _TELEMETRY_SWITCHES:
        if environment.get(switch, "").upper() in _TRUE:
            yield Finding("telemetry", "ok", f"off everywhere: {switch} is set")
            return
    yield Finding(
        "telemetry",
        "ok",
        "off in `gpo train`, unless a spec has run.telemetry: true; scripts that build a trainer themselves send TRL's "
        "usage ping (version, kind of model, number of processes) unless HF_HUB_DISABLE_TELEMETRY=1 is set",
    )
