"""The mathematics, as pure functions on tensors."""
