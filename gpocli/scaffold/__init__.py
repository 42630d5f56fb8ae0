"""Packages that authors start from, written from templates."""

from gpocli.scaffold.package import Kind, extension_name, write_package

__all__ = ["Kind", "extension_name", "write_package"]
