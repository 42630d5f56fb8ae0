"""`gpo doctor`: lines, JSON and exit code."""

import json

import pytest
import typer
from typer.testing import CliRunner

from gpocli.cli import doctor
from gpocli.doctor.finding import Finding
from gpocli.errors import EnvironmentFault

FINE = Finding("trl", "ok", "trl 1.16.0")
WORN = Finding("hub", "warn", "[hub] cannot be reached", "use local files")
BROKEN = Finding("disk", "problem", "0.1 GiB free for runs/", "free some space")


@pytest.fixture
def run(monkeypatch):
    app = typer.Typer()
    app.command()(doctor.doctor_command)

    def run(findings, *arguments):
        monkeypatch.setattr(doctor, "examine_machine", lambda: iter(findings))
        return CliRunner().invoke(app, arguments)

    return run


def test_each_finding_has_a_line_that_ends_with_what_to_do(run):
    result = run([FINE, WORN])
    assert result.exit_code == 0
    assert result.stdout == "ok      trl 1.16.0\nwarn    hub: [hub] cannot be reached; use local files\n"


def test_a_problem_exits_with_5_after_all_lines(run):
    result = run([BROKEN, FINE])
    assert result.stdout == "problem disk: 0.1 GiB free for runs/; free some space\nok      trl 1.16.0\n"
    assert isinstance(result.exception, EnvironmentFault)
    assert result.exception.exit_code == 5
    assert str(result.exception) == "1 problem; do what the marked lines say, then ask again"


def test_problems_are_counted(run):
    assert str(run([BROKEN, BROKEN]).exception) == "2 problems; do what the marked lines say, then ask again"


def test_json_has_the_same(run):
    assert json.loads(run([FINE, WORN], "--json").stdout) == [
        {"topic": "trl", "state": "ok", "text": "trl 1.16.0", "cure": None},
        {"topic": "hub", "state": "warn", "text": "[hub] cannot be reached", "cure": "use local files"},
    ]


def test_json_is_whole_when_there_is_a_problem(run):
    assert json.loads(run([BROKEN], "--json").stdout)[0]["state"] == "problem"


def test_versions_come_before_torch_is_asked(monkeypatch):
    monkeypatch.setattr("gpocli.doctor.machine.check_devices", lambda: iter([BROKEN]))
    topics = [finding.topic for finding in doctor.examine_machine()]
    assert topics[0] == "python"
    assert topics[-1] == "disk"
    assert {"gpo", "torch", "trl", "plugins", "telemetry", "hub"} <= set(topics)
