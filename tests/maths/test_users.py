import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "gpocli"


def imports(file):
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_only_these_use_it():
    users = {
        file.relative_to(PACKAGE).as_posix()
        for file in PACKAGE.rglob("*.py")
        if file.parent.name != "maths" and any(f"{name}.".startswith("gpocli.maths.") for name in imports(file))
    }
    assert users == {"builtin/rewards/accuracy.py", "builtin/rewards/judging.py", "columns/steps.py"}
