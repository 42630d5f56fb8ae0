"""The docstrings under the fields of a section, read from its source when they are asked for.

Pydantic can do so itself (`use_attribute_docstrings`), but then every command pays 40 ms for it.
"""

import ast
import inspect
from functools import cache
from textwrap import dedent

from gpocli.spec.section import Section


@cache
def field_docs(section: type[Section]) -> dict[str, str]:
    """Map each field of `section`, inherited ones included, to its docstring."""
    docs: dict[str, str] = {}
    for base in reversed(section.__mro__):
        if issubclass(base, Section) and base is not Section:
            docs.update(_own_docs(base))
    return docs


def _own_docs(section: type[Section]) -> dict[str, str]:
    tree = ast.parse(dedent(inspect.getsource(section))).body[0]
    assert isinstance(tree, ast.ClassDef)
    docs = {}
    for field, text in zip(tree.body, tree.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
            and isinstance(text.value.value, str)
        ):
            docs[field.target.id] = inspect.cleandoc(text.value.value)
    return docs
