"""Stories as files: one branch as a book or a chat, a character as a card, lore as a lorebook, or the whole save (S16)."""
