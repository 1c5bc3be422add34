"""What answers a prompt: an OpenAI-compatible server; which one, with which settings, and what it was seen to take."""
