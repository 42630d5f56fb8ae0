"""The docstrings under the fields of a section, read from its source when they are asked for.

Pydantic can do so itself (`use_attribute_docstrings`), but then every command pays 40 ms for it.
"""

from gpocli.contracts.option_docs import attribute_docs
from gpocli.settings.section import Section


def field_docs(section: type[Section]) -> dict[str, str]:
    """Map each field of `section`, inherited ones included, to its docstring."""
    return {name: text for name, text in attribute_docs(section).items() if name in section.model_fields}
