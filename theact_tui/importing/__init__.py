"""Import cards, lorebooks and chats as packs and saves. Nothing is fetched, run or extracted."""
