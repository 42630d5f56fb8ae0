"""A vLLM server beside the trainer: what it is asked, how weights reach it, how it is started. Never imports torch."""
