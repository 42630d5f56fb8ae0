"""How good and how wordy a model is: figures of its completions, with intervals over prompts."""
