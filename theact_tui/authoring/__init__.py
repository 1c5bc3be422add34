"""Write story packs: drafts, questions, author agents, the finished pack."""
