"""Packs: the folders of YAML that define a game. Finding, loading, checking and starting them."""
