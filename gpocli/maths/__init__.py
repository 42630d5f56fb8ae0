"""Reading mathematical answers from text and telling whether two of them are equal. Torch-free."""
