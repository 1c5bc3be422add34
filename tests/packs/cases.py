"""A table of faults: a file, a text in it, what is put instead, and what must be said about it (None: nothing)."""

from __future__ import annotations

import pytest

FIRST, SECOND = "chapters/01-the-platform.yaml", "chapters/02-the-up-train.yaml"

FAULTS = [
    pytest.param(
        "game.yaml",
        "title: Halfway",
        "titel: Halfway",
        "game.yaml, line 13: unknown field 'titel'; did you mean 'title'?",
        id="unknown field",
    ),
    pytest.param(
        "game.yaml",
        "title: Halfway",
        "",
        "game.yaml, line 12: the field 'title' is missing",
        id="missing field",
    ),
    pytest.param(
        "game.yaml", "title: Halfway", "title:", "'title' must be text, not nothing", id="empty value"
    ),
    pytest.param(
        "game.yaml", "title: Halfway", "title: ''", "line 13: 'title' must not be empty", id="empty text"
    ),
    pytest.param(
        "game.yaml",
        "title: Halfway",
        "title: [Halfway]",
        "'title' must be text, not a list",
        id="list for text",
    ),
    pytest.param(
        "game.yaml",
        "[odile, bram]",
        "odile",
        "'characters' must be a list, not 'odile'",
        id="text for a list",
    ),
    pytest.param("game.yaml", "[odile, bram]", "[]", "'characters' needs at least 1", id="nobody"),
    pytest.param(
        "game.yaml",
        "[odile, bram]",
        "[a, b, c, d, e, f, g, h]",
        "'characters' may have at most 7",
        id="crowd",
    ),
    pytest.param(
        "game.yaml",
        "[odile, bram]",
        "[odile, brom]",
        "line 15: the file characters/brom.yaml is missing; did you mean 'bram'?",
        id="missing file",
    ),
    pytest.param(
        "game.yaml", "[odile, bram]", "[odile, bram, bram]", "'bram' is listed twice", id="listed twice"
    ),
    pytest.param(
        "game.yaml",
        "[odile, bram]",
        "[odile, ../odile]",
        "line 15: '../odile' cannot be an id",
        id="path as id",
    ),
    pytest.param(
        "game.yaml",
        "[odile, bram]",
        "[odile, /etc/passwd]",
        "'/etc/passwd' cannot be an id",
        id="absolute path as id",
    ),
    pytest.param("game.yaml", "[odile, bram]", '[odile, "bram\\0"]', None, id="NUL goes"),
    pytest.param(
        "game.yaml", "[odile, bram]", "[odile, con]", "'con' cannot be an id", id="reserved name as id"
    ),
    pytest.param(
        "game.yaml",
        "[odile, bram]",
        "[odile]",
        "is not listed under 'characters' in game.yaml",
        id="unlisted file",
    ),
    pytest.param(
        "game.yaml", "id: halfway", "id: Half Way", "'Half Way' cannot be an id", id="id of the game"
    ),
    pytest.param(
        "game.yaml",
        "memory: facts",
        "memory: fact",
        "'memory' must be 'facts' or 'cells', not 'fact'; did you mean 'facts'?",
        id="choice",
    ),
    pytest.param(
        "game.yaml",
        "keeper: off",
        "difficulty: high",
        "'difficulty' must be a whole number, not 'high'",
        id="number",
    ),
    pytest.param(
        "game.yaml",
        "keeper: off",
        "memory_cells: 11",
        "'memory_cells' must be at most 10, not '11'",
        id="too much",
    ),
    pytest.param(
        "game.yaml",
        "keeper: off",
        "memory_cells: 0",
        "'memory_cells' must be at least 1, not '0'",
        id="too little",
    ),
    pytest.param("game.yaml", "keeper: off", "id: other", "has the field 'id' twice", id="field twice"),
    pytest.param(
        "game.yaml",
        "name: Robin",
        "nmae: Robin",
        "unknown field 'nmae'; did you mean 'name'?",
        id="unknown field inside",
    ),
    pytest.param("world.yaml", "tone: >", "tone: [", "world.yaml, line ", id="bad YAML"),
    pytest.param("world.yaml", "tone: >", "tone: !!python/object:os.system", "uses the YAML tag", id="tag"),
    pytest.param(
        "world.yaml",
        "tone: >",
        "tone: \x07 >",
        "world.yaml, line 5: contains a character YAML does not allow",
        id="control character",
    ),
    pytest.param("world.yaml", "setting: >", "---\nsetting: >", None, id="a document mark is fine"),
    pytest.param("world.yaml", "tone: >", "---\ntone: >", "more than one document", id="two documents"),
    pytest.param(
        "world.yaml", "setting: >", "? [a]\n: b\nsetting: >", "a field name that is not text", id="odd key"
    ),
    pytest.param(
        "characters/bram.yaml",
        "  odile: Pretends",
        "  odil: Pretends",
        "line 9: there is no character 'odil'; did you mean 'odile'?",
        id="stranger",
    ),
    pytest.param(
        "characters/bram.yaml",
        "  odile: Pretends",
        "  bram: Pretends",
        "'Bram' cannot have a relationship with itself",
        id="self",
    ),
    pytest.param(
        "characters/bram.yaml",
        "relationships:\n",
        "relationships: x\nx:\n",
        "must contain fields, not 'x'",
        id="text for fields",
    ),
    pytest.param(
        FIRST,
        "id: 01-the-platform",
        "id: 01",
        "the id must be '01-the-platform' like the file's name, not '01'",
        id="id is not the stem",
    ),
    pytest.param(
        FIRST,
        "beats:",
        "beat:",
        f"{FIRST}, line 7: unknown field 'beat'; did you mean 'beats'?",
        id="beat for beats",
    ),
    pytest.param(
        FIRST,
        "  - the traveller finds that",
        "  - the traveller finds: that",
        "put quotes around a line that has a colon",
        id="colon in a beat",
    ),
    pytest.param(
        FIRST,
        "characters: [odile, bram]",
        "characters: [odile, bam]",
        "there is no character 'bam'; did you mean 'bram'?",
        id="unknown in chapter",
    ),
    pytest.param(
        FIRST,
        "present: [odile]",
        "present: [heron]",
        "'heron' is not one of this chapter's characters",
        id="present",
    ),
    pytest.param(
        FIRST, "next: 02-the-up-train", "next: null", "'next' must be '02-the-up-train'", id="ends too soon"
    ),
    pytest.param(
        FIRST,
        "next: 02-the-up-train",
        "next: 02-the-train",
        "there is no chapter '02-the-train'; did you mean '02-the-up-train'?",
        id="next unknown",
    ),
    pytest.param(
        FIRST, "next: 02-the-up-train", "next: 01-the-platform", "not '01-the-platform'", id="next is itself"
    ),
    pytest.param(SECOND, "next: null", "next: 01-the-platform", "'next' must be null", id="last goes on"),
]
