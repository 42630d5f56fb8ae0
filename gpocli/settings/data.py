"""The `data` section: where prompts and their columns come from."""

from typing import Annotated, Literal

from pydantic import Field

from gpocli.settings.section import Section
from gpocli.settings.setting import Flag, Setting


def read_columns(texts: list[str]) -> dict[str, str]:
    """Columns as `--map` takes them: ours, an equals sign and theirs."""
    columns = {}
    for text in texts:
        ours, equals, theirs = text.partition("=")
        if not equals or not ours or not theirs:
            raise ValueError(f"'{text}' is not OURS=THEIRS; write --map prompt=question")
        columns[ours] = theirs
    return columns


class DataSpec(Section):
    """Training and evaluation rows."""

    source: Annotated[
        str, Field(min_length=1), Setting(aliases=("dataset", "dataset_name"), flag=Flag("--data", "File or hub id"))
    ] = "embedded"
    """Files, a folder, `-` for standard input, a hub id, `gym:TASK`, or `embedded` for the task in the package."""
    split: Annotated[str, Field(min_length=1), Setting(aliases=("dataset_split",))] = "train"
    """Split of a hub dataset, of a saved one or of the embedded task to train on."""
    columns: Annotated[
        dict[str, str],
        Setting(
            flag=Flag("--map", "Rename a column, as prompt=question; repeats", metavar="OURS=THEIRS", read=read_columns)
        ),
    ] = Field(default_factory=dict)
    """Which column of the source stands for which of ours, such as `{prompt: question}`."""
    system: Annotated[str | None, Field(min_length=1), Setting(aliases=("system_prompt",))] = None
    """System message put before each prompt; null: none."""
    eval_source: Annotated[str | None, Field(min_length=1), Setting(aliases=("eval_dataset",))] = None
    """Where evaluation rows come from; null: as `source`."""
    eval_split: str | None = Field(default=None, min_length=1)
    """Split to evaluate on; null: the one that the source has for it, if any."""
    eval_limit: int | None = Field(default=None, ge=1)
    """Rows to evaluate on, from the first; at least 1; null: all."""
    limit: int | None = Field(default=None, ge=1)
    """Rows to use, from the first; at least 1; null: all."""
    max_prompt_tokens: Annotated[int | None, Field(ge=1), Setting(aliases=("max_prompt_length",))] = None
    """Longest prompt in tokens; at least 1; null: what the model's context leaves."""
    overlong: Literal["refuse", "drop"] = "refuse"
    """What a prompt over `max_prompt_tokens` leads to: an error, or its row is dropped and counted."""
    bad_rows: Literal["refuse", "drop"] = "refuse"
    """What a row with an empty or broken prompt leads to: an error, or it is dropped and counted."""
    chat: bool = False
    """Make chats of plain prompts, for the model's chat template: of one user message, or what JSON text says."""
    streaming: bool = False
    """Read files or a hub dataset while training, for data that fills the memory; needs `run.steps`."""
    shuffle: Annotated[bool, Setting("shuffle_dataset")] = True
    """Draw the rows in an order of the seed rather than that of the source."""
