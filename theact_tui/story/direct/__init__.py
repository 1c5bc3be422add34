"""Direct mode as values and pure functions."""
