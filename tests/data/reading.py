"""Rows as a run gets them, from the words of a `data` section."""

from gpocli.data.load import load_rows
from gpocli.settings.data import DataSpec


def read_rows(source, **settings):
    return load_rows(DataSpec(source=source, **settings))
