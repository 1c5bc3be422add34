"""Prompts as data: sections, their tokens, and fitting them into a window."""
