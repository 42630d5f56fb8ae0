"""Would the tests notice? A random sample of small faults, each put into a copy of the source on its own.

`make mutants SAMPLE=100 SEED=1`, or `python -m tests.mutants --help`. The faults are those of mutmut's operators: an
argument dropped or None, a comparison turned, a number one higher, a branch forced, and so on. mutmut's own runner is
not used: it renames what it mutates, and tests here read signatures and sources; it also starts from one import of the
package, which leaves out what is decided at import, and it leaves out decorated functions.

A mutant is caught when a test of the fast suite fails on it: first those of the module's own test file, then the others
that ran the mutated line, as one run of the whole suite under coverage told (it is kept between calls), the
quickest first and `--budget` seconds of them at most. Tests that start processes of their own leave no trace there.
Survivors are shown as diffs. Those in `tests/equivalent_mutants.toml` change nothing that a user could see, each for
the reason given there, and count apart.

Each mutant runs in a process forked from one that has torch and TRL loaded, and never in the checkout.
"""

import argparse
import contextlib
import difflib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import libcst as cst
from coverage import CoverageData
from libcst.metadata import MetadataWrapper
from mutmut.mutation.file_mutation import Mutation, MutationVisitor
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

ROOT = Path(__file__).parents[1]
FOLDERS = ("algorithms", "contracts", "rollout", "trainers")
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.toml")
_NOT_RUN = (3, 4, 5)
"""Exit codes of pytest: an error of its own, unknown tests, no tests."""
LIMIT_S = 300.0
"""A mutant that runs for longer hangs, which is noticed."""
SUITE = "suite.json"


@dataclass(frozen=True)
class Mutant:
    """One fault: `code` is the whole mutated file, `line` the first line that differs, counted from 1."""

    file: str
    line: int
    code: str
    diff: tuple[str, ...]

    @property
    def change(self) -> tuple[str, str]:
        """The lines before and after, without indentation."""
        return tuple("\n".join(line[1:].strip() for line in self.diff if line[0] == sign) for sign in "-+")  # type: ignore[return-value]


class Visitor(MutationVisitor):
    """mutmut's, into decorated functions, too: nothing here is renamed."""

    def _skip_node_and_children(self, node: cst.CSTNode) -> bool:
        return not isinstance(node, cst.FunctionDef) and super()._skip_node_and_children(node)


def mutations_of(file: str) -> list[Callable[[], Mutant | None]]:
    """All mutants of a file, each made when it is called for; None where it cannot be compiled or is the same."""
    source = (ROOT / file).read_text(encoding="utf-8")
    visitor = Visitor(mutation_operators, IgnoredCode(set(), set(), set()))
    module = MetadataWrapper(cst.parse_module(source)).visit(visitor)
    return [partial(_made, file, source, module, mutation) for mutation in visitor.mutations]


def _made(file: str, source: str, module: cst.Module, mutation: Mutation) -> Mutant | None:
    code = module.deep_replace(mutation.original_node, mutation.mutated_node).code
    diff = [*difflib.unified_diff(source.splitlines(), code.splitlines(), lineterm="", n=0)][2:]
    try:
        compile(code, file, "exec", dont_inherit=True)
    except SyntaxError:
        return None
    if not diff:
        return None
    start = int(diff[0].split()[1].split(",")[0].removeprefix("-"))
    return Mutant(file, start, code, tuple(line for line in diff if line[0] in "-+"))


class Durations:
    """Notes how long each test takes; those that fail without a fault are of no use later."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    def pytest_runtest_logreport(self, report) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        if "PYTEST_XDIST_WORKER" not in os.environ:
            told = {"seconds": self.seconds, "failed": sorted(self.failed)}
            Path(SUITE).write_text(json.dumps(told), encoding="utf-8")


class Copy:
    """A copy of the source in which mutants run, and what the tests are known to cover in it."""

    def __init__(self, folder: Path, *, is_fresh: bool) -> None:
        self.folder = folder
        is_known = (folder / SUITE).exists()
        if is_fresh and is_known:
            shutil.rmtree(folder)
        listed = subprocess.run(
            ["git", "ls-files", "-zco", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        os.chdir(folder)
        sys.path.insert(0, str(folder))
        sys.modules.pop("tests", None)  # the package of the checkout, which this very module was found in
        os.environ |= {"PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
        if is_fresh or not is_known:
            self._look()
        suite = json.loads((folder / SUITE).read_text(encoding="utf-8"))
        self.seconds: dict[str, float] = suite["seconds"]
        self.failed: list[str] = suite["failed"]
        self._coverage = CoverageData(str(folder / ".coverage"))
        self._coverage.read()

    def _look(self) -> None:
        covered = [f"--cov=gpocli/{name}" for name in FOLDERS]
        options = [
            "-q",
            "-n",
            "2",
            "-m",
            "not slow and not vllm",
            "--cov-context=test",
            "--cov-report=",
            "-p",
            "tests.mutants",
        ]
        subprocess.run([sys.executable, "-m", "pytest", *options, *covered], check=False)

    def tests(self, mutant: Mutant, budget_s: float) -> list[str]:
        """The tests that may notice, in the order to try them: the module's own file, then the quickest ones."""
        inside = Path(mutant.file).relative_to("gpocli")
        own = f"tests/{inside.with_name(f'test_{inside.name}')}"
        lines = self._coverage.contexts_by_lineno(str(self.folder / mutant.file))
        # A statement of several lines counts where it begins; what runs at import has no test of its own.
        near = next((lines[line] for line in range(mutant.line, 0, -1) if any(lines.get(line, ()))), [])
        covering = {context.split("|")[0] for context in near if context}
        known = [test for test in covering if test in self.seconds and not test.startswith(f"{own}::")]
        chosen, total = [own] if (self.folder / own).is_file() else [], 0.0
        for test in sorted(known, key=lambda test: self.seconds[test]):
            total += self.seconds[test]
            if total <= budget_s:
                chosen.append(test)
        return chosen

    def is_caught(self, mutant: Mutant, tests: list[str]) -> bool:
        """Whether one of the tests fails on the mutant."""
        path = self.folder / mutant.file
        whole = path.read_text(encoding="utf-8")
        for stale in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
            stale.unlink()
        path.write_text(mutant.code, encoding="utf-8")
        try:
            code = _exit_code([*tests, *(f"--deselect={test}" for test in self.failed)])
        finally:
            path.write_text(whole, encoding="utf-8")
        # A mutant that cannot be imported lets pytest end before the first test; then without it there are tests.
        if code in _NOT_RUN and (without := _exit_code(["--collect-only", *tests])) != 0:
            raise SystemExit(f"pytest finds no test of {tests[0]} (exit {without}); call with --fresh")
        return code != 0


def pytest_configure(config) -> None:
    """This module is also the plugin that notes durations."""
    config.pluginmanager.register(Durations())


def _exit_code(arguments: list[str]) -> int | None:
    """How pytest ends in a process of its own; None where it had to be killed."""
    child = os.fork()
    if child == 0:
        os.setpgrp()
        sys.dont_write_bytecode = True
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        import pytest

        options = ["-x", "-q", "-p", "no:cacheprovider", "-n", "0", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
        code = 3
        with contextlib.suppress(BaseException):
            code = int(pytest.main([*options, *arguments]))
        os._exit(code)
    until = time.monotonic() + LIMIT_S
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def warm_up() -> None:
    """Import what tests import, but for the package itself."""
    import datasets  # noqa: F401
    import hypothesis  # noqa: F401
    import trl.trainer.grpo_trainer  # noqa: F401
    from transformers import GPT2LMHeadModel, Phi3ForCausalLM, PreTrainedTokenizerFast, Qwen3ForCausalLM  # noqa: F401


def known_equivalents() -> set[tuple[str, str, str]]:
    """File, lines before and lines after of the mutants that are listed as equivalent."""
    listed = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["mutant"]
    return {(one["file"], one["before"], one["after"]) for one in listed}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description="Mutate, test, report.")
    parser.add_argument("files", nargs="*", help="the files to mutate; all of gpocli's " + ", ".join(FOLDERS))
    parser.add_argument("--sample", type=int, default=100, help="how many mutants (100; 0: all)")
    parser.add_argument("--seed", type=int, default=0, help="which ones")
    parser.add_argument("--budget", type=float, default=60.0, help="seconds of tests that a mutant may take")
    parser.add_argument("--into", type=Path, default=Path(tempfile.gettempdir()) / "gpo-mutants", help="the copy")
    parser.add_argument("--fresh", action="store_true", help="look anew which tests cover what")
    args = parser.parse_args()
    files = args.files or sorted(
        str(path.relative_to(ROOT)) for folder in FOLDERS for path in (ROOT / "gpocli" / folder).rglob("*.py")
    )
    everything = [mutation for file in files for mutation in mutations_of(file)]
    random.Random(args.seed).shuffle(everything)
    made = (mutant for mutation in everything if (mutant := mutation()) is not None)
    sample = islice(made, args.sample or None)
    report(Copy(args.into.resolve(), is_fresh=args.fresh), sample, len(everything), args.budget)


def report(copy: Copy, sample: Iterator[Mutant], of: int, budget_s: float) -> None:
    """Run the sample and say, as it goes, which mutants survive."""
    warm_up()
    equivalents, counts = known_equivalents(), {"caught": 0, "equivalent": 0, "survived": 0}
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):  # a run that is stopped tells what it has
        _run(copy, sample, equivalents, counts, budget_s)
    alive = counts["caught"] + counts["survived"]
    sys.stdout.write(
        f"\n{sum(counts.values())} of {of} mutants: {counts['caught']} caught, {counts['survived']} survived, "
        f"{counts['equivalent']} equivalent; {counts['caught'] / max(alive, 1):.1%} of the others caught\n"
    )


def _run(
    copy: Copy,
    sample: Iterator[Mutant],
    equivalents: set[tuple[str, str, str]],
    counts: dict[str, int],
    budget_s: float,
) -> None:
    for done, mutant in enumerate(sample, start=1):
        if (mutant.file, *mutant.change) in equivalents:
            outcome = "equivalent"
        else:
            tests = copy.tests(mutant, budget_s)
            outcome = "caught" if tests and copy.is_caught(mutant, tests) else "survived"
        counts[outcome] += 1
        sys.stderr.write(f"\r{done}: {', '.join(f'{count} {name}' for name, count in counts.items())} ")
        if outcome == "survived":
            told = [f"\n{mutant.file}:{mutant.line} survived (the {done}th)", *mutant.diff]
            sys.stdout.write("\n".join(told) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
