"""The commands, one file each: parse, call, print. Nothing heavy at import time."""
