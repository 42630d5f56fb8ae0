"""Disk, hub, plugins and telemetry."""

import http.server
import os
import threading
import time

import pytest

from gpocli.doctor import hub
from gpocli.doctor.disk import check_disk, space_of
from gpocli.doctor.finding import Finding
from gpocli.doctor.plugins import check_plugins
from gpocli.doctor.telemetry import check_telemetry
from gpocli.errors import PluginError
from gpocli.plugin_manager import BrokenPlugin, load_plugins

OFFLINE_CURE = "embedded and local models and data work as they are; hub ids only if they are in the cache"


@pytest.mark.parametrize(
    ("free", "state", "cure"),
    [
        (0.9, "problem", "free some space, or name another disk with --out"),
        (
            19.9,
            "warn",
            "a checkpoint holds the weights three times over: free space, or lower run.keep_checkpoints",
        ),
        (20.0, "ok", None),
    ],
)
def test_space(tmp_path, free, state, cure):
    assert space_of(tmp_path, free) == Finding("disk", state, f"{free} GiB free for {tmp_path}/", cure)


def test_a_folder_that_does_not_exist_yet_is_judged_by_the_one_above(tmp_path):
    assert [finding.topic for finding in check_disk(tmp_path / "deep" / "runs")] == ["disk"]


def test_a_file_in_the_way_is_a_problem(tmp_path):
    (tmp_path / "runs").write_text("")
    assert list(check_disk(tmp_path / "runs")) == [
        Finding(
            "disk",
            "problem",
            f"'{tmp_path / 'runs'}' cannot be written",
            "go to another folder, or name one with --out",
        )
    ]


def test_a_hub_that_never_answers_costs_a_bounded_time(monkeypatch):
    monkeypatch.setattr(hub, "SECONDS", 0.1)
    started = time.monotonic()
    finding = hub.reach("https://hub.example", lambda endpoint: time.sleep(5))
    assert time.monotonic() - started < 2
    assert finding == Finding(
        "hub", "warn", "https://hub.example cannot be reached (no answer in 0.1 seconds)", OFFLINE_CURE
    )


def test_a_hub_that_refuses_is_told_with_its_reason():
    finding = hub.reach("https://hub.example", lambda endpoint: "Connection refused")
    assert finding.text == "https://hub.example cannot be reached (Connection refused)"


@pytest.fixture
def forbidding_hub(monkeypatch):
    """A real server that answers every request with 403."""
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


def test_plugins_are_counted_and_the_broken_ones_named():
    host = load_plugins(entry_points=False)
    host.broken.append(BrokenPlugin("red", "gpo-red", "2.0", "ImportError: no blue (red.py:1)"))
    counted, broken = check_plugins(lambda: host)
    assert (counted.state, counted.text.split()[:2]) == ("ok", ["1", "plugin"])
    assert broken == Finding(
        "plugins",
        "warn",
        "plugin 'red' (gpo-red 2.0) is broken: ImportError: no blue (red.py:1)",
        "mend or update it, or: pip uninstall gpo-red",
    )


def test_plugins_that_cannot_be_loaded_at_all_are_a_problem():
    def load():
        raise PluginError("plugin 'red' is broken")

    assert list(check_plugins(load)) == [
        Finding(
            "plugins",
            "problem",
            "plugin 'red' is broken",
            "see GPO_PLUGINS and GPO_PLUGINS_STRICT, or use --no-plugins",
        )
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


def test_a_fault_without_a_cure_is_a_bug():
    with pytest.raises(AssertionError):
        Finding("disk", "warn", "full")
