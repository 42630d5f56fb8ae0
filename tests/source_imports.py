"""Every way in which one file of the package can reach another, read from the text of the files alone."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

PACKAGE = "gpocli"
ROOT = Path(__file__).parents[1]
LOADERS = {"import_module", "__import__", "spec_from_file_location", "run_module", "run_path"}
"""What imports a module whose name is only known while running."""
MODULE_NAME = re.compile(rf"{PACKAGE}(\.\w+)+[.:]?\w*")

Sources = Mapping[str, str]
"""File ("gpocli/spec/load.py") -> its text."""

Kind = Literal["import", "typing", "name", "loads"]


@dataclass(frozen=True)
class Reach:
    """One file reaches a module: by an import wherever it stands, for type checkers alone, or by a name in a string.

    Of the kind "loads" the target is one of `LOADERS`: the file imports what it is told to.
    """

    file: str
    line: int
    target: str
    kind: Kind


def sources() -> dict[str, str]:
    files = sorted((ROOT / PACKAGE).rglob("*.py"))
    return {str(file.relative_to(ROOT)): file.read_text(encoding="utf-8") for file in files}


def reaches(files: Sources) -> list[Reach]:
    modules = {module_of(file) for file in files}
    homes = _homes_of_root_names(files[f"{PACKAGE}/__init__.py"])
    return [found for file, text in files.items() for found in _Reader(file, modules, homes).read(text)]


def module_of(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def unit_of(module: str) -> str:
    """The folder or the module right below the package that a module belongs to; the root's own is "__init__"."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def _homes_of_root_names(text: str) -> dict[str, str]:
    """A name that the root hands on -> its module; "" for what is defined in the root itself."""
    tree = _parsed(text)
    own = {target.id: "" for node in tree.body if isinstance(node, ast.Assign) for target in _names(node.targets)}
    imported = {
        alias.asname or alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    return own | imported


def _names(nodes: list[ast.expr]) -> list[ast.Name]:
    return [node for node in nodes if isinstance(node, ast.Name)]


@cache
def _parsed(text: str) -> ast.Module:
    return ast.parse(text)


class _Reader(ast.NodeVisitor):
    def __init__(self, file: str, modules: set[str], homes: dict[str, str]) -> None:
        self.file, self.modules, self.homes = file, modules, homes
        self.kind: Kind = "import"
        self.roots: set[str] = set()
        self.found: list[Reach] = []

    def read(self, text: str) -> list[Reach]:
        self.visit(_parsed(text))
        return self.found

    def add(self, node: ast.AST, target: str, kind: Kind | None = None) -> None:
        self.found.append(Reach(self.file, getattr(node, "lineno", 0), target, kind or self.kind))

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) not in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            self.generic_visit(node)
            return
        before, self.kind = self.kind, "typing"
        for inner in node.body:
            self.visit(inner)
        self.kind = before
        for inner in node.orelse:
            self.visit(inner)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.name != PACKAGE:
                self.add(node, self.known(alias.name))
            if alias.name.split(".")[0] == PACKAGE and (alias.name == PACKAGE or not alias.asname):
                self.roots.add(alias.asname or PACKAGE)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        origin = ".".join([*self.package(node.level), *filter(None, [node.module])])
        for alias in node.names:
            if alias.name in LOADERS:
                self.add(node, alias.name, "loads")
            elif origin == PACKAGE:
                self.add_root_name(node, alias.name)
            else:
                self.add(node, self.known(f"{origin}.{alias.name}"))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr in LOADERS:
            self.add(node, node.attr, "loads")
        if isinstance(node.value, ast.Name) and node.value.id in self.roots and not node.attr.startswith("__"):
            self.add_root_name(node, node.attr)
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id == "__import__":
            self.add(node, node.id, "loads")

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        name = _text(node.args[0]) if node.args else None
        if called not in LOADERS or not name:
            self.generic_visit(node)
            return
        level = len(name) - len(name.lstrip("."))
        self.add(node, self.known(".".join([*self.package(level), name.lstrip(".")])))
        self.visit(node.func)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring reaches nothing
            self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        self.add_if_module(node, node.value)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        text = _text(node)
        self.add_if_module(node, text)
        if text is None:
            self.generic_visit(node)

    def add_if_module(self, node: ast.expr, text: object) -> None:
        if isinstance(text, str) and MODULE_NAME.fullmatch(text):
            target = self.known(text.split(":")[0].rstrip("."))
            if target != PACKAGE:
                self.add(node, target, "typing" if self.kind == "typing" else "name")

    def add_root_name(self, node: ast.AST, name: str) -> None:
        module = f"{PACKAGE}.{name}" if f"{PACKAGE}.{name}" in self.modules else self.homes.get(name, PACKAGE)
        if module:
            self.add(node, module)

    def package(self, level: int) -> list[str]:
        """The package that a relative import of this many dots starts from; none for an absolute one."""
        folders = self.file.split("/")[:-1]
        return folders[: len(folders) + 1 - level] if level else []

    def known(self, name: str) -> str:
        """The module of ours that the dotted name ends in, or the name itself."""
        if name.split(".")[0] != PACKAGE:
            return name
        while name not in self.modules and "." in name:
            name = name.rpartition(".")[0]
        return name


def _text(node: ast.expr) -> str | None:
    """The string that a constant, or a sum of constants, stands for."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _text(node.left), _text(node.right)
        return None if left is None or right is None else left + right
    return None


def cycles(edges: set[tuple[str, str]]) -> Iterator[list[str]]:
    """The groups of nodes in which each can be reached from each, sorted."""
    after: dict[str, set[str]] = {}
    for start, end in edges:
        after.setdefault(start, set()).add(end)
    reached = {node: _reachable(node, after) for node in after}
    groups = {frozenset(other for other in reached[node] if node in reached.get(other, ())) for node in after}
    yield from sorted(sorted(group) for group in groups if group)


def _reachable(start: str, after: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        new = after.get(waiting.pop(), set()) - seen
        seen |= new
        waiting.extend(new)
    return seen
