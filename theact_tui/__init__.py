"""Stories told by small language models, played, directed and inspected in a terminal."""

__version__ = "0.1.0"
