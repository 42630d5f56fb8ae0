"""A small package with one filter, reward, guard or algorithm, from templates: code, `pyproject.toml`, README, test."""

import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template
from typing import Literal

from gpocli.errors import EnvironmentFault, SpecError

Kind = Literal["filter", "reward", "guard", "algorithm"]

_SUFFIX = ".template"


def extension_name(text: str) -> str:
    """The name that something gets from what the user wrote: lower case, `_` for `-` and spaces.

    Raises SpecError when none can be made of it.
    """
    name = re.sub(r"[\s-]+", "_", text.strip()).lower()
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise SpecError(f"'{text}' cannot be a name; write letters, digits and _, starting with a letter")
    return name


def package_name(name: str, kind: Kind) -> str:
    """The name of the distribution and of its folder: `gpo-filter-fewest-words`."""
    return f"gpo-{kind}-{name.strip('_').replace('_', '-')}"


def module_name(name: str, kind: Kind) -> str:
    """The name of its module: `gpo_filter_fewest_words`."""
    return package_name(name, kind).replace("-", "_")


def write_package(name: str, kind: Kind, parent: Path) -> list[Path]:
    """Write the package of something called `name` into a new folder of `parent`; returns the files, folder first.

    Raises SpecError when the folder is there already, and EnvironmentFault when it cannot be written.
    """
    folder = parent / package_name(name, kind)
    if folder.exists():
        raise SpecError(f"'{folder}' is there already; choose another name, or another folder with --dir")
    words = {
        "name": name,
        "package": package_name(name, kind),
        "module": module_name(name, kind),
        "class_name": "".join(part.capitalize() for part in name.split("_")) + kind.capitalize(),
    }
    written = []
    try:
        for template in _templates(kind):
            path = folder / Template(template.name.removesuffix(_SUFFIX)).substitute(words).replace("--", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(Template(template.read_text("utf-8")).substitute(words), encoding="utf-8")
            written.append(path)
    except OSError as error:
        raise EnvironmentFault(f"cannot write '{folder}' ({error.strerror}); name another with --dir") from error
    return [folder, *written]


def _templates(kind: Kind) -> list[Traversable]:
    """The templates of a kind; `--` in a name stands for a folder, `$module` for the module."""
    folder = files("gpocli.scaffold") / "templates" / kind
    return sorted((one for one in folder.iterdir() if one.name.endswith(_SUFFIX)), key=lambda one: one.name)
