"""The usage pings of the libraries below, and whether they are off."""

from collections.abc import Iterator, Mapping

from gpocli.doctor.finding import Finding

_SWITCHES = ("HF_HUB_DISABLE_TELEMETRY", "DISABLE_TELEMETRY")
_TRUE = {"1", "ON", "YES", "TRUE"}


def check_telemetry(environment: Mapping[str, str]) -> Iterator[Finding]:
    """TRL pings the hub whenever a trainer is built, unless it is told not to."""
    for switch in _SWITCHES:
        if environment.get(switch, "").upper() in _TRUE:
            yield Finding("telemetry", "ok", f"off everywhere: {switch} is set")
            return
    yield Finding(
        "telemetry",
        "ok",
        "off in `gpo train`, unless a spec has run.telemetry: true; scripts that build a trainer themselves send TRL's "
        "usage ping (version, kind of model, number of processes) unless HF_HUB_DISABLE_TELEMETRY=1 is set",
    )
