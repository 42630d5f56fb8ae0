"""The filters and rewards of the package, given through the same hooks as any plugin's."""
