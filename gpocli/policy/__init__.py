"""The policy: what its files tell without torch, and its tokenizer and weights with it."""
