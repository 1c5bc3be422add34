"""The tolerant reader of what small models answer (S8.2, S8.4)."""
