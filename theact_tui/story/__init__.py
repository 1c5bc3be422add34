"""Immutable values and pure functions of a story. No I/O, no asyncio, no other package."""
