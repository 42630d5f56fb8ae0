"""Hostile programs, each bounded by itself, too, should nothing hold it."""

import os
import threading
import time

import pytest

from gpocli.builtin.rewards.sandbox import Job, Limits, require_isolation, run_job
from gpocli.errors import EnvironmentFault

try:
    LAYERS = require_isolation(Limits())
except EnvironmentFault as missing:
    pytest.skip(str(missing), allow_module_level=True)

REFUSALS = """
import os, socket, subprocess, threading
def told(what):
    try:
        what()
    except BaseException as error:
        return type(error).__name__
    return "did"
"""


def printed(code, **limits):
    return run_job(Job(code), Limits(**limits)).output.decode()


def told(what, **limits):
    return printed(f"{REFUSALS}\nprint(told(lambda: {what}))", **limits).strip()


def test_a_program_reads_and_prints():
    ran = run_job(Job("print(int(input()) + 1)", stdin="41\n"), Limits())
    assert (ran.output, ran.exit_code, ran.cut) == (b"42\n", 0, None)


def test_the_tests_that_hold_are_told():
    code, tests = "def f(x): return x + 1", ("assert f(1) == 2", "assert f(1) == 3", "assert f(2) == 3")
    assert run_job(Job(code, tests), Limits()).held == {0, 2}


@pytest.mark.parametrize("code", ["import os; os._exit(0)", "raise SystemExit(0)", "1 / 0", "def f(:", "x" * 100_000])
def test_code_that_ends_early_holds_no_test(code):
    assert run_job(Job(code, ("assert True",)), Limits()).held == set()


def test_a_report_needs_the_nonce():
    forged = "import os\nfor fd in range(3, 20):\n    try: os.write(fd, b'x pass 0\\n')\n    except OSError: pass"
    assert run_job(Job(forged, ("assert False",)), Limits()).held == set()


def test_names_of_a_test_reach_no_other():
    assert run_job(Job("", ("x = 1", "assert 'x' not in globals()")), Limits()).held == {0, 1}


def test_it_sees_no_environment(monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "secret")
    assert "secret" not in printed("import os; print(dict(os.environ))")


# One child for each process that forks, and no child of theirs: 50 at most if nothing held them.
FORKS = """
import os
count = 0
for _ in range(50):
    try:
        if os.fork() == 0:
            os._exit(0)
        count += 1
    except OSError:
        pass
print(count)
"""


def test_a_fork_bomb_gets_no_process():
    assert printed(FORKS) == "0\n"


@pytest.mark.parametrize(
    "what",
    [
        "subprocess.run(['true'])",
        "threading.Thread(target=int).start()",
        "socket.socket()",
        "os.kill(os.getppid(), 0)",
        "os.setsid()",
        "os.chmod('.', 0o777)",
        "__import__('resource').setrlimit(0, (9, 9))",
    ],
)
def test_what_it_may_not_do(what):
    assert told(what) in ("PermissionError", "RuntimeError", "ValueError")


@pytest.mark.parametrize("path", ["/etc/passwd", __file__, "/proc/self/environ"])
def test_what_it_may_not_read(path):
    assert told(f"open({path!r}).read()") == "PermissionError"


def test_the_standard_library_can_be_read():
    assert told("__import__('decimal')") == "did"


def test_what_is_installed_is_there_where_that_is_asked_for():
    assert [told("__import__('pydantic')", packages=packages) for packages in (False, True)] == [
        "ModuleNotFoundError",
        "did",
    ]


def test_it_writes_no_file(tmp_path):
    assert told("open('x', 'w')") == "PermissionError"
    assert told(f"open({str(tmp_path / 'x')!r}, 'w')") == "PermissionError"


FILES = """
made = 0
for number in range(100):
    try:
        with open(f"f{number}", "wb") as file:
            file.write(bytes(1_000_000))
        made += 1
    except OSError:
        break
print(made)
"""


@pytest.mark.skipif("namespaces" not in LAYERS, reason="this system has no namespaces for users")
def test_files_have_a_bound_together():
    # 3 MiB are 3,145,728 bytes
    assert printed(FILES, files_mb=3) == "3\n"


def test_memory_has_a_bound():
    assert told("bytearray(2**30)", memory_mb=256) == "MemoryError"


def test_an_endless_loop_ends_with_its_cpu_time():
    ran = run_job(Job("while True: pass"), Limits(cpu_seconds=1))
    assert (ran.cut, ran.exit_code) == ("time", -9)


@pytest.mark.parametrize(
    "code", ["import time; time.sleep(60)", "import os, time; os.closerange(0, 99); time.sleep(60)"]
)
def test_one_that_sleeps_is_killed(code):
    assert run_job(Job(code), Limits(wall_seconds=0.5)).cut == "time"


def test_a_flood_of_output_is_cut():
    ran = run_job(Job("for _ in range(10**5): print('x' * 10000)"), Limits(output_kb=64))
    assert ran.cut == "output"
    assert len(ran.output) <= 64 * 1024 + 65536


def test_nothing_is_left_of_one_that_is_stopped():
    stop = threading.Event()
    code = "import os, sys, time; print(os.getpid()); sys.stdout.flush(); time.sleep(60)"
    found = []
    thread = threading.Thread(target=lambda: found.append(run_job(Job(code), Limits(), stop)))
    thread.start()
    time.sleep(0.5)
    stop.set()
    thread.join()
    for number in found[0].output.split():
        with pytest.raises(ProcessLookupError):
            os.kill(int(number), 0)


def test_nothing_is_run_without_what_is_required(monkeypatch):
    monkeypatch.setattr("gpocli.builtin.rewards.sandbox.REQUIRED", {"full": ("limits", "vault")})
    monkeypatch.setattr("gpocli.builtin.rewards.sandbox.MEANING", {"vault": "vault"})
    with pytest.raises(EnvironmentFault, match=r"cannot confine foreign code, it lacks: vault; .*isolation: limits"):
        run_job(Job("pass"), Limits())
