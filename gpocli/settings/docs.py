"""The docstrings under the fields of a model, read from its source when they are asked for.

Pydantic can do so itself (`use_attribute_docstrings`), but only for models that say so, and then every command pays
22 ms for it.
"""

import ast
import inspect
from itertools import pairwise
from textwrap import dedent

from pydantic import BaseModel


def field_docs(model: type[BaseModel]) -> dict[str, str]:
    """The docstring under each field of a model, inherited ones included, where it has one."""
    docs: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if base not in (object, BaseModel):
            docs |= _own_docs(base)
    return {name: text for name, text in docs.items() if name in model.model_fields}


def _own_docs(owner: type) -> dict[str, str]:
    try:
        body = ast.parse(dedent(inspect.getsource(owner))).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):  # made at run time, or without its source
        return {}
    docs = {}
    for field, text in pairwise(getattr(body, "body", [])):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(doc))):
                docs[name] = inspect.cleandoc(doc)
    return docs
