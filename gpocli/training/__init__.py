"""A run from its spec to the final model: where spec, plugins and trainers meet."""
