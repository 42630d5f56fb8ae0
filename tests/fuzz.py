"""Gives commands mutated specs, data and lines: `python -m tests.fuzz --specs 1000 --data 1000 --commands 500`.

No command may show a traceback, end with a code that `gpocli.errors` does not have, compute for over 5 seconds or take
over a gigabyte. Each runs in a process forked from one that has imported what commands need.
"""

import argparse
import gc
import json
import os
import random
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

SECONDS, BYTES = 5.0, 2**30
CODES = {0, 2, 3, 4, 5, 75, 130, 143}
_GIVEN_UP = 30
"""Seconds of computing after which a command is ended."""


@dataclass(frozen=True)
class Case:
    """A command and the files in its folder."""

    arguments: tuple[str, ...]
    files: dict[str, bytes] = field(default_factory=dict)

    def __str__(self) -> str:
        return json.dumps(
            {"arguments": self.arguments, "files": {k: v.decode("latin-1") for k, v in self.files.items()}}
        )


def fault_of(case: Case) -> str | None:
    """What is wrong with how a command takes a case, None where nothing is."""
    with tempfile.TemporaryDirectory() as place:
        for name, content in case.files.items():
            (Path(place) / name).write_bytes(content)
        code, usage = _run(case.arguments, place)
        said = (Path(place) / ".said").read_bytes()
    if b"Traceback (most recent call last)" in said:
        return "traceback: " + said.decode("utf-8", "replace").strip().splitlines()[-1][:200]
    if code not in CODES:
        return f"exit code {code}: {said[-200:]!r}"
    if usage.ru_utime + usage.ru_stime > SECONDS:
        return f"{usage.ru_utime + usage.ru_stime:.1f} seconds"
    return f"{usage.ru_maxrss / 2**20:.1f} GiB" if usage.ru_maxrss * 1024 > BYTES else None


def _run(arguments: tuple[str, ...], place: str) -> tuple[int, resource.struct_rusage]:
    """Run `gpo` in a fork: its exit code, minus the number of a signal that ended it, and what it used."""
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            code = _child(arguments, place)
        finally:
            os._exit(code)
    _, status, usage = os.wait4(pid, 0)
    return os.waitstatus_to_exitcode(status), usage


def _child(arguments: tuple[str, ...], place: str) -> int:
    import traceback

    from gpocli.cli.main import main

    resource.setrlimit(resource.RLIMIT_CPU, (_GIVEN_UP, _GIVEN_UP))
    os.chdir(place)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    said = os.open(".said", os.O_WRONLY | os.O_CREAT)
    for number in (1, 2):
        os.dup2(said, number)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))
    sys.argv = ["gpo", *arguments]
    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - what Python would show of it is what is looked for
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


# Mutations

ODD = (
    "", " ", "null", "true", "-1", "0", "1e999", "nan", "1e-6", "9" * 400, "[]", "{}", "[[[[]]]]", "~", "\x00",
    "\x1b[2J", "\u202e", "é", "日本", "🙂", "\ud7ff", "'", '"', "\\", "#", ":", "- ", "&a", "*a", "<<", "|", ">", "%",
    "!!python/object:os.system", "{{", "}}", "${HOME}", "./x.py:f", "a.b:c", "x" * 5000, "../..", "-", "--", "=", ",",
    "1" * 30, "0x10", "1_000", ".5", "2026-12-03", "inf", "length", "accuracy", "embedded", "gfpo", "run.steps=3",
    "[" * 300, "{a: " * 100,
)  # fmt: skip


def mutated(text: str, chance: random.Random, most: int = 4) -> str:
    """A text with some of its characters, words and lines taken out, doubled, moved, or replaced by odd ones."""
    for _ in range(chance.randint(1, most)):
        text = chance.choice(_MUTATIONS)(text, chance)
    return text


def _with_odd(text: str, chance: random.Random) -> str:
    at = chance.randint(0, len(text))
    return text[:at] + chance.choice(ODD) + text[at + chance.choice((0, 0, 1, 5)) :]


def _without(text: str, chance: random.Random) -> str:
    at = chance.randint(0, len(text))
    return text[:at] + text[at + chance.choice((1, 1, 3, 30)) :]


def _cut(text: str, chance: random.Random) -> str:
    return text[: chance.randint(0, len(text))]


def _by_line(text: str, chance: random.Random) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[at] = chance.choice((lines[at] * 2, lines[other], "  " + lines[at], lines[at].lstrip(), ""))
    return "".join(lines)


def _value(text: str, chance: random.Random) -> str:
    """Another value after a colon, an equals sign or a comma."""
    places = [at for at, character in enumerate(text) if character in ":=,"]
    if not places:
        return text
    at = chance.choice(places) + 1
    end = next((stop for stop in range(at, len(text)) if text[stop] in ",\n}]"), len(text))
    return f"{text[:at]} {chance.choice(ODD)}{text[end:]}"


_MUTATIONS: tuple[Callable[[str, random.Random], str], ...] = (_with_odd, _without, _cut, _by_line, _value, _value)


def mutated_bytes(content: bytes, chance: random.Random) -> bytes:
    """Bytes as `mutated` has them, or with some that are no text."""
    if chance.random() < 0.6:
        return mutated(content.decode("latin-1"), chance).encode("latin-1", "replace")
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(content))
        odd = chance.choice((b"\xff", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r", b"\x80\x81", b"\x1f\x8b", b"PAR1"))
        content = content[:at] + odd + content[at + chance.choice((0, 1, 4)) :]
    return content


# Cases

_ROOT = Path(__file__).parents[1]
_MORE = """algorithm: {type: gmpo, group_size: 8, filters: [{name: token_efficiency}, length], keep: 2}
model: {name: embedded, lora: {rank: 4, target_modules: [q_proj]}, dtype: float32}
data: {source: a.jsonl, columns: {prompt: question}, eval_source: a.jsonl, overlong: drop, max_prompt_tokens: 40}
rewards: [accuracy, {name: overlong, weight: 0.5, options: {buffer: 16}}, {name: "./mine.py:mine", seconds: 3}]
sampling: {max_tokens: 64, temperature: 0.8, top_p: 0.9}
guards: {no_signal: {window: 3}, length_explosion: off}
trl: {lr_scheduler_kwargs: {}, max_grad_norm: 0.5}
run: {steps: 4, save_every: 2, eval_every: 2, trackers: [], max_minutes: 3}
"""
_MINE = b"def mine(completions, **columns):\n    return [0.0 for _ in completions]\n"
_ROWS = [{"question": f"{i}+{i}=?", "answer": str(2 * i), "n": i, "tags": ["a", None]} for i in range(12)]
_JSONL = "".join(json.dumps(row) + "\n" for row in _ROWS).encode()


def spec_cases(chance: random.Random) -> Iterator[Case]:
    """Mutated specs in YAML, TOML and JSON, looked at in several ways."""
    yaml = [path.read_text("utf-8") for path in sorted((_ROOT / "gpocli" / "presets").glob("*.yaml"))]
    yaml += [path.read_text("utf-8") for path in sorted((_ROOT / "examples").glob("*.yaml"))] + [_MORE] * 8
    toml = '[algorithm]\ntype = "gfpo"\ngroup_size = 8\nkeep = 2\n[data]\nsource = "a.jsonl"\n[run]\nsteps = 3\n'
    as_json = (
        '{"algorithm": {"type": "gfpo"}, "rewards": ["exact"], "data": {"source": "a.jsonl"}, "run": {"steps": 3}}'
    )
    while True:
        suffix, text = chance.choice([("yaml", chance.choice(yaml))] * 4 + [("toml", toml), ("json", as_json)])
        name = f"run.{suffix}"
        files = {name: mutated(text, chance).encode("utf-8", "replace"), "a.jsonl": _JSONL, "mine.py": _MINE}
        if chance.random() < 0.1:
            files[name] = mutated_bytes(text.encode(), chance)
        command = chance.choice((("check",), ("check", "--json"), ("plan",), ("config", "show", "--origin")))
        yield Case((*command, name), files)


def data_cases(chance: random.Random) -> Iterator[Case]:
    """Mutated data files in seven formats."""
    from io import BytesIO

    import pyarrow as pa
    import pyarrow.parquet as pq

    table = BytesIO()
    pq.write_table(pa.Table.from_pylist(_ROWS), table)
    rows = [",".join((row["question"], row["answer"], f'"a, ""{row["n"]}"""')) for row in _ROWS]
    csv = "question,answer,note\n" + "\n".join(rows)
    formats = {
        "jsonl": _JSONL, "ndjson": _JSONL, "json": json.dumps(_ROWS, indent=1).encode(), "csv": csv.encode(),
        "tsv": csv.replace(",", "\t").encode(), "parquet": table.getvalue(), "jsonl.gz": _zipped(_JSONL),
    }  # fmt: skip
    ways = [("data", "check"), ("data", "check", "--json", "--reward", "accuracy"), ("data", "preview", "-n", "2")]
    while True:
        suffix = chance.choice(list(formats))
        content = mutated_bytes(formats[suffix], chance)
        if suffix == "jsonl.gz" and chance.random() < 0.5:
            content = _zipped(mutated_bytes(_JSONL, chance))
        mapped = chance.choice(((), ("--map", "prompt=question")))
        yield Case((*chance.choices(ways, (5, 3, 1))[0], f"a.{suffix}", *mapped), {f"a.{suffix}": content})


def _zipped(content: bytes) -> bytes:
    import gzip

    return gzip.compress(content, mtime=0)


LINES = """
check run.yaml
check --deep=no run.yaml --lr 1e-5
check --model embedded -G 8 -k 2 --json
plan run.yaml
plan --json -G 16 -k 4 --filter length --prompts-per-step 4
config show run.yaml --origin
config schema
config show --set optim.learning_rate=1e-6 --lr 1e-5
data check a.jsonl --map prompt=question --reward exact
data preview a.jsonl --map prompt=question -n 1
presets list
presets show dapo --json
filters list --json
filters show length
filters test length
filters test token_efficiency --set x=1
rewards list
guards list
rewards show accuracy
rewards test accuracy
rewards test ./mine.py:mine
guards show no_signal
explain
explain kl --json
explain frac_reward_zero_std
plugins list
plugins check mine.py
runs list --json
--version
runs show out
runs diff out out
samples out --step 1
replay out --filter length -k 1
compare out out
report out
train gfpo --resume --out out --nonsense
launch slurm run.yaml --nodes 2 --gpus 8
init --stdout
train
train nosuch
train gfpo --steps x
presets show nosuch
filters show nosuch
""".strip().splitlines()
"""Command lines that load no model, train nothing and remove nothing."""


def command_cases(chance: random.Random) -> Iterator[Case]:
    """Mutated command lines."""
    words = sorted({word for line in LINES for word in line.split()} - {"train", "gfpo", "init"})
    files = {"run.yaml": _MORE.encode(), "a.jsonl": _JSONL, "mine.py": _MINE}
    while True:
        line = chance.choice(LINES).split()
        kept = 3 if line[0] == "train" else 1  # what follows must not begin to train
        for _ in range(chance.randint(1, 3)):
            at = chance.randint(min(kept, len(line)), len(line))
            odd = chance.choice((chance.choice(words), chance.choice(ODD), mutated(chance.choice(words), chance)))
            line[at : at + chance.choice((0, 1))] = [odd.replace("\0", "").replace("/", ".")]
        yield Case(tuple(line), files)


KINDS = {"specs": spec_cases, "data": data_cases, "commands": command_cases}


def prepare() -> None:
    """Import what commands need once, for all that are forked."""
    os.environ |= {"HF_HUB_OFFLINE": "1", "GPO_PLUGINS": "", "COLUMNS": "100"}
    import gpocli.checks.data_report
    import gpocli.checks.preflight
    import gpocli.cli.main
    import gpocli.planning.plan
    import gpocli.spec.run_spec  # noqa: F401

    gc.freeze()


def corpus(folder: Path) -> Iterator[Case]:
    """The cases that were once taken badly."""
    for file in sorted(folder.glob("*.json")):
        found = json.loads(file.read_text("utf-8"))
        yield Case(tuple(found["arguments"]), {name: text.encode("latin-1") for name, text in found["files"].items()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for kind in KINDS:
        parser.add_argument(f"--{kind}", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--corpus", type=Path, help="a folder with cases to try as well")
    parser.add_argument("--keep", type=Path, help="a folder for the cases that fail")
    given = parser.parse_args()
    prepare()
    chosen = {
        kind: islice(cases(random.Random(f"{kind} {given.seed}")), getattr(given, kind))
        for kind, cases in KINDS.items()
    }
    if given.corpus is not None:
        chosen["corpus"] = corpus(given.corpus)
    bad = sum(_tried(kind, cases, given.keep) for kind, cases in chosen.items())
    sys.exit(int(bad > 0))


def _tried(kind: str, cases: Iterator[Case], keep: Path | None) -> int:
    """Try cases of a kind, and say which are taken badly; their number."""
    count = bad = 0
    for count, case in enumerate(cases, start=1):
        if fault := fault_of(case):
            bad += 1
            sys.stdout.write(f"  {' '.join(case.arguments)[:150]!r}: {fault}\n")
            sys.stdout.flush()
            if keep is not None:
                keep.mkdir(exist_ok=True)
                (keep / f"{kind}-{count}.json").write_text(f"{case}\n", encoding="utf-8")
    sys.stdout.write(f"{kind}: {count} cases, {bad} taken badly\n")
    sys.stdout.flush()
    return bad


if __name__ == "__main__":
    main()
