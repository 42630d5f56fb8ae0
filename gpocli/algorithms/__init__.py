"""The algorithms, one file each: its section of the spec, what it fixes in TRL, and its mathematics if TRL lacks it."""
