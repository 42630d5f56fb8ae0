"""The sections of a run spec: each setting is declared once, with all that is derived from it. Free of torch."""
