"""The sixth set goes on: the other agents, replies with nothing in them, and well-formed ones."""

from __future__ import annotations

from typing import Any

from tests.reading.cases import Case
from tests.reading.corpus_sixth import BOTH, LAMP, NARRATOR, STAIR, tale


def _case(agent: str, name: str, raw: str, **fields: Any) -> Case:
    return Case(f"sixth {agent} {name}", agent, raw, fields or None, LAMP)


PROGRESS = (
    _case(
        "progress",
        "numbers as text",
        '```yaml\nchapter_complete: false\nreason: the lamp is dark\nnew_beats: ["1", "3"]\n```',
        chapter_complete=False,
        reason="the lamp is dark",
        new_beats=["The lamp goes out", "A boat is sighted beyond the bar"],
    ),
    _case(
        "progress",
        "beats in full, other case",
        "chapter_complete: no\nreason: not yet\nnew_beats:\n- the LAMP goes out.\n",
        chapter_complete=False,
        reason="not yet",
        new_beats=["The lamp goes out"],
    ),
    _case(
        "progress",
        "yes for true",
        "```yaml\nchapter_complete: yes\nreason: all is told\nnew_beats: [5]\n```",
        chapter_complete=True,
        reason="all is told",
        new_beats=["The logbook is found to be forged"],
    ),
    _case(
        "progress",
        "FALSE with a remark",
        "```yaml\nchapter_complete: FALSE (the wreck is still to come)\nreason: the boat was "
        "seen\nnew_beats: [3]\n```",
        chapter_complete=False,
        reason="the boat was seen",
        new_beats=["A boat is sighted beyond the bar"],
    ),
    _case(
        "progress",
        "true with a full stop",
        "chapter_complete: true.\nreason: Rolf confessed.\nnew_beats: [2]",
        chapter_complete=True,
        reason="Rolf confessed.",
        new_beats=["Rolf confesses that he sold the oil"],
    ),
    _case(
        "progress",
        "checkbox list",
        "chapter_complete: false\nreason: two things happened\nnew_beats:\n- [x] The lamp goes "
        "out\n- [ ] Rolf confesses that he sold the oil\n"
        "- [x] A boat is sighted beyond the bar",
        chapter_complete=False,
        reason="two things happened",
        new_beats=["The lamp goes out", "A boat is sighted beyond the bar"],
    ),
    _case(
        "progress",
        "number and text together",
        '{"chapter_complete": false, "reason": "She is at the wreck.", "new_beats": ["4. Edda '
        'climbs down to the wreck"]}',
        chapter_complete=False,
        reason="She is at the wreck.",
        new_beats=["Edda climbs down to the wreck"],
    ),
    _case(
        "progress",
        "an invented beat",
        "```yaml\nchapter_complete: false\nreason: much happens\nnew_beats:\n  - A whale "
        "swallows the tower\n  - The lamp goes out\n```",
        chapter_complete=False,
        reason="much happens",
        new_beats=["The lamp goes out"],
    ),
    _case(
        "progress",
        "a number that is no beat",
        "```yaml\nchapter_complete: false\nreason: much happens\nnew_beats: [2, 9]\n```",
        chapter_complete=False,
        reason="much happens",
        new_beats=["Rolf confesses that he sold the oil"],
    ),
    _case(
        "progress",
        "none in words",
        "chapter_complete: false\nreason: only talk\nnew_beats: none",
        chapter_complete=False,
        reason="only talk",
        new_beats=[],
    ),
    _case(
        "progress",
        "nothing as the template says",
        "```yaml\nchapter_complete: false\nreason: only talk\nnew_beats: [nothing]\n```",
        chapter_complete=False,
        reason="only talk",
        new_beats=[],
    ),
    _case(
        "progress",
        "Python literals",
        "{'chapter_complete': False, 'reason': 'The bar is empty', 'new_beats': []}",
        chapter_complete=False,
        reason="The bar is empty",
        new_beats=[],
    ),
    _case(
        "progress",
        "sentence, then block",
        "Looking at the text, beat 1 clearly happened.\n\nchapter_complete: false\nreason: the "
        "lamp failed\nnew_beats: [1]\n",
        chapter_complete=False,
        reason="the lamp failed",
        new_beats=["The lamp goes out"],
    ),
    _case(
        "progress",
        "camel case in JSON",
        '```json\n{"chapterComplete": true, "reason": "done", "newBeats": [5]}\n```',
        chapter_complete=True,
        reason="done",
        new_beats=["The logbook is found to be forged"],
    ),
    _case(
        "progress",
        "unquoted keys",
        '{chapter_complete: false, reason: "Nobody moved", new_beats: [1,]}',
        chapter_complete=False,
        reason="Nobody moved",
        new_beats=["The lamp goes out"],
    ),
    _case(
        "progress",
        "a colon in the reason",
        "chapter_complete: false\nreason: one thing: the lamp\nnew_beats: [1]",
        chapter_complete=False,
        reason="one thing: the lamp",
        new_beats=["The lamp goes out"],
    ),
    _case(
        "progress",
        "beats joined by commas",
        "**Chapter complete:** No\n**Reason:** The lamp failed\n**New beats:** 1, 3",
        chapter_complete=False,
        reason="The lamp failed",
        new_beats=["The lamp goes out", "A boat is sighted beyond the bar"],
    ),
    _case(
        "progress",
        "the word beat before the number",
        "chapter_complete: false\nreason: the lamp failed\nnew_beats:\n  - Beat 1\n  - beat 3",
        chapter_complete=False,
        reason="the lamp failed",
        new_beats=["The lamp goes out", "A boat is sighted beyond the bar"],
    ),
    _case(
        "progress",
        "a hash before the number",
        "chapter_complete: false\nreason: the lamp failed\nnew_beats: #1",
        chapter_complete=False,
        reason="the lamp failed",
    ),
    _case(
        "progress",
        "cut off after the first key",
        "```yaml\nchapter_complete: false\nreas",
        chapter_complete=False,
    ),
    _case(
        "progress",
        "thought with the opposite",
        "<think>chapter_complete: true? All beats... no.</think>chapter_complete: false\nreason: "
        "two beats are open\nnew_beats: []",
        chapter_complete=False,
        reason="two beats are open",
        new_beats=[],
    ),
    _case(
        "progress",
        "a map of beats",
        '{"chapter_complete": false, "reason": "so it is", "new_beats": {"1": true, "2": false, "3": true}}',
        chapter_complete=False,
        reason="so it is",
        new_beats=["The lamp goes out", "A boat is sighted beyond the bar"],
    ),
    _case(
        "progress",
        "nearly the words of a beat",
        "chapter_complete: false\nreason: they saw it\nnew_beats:\n  - A boat was sighted beyond the bar",
        chapter_complete=False,
        reason="they saw it",
        new_beats=["A boat is sighted beyond the bar"],
    ),
    _case(
        "progress",
        "the beat denied",
        "chapter_complete: false\nreason: it burns\nnew_beats:\n  - The lamp never goes out",
        chapter_complete=False,
        reason="it burns",
        new_beats=[],
    ),
)

MEMORY = (
    _case(
        "memory",
        "numbers to remove",
        "```yaml\nsummary: Edda knows the debt is paid.\nadd:\n  - Rolf paid the harbour "
        "master.\nremove: [1]\nupdate: []\n```",
        summary="Edda knows the debt is paid.",
        add=["Rolf paid the harbour master."],
        remove=["Rolf owes money to the harbour master."],
        update=[],
    ),
    _case(
        "memory",
        "text to remove, another case",
        "summary: The debt is paid.\nadd: []\nremove:\n  - rolf owes money to the harbour master\nupdate: []",
        summary="The debt is paid.",
        add=[],
        remove=["Rolf owes money to the harbour master."],
        update=[],
    ),
    _case(
        "memory",
        "from and to",
        "```yaml\nsummary: The bell was mended.\nadd: []\nremove: []\nupdate:\n  - from: 5\n    "
        "to: The fog bell was mended by Pip.\n```",
        summary="The bell was mended.",
        add=[],
        remove=[],
        update=[{"old": "The fog bell is cracked.", "new": "The fog bell was mended by Pip."}],
    ),
    _case(
        "memory",
        "an arrow for the update",
        "summary: The bell was mended.\nadd: none\nremove: none\nupdate:\n  - The fog bell is "
        "cracked. -> The fog bell was mended by Pip.",
        summary="The bell was mended.",
        add=[],
        remove=[],
        update=[{"old": "The fog bell is cracked.", "new": "The fog bell was mended by Pip."}],
    ),
    _case(
        "memory",
        "updates as single maps",
        "```yaml\nsummary: Much changed.\nadd: []\nremove: []\nupdate:\n  - old: 2\n  - new: The "
        "logbook ends on 9 March.\n```",
        summary="Much changed.",
        add=[],
        remove=[],
        update=[{"old": "The logbook ends on 3 March.", "new": "The logbook ends on 9 March."}],
    ),
    _case(
        "memory",
        "an update that is a mapping",
        "```yaml\nsummary: Much changed.\nadd: []\nremove: []\nupdate:\n  2: The logbook ends on "
        "9 March.\n```",
        summary="Much changed.",
        add=[],
        remove=[],
        update=[{"old": "The logbook ends on 3 March.", "new": "The logbook ends on 9 March."}],
    ),
    _case(
        "memory",
        "renamed keys",
        '{"summary": "A quiet night.", "additions": ["Agnes hums when she is afraid."], '
        '"removals": [3], "updates": []}',
        summary="A quiet night.",
        add=["Agnes hums when she is afraid."],
        remove=["Pip cannot swim."],
        update=[],
    ),
    _case(
        "memory",
        "one addition as a string",
        "summary: A quiet night.\nadd: Agnes hums when she is afraid.\nremove: []\nupdate: []",
        summary="A quiet night.",
        add=["Agnes hums when she is afraid."],
        remove=[],
        update=[],
    ),
    _case(
        "memory",
        "additions with stars",
        "summary: A quiet night.\nadd:\n* Agnes hums when she is afraid.\n* The stove is lit.\n"
        "remove:\nupdate:",
        summary="A quiet night.",
        add=["Agnes hums when she is afraid.", "The stove is lit."],
    ),
    _case(
        "memory",
        "colon in an item",
        "```yaml\nsummary: A quiet night.\nadd:\n  - Agnes's rule: never wake the lamp.\nremove: "
        "[]\nupdate: []\n```",
        summary="A quiet night.",
        add=["Agnes's rule: never wake the lamp."],
        remove=[],
        update=[],
    ),
    _case(
        "memory",
        "quote at the beginning of an item",
        '```yaml\nsummary: A quiet night.\nadd:\n  - "Storm by dawn" was the last entry Rolf '
        "made.\nremove: []\nupdate: []\n```",
        summary="A quiet night.",
        add=['"Storm by dawn" was the last entry Rolf made.'],
        remove=[],
        update=[],
    ),
    _case(
        "memory",
        "summary as a block, wrapped",
        "```yaml\nsummary: >-\n  Edda lit the stove.\n  She trusts Pip now.\nadd: []\nremove: "
        "[]\nupdate: []\n```",
        summary="Edda lit the stove. She trusts Pip now.",
        add=[],
        remove=[],
        update=[],
    ),
    _case(
        "memory",
        "summary over several plain lines",
        "summary: Edda lit the stove.\nShe trusts Pip now.\nadd: []\nremove: []\nupdate: []",
        summary="Edda lit the stove. She trusts Pip now.",
        add=[],
        remove=[],
        update=[],
    ),
    _case(
        "memory",
        "headings",
        "### Summary\nEdda lit the stove.\n### Add\n- The stove is lit.\n### Remove\nNone\n### Update\nNone",
        summary="Edda lit the stove.",
        add=["The stove is lit."],
        remove=[],
        update=[],
    ),
    _case(
        "memory",
        "a fact nobody has, to be removed",
        "summary: Edda lit the stove.\nadd: []\nremove: [The moon is made of tin., 5]\nupdate: []",
        summary="Edda lit the stove.",
        add=[],
        remove=["The fog bell is cracked."],
        update=[],
    ),
    _case(
        "memory",
        "JSON inside a JSON string",
        '"{\\"summary\\": \\"Edda lit the stove.\\", \\"add\\": [], \\"remove\\": [2], \\"update\\": []}"',
        summary="Edda lit the stove.",
        add=[],
        remove=["The logbook ends on 3 March."],
        update=[],
    ),
    _case(
        "memory",
        "objects side by side",
        '{"summary": "Edda lit the stove."}\n{"add": ["The stove is lit."]}\n{"remove": [], "update": []}',
        summary="Edda lit the stove.",
        add=["The stove is lit."],
        remove=[],
        update=[],
    ),
    _case(
        "memory",
        "objects for facts",
        '{"summary": "Edda lit the stove.", "add": [{"fact": "The stove is lit."}], "remove": '
        '[], "update": []}',
        summary="Edda lit the stove.",
        add=["The stove is lit."],
        remove=[],
        update=[],
    ),
    _case(
        "memory",
        "cut in an item",
        "```yaml\nsummary: Edda lit the stove.\nadd:\n  - The stove is lit.\n  - Pip has hidden the",
        summary="Edda lit the stove.",
    ),
    _case(
        "memory",
        "a hash before the number",
        "summary: Edda lit the stove.\nadd: []\nremove: ['#3']\nupdate: []",
        summary="Edda lit the stove.",
        add=[],
        remove=["Pip cannot swim."],
        update=[],
    ),
    _case(
        "memory",
        "number and text to remove",
        "summary: Edda lit the stove.\nadd: []\nremove:\n  - 3. Pip cannot swim.\nupdate: []",
        summary="Edda lit the stove.",
        add=[],
        remove=["Pip cannot swim."],
        update=[],
    ),
    _case(
        "memory",
        "tags",
        "<summary>Edda lit the stove.</summary>\n<add>\n- The stove is lit.\n</add>\n"
        "<remove>4</remove>\n<update></update>",
        summary="Edda lit the stove.",
        add=["The stove is lit."],
        remove=["Edda keeps a pistol in the flour tin."],
    ),
    _case(
        "memory",
        "the update with equals signs",
        "summary = Edda lit the stove.\nadd = []\nremove = [5]\nupdate = []",
        summary="Edda lit the stove.",
        add=[],
        remove=["The fog bell is cracked."],
        update=[],
    ),
    _case(
        "memory",
        "a remark behind a hash",
        "```yaml\nsummary: Edda lit the stove. # short\nadd: []  # nothing new\nremove: [5] # "
        "the bell\nupdate: []\n```",
        summary="Edda lit the stove.",
        add=[],
        remove=["The fog bell is cracked."],
        update=[],
    ),
)

KEEPER = (
    _case(
        "keeper",
        "trailing comma and fence",
        '```json\n{"resolution": "14 against 12: the rope holds", "moment_type": null, '
        '"moment_summary": "", "moment_significance": 0.2,}\n```',
        resolution="14 against 12: the rope holds",
        moment_type=None,
        moment_significance=0.2,
    ),
    _case(
        "keeper",
        "a point without its nought",
        '{"resolution": "17 against 12: he yields", "moment_type": "discovery", '
        '"moment_summary": "Jonas finds the forged page", "moment_significance": .75}',
        resolution="17 against 12: he yields",
        moment_type="discovery",
        moment_summary="Jonas finds the forged page",
        moment_significance=0.75,
    ),
    _case(
        "keeper",
        "eight of ten",
        '{"resolution": "17 against 12: he yields", "moment_type": "discovery", '
        '"moment_summary": "Jonas finds the forged page", "moment_significance": 8/10}',
        resolution="17 against 12: he yields",
        moment_type="discovery",
        moment_summary="Jonas finds the forged page",
        moment_significance=0.8,
    ),
    _case(
        "keeper",
        "per cent",
        '{"resolution": "17 against 12: he yields", "moment_type": "discovery", '
        '"moment_summary": "Jonas finds the forged page", "moment_significance": "80%"}',
        resolution="17 against 12: he yields",
        moment_type="discovery",
        moment_summary="Jonas finds the forged page",
        moment_significance=0.8,
    ),
    _case(
        "keeper",
        "YAML for JSON",
        "resolution: 3 against 12, the ladder breaks\nmoment_type: critical_failure\n"
        "moment_summary: Jonas falls from the gallery\nmoment_significance: 0.6",
        resolution="3 against 12, the ladder breaks",
        moment_type="critical_failure",
        moment_summary="Jonas falls from the gallery",
        moment_significance=0.6,
    ),
    _case(
        "keeper",
        "words around the object",
        'The die decides: {"resolution": "12 against 12: just so", "moment_type": null, '
        '"moment_summary": null, "moment_significance": 0.1} - good luck!',
        resolution="12 against 12: just so",
        moment_type=None,
        moment_significance=0.1,
    ),
    _case(
        "keeper",
        "the word none for the type",
        '{"resolution": "12 against 12: just so", "moment_type": "none", "moment_summary": "", '
        '"moment_significance": 0}',
        resolution="12 against 12: just so",
        moment_type=None,
        moment_significance=0.0,
    ),
    _case(
        "keeper",
        "the missing comma",
        '{"resolution": "12 against 12: just so" "moment_type": "achievement" "moment_summary": '
        '"Jonas relights the lamp" "moment_significance": 0.9}',
        resolution="12 against 12: just so",
        moment_type="achievement",
        moment_summary="Jonas relights the lamp",
        moment_significance=0.9,
    ),
    _case(
        "keeper",
        "the type with a space and capitals",
        '{"resolution": "19: he wins", "moment_type": "Turning Point", "moment_summary": "Rolf '
        'drops the hammer", "moment_significance": 0.9}',
        resolution="19: he wins",
        moment_type="turning_point",
        moment_summary="Rolf drops the hammer",
        moment_significance=0.9,
    ),
    _case(
        "keeper",
        "cut off in the summary",
        '{"resolution": "19: he wins", "moment_type": "turning_point", "moment_summary": "Rolf drops the',
        resolution="19: he wins",
        moment_type="turning_point",
    ),
    _case(
        "keeper",
        "only the resolution",
        '{"resolution": "6 against 12: no"}',
        resolution="6 against 12: no",
    ),
    _case(
        "keeper",
        "a decimal comma in quotes",
        '{"resolution": "6 against 12: no", "moment_type": null, "moment_summary": "", '
        '"moment_significance": "0,3"}',
        resolution="6 against 12: no",
        moment_significance=0.3,
    ),
    _case(
        "keeper",
        "markdown list",
        "- **resolution**: 6 against 12: no\n- **moment_type**: null\n- **moment_summary**: \n- "
        "**moment_significance**: 0.2",
        resolution="6 against 12: no",
        moment_type=None,
        moment_significance=0.2,
    ),
    _case(
        "keeper",
        "two objects, the second corrected",
        '{"resolution": "6: yes", "moment_type": null, "moment_summary": "", '
        '"moment_significance": 0.2}\nSorry, 6 is below 12, so:\n'
        '{"resolution": "6: no", "moment_type": null, "moment_summary": "", "moment_significance": 0.2}',
        resolution="6: no",
        moment_significance=0.2,
    ),
)

PLAIN = (
    _case(
        "character",
        "own name in front",
        "Edda: I never sold a drop of it.",
        text="I never sold a drop of it.",
    ),
    _case(
        "character", "quotes around all", '"I never sold a drop of it."', text="I never sold a drop of it."
    ),
    _case(
        "character",
        "bold name in front",
        "**Edda Voss:** I never sold a drop of it.",
        text="I never sold a drop of it.",
    ),
    _case(
        "character",
        "thought in front",
        "<think>She lies.</think>\nI never sold a drop of it.",
        text="I never sold a drop of it.",
    ),
    _case(
        "character",
        "the player's next line",
        "I never sold a drop of it.\n\nJonas: Then who did?\n\nEdda: Ask Rolf.",
        text="I never sold a drop of it.",
    ),
    _case(
        "character",
        "in a fence",
        "```\nI never sold a drop of it.\n```",
        text="I never sold a drop of it.",
    ),
    _case(
        "summary",
        "a preamble",
        "Here is the updated summary:\n\nJonas climbed to the lamp and found it cold.",
        text="Jonas climbed to the lamp and found it cold.",
    ),
    _case(
        "summary",
        "in JSON",
        '{"summary": "Jonas climbed to the lamp and found it cold."}',
        text="Jonas climbed to the lamp and found it cold.",
    ),
)

NOTHING = (
    _case("narrator", "nothing", ""),
    _case("narrator", "white space", "  \n\t\n"),
    _case("narrator", "an empty fence", "```yaml\n```"),
    _case("narrator", "a refusal", "I'm sorry, but I can't continue with this request."),
    _case(
        "narrator", "a thought that never ends", f"<think>\nLet me see. narration: |\n  {STAIR}\nmood: tense"
    ),
    _case("narrator", "the example alone", LAMP.prompt_example),
    _case(
        "narrator",
        "the skeleton alone",
        "```yaml\nnarration: |\n  (150 to 300 words)\nresponding_characters: [(ids)]\nmood: (one word)\n```",
    ),
    _case(
        "narrator",
        "an empty narration",
        "```yaml\nnarration: ''\nresponding_characters: [edda]\nmood: calm\n```",
    ),
    _case(
        "progress", "a refusal", "As an AI language model, I cannot judge whether the chapter is complete."
    ),
    _case("progress", "no verdict", "```yaml\nreason: the lamp went out\nnew_beats: [1]\n```"),
    _case("progress", "an empty object", "{}"),
    _case(
        "progress",
        "the skeleton",
        "chapter_complete: (true or false)\nreason: (one short sentence)\nnew_beats: []",
    ),
    _case("memory", "nothing", "```yaml\n\n```"),
    _case("memory", "a refusal", "I cannot help with updating this character's memories."),
    _case("keeper", "a refusal", "Sorry, I am not able to assist with that."),
    _case("keeper", "an empty object", "{ }"),
    _case(
        "keeper",
        "the schema",
        '{"type": "object", "properties": {"resolution": {"type": "string"}, "moment_type": '
        '{"type": "string"}}, "required": ["resolution"]}',
    ),
    _case("character", "nothing but a thought", "<think>What would she say? She would say no."),
)

WHOLE = (
    tale(
        "as asked for",
        f"```yaml\nnarration: |\n  {STAIR}\n\n  Below, somebody bolts a door.\n"
        "responding_characters: [edda, pip]\nmood: tense\npresent: [edda, pip]\n```",
        text=BOTH,
        responding_characters=["edda", "pip"],
        mood="tense",
        present=["edda", "pip"],
    ),
    tale(
        "as asked for, with quotes and colons",
        '```yaml\nnarration: |\n  "Ask him," says the slate: one line.\n  # 3 is crossed out - '
        "twice.\nresponding_characters: []\nmood: calm\n```",
        text='"Ask him," says the slate: one line. # 3 is crossed out - twice.',
        responding_characters=[],
        mood="calm",
    ),
    _case(
        "progress",
        "as asked for",
        "```yaml\nchapter_complete: false\nreason: The lamp failed.\nnew_beats: [1]\n```",
        chapter_complete=False,
        reason="The lamp failed.",
        new_beats=["The lamp goes out"],
    ),
    _case(
        "memory",
        "as asked for",
        "```yaml\nsummary: Edda lit the stove.\nadd:\n  - The stove is lit.\nremove: [1]\n"
        "update:\n  - old: 5\n    new: The fog bell was mended.\n```",
        summary="Edda lit the stove.",
        add=["The stove is lit."],
        remove=["Rolf owes money to the harbour master."],
        update=[{"old": "The fog bell is cracked.", "new": "The fog bell was mended."}],
    ),
    _case(
        "keeper",
        "as asked for",
        '{"resolution": "14 against 12: it holds", "moment_type": "achievement", '
        '"moment_summary": "Jonas relights the lamp", "moment_significance": 0.7}',
        resolution="14 against 12: it holds",
        moment_type="achievement",
        moment_summary="Jonas relights the lamp",
        moment_significance=0.7,
    ),
    _case(
        "character",
        "as asked for",
        "I never sold a drop of it. *She turns away.*",
        text="I never sold a drop of it. *She turns away.*",
    ),
    _case(
        "summary",
        "as asked for",
        "Jonas climbed. He found the lamp cold.",
        text="Jonas climbed. He found the lamp cold.",
    ),
)
"""Well-formed replies, which must come through as they are."""

SIXTH = (*NARRATOR, *PROGRESS, *MEMORY, *KEEPER, *PLAIN, *NOTHING, *WHOLE)
