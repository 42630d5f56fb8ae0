"""Real processes, spawned from a script that has followed a reference to a file."""

import subprocess
import sys

import pytest

from gpocli.contracts.file_modules import module_name

REWARD = """
import concurrent.futures, multiprocessing
from helper import half

def one(text):
    return half(len(text))

def pooled(completions, method="spawn"):
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        own = list(pool.map(one, completions))
        return own + list(pool.map(half, [10]))
"""
PROGRAM = """
import sys
from gpocli.contracts.reference import follow_reference

if __name__ == "__main__":
    reward = follow_reference("deep/rewards.py:pooled", "reward").value
    print(reward(["ab", "abcd"], sys.argv[1]))
"""


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    (folder / "deep").mkdir()
    (folder / "deep" / "rewards.py").write_text(REWARD)
    (folder / "deep" / "helper.py").write_text("def half(number):\n    return number / 2\n")
    (folder / "program.py").write_text(PROGRAM)
    return folder


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_a_process_finds_the_functions_of_a_file(there, method, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    done = subprocess.run([sys.executable, "program.py", method], cwd=there, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("[1.0, 2.0, 5.0]\n", 0), done.stderr
    assert not list(tmp_path.glob("gpo-modules-*"))


def test_files_of_one_name_have_modules_of_their_own(tmp_path):
    names = {module_name(tmp_path / folder / "rewards.py") for folder in ("a", "b")}
    assert len(names) == 2
    assert all(name.startswith("gpo_file_rewards_") for name in names)
