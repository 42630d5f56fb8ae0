"""What can be wrong with a run before torch is imported, one file a topic; `checks.preflight` calls them all."""
