"""Asking a trained model: what it brings along, prompts in, answers out as they are drawn. Light to import."""
