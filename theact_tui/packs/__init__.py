"""Story packs: the YAML folders a story is played from."""
