"""Trying a filter or reward on rows of data without a model. Free of torch."""
