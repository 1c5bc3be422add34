"""Work after a turn, one model call each: progress, memories, summary, moments, chapter end."""
