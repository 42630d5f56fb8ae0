"""Runs beside each other: in a table with intervals, and in one file to look at. Free of torch."""
