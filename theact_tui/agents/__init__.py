"""Agents: sections of each prompt and the shape of its reply."""
