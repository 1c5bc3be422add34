"""Work after a turn, one model call each."""
