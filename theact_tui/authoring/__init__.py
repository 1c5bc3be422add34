"""Writing packs: drafts on disk, the questions they answer, the author agents' work on them, and the finished pack."""
