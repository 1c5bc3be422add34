"""Bringing in what people have: cards, lorebooks and chats become packs and saves. Nothing is fetched, run or extracted."""
