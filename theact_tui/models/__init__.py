"""OpenAI-compatible servers: profiles, capabilities, calls."""
