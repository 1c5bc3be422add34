"""The four agents of direct mode (D7): lock, actor, delta and chapter."""
