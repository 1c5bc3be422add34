"""A third set, written at one sitting after the second had been learned from, before the reader saw it."""

from __future__ import annotations

from tests.reading.cases import Case
from theact_tui.models.reading.context import Context

KEEP = Context(
    active_characters={
        "sir-aldous": "Sir Aldous Vane",
        "brynn": "Brynn Vane",
        "the_ferryman": "The Ferryman",
        "quill": "Quill (a goblin scribe)",
    },
    beats=(
        "The party bribes, tricks or fights the toll-keeper",
        'Brynn reads the words "Nine below, one above"',
        "Quill's ledger goes missing",
        "Sir Aldous refuses the ferryman's price",
        "They cross the Mere before moonrise, or lose a day",
        "The drowned bell is heard for the first time",
    ),
    facts=(
        'Brynn calls the player "cousin".',
        "The ferryman's price is a memory, not coin.",
        "Sir Aldous is not Brynn's father.",
        "Quill owes the player 12 silver.",
        "The bell rings only under water; it has no clapper.",
    ),
    prompt_example="chapter_complete: false\nreason: The marmalade has not been delivered.\nnew_beats: []",
)
MERE = (
    "Mist sits on the Mere like milk. You hear oars - or is it breathing? - and the lantern swings once, "
    "twice."
)
BELL = (
    'The ledger lies open: "Nine below." You turn the page. It is blank.\n\nBrynn grips your sleeve; her '
    "nails are blue."
)


def _case(id: str, agent: str, raw: str, **fields: object) -> Case:
    return Case(id, agent, raw, fields or None, KEEP)


THIRD = (
    _case(
        "y01",
        "narrator",
        f"narration: |\n  {MERE}\n\nresponding_characters: [sir_aldous, Brynn]\n\nmood: Mysterious",
        narration=MERE,
        responding_characters=["sir-aldous", "brynn"],
        mood="mysterious",
    ),
    _case(
        "y02",
        "narrator",
        f"narration: |\n  {MERE}\nresponding_characters: [Aldous Vane, ferryman]\nmood: tense",
        narration=MERE,
        responding_characters=["sir-aldous", "the_ferryman"],
        mood="tense",
    ),
    _case(
        "y03",
        "narrator",
        f"narration: |\n  {MERE}\nresponding_characters: [Vane, Quill the goblin]\nmood: tense",
        narration=MERE,
        responding_characters=["quill"],
        mood="tense",
    ),
    _case(
        "y04",
        "narrator",
        '```\n---\nnarration: |\n  The ledger lies open: "Nine below." You turn the page. It is blank.\n  \n  '
        "Brynn grips your sleeve; her nails are blue.\nresponding_characters:\n  - id: brynn\n    reason: "
        "frightened\nmood: tense\n---\n```",
        narration=BELL,
        responding_characters=["brynn"],
        mood="tense",
    ),
    _case(
        "y05",
        "narrator",
        '{"narration":"The ledger lies open: "Nine below." You turn the page. It is blank.\\n\\nBrynn grips '
        'your sleeve; her nails are blue.","responding_characters":["brynn"],"mood":"tense"}',
        narration=BELL,
        responding_characters=["brynn"],
        mood="tense",
    ),
    _case(
        "y06",
        "narrator",
        'narration: "The ledger lies open: \\"Nine below.\\" You turn the page. It is blank.\\n\\nBrynn grips '
        'your sleeve; her nails are blue."\nresponding_characters: brynn,\nmood: tense;',
        narration=BELL,
        responding_characters=["brynn"],
        mood="tense",
    ),
    _case(
        "y07",
        "narrator",
        f'Narrator: {MERE}\nBrynn: "Cousin, don\'t look."\nresponding_characters: [brynn]\nmood: tense',
        responding_characters=["brynn"],
        mood="tense",
    ),
    _case(
        "y08",
        "narrator",
        f"{MERE}\n\n[responding_characters: brynn, quill]\n[mood: tense]",
        narration=MERE,
        responding_characters=["brynn", "quill"],
        mood="tense",
    ),
    _case(
        "y09",
        "narrator",
        f"```yaml\nnarration: |\n  {MERE}\n```\n```yaml\nresponding_characters:\n  - brynn\n```\n```yaml\nmood: "
        f"tense\n```",
        narration=MERE,
        responding_characters=["brynn"],
        mood="tense",
    ),
    _case(
        "y10",
        "narrator",
        f"First draft:\n```yaml\nnarration: You row.\nresponding_characters: []\nmood: calm\n```\nThat is too "
        f"short. Final version:\n```yaml\nnarration: |\n  {MERE}\nresponding_characters: [brynn]\nmood: tense\n"
        f"```",
        narration=MERE,
        responding_characters=["brynn"],
        mood="tense",
    ),
    _case(
        "y11",
        "narrator",
        f"narration: |\n  {MERE}\nresponding_characters: [brynn]\nmood: tense\nnarration: |\n  {MERE}\n"
        f"responding_characters: [brynn]\nmood: tense",
        narration=MERE,
        responding_characters=["brynn"],
        mood="tense",
    ),
    _case(
        "y12",
        "narrator",
        f'<|start_header_id|>assistant<|end_header_id|>\n\n<|python_tag|>{{"narration": "{MERE}", '
        f'"responding_characters": ["brynn"], "mood": "tense"}}<|eom_id|>',
        narration=MERE,
        responding_characters=["brynn"],
        mood="tense",
    ),
    _case(
        "y13",
        "narrator",
        f"narration: {MERE}\n\nCharacters responding: Brynn → Quill\n\nMood → tense",
        narration=MERE,
        responding_characters=["brynn", "quill"],
        mood="tense",
    ),
    _case(
        "y14",
        "narrator",
        f'narration: |\n  {MERE}\nresponding_characters: "[brynn, quill]"\nmood: "[tense]"',
        narration=MERE,
        responding_characters=["brynn", "quill"],
        mood="tense",
    ),
    _case(
        "y15",
        "narrator",
        f"narration: |\n  {MERE}\nresponding_characters: {{brynn, quill}}\nmood: {{tense}}",
        narration=MERE,
        responding_characters=["brynn", "quill"],
        mood="tense",
    ),
    _case(
        "y16",
        "narrator",
        f"narration: |\n  {MERE}\nresponding_characters: only Brynn\nmood: a tense mood",
        narration=MERE,
        responding_characters=["brynn"],
        mood="tense",
    ),
    _case(
        "y17",
        "narrator",
        f"narration: |\n  {MERE}\nresponding_characters: brynn & quill (maybe the ferryman)\nmood: "
        f"tense/mysterious",
        narration=MERE,
        mood="tense",
    ),
    _case("y18", "narrator", f"Here is the scene:\n\n{MERE}", narration=MERE),
    _case(
        "y19",
        "narrator",
        f"narration: |\n  {MERE}\n  (Word count: 21)\nresponding_characters: [brynn]\nmood: tense",
        responding_characters=["brynn"],
        mood="tense",
    ),
    _case(
        "y20",
        "narrator",
        f'"narration: |\\n  {MERE}\\nresponding_characters: [brynn]\\nmood: tense"',
        narration=MERE,
        responding_characters=["brynn"],
        mood="tense",
    ),
    _case(
        "y21",
        "narrator",
        f'{{"output": "narration: |\\n  {MERE}\\nresponding_characters: [brynn]\\nmood: tense"}}',
        narration=MERE,
        responding_characters=["brynn"],
        mood="tense",
    ),
    _case(
        "y22",
        "narrator",
        f'{{"choices": [{{"message": {{"content": "{{\\"narration\\": \\"{MERE}\\", \\"mood\\": '
        f'\\"tense\\"}}"}}}}]}}',
        narration=MERE,
        mood="tense",
    ),
    _case(
        "y23",
        "narrator",
        f"narration:: {MERE}\nresponding_characters:: brynn\nmood:: tense",
        narration=MERE,
        responding_characters=["brynn"],
        mood="tense",
    ),
    _case(
        "y24",
        "narrator",
        f"&lt;narration&gt;{MERE}&lt;/narration&gt;\n&lt;mood&gt;tense&lt;/mood&gt;",
        narration=MERE,
        mood="tense",
    ),
    _case(
        "y25",
        "narrator",
        f"narration: |\r\n  {MERE}\r\n\r\nresponding_characters: [ brynn ]\r\nmood: tense\r\n",
        narration=MERE,
        responding_characters=["brynn"],
        mood="tense",
    ),
    _case(
        "y26",
        "narrator",
        f"  narration: |\n    {MERE}\n  responding_characters: [brynn]\n mood: tense",
        narration=MERE,
        responding_characters=["brynn"],
        mood="tense",
    ),
    _case(
        "y27",
        "narrator",
        f"* narration\n{MERE}\n* responding_characters\nbrynn\n* mood\ntense",
        narration=MERE,
        responding_characters=["brynn"],
        mood="tense",
    ),
    _case(
        "y28",
        "narrator",
        f"narration: |\n  {MERE}\nresponding_characters: [brynn]\nmood: tense\npresent: everyone",
        narration=MERE,
        present=["sir-aldous", "brynn", "the_ferryman", "quill"],
    ),
    _case(
        "y29",
        "narrator",
        f"narration: |\n  {MERE}\nresponding_characters:\n  brynn\n  quill\nmood: tense",
        narration=MERE,
        responding_characters=["brynn", "quill"],
        mood="tense",
    ),
    _case(
        "y30",
        "narrator",
        f"narration: |\n  {MERE}\nresponding_characters:\n  first: brynn\n  second: quill\nmood: tense",
        narration=MERE,
        responding_characters=["brynn", "quill"],
        mood="tense",
    ),
    _case(
        "y31", "narrator", "Narrate the scene at the Mere. Use second person. End with responding_characters."
    ),
    _case("y32", "narrator", "[narration missing]"),
    _case("y33", "narrator", "Mood: tense"),
    _case("y34", "narrator", "I need more context to continue. What does the player do?"),
    # progress
    _case(
        "y40",
        "progress",
        "chapter_complete: false\nreason: They still argue about the price.\nnew_beats:\n  - Brynn reads the "
        "words 'Nine below, one above'",
        chapter_complete=False,
        reason="They still argue about the price.",
        new_beats=['Brynn reads the words "Nine below, one above"'],
    ),
    _case(
        "y41",
        "progress",
        'chapter_complete: false\nreason: They still argue.\nnew_beats: [Brynn reads the words "Nine below, one '
        "above\", Quill's ledger goes missing]",
        chapter_complete=False,
        new_beats=['Brynn reads the words "Nine below, one above"', "Quill's ledger goes missing"],
    ),
    _case(
        "y42",
        "progress",
        "chapter_complete: false\nreason: They still argue.\nnew_beats: The party bribes, tricks or fights the "
        "toll-keeper",
        chapter_complete=False,
        new_beats=["The party bribes, tricks or fights the toll-keeper"],
    ),
    _case(
        "y43",
        "progress",
        "chapter_complete: false\nreason: They still argue.\nnew_beats:\n- They cross the Mere before moonrise "
        "or lose a day\n- quills ledger goes missing!",
        chapter_complete=False,
        new_beats=["They cross the Mere before moonrise, or lose a day", "Quill's ledger goes missing"],
    ),
    _case(
        "y44",
        "progress",
        "chapter_complete: false\nreason: They still argue.\nnew_beats:\n- Sir Aldous accepts the ferryman's "
        "price\n- The drowned bell is not heard",
        chapter_complete=False,
        new_beats=[],
    ),
    _case(
        "y45",
        "progress",
        'chapter_complete: false\nreason: They still argue.\nnew_beats: "3", "6"',
        chapter_complete=False,
        new_beats=["Quill's ledger goes missing", "The drowned bell is heard for the first time"],
    ),
    _case(
        "y46",
        "progress",
        '{"chapter_complete":false,"reason":"They still argue.","new_beats":"[3, 6]"}',
        chapter_complete=False,
        new_beats=["Quill's ledger goes missing", "The drowned bell is heard for the first time"],
    ),
    _case(
        "y47",
        "progress",
        '{"chapter_complete":false,"reason":"They still argue.","new_beats":{"3":true,"6":false}}',
        chapter_complete=False,
        new_beats=["Quill's ledger goes missing"],
    ),
    _case(
        "y48",
        "progress",
        "Complete? No.\nWhy? They still argue.\nNew beats? 3",
        chapter_complete=False,
        reason="They still argue.",
        new_beats=["Quill's ledger goes missing"],
    ),
    _case(
        "y49",
        "progress",
        "chapter_complete: false (only 2/6 beats)\nreason: They still argue.\nnew_beats: 3/6",
        chapter_complete=False,
        reason="They still argue.",
    ),
    _case(
        "y50",
        "progress",
        '- chapter_complete: False\n- reason: "They still argue."\n- new_beats:\n    - "Quill\'s ledger goes '
        'missing"',
        chapter_complete=False,
        reason="They still argue.",
        new_beats=["Quill's ledger goes missing"],
    ),
    _case(
        "y51",
        "progress",
        "chapter_complete: false\nreason: The marmalade has not been delivered.\nnew_beats: []",
    ),
    _case(
        "y52",
        "progress",
        "chapter_complete: false\nreason: The marmalade has not been delivered.\nnew_beats: []\n\n"
        "chapter_complete: true\nreason: They crossed.\nnew_beats: [5]",
        chapter_complete=True,
        reason="They crossed.",
        new_beats=["They cross the Mere before moonrise, or lose a day"],
    ),
    _case(
        "y53",
        "progress",
        "<chapter_complete>no</chapter_complete><reason>They still argue.</reason><new_beats><beat>Quill's "
        "ledger goes missing</beat></new_beats>",
        chapter_complete=False,
        reason="They still argue.",
        new_beats=["Quill's ledger goes missing"],
    ),
    _case(
        "y54",
        "progress",
        "chapter_complete: ✅\nreason: They crossed.\nnew_beats: ✅ 5",
        chapter_complete=True,
        reason="They crossed.",
        new_beats=["They cross the Mere before moonrise, or lose a day"],
    ),
    _case("y55", "progress", 'chapter_complete: ""\nreason: ""\nnew_beats: ""'),
    # memory
    _case(
        "y60",
        "memory",
        "summary: Brynn fears the bell.\nadd:\n- \"Brynn said: 'never again'.\"\n- Sir Aldous's sword is gone "
        "(he sold it)\nremove:\n- Sir Aldous is Brynn's father.\nupdate:\n- old: Quill owes the player 12 "
        "silver\n  new: Quill owes the player 10 silver.",
        summary="Brynn fears the bell.",
        add=["Brynn said: 'never again'.", "Sir Aldous's sword is gone (he sold it)"],
        remove=[],
        update=[{"old": "Quill owes the player 12 silver.", "new": "Quill owes the player 10 silver."}],
    ),
    _case(
        "y61",
        "memory",
        '{"summary": "Brynn fears the bell.", "add": ["It has no clapper, she says."], "remove": ["The bell '
        'rings only under water; it has no clapper"], "update": [{"fact": 4, "change": "Quill paid his debt."}]}',
        summary="Brynn fears the bell.",
        add=["It has no clapper, she says."],
        remove=["The bell rings only under water; it has no clapper."],
    ),
    _case(
        "y62",
        "memory",
        "summary: 'Brynn fears the bell.'\nadd: ['It''s cold.', \"Quill's ledger is gone\"]\nremove: ['4']\n"
        "update: []",
        summary="Brynn fears the bell.",
        add=["It's cold.", "Quill's ledger is gone"],
        remove=["Quill owes the player 12 silver."],
        update=[],
    ),
    _case(
        "y63",
        "memory",
        "Summary\nBrynn fears the bell.\n\nAdd\n- It's cold.\n\nRemove\n- (nothing)\n\nUpdate\n- (nothing)",
        summary="Brynn fears the bell.",
        add=["It's cold."],
        remove=[],
        update=[],
    ),
    _case(
        "y64",
        "memory",
        "summary: Brynn fears the bell.\nadd: It's cold. | Quill lies.\nremove: 1 | 4\nupdate: 2 => The "
        "ferryman's price is a name.",
        summary="Brynn fears the bell.",
        add=["It's cold.", "Quill lies."],
        remove=['Brynn calls the player "cousin".', "Quill owes the player 12 silver."],
        update=[
            {"old": "The ferryman's price is a memory, not coin.", "new": "The ferryman's price is a name."}
        ],
    ),
    _case(
        "y65",
        "memory",
        "summary: Brynn fears the bell.\nadd: []\nremove: []\nupdate:\n  - The ferryman's price is a memory, "
        "not coin. → The ferryman's price is a name.\n  - Quill owes the player 12 silver. → Quill owes nothing.",
        summary="Brynn fears the bell.",
        add=[],
        remove=[],
        update=[
            {"old": "The ferryman's price is a memory, not coin.", "new": "The ferryman's price is a name."},
            {"old": "Quill owes the player 12 silver.", "new": "Quill owes nothing."},
        ],
    ),
    _case(
        "y66",
        "memory",
        "summary: Brynn fears the bell.\nadd: []\nremove: []\nupdate:\n  - old_fact: Quill owes the player 12 "
        "silver.\n    new_fact: Quill owes nothing.",
        update=[{"old": "Quill owes the player 12 silver.", "new": "Quill owes nothing."}],
    ),
    _case(
        "y67",
        "memory",
        'summary: Brynn fears the bell.\nupdate:\n  - old: "Quill owes the player 12 silver." new: "Quill owes '
        'nothing."',
        update=[{"old": "Quill owes the player 12 silver.", "new": "Quill owes nothing."}],
    ),
    _case(
        "y68",
        "memory",
        '{"summary": "Brynn fears the bell.", "add": [], "remove": [], "update": ["Quill owes the player 12 '
        'silver. -> Quill owes nothing."]}',
        update=[{"old": "Quill owes the player 12 silver.", "new": "Quill owes nothing."}],
    ),
    _case(
        "y69",
        "memory",
        "<think>\nsummary: Brynn is calm.\n</think>\nsummary: Brynn fears the bell.",
        summary="Brynn fears the bell.",
    ),
    _case("y70", "memory", "As an AI, I don't have memories to update."),
    _case(
        "y71",
        "memory",
        '1. Brynn calls the player "cousin".\n2. The ferryman\'s price is a memory, not coin.\n3. Sir Aldous '
        "is not Brynn's father.",
    ),
    # keeper
    _case(
        "y80",
        "keeper",
        '{"resolution": "9<12: the rope snaps", "moment_type": "critical failure", "moment_summary": "The rope '
        'snaps above the Mere", "moment_significance": "0.6/1"}',
        resolution="9<12: the rope snaps",
        moment_type="critical_failure",
        moment_significance=0.6,
    ),
    _case(
        "y81",
        "keeper",
        "**Resolution**: 9 < 12, the rope snaps.\n**Moment**: critical_failure — The rope snaps above the Mere "
        "(0.6)",
        resolution="9 < 12, the rope snaps.",
    ),
    _case(
        "y82",
        "keeper",
        '{"resolution": \'9 < 12, the rope snaps\', \'moment_type\': "critical_failure", moment_summary: "The '
        'rope snaps", "moment_significance": +0.60}',
        resolution="9 < 12, the rope snaps",
        moment_type="critical_failure",
        moment_summary="The rope snaps",
        moment_significance=0.6,
    ),
    _case(
        "y83",
        "keeper",
        '{"resolution":"9 < 12, the rope snaps","moment_type":false,"moment_summary":"","moment_significance":0}',
        resolution="9 < 12, the rope snaps",
        moment_type=None,
        moment_significance=0,
    ),
    _case(
        "y84",
        "keeper",
        '{"resolution":"9 < 12, the rope snaps",\n"moment_type":"critical_failure",\n"moment_summary":"The rope '
        'snaps"\n"moment_significance":0.6\n}}}',
        resolution="9 < 12, the rope snaps",
        moment_summary="The rope snaps",
        moment_significance=0.6,
    ),
    _case(
        "y85",
        "keeper",
        '{"resolution":["9 < 12","the rope snaps"],"moment_type":"critical_failure"}',
        resolution="9 < 12, the rope snaps",
        moment_type="critical_failure",
    ),
    _case(
        "y86",
        "keeper",
        "Sure: resolution: 9 < 12, the rope snaps; moment_type: null; moment_summary: null; "
        "moment_significance: 0.5",
        resolution="9 < 12, the rope snaps",
        moment_type=None,
        moment_significance=0.5,
    ),
    _case(
        "y87",
        "keeper",
        '{"resolution": "", "moment_type": "", "moment_summary": "", "moment_significance": 0}',
    ),
    _case("y88", "keeper", '{"moment_type": "discovery"'),
    # prose
    _case(
        "y90",
        "character",
        '"Cousin," she whispers, "don\'t."\n\nQuill: *scribbles*',
        text='"Cousin," she whispers, "don\'t."',
    ),
    _case(
        "y91",
        "character",
        "Brynn Vane: Cousin, don't.\n\nBrynn Vane: It knows your name.",
        text="Cousin, don't.\n\nIt knows your name.",
    ),
    _case("y92", "character", "**Brynn**: *shivers* Cousin, don't.", text="*shivers* Cousin, don't."),
    _case(
        "y93",
        "character",
        '```json\n{"name": "Brynn", "text": "Cousin, don\'t."}\n```',
        text="Cousin, don't.",
    ),
    _case("y94", "character", "Response: Cousin, don't.", text="Cousin, don't."),
    _case(
        "y95",
        "character",
        "I can't assist with creating content that depicts harm.",
    ),
    _case(
        "y96",
        "summary",
        "## Rolling Summary\n\n- They reached the Mere.\n- Quill lost his ledger.",
        text="- They reached the Mere.\n- Quill lost his ledger.",
    ),
    _case(
        "y97",
        "recap",
        "They reached the Mere. Quill lost his ledger.\n\nNote: This recap is 2 sentences as requested.",
        text="They reached the Mere. Quill lost his ledger.",
    ),
    _case(
        "y98",
        "epilogue",
        "EPILOGUE\n\nYears later the bell is silent.",
        text="Years later the bell is silent.",
    ),
    _case(
        "y99",
        "chapter",
        "Chapter 3\n\nThe Mere was still.\n\nBrynn rowed.",
        text="Chapter 3\n\nThe Mere was still.\n\nBrynn rowed.",
    ),
)
