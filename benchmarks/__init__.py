"""gpo against TRL: ratios of medians, both measured in one run, in turn. `make bench`."""
