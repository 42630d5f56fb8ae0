"""Measuring a model: prompts and rewards put together, answers drawn, scored and recorded. Light to import."""
