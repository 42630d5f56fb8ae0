"""A lock keeps other processes out, ends with its process, and is looked at without being taken."""

import subprocess
import sys

from gpocli.runs.locks import is_locked, lock

HOLD = """
import sys
from gpocli.runs.locks import lock
file = open(sys.argv[1], "wb")
print(lock(file.fileno()), flush=True)
input()
"""


def test_another_process_is_kept_out_until_the_first_ends(tmp_path):
    path = tmp_path / "run.lock"
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout.readline() == b"True\n"
    assert is_locked(path)
    with path.open("rb") as file:
        assert not lock(file.fileno())
    holder.kill()
    holder.communicate()
    assert not is_locked(path)
    with path.open("rb") as file:
        assert lock(file.fileno())
        assert is_locked(path)


def test_what_is_not_there_is_not_locked(tmp_path):
    assert not is_locked(tmp_path / "run.lock")
