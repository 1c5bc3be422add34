"""Immutable values and pure functions of a story."""
