"""What a filter, a reward and a plugin owe, held where they are called. Free of torch."""
