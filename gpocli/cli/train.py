"""`gpo train`: one command an algorithm; flags go on top of spec files."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from gpocli.cli.completion import complete_filter, complete_preset, complete_reward
from gpocli.cli.console import console

app = typer.Typer(help="Train a model with GFPO, GMPO or GRPO.", no_args_is_help=True, rich_markup_mode="rich")

_ALGORITHM, _MODEL, _SAMPLING, _RUN = "Algorithm", "Model, data and rewards", "Sampling and updates", "Run"


def _option(
    *names: str,
    help: str,
    panel: str,
    default: str | None = None,
    metavar: str | None = None,
    autocompletion: Callable[[str], Any] | None = None,
) -> Any:
    shown = help if default is None else f"{help} [dim]({default})[/dim]"
    return typer.Option(
        *names,
        help=shown,
        rich_help_panel=panel,
        show_default=False,
        metavar=metavar,
        autocompletion=autocompletion,
    )


Specs = Annotated[
    list[Path] | None,
    typer.Argument(help="YAML, TOML or JSON, later ones on top.", show_default=False),
]
Preset = Annotated[
    str | None,
    _option(
        "--preset",
        help="Settings below the specs; see gpo presets list",
        panel=_RUN,
        metavar="NAME",
        autocompletion=complete_preset,
    ),
]
Keep = Annotated[
    int | None, _option("-k", "--keep", help="Candidates kept and trained on", panel=_ALGORITHM, default="8")
]
KeepSome = Annotated[
    int | None,
    _option("-k", "--keep", help="Candidates kept by --filter", panel=_ALGORITHM, default="half, with --filter"),
]
Filter = Annotated[
    list[str] | None,
    _option(
        "--filter",
        help="Name or ./file.py:name; repeats",
        panel=_ALGORITHM,
        default="length",
        autocompletion=complete_filter,
    ),
]
SomeFilter = Annotated[
    list[str] | None,
    _option(
        "--filter",
        help="Name or ./file.py:name; repeats",
        panel=_ALGORITHM,
        default="none",
        autocompletion=complete_filter,
    ),
]
Epsilon = Annotated[float | None, _option("--epsilon", help="Clip range of the ratio", panel=_ALGORITHM, default="0.2")]
LogEpsilon = Annotated[
    float | None, _option("--epsilon", help="Clip range in log space", panel=_ALGORITHM, default="0.4")
]
EpsilonHigh = Annotated[
    float | None, _option("--epsilon-high", help="Upper clip range", panel=_ALGORITHM, default="as --epsilon")
]
Beta = Annotated[float | None, _option("--beta", help="Weight of the KL term", panel=_ALGORITHM, default="0")]
GFPOBeta = Annotated[float | None, _option("--beta", help="Weight of the KL term", panel=_ALGORITHM, default="0.001")]

Model = Annotated[str | None, _option("--model", help="Folder or hub id", panel=_MODEL, default="embedded")]
Data = Annotated[str | None, _option("--data", help="File or hub id", panel=_MODEL, default="embedded")]
Columns = Annotated[
    list[str] | None,
    _option("--map", help="Rename a column, as prompt=question; repeats", panel=_MODEL, metavar="OURS=THEIRS"),
]
Reward = Annotated[
    list[str] | None,
    _option(
        "--reward",
        help="Name or ./file.py:name; repeats",
        panel=_MODEL,
        default="accuracy",
        metavar="NAME[=WEIGHT]",
        autocompletion=complete_reward,
    ),
]
Temperature = Annotated[float | None, _option("--temperature", help="Of sampling", panel=_SAMPLING, default="1.0")]
MaxTokens = Annotated[
    int | None,
    _option("--max-tokens", help="Longest completion", panel=_SAMPLING, default="1024; embedded 256"),
]
LearningRate = Annotated[
    float | None, _option("--lr", help="Learning rate", panel=_SAMPLING, default="1e-6; embedded 3e-4")
]
PromptsPerStep = Annotated[
    int | None, _option("--prompts-per-step", help="Prompts an optimizer step", panel=_SAMPLING, default="8")
]
Steps = Annotated[int | None, _option("--steps", help="Optimizer steps", panel=_RUN, default="100; embedded 60")]
Seed = Annotated[int | None, _option("--seed", help="Of data order and sampling", panel=_RUN, default="0")]
Out = Annotated[Path | None, _option("--out", help="Run directory", panel=_RUN, default="runs/<name>")]
Resume = Annotated[bool, _option("--resume", help="Go on with the run in --out", panel=_RUN)]
Set = Annotated[
    list[str] | None,
    _option("--set", help="Any value, as optim.warmup_steps=5; repeats", panel=_RUN, metavar="KEY=VALUE"),
]


def _group_size(default: int) -> Any:
    return _option("-G", "--group-size", help="Candidates sampled a prompt", panel=_ALGORITHM, default=str(default))


@app.command("gfpo")
def gfpo_command(
    specs: Specs = None,
    group_size: Annotated[int | None, _group_size(24)] = None,
    keep: Keep = None,
    filters: Filter = None,
    epsilon: Epsilon = None,
    beta: GFPOBeta = None,
    model: Model = None,
    data: Data = None,
    columns: Columns = None,
    rewards: Reward = None,
    temperature: Temperature = None,
    max_tokens: MaxTokens = None,
    lr: LearningRate = None,
    prompts_per_step: PromptsPerStep = None,
    steps: Steps = None,
    seed: Seed = None,
    out: Out = None,
    resume: Resume = False,
    preset: Preset = None,
    overrides: Set = None,
) -> None:
    """Group Filtered Policy Optimization: sample G, keep the k that a filter scores highest, train on those.

    Defaults stand in parentheses; every other setting is a value of the spec.
    """
    _train("gfpo", locals())


@app.command("gmpo")
def gmpo_command(
    specs: Specs = None,
    group_size: Annotated[int | None, _group_size(8)] = None,
    keep: KeepSome = None,
    filters: SomeFilter = None,
    epsilon: LogEpsilon = None,
    epsilon_high: EpsilonHigh = None,
    beta: Beta = None,
    model: Model = None,
    data: Data = None,
    columns: Columns = None,
    rewards: Reward = None,
    temperature: Temperature = None,
    max_tokens: MaxTokens = None,
    lr: LearningRate = None,
    prompts_per_step: PromptsPerStep = None,
    steps: Steps = None,
    seed: Seed = None,
    out: Out = None,
    resume: Resume = False,
    preset: Preset = None,
    overrides: Set = None,
) -> None:
    """Geometric-Mean Policy Optimization: weigh a sequence by the geometric mean of its token ratios.

    Defaults stand in parentheses; every other setting is a value of the spec.
    """
    _train("gmpo", locals())


@app.command("grpo")
def grpo_command(
    specs: Specs = None,
    group_size: Annotated[int | None, _group_size(8)] = None,
    epsilon: Epsilon = None,
    beta: Beta = None,
    model: Model = None,
    data: Data = None,
    columns: Columns = None,
    rewards: Reward = None,
    temperature: Temperature = None,
    max_tokens: MaxTokens = None,
    lr: LearningRate = None,
    prompts_per_step: PromptsPerStep = None,
    steps: Steps = None,
    seed: Seed = None,
    out: Out = None,
    resume: Resume = False,
    preset: Preset = None,
    overrides: Set = None,
) -> None:
    """Group Relative Policy Optimization, the baseline: train on every completion.

    Defaults stand in parentheses; every other setting is a value of the spec.
    """
    _train("grpo", locals())


# Where each flag goes in the spec: (parameter, flag, dotted path).
_PLACES = (
    ("group_size", "--group-size", "algorithm.group_size"),
    ("keep", "--keep", "algorithm.keep"),
    ("epsilon", "--epsilon", "algorithm.epsilon"),
    ("epsilon_high", "--epsilon-high", "algorithm.epsilon_high"),
    ("beta", "--beta", "algorithm.beta"),
    ("filters", "--filter", "algorithm.filters"),
    ("model", "--model", "model.name"),
    ("data", "--data", "data.source"),
    ("temperature", "--temperature", "sampling.temperature"),
    ("max_tokens", "--max-tokens", "sampling.max_tokens"),
    ("lr", "--lr", "optim.learning_rate"),
    ("prompts_per_step", "--prompts-per-step", "batch.prompts_per_step"),
    ("steps", "--steps", "run.steps"),
    ("seed", "--seed", "run.seed"),
)


def _train(algorithm: str, given: dict[str, Any]) -> None:
    from gpocli.spec.sources import SpecSources
    from gpocli.training.run import train

    flags = flags_of(algorithm, given)
    sources = SpecSources(given["specs"] or [], given["overrides"] or [], flags, given["preset"], os.environ)
    outcome = train(sources, resume=given["resume"], console=console)
    if outcome is not None:
        console.print(f"saved: {outcome.path}", markup=False, soft_wrap=True)


def flags_of(algorithm: str, given: dict[str, Any]) -> dict[str, Any]:
    """The flags of a train command as values of the spec by dotted path."""
    from gpocli.spec.layer import Flag

    flags: dict[str, Any] = {"algorithm.type": Flag(f"gpo train {algorithm}", algorithm)}
    for parameter, flag, path in _PLACES:
        if given.get(parameter) is not None:
            flags[path] = Flag(flag, given[parameter])
    if given["out"] is not None:
        flags["run.dir"] = Flag("--out", str(given["out"]))
    if given["rewards"]:
        flags["rewards"] = Flag("--reward", [_weighted(text) for text in given["rewards"]])
    for text in given["columns"] or []:
        ours, equals, theirs = text.partition("=")
        if not equals or not ours or not theirs:
            raise typer.BadParameter(f"'{text}' is not OURS=THEIRS; write --map prompt=question")
        flags[f"data.columns.{ours}"] = Flag("--map", theirs)
    return flags


def _weighted(text: str) -> dict[str, Any]:
    """A reward as `--reward` takes it: a name, and its weight after an equals sign."""
    name, equals, weight = text.rpartition("=")
    if not equals:
        return {"name": text}
    try:
        return {"name": name, "weight": float(weight)}
    except ValueError:
        raise typer.BadParameter(f"'{text}': the weight '{weight}' is no number; write --reward {name}=0.5") from None
