"""Stories, characters and lore as files (S16)."""
