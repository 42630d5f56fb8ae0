"""Light `gpo` commands as a user runs them, but in this process: files in, exit code and output out."""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from gpocli.cli.main import main


@dataclass(frozen=True)
class Said:
    """What a command left."""

    code: int
    out: str
    err: str


class User:
    """Someone in a folder of their own; `gpo` runs a command there."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._monkeypatch, self._capsys = folder, monkeypatch, capsys
        monkeypatch.chdir(folder)
        for name in ("GPO_PLUGINS", "GPO_PLUGINS_STRICT", "GPO_DEBUG"):
            monkeypatch.setenv(name, "")  # so that what a command sets is put back
            monkeypatch.delenv(name)

    def gpo(self, *arguments: object) -> Said:
        """Run `gpo ARGUMENTS`."""
        self._capsys.readouterr()
        self._monkeypatch.setattr(sys, "argv", ["gpo", *map(str, arguments)])
        code: object = 0
        try:
            main()
        except SystemExit as end:
            code = end.code
        out, err = self._capsys.readouterr()
        return Said(int(str(code or 0)), out, err)

    def write(self, name: str, text: str) -> Path:
        """Write a file into the folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


def without_times(text: str) -> str:
    """The text with figures that differ from machine to machine replaced by #."""
    return re.sub(r"[\d.,]+ (µs|ms|s) a completion", "# a completion", text)
