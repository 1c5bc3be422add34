"""What a story is: immutable values and pure functions. No input or output, no asyncio, no other part of the program."""
