"""The hub: a bounded time, reasons, and its telemetry."""

import http.server
import os
import threading

import pytest

from gpocli.doctor import hub
from gpocli.doctor.finding import Finding
from gpocli.doctor.hub import check_telemetry

OFFLINE_CURE = "embedded and local models and data work as they are; hub ids only if they are in the cache"


def test_a_hub_that_never_answers_costs_a_bounded_time(monkeypatch):
    monkeypatch.setattr(hub, "SECONDS", 0.1)
    answer = threading.Event()
    finding = hub.reach("https://hub.example", lambda endpoint: answer.wait())
    answer.set()
    assert finding == Finding(
        "hub", "warn", "https://hub.example cannot be reached (no answer in 0.1 seconds)", OFFLINE_CURE
    )


def test_a_hub_that_refuses_is_told_with_its_reason():
    finding = hub.reach("https://hub.example", lambda endpoint: "Connection refused")
    assert finding.text == "https://hub.example cannot be reached (Connection refused)"


@pytest.fixture
def forbidding_hub(monkeypatch):
    """A real server that answers every request with 403, on a machine that may be busy."""
    monkeypatch.setattr(hub, "SECONDS", 600.0)
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)

    class Forbid(http.server.BaseHTTPRequestHandler):
        def do_HEAD(self):
            self.send_response(403)
            self.end_headers()

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Forbid) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_an_unfriendly_answer_is_an_answer(forbidding_hub):
    assert hub.reach(forbidding_hub, hub._ask) == Finding("hub", "ok", f"{forbidding_hub} answers")


def test_a_closed_port_has_a_reason(forbidding_hub):
    assert "refused" in (hub._ask("http://127.0.0.1:1") or "")


def test_offline_is_respected(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert [finding.text for finding in hub.check_hub()] == [
        "not asked, HF_HUB_OFFLINE is set: hub ids come from the cache"
    ]


@pytest.mark.parametrize(
    ("environment", "text"),
    [
        ({"HF_HUB_DISABLE_TELEMETRY": "1"}, "off everywhere: HF_HUB_DISABLE_TELEMETRY is set"),
        ({"DISABLE_TELEMETRY": "yes"}, "off everywhere: DISABLE_TELEMETRY is set"),
    ],
)
def test_telemetry_that_the_environment_switches_off(environment, text):
    assert [finding.text for finding in check_telemetry(environment)] == [text]


@pytest.mark.parametrize("environment", [{}, {"HF_HUB_DISABLE_TELEMETRY": "0"}])
def test_telemetry_that_gpo_switches_off(environment):
    assert [finding.text for finding in check_telemetry(environment)] == [
        "off in `gpo train`, unless a spec has run.telemetry: true; scripts that build a trainer themselves send TRL's "
        "usage ping (version, kind of model, number of processes) unless HF_HUB_DISABLE_TELEMETRY=1 is set"
    ]
