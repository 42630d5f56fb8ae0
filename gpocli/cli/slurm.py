"""`gpo launch slurm`: the file for sbatch of a run that a spec describes."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpocli.cli.console import print_lines
from gpocli.cli.spec_command import reads_spec

if TYPE_CHECKING:
    from gpocli.launch.slurm import SlurmJob
    from gpocli.settings.sampling import VllmSpec
    from gpocli.spec import RunSpec
    from gpocli.spec.sources import SpecSources

_NOT_HANDED_ON = ("algorithm.type", "run.dir", "run.requeue")
_PANEL = "Job"


def _option(*names: str, help: str, **more: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=_PANEL, show_default=False, **more)


Nodes = Annotated[int | None, _option("--nodes", min=1, help="Nodes that train [dim](1)[/dim]")]
Gpus = Annotated[int | None, _option("--gpus", min=0, help="GPUs of a node; 0 with --processes: CPUs alone")]
PerNode = Annotated[int | None, _option("--processes", min=1, help="Processes of a node [dim](one a GPU)[/dim]")]
Time = Annotated[str | None, _option("--time", help="Limit, as 4:00:00", metavar="TIME")]
Grace = Annotated[int | None, _option("--grace", min=1, help="Seconds before it to save [dim](60)[/dim]")]
More = Annotated[
    list[str] | None,
    _option("--sbatch", help="A line more, as --sbatch=--partition=a100; repeats", metavar="OPTION"),
]
File = Annotated[Path | None, _option("--file", help="File to write [dim](NAME.sbatch)[/dim]", metavar="PATH")]
Print = Annotated[bool, _option("--print", help="Print it, and write nothing")]


@reads_spec
def slurm_command(
    sources: "SpecSources",
    nodes: Nodes = None,
    gpus: Gpus = None,
    processes: PerNode = None,
    time: Time = None,
    grace: Grace = None,
    more: More = None,
    file: File = None,
    only_print: Print = False,
) -> None:
    """Write the file for sbatch that trains what a spec says, saves before its limit and goes on in the queue.

    Where the spec starts a vLLM server (sampling.vllm.start), one node more is asked for and serves.
    """
    from gpocli.errors import SpecError
    from gpocli.launch.slurm import GRACE, SlurmJob, job_name, run_directory, sbatch_text, wrong_lines
    from gpocli.spec.sources import load_run_spec

    if not gpus and processes is None:
        raise SpecError("how many GPUs has a node? write --gpus 8, or --gpus 0 --processes 2 for CPUs alone")
    if fault := wrong_lines(time, more or ()):
        raise SpecError(fault)
    spec = load_run_spec(sources).spec
    kind, name = spec.algorithm.type, job_name(spec.run.name, sources.files, spec.algorithm.type)
    words = _words(sources)
    job = SlurmJob(
        name=name,
        nodes=nodes or 1,
        gpus=gpus or 0,
        processes=processes or gpus or 1,
        time=time,
        python=sys.executable,
        train=[kind, *words],
        resume=[kind],
        run_directory=run_directory(spec.run.dir, name),
        server=["--algorithm", kind, *words] if _starts_server(spec) else None,
        grace=grace or GRACE,
        more=more or (),
    )
    _give(job, sbatch_text(job), file, only_print)


def _give(job: "SlurmJob", text: str, file: Path | None, only_print: bool) -> None:
    from gpocli.errors import SpecError

    if only_print:
        print_lines(text.rstrip("\n"))
        return
    path = file or Path(f"{job.name}.sbatch")
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SpecError(f"cannot write '{path}': {error.strerror}; name another with --file") from error
    print_lines(f"wrote {path}; submit it with: sbatch {path}")


def _starts_server(spec: "RunSpec") -> bool:
    server: VllmSpec | None = spec.sampling.vllm
    return server is not None and server.start


def _words(sources: "SpecSources") -> list[str]:
    """The words of the command line that make the same spec; values of flags as `--set`, which they win over."""
    words = [str(path) for path in sources.files]
    if sources.preset is not None:
        words += ["--preset", sources.preset]
    given = [flag for flag in sources.flags if flag.path not in _NOT_HANDED_ON]
    texts = [*sources.overrides, *(f"{flag.path}={json.dumps(flag.value, ensure_ascii=False)}" for flag in given)]
    return [*words, *(word for text in texts for word in ("--set", text))]
