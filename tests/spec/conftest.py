"""A folder with spec files, and what loading them says."""

from collections.abc import Callable
from pathlib import Path

import pytest

from gpocli.errors import SpecError
from gpocli.spec.load import LoadedSpec, load_spec

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path, monkeypatch) -> Write:
    """Write a spec file into the working directory and return its path, as a user would give it."""
    monkeypatch.chdir(tmp_path)

    def write_file(text: str | bytes, name: str = "run.yaml") -> Path:
        Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return Path(name)

    return write_file


@pytest.fixture
def load(write) -> Callable[..., LoadedSpec]:
    """Load a spec from text, with the options of `load_spec`."""

    def load_text(text: str | None, *overrides: str, name: str = "run.yaml", **options) -> LoadedSpec:
        return load_spec([] if text is None else [write(text, name)], overrides, **options)

    return load_text


@pytest.fixture
def faults(load) -> Callable[..., list[str]]:
    """The lines that loading a broken spec says."""

    def lines(*args, **kwargs) -> list[str]:
        with pytest.raises(SpecError) as caught:
            load(*args, **kwargs)
        return str(caught.value).splitlines()

    return lines
