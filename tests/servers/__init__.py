"""Real local servers that tests talk to."""
