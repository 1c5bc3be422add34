"""What is done after a turn was told, a call of a model each: progress, memories, summary, moments, a chapter closed."""
