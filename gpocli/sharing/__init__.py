"""Handing a trained model on: its card, and the folder that others load."""
