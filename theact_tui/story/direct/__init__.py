"""Direct mode as values and pure functions: the session, its moves, its memory and its transcript. No I/O."""
