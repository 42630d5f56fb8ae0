"""What a run leaves on disk, and how it is read again: directory, metrics, candidates, summary. Free of torch."""
