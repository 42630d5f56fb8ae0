"""Values of a run spec in environment variables: `GPO__OPTIM__LEARNING_RATE=1e-6` is `optim.learning_rate`.

Two underscores stand between the parts of a path, which are taken in lower case; a number is a place in a list, as
in `GPO__REWARDS__0__WEIGHT=2`. Values are read as YAML, as those of `--set` are.
"""

from collections.abc import Iterator, Mapping

PREFIX = "GPO__"


def environment_texts(environment: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield name, dotted path and text of each variable that sets a value, in the order of their names."""
    for name in sorted(environment):
        if name.startswith(PREFIX):
            yield name, name.removeprefix(PREFIX).lower().replace("__", "."), environment[name]
