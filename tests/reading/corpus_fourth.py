"""A fourth set: other notations than were asked for, and habits of code, tables and mark-up."""

from __future__ import annotations

from tests.reading.cases import BEATS as B
from tests.reading.cases import FACTS, ISLAND, Case

SEA = "The surf drags pebbles back. You taste smoke on the wind, and the dog will not stop staring at the trees."
DUEL = 'Tom spits. "You first," he says.\n\nNobody laughs; the gulls do.'


def _case(id: str, agent: str, raw: str, **fields: object) -> Case:
    return Case(id, agent, raw, fields or None, ISLAND)


def _sea(id: str, raw: str, **changed: object) -> Case:
    return Case(
        id,
        "narrator",
        raw,
        {"narration": SEA, "responding_characters": ["maya", "lena"], "mood": "tense", **changed},
    )


FOURTH = (
    _sea(
        "x01", f'[reply]\nnarration = """{SEA}"""\nresponding_characters = ["maya", "lena"]\nmood = "tense"'
    ),
    _sea(
        "x02",
        f"response = {{\n    'narration': '{SEA}',\n    'responding_characters': ['maya', 'lena'],\n    "
        f"'mood': 'tense',\n}}\nprint(response)",
    ),
    _sea(
        "x03",
        f'```python\nreturn {{"narration": "{SEA}", "responding_characters": ["maya", "lena"], "mood": '
        f'"tense"}}\n```',
    ),
    _sea("x04", f'narrate(narration="{SEA}", responding_characters=["maya", "lena"], mood="tense")'),
    _sea(
        "x05",
        f"const reply = {{ narration: `{SEA}`, responding_characters: ['maya', 'lena'], mood: 'tense' }};",
    ),
    _sea(
        "x06",
        f"| Field | Value |\n|---|---|\n| narration | {SEA} |\n| responding_characters | maya, lena |\n"
        f"| mood | tense |",
    ),
    _sea(
        "x07",
        f"<b>Narration:</b> {SEA}<br>\n<b>Responding characters:</b> maya, lena<br>\n<b>Mood:</b> tense",
    ),
    _sea("x08", f"narration: |\n  {SEA}\nresponding_characters: - maya - lena\nmood: tense"),
    _sea("x09", f"narration: |\n  {SEA}\nresponding_characters:\n👉 Maya\n👉 Lena\nmood: tense"),
    _sea("x10", f"narration: |\n  {SEA}\nresponding_characters: [[maya], [lena]]\nmood: [tense, urgent]"),
    _sea("x11", f"narration: |\n  {SEA}\nresponding_characters: @maya, @lena\nmood: #tense"),
    _sea("x12", f"narration: |\n  {SEA}\nresponding_characters: `maya`, `lena`\nmood: `tense`"),
    _sea(
        "x13", f"narration: |\n  {SEA}\nresponding_characters: maya: yes, lena: yes, joaquin: no\nmood: tense"
    ),
    _sea("x14", f"narration :\n{SEA}\n\nresponding_characters :\nmaya\nlena\n\nmood :\ntense"),
    _sea(
        "x15",
        f"Narration (second person, present tense):\n{SEA}\n\nResponding characters (in order):\n1) "
        f"Maya\n2) Lena\n\nMood (one word):\nTense",
    ),
    _sea(
        "x16",
        f'"{{\\"narration\\": \\"{SEA}\\", \\"responding_characters\\": [\\"maya\\", \\"lena\\"], '
        f'\\"mood\\": \\"tense\\"}}"',
    ),
    _sea("x17", f"narration: |\n\u3000\u3000{SEA}\nresponding_characters: [maya, lena]\nmood: tense"),
    _sea(
        "x18",
        f"narration: |\n\u00a0\u00a0{SEA}\nresponding_characters:\u00a0[maya,\u00a0lena]\nmood:\u00a0tense",
    ),
    _sea(
        "x19",
        f"Let me think step by step.\n1. The dog is scared, so the mood is tense.\n2. Maya and Lena "
        f"should talk.\n\nFinal answer:\n\nnarration: {SEA}\nresponding_characters: [maya, lena]\nmood: "
        f"tense",
    ),
    _sea("x20", f"{{narration: {SEA}\nresponding_characters: [maya, lena]\nmood: tense}}"),
    _sea("x21", f"narration: &n |\n  {SEA}\nresponding_characters: [maya, lena]\nmood: tense"),
    _sea("x22", f"narration: >\n\n  {SEA}\n\n\nresponding_characters: [maya, lena]\nmood: tense"),
    _sea("x23", f"1. narration: {SEA}\n\n2. responding_characters:\n   - maya\n   - lena\n\n3. mood: tense"),
    _sea("x24", f"--- narration ---\n{SEA}\n--- responding_characters ---\nmaya, lena\n--- mood ---\ntense"),
    _sea("x25", f"narration: '{SEA}\nresponding_characters: [maya, lena]\nmood: tense"),
    _sea("x26", f"{SEA}\n```yaml\nresponding_characters: [maya, lena]\nmood: tense\n```\nI kept it short."),
    _sea("x27", f"NARRATION>>> {SEA}\nRESPONDING>>> maya, lena\nMOOD>>> tense"),
    _sea(
        "x28",
        '{"narration": "The surf drags pebbles back." + " You taste smoke on the wind, and the dog '
        'will not stop staring at the trees.", "responding_characters": ["maya", "lena"], '
        '"mood": "tense"}',
    ),
    _sea(
        "x29",
        f"<output>\n  <narration><![CDATA[{SEA}]]></narration>\n  <responding_characters>\n    "
        f"<id>maya</id>\n    <id>lena</id>\n  </responding_characters>\n  <mood>tense</mood>\n</output>",
    ),
    _sea("x30", f"narration: {SEA}\\\nresponding_characters: maya, lena\\\nmood: tense"),
    _sea("x31", f"“narration”: “{SEA}”,\n“responding_characters”: [“maya”, “lena”],\n“mood”: “tense”"),
    _sea("x32", f"{{'narration': \"{SEA}\", 'responding_characters': ('maya', 'lena'), 'mood': 'tense'}}"),
    _sea("x33", f'{{"narration": "{SEA}", "responding_characters": "maya", "lena", "mood": "tense"}}'),
    _sea("x34", f"Narration — {SEA}\n\nResponding characters — Maya, Lena\n\nMood — tense"),
    Case(
        "x35",
        "narrator",
        'narration: "Tom spits. "You first," he says.\n\nNobody laughs; the gulls do."\n'
        "responding_characters: [old_tom]\nmood: tense",
        {"narration": DUEL, "responding_characters": ["old_tom"], "mood": "tense"},
    ),
    Case(
        "x36",
        "narrator",
        '{"narration": "Tom spits. "You first," he says.\n\nNobody laughs; the gulls do.", '
        '"responding_characters": ["Tom"], "mood": "tense"',
        {"narration": DUEL, "responding_characters": ["old_tom"], "mood": "tense"},
    ),
    Case(
        "x37",
        "narrator",
        'narration: |\n  Tom spits. "You first," he says.\n\nNobody laughs; the gulls '
        "do.\nresponding_characters: [old_tom]\nmood: tense",
        {"narration": DUEL, "responding_characters": ["old_tom"], "mood": "tense"},
    ),
    _case("x38", "narrator", "def narrate():\n    return 'hello'"),
    _case(
        "x39", "narrator", "You are the narrator of an interactive story. Write narration in second person."
    ),
    _case("x40", "narrator", "???"),
    _case("x41", "narrator", '{"error": "model overloaded"}'),
    # progress
    _case(
        "x50",
        "progress",
        "chapter_complete: **false**\nreason: **They wait.**\nnew_beats: **2**",
        chapter_complete=False,
        new_beats=[B[1]],
    ),
    _case(
        "x51",
        "progress",
        "chapter_complete: `false`\nreason: `They wait.`\nnew_beats: `[2]`",
        chapter_complete=False,
        reason="They wait.",
        new_beats=[B[1]],
    ),
    _case(
        "x52",
        "progress",
        "chapter_complete: FALSE,\nreason: They wait.,\nnew_beats: [x] Someone hears the "
        "radio crackle, [ ] The storm destroys the shelter",
        chapter_complete=False,
        new_beats=[B[1]],
    ),
    _case(
        "x53",
        "progress",
        "| chapter_complete | false |\n| reason | They wait. |\n| new_beats | 2, 4 |",
        chapter_complete=False,
        reason="They wait.",
        new_beats=[B[1], B[3]],
    ),
    _case(
        "x54",
        "progress",
        "update_progress(chapter_complete=False, reason='They wait.', new_beats=[2])",
        chapter_complete=False,
        reason="They wait.",
        new_beats=[B[1]],
    ),
    _case(
        "x55",
        "progress",
        'chapter_complete: false\nreason: They wait.\nnew_beats:\n  - "Someone hears the '
        'radio crackle" (Maya reacts)\n  - "The storm destroys the shelter" (no)',
        chapter_complete=False,
        new_beats=[B[1]],
    ),
    _case(
        "x56",
        "progress",
        "chapter_complete: false\nreason: They wait.\nnew_beats: #2 Someone hears the radio crackle",
        chapter_complete=False,
        new_beats=[B[1]],
    ),
    _case(
        "x57",
        "progress",
        "chapter_complete: false\nreason: They wait.\nnew_beats: - Someone hears the radio "
        "crackle - The storm destroys the shelter",
        chapter_complete=False,
        new_beats=[B[1], B[3]],
    ),
    _case(
        "x58",
        "progress",
        '{"chapter_complete": false, "reason": "They wait.", "new_beats": ["Beat '
        '2: Someone hears the radio crackle", "4"]}',
        chapter_complete=False,
        new_beats=[B[1], B[3]],
    ),
    _case(
        "x59",
        "progress",
        "chapter_complete: 'False'\nreason: 'They wait; it's dark.'\nnew_beats: ['2']",
        chapter_complete=False,
        reason="They wait; it's dark.",
        new_beats=[B[1]],
    ),
    _case(
        "x60",
        "progress",
        '{"chapter_complete": false, "reason": "They wait.", "new_beats": [null]}',
        chapter_complete=False,
        reason="They wait.",
        new_beats=[],
    ),
    # memory
    _case(
        "x70",
        "memory",
        "summary: Maya waits.\nadd: - The dog growls. - The tide is low.\nremove: - 6\n"
        "update: - 3 -> There are 2 flares.",
        summary="Maya waits.",
        add=["The dog growls.", "The tide is low."],
        remove=[FACTS[5]],
        update=[{"old": FACTS[2], "new": "There are 2 flares."}],
    ),
    _case(
        "x71",
        "memory",
        'update_memory(summary="Maya waits.", add=["The dog growls."], remove=[6], '
        'update=[{"old": 3, "new": "There are 2 flares."}])',
        summary="Maya waits.",
        add=["The dog growls."],
        remove=[FACTS[5]],
        update=[{"old": FACTS[2], "new": "There are 2 flares."}],
    ),
    _case(
        "x72",
        "memory",
        "<summary>Maya waits.</summary>\n<add><fact>The dog growls.</fact><fact>The tide is "
        "low.</fact></add>\n<remove>6</remove>\n<update><old>3</old><new>There are 2 "
        "flares.</new></update>",
        summary="Maya waits.",
        add=["The dog growls.", "The tide is low."],
        remove=[FACTS[5]],
        update=[{"old": FACTS[2], "new": "There are 2 flares."}],
    ),
    _case(
        "x73",
        "memory",
        "| summary | Maya waits. |\n| add | The dog growls. |\n| remove | 6 |\n| update | 3 "
        "-> There are 2 flares. |",
        summary="Maya waits.",
        add=["The dog growls."],
        remove=[FACTS[5]],
        update=[{"old": FACTS[2], "new": "There are 2 flares."}],
    ),
    _case(
        "x74",
        "memory",
        'summary: Maya waits.\n\nadd: The dog growls.\n\nremove: "Lena can read the tide '
        'tables."\n\nupdate: old: "There are 3 flares left in the orange box." new: '
        '"There are 2 flares."',
        summary="Maya waits.",
        add=["The dog growls."],
        remove=[FACTS[5]],
        update=[{"old": FACTS[2], "new": "There are 2 flares."}],
    ),
    _case(
        "x75",
        "memory",
        '{"summary": "Maya waits.", "add": {"1": "The dog growls."}, "remove": '
        '{"1": "Lena can read the tide tables"}, "update": {"old": "3", "new": '
        '"There are 2 flares."}}',
        summary="Maya waits.",
        add=["The dog growls."],
        remove=[FACTS[5]],
        update=[{"old": FACTS[2], "new": "There are 2 flares."}],
    ),
    _case(
        "x76",
        "memory",
        "summary: Maya waits.\nadd:\n  - The dog growls.\n  - The tide is low.\nremove:\n  - "
        "Fact 6 (no longer true)\nupdate:\n  - Fact 3 is now: There are 2 flares.",
        summary="Maya waits.",
        add=["The dog growls.", "The tide is low."],
        remove=[FACTS[5]],
        update=[{"old": FACTS[2], "new": "There are 2 flares."}],
    ),
    _case(
        "x77",
        "memory",
        "summary: Maya waits.\nadd: []\nremove: []\nupdate:\n  - old: There are 3 flares "
        "left in the orange box.\n    new: none",
        summary="Maya waits.",
        add=[],
        remove=[],
        update=[],
    ),
    # keeper
    _case(
        "x80",
        "keeper",
        'keeper(resolution="11 vs 12: you fall short", moment_type=None, '
        'moment_summary="", moment_significance=0.2)',
        resolution="11 vs 12: you fall short",
        moment_type=None,
        moment_summary="",
        moment_significance=0.2,
    ),
    _case(
        "x81",
        "keeper",
        "| resolution | 11 vs 12: you fall short |\n| moment_type | discovery |\n| "
        "moment_significance | 2/10 |",
        resolution="11 vs 12: you fall short",
        moment_type="discovery",
        moment_significance=0.2,
    ),
    _case(
        "x82",
        "keeper",
        'resolution: "11 vs 12: you fall short", moment_type: null, moment_summary: "", '
        "moment_significance: 0.2",
        resolution="11 vs 12: you fall short",
        moment_type=None,
        moment_summary="",
        moment_significance=0.2,
    ),
    _case(
        "x83",
        "keeper",
        '{"resolution": "11 vs 12: you fall short", "moment_type": "discovery", '
        '"moment_summary": "A gap opens", "moment_significance": 0.2 out of 1}',
        resolution="11 vs 12: you fall short",
        moment_type="discovery",
        moment_summary="A gap opens",
        moment_significance=0.2,
    ),
    _case(
        "x84",
        "keeper",
        '```\n{"resolution": "11 vs 12: you fall short"\n```',
        resolution="11 vs 12: you fall short",
    ),
    # direct mode
    _case(
        "x90",
        "lock",
        "# WORLD\ngenre: noir\ntone: wry\nthemes:\n  - greed\nrules_of_reality: []\n\n# "
        "CHAPTER\npremise: A missing ledger\nlocation: the docks\n\n# CANON LOCKS\n- The "
        "ledger is real\n\n# ASSUMPTIONS\n- none",
        world={
            "genre": "noir",
            "tone": "wry",
            "themes": ["greed"],
            "rules_of_reality": [],
            "factions_or_powers": [],
            "key_lore": [],
            "safety_or_boundaries": [],
        },
        canon_locks=["The ledger is real"],
        assumptions=[],
    ),
    _case(
        "x91",
        "lock",
        '{"world": {"genre": "noir", "tone": "wry", "themes": ["greed", '
        '"rain"]}, "chapter": {"premise": "A missing ledger", "time": "1931"}, '
        '"canon_locks": {"1": "The ledger is real"}, "assumptions": "none"}',
        canon_locks=["The ledger is real"],
        assumptions=[],
    ),
    _case(
        "x92",
        "delta",
        '{"major_events": [{"event": "Red pays the bribe", "cause": null, "effect": '
        '"The gate opens", "participants": "Agent Red"}], "unresolved_threads": '
        '["Who kept the ledger?"], "contradictions_or_questions": "Is Blue armed?"',
        major_events=[
            {
                "event": "Red pays the bribe",
                "cause": "",
                "effect": "The gate opens",
                "participants": ["Agent Red"],
            }
        ],
        unresolved_threads=[{"thread": "Who kept the ledger?", "stakes": "", "next_likely_trigger": ""}],
        contradictions_or_questions=["Is Blue armed?"],
    ),
    _case(
        "x93",
        "delta",
        "Here is the delta:\n\nmajor_events:\n1. event: Red pays the bribe\n   effect: The "
        "gate opens\n2. event: Blue runs\n\nstate_changes:\n- gate: closed -> open\n\n"
        "canon_locks: none",
        major_events=[
            {"event": "Red pays the bribe", "cause": "", "effect": "The gate opens", "participants": []},
            {"event": "Blue runs", "cause": "", "effect": "", "participants": []},
        ],
        canon_locks=[],
    ),
    _case("x94", "delta", "I have nothing to summarize yet. Please provide the transcript."),
)
