"""What the process of an answer gives up, tried in a process that has nothing to lose."""

import json
import os
import subprocess
import sys
import tempfile

import pytest

from gpocli.builtin.rewards import sandbox
from gpocli.builtin.rewards.sandbox import _CHILD

if sys.platform != "linux":
    pytest.skip("Linux alone can confine a process", allow_module_level=True)

JOB = {"nonce": "n", "code": "print('ran')", "tests": None, "required": [], "cpu_seconds": 5, "memory_mb": 512}


def run(**changes):
    """Exit code, what was printed, and the lines of the report."""
    read, write = os.pipe()
    with tempfile.TemporaryFile() as job:
        job.write(json.dumps(JOB | {"files_mb": 0} | changes).encode())
        job.seek(0)
        command = [sys.executable, "-S", "-P", str(_CHILD), str(job.fileno()), str(write)]
        done = subprocess.run(command, pass_fds=(job.fileno(), write), capture_output=True, check=False)
    os.close(write)
    with os.fdopen(read) as report:
        return done.returncode, done.stdout.decode(), report.read().splitlines()


def in_child(code):
    script = f"from gpocli.builtin.rewards import sandbox_child as child\n{code}"
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False).stdout


def test_it_tells_its_layers_and_runs():
    code, out, report = run()
    assert (code, out) == (0, "ran\n")
    assert report[0].startswith("n layers limits")


def test_it_does_not_run_without_a_layer_that_is_required():
    code, out, report = run(required=["vault"])
    assert (code, out, len(report)) == (sandbox.REFUSED, "", 1)


def test_it_reports_tests():
    assert run(tests=["pass", "1/0", "pass"])[2][1:] == ["n pass 0", "n pass 2"]


LIMITS = {"cpu_seconds": 7, "memory_mb": 512, "files_mb": 0}


def test_the_limits_are_those_of_the_job():
    names = "('CPU', 'AS', 'FSIZE', 'NPROC', 'CORE')"
    said = in_child(
        f"child.set_limits({LIMITS})\nr = child.resource\n"
        f"print([r.getrlimit(getattr(r, 'RLIMIT_' + name)) for name in {names}])"
    )
    assert said == f"{[(one, one) for one in (7, 512 * 2**20, 0, 0, 0)]}\n"


def test_the_limits_alone_let_no_file_grow(tmp_path):
    said = in_child(
        f"child.set_limits({LIMITS})\n"
        f"try: open({str(tmp_path / 'x')!r}, 'wb', 0).write(b'x')\n"
        "except OSError as error: print(error.strerror)"
    )
    assert said == "File too large\n"


def test_a_machine_of_another_kind_has_no_filter_of_calls():
    assert in_child("child._DENIED = {}\nprint(child.restrict_calls())") == "False\n"
