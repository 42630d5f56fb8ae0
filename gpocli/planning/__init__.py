"""What a run will do and need, worked out before anything is loaded. Free of torch."""
