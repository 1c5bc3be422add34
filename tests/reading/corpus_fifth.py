"""A fifth set: every kind of slip once more, in longer replies."""

from __future__ import annotations

from tests.reading.cases import Case
from theact_tui.models.reading.context import Context

HALL = Context(
    active_characters={
        "ines": "Inés Duarte",
        "old_bram": "Bram",
        "the_warden": "Warden Holt",
        "dr_fell": "Dr. Fell",
    },
    beats=(
        "The hall clock stops at midnight",
        "Inés finds the letter addressed to her dead brother",
        "Warden Holt locks the gate",
        "Dr. Fell lies about the morphine",
    ),
    facts=(
        "Bram saw a light in the east wing.",
        "Dr. Fell never drinks.",
        "The gate key hangs behind the portrait.",
        "Inés does not know that her brother is dead.",
    ),
    prompt_example="narration: |\n  A tortoise crosses the ballroom.\nresponding_characters: [mr_pim]\nmood: "
    "humorous",
)
P1 = "The clock in the hall coughs once and stops. Your breath hangs in the cold."
P2 = "“Who's there?” Bram calls from the landing, and the candle gutters; nobody answers him."
P3 = (
    "You count the steps: eleven, twelve. On the thirteenth something gives beneath your heel, and a drawer "
    "slides out of the wall."
)
LONG = f"{P1}\n\n{P2}\n\n{P3}"
BODY = f"narration: |\n  {P1}\n\n  {P2}\n\n  {P3}\n"
ENDS = "responding_characters: [ines, old_bram]\nmood: mysterious"
ONE_LINE = LONG.replace("\n\n", "\\n\\n").replace('"', '\\"')


def _case(id: str, agent: str, raw: str, **fields: object) -> Case:
    return Case(id, agent, raw, fields or None, HALL)


def _hall(id: str, raw: str, **changed: object) -> Case:
    told = {"narration": LONG, "responding_characters": ["ines", "old_bram"], "mood": "mysterious", **changed}
    return Case(id, "narrator", raw, {name: value for name, value in told.items() if value is not ...}, HALL)


FIFTH = (
    _hall("v01", f"```yaml\n{BODY}{ENDS}\n```\n```yaml\n{BODY}{ENDS}\n```"),
    _hall("v02", f"`yaml\n{BODY}{ENDS}`"),
    _hall(
        "v03",
        f"Absolutely, here's a continuation that keeps the tension high while respecting the player's "
        f"agency:\n\n{BODY}{ENDS}",
    ),
    _hall("v04", f"{BODY}{ENDS}\n\nFeel free to adjust the mood or add more characters!"),
    _hall("v05", f"<reply>{BODY}{ENDS}</reply>"),
    _hall("v06", f"{BODY}{ENDS}<|endoftext|>Human: what now?"),
    _hall("v07", f"Assistant:\n{BODY}{ENDS}"),
    _hall("v08", f"<think>\nOkay. {BODY}mood: calm\nNo, better mysterious.\n</think>\n{BODY}{ENDS}"),
    _hall(
        "v09",
        f"Hmm, the player went upstairs. Draft: narration: You walk. mood: calm. That is too "
        f"dull.</think>\n{BODY}{ENDS}",
    ),
    _case("v10", "narrator", f"<think>\n{BODY}{ENDS}\n"),
    _hall("v11", f"{BODY}responding_characters: [ines, old_bram]\nmood: myst", mood=...),
    _hall("v12", f"{BODY}responding_characters:\n  - ines\n  - old_b", mood=...),
    _hall("v13", f"{BODY}resp", responding_characters=..., mood=...),
    _hall(
        "v14",
        f"narration: |\n  {P1}\n\n  {P2}\n\n  You count the ste",
        narration=f"{P1}\n\n{P2}\n\nYou count the ste",
        responding_characters=...,
        mood=...,
    ),
    _hall(
        "v15",
        f"narration: |\n  {P1}\n" + f"  {P2}\n" * 40,
        narration=f"{P1}\n{P2}",
        responding_characters=...,
        mood=...,
    ),
    _hall("v16", f"narration: |\n{P1}\n\n{P2}\n\n{P3}\n\n{ENDS}"),
    _hall("v17", f"narration: |\n      {P1}\n\n  {P2}\n\n    {P3}\n{ENDS}"),
    _hall("v18", f"narration: |{P1}\n\n{P2}\n\n{P3}\n{ENDS}"),
    _hall(
        "v19", f"narration: {P1}\n\n  {P2}\n\n  {P3}\nresponding_characters: ines, old_bram\nmood: mysterious"
    ),
    _hall(
        "v20",
        f"narration: |\n\t{P1}\n\n\t{P2}\n\n\t{P3}\nresponding_characters:\n\t- ines\n\t- old_bram\n"
        f"mood: mysterious",
    ),
    _hall("v21", f"{BODY}responding_characters:\n  – ines\n  – old_bram\nmood: mysterious"),
    _hall("v22", f"{BODY}responding_characters\n  - ines\n  - old_bram\nmood mysterious"),
    _hall(
        "v23",
        f'{{"narration": "{ONE_LINE}", "responding_characters": ["ines", "old_bram"], "mood": "mysterious"}}',
    ),
    _hall(
        "v24", f'{{"narration": "{LONG}", "responding_characters": ["ines" "old_bram"] "mood": "mysterious"'
    ),
    _hall(
        "v25",
        f"{{'narration': '{LONG}', 'responding_characters': ['ines', 'old_bram'], 'mood': 'mysterious'}}",
    ),
    _hall(
        "v26",
        f"### Narration\n\n{LONG}\n\n### Responding Characters\n\n- **Inés Duarte**\n- **Bram**\n\n### "
        f"Mood\n\n*Mysterious*",
    ),
    _hall("v27", f"**NARRATION**\n{LONG}\n\n**RESPONDING CHARACTERS**\nInes, Bram\n\n**MOOD**\nmysterious"),
    _hall("v28", f'narration = "{LONG}"\nresponding_characters = ["ines", "old_bram"]\nmood = "mysterious"'),
    _hall(
        "v29",
        f'{{"scene": [{{"narration": "{ONE_LINE}"}}, {{"responding_characters": ["ines", '
        f'"old_bram"]}}, {{"mood": "mysterious"}}]}}',
    ),
    _hall("v30", f"{LONG}\n\nresponding_characters: ines, old_bram\nmood: mysterious"),
    _hall("v31", LONG, responding_characters=..., mood=...),
    _hall("v32", f"Narrativa: {LONG}\n\nPersonajes que responden: Inés y Bram\n\nÁnimo: misterioso"),
    _hall("v33", f"{BODY}responding_characters: Ines and Old Bram\nmood: Mysterious, tense"),
    _hall("v34", f"{BODY}responding_characters: [ines (Inés Duarte), old_bram (Bram)]\nmood: mysterious"),
    _hall("v35", f"{BODY}responding_characters: [ines, old_bram, the_ghost]\nmood: mysterious"),
    _hall(
        "v36",
        f"{BODY}responding_characters:\n  ines: true\n  old_bram: true\n  dr_fell: false\nmood: mysterious",
    ),
    _hall(
        "v37",
        f"{BODY}responding_characters: Warden, Fell\nmood: 🕯️ mysterious",
        responding_characters=["the_warden", "dr_fell"],
    ),
    _hall("v38", f"{BODY}responding_characters: N/A\nmood: mysterious", responding_characters=[]),
    _hall("v39", f"A tortoise crosses the ballroom.\n\n---\n{BODY}{ENDS}"),
    _hall(
        "v40",
        f"narration: |\n  A tortoise crosses the ballroom.\nresponding_characters: [mr_pim]\nmood: "
        f"humorous\n\n{BODY}{ENDS}",
    ),
    _case(
        "v41",
        "narrator",
        "narration: |\n  A tortoise crosses the ballroom.\nresponding_characters: [mr_pim]\nmood: humorous\n",
    ),
    _case(
        "v42",
        "narrator",
        "I cannot create explicit content. Is there something else you would like to explore?",
    ),
    _case(
        "v43", "narrator", "Python is a high-level programming language. It was created by Guido van Rossum."
    ),
    _case(
        "v44", "narrator", '{"narration": "string", "responding_characters": ["string"], "mood": "string"}'
    ),
    _case("v45", "narrator", "\n\n```yaml\n\n```\n"),
    # progress
    _case(
        "v50",
        "progress",
        "```yaml\nchapter_complete: false\nreason: Holt's gate is still open: anyone may "
        'leave.\nnew_beats:\n  - "1"\n  - Ines finds the letter addressed to her dead '
        "brother\n```",
        chapter_complete=False,
        reason="Holt's gate is still open: anyone may leave.",
        new_beats=["The hall clock stops at midnight", "Inés finds the letter addressed to her dead brother"],
    ),
    _case(
        "v51",
        "progress",
        'chapter_complete: TRUE\nreason: "He said "never" and locked it."\nnew_beats: '
        '["Warden Holt locks the gate."]',
        chapter_complete=True,
        reason='He said "never" and locked it.',
        new_beats=["Warden Holt locks the gate"],
    ),
    _case(
        "v52",
        "progress",
        "chapter_complete: false\nreason: nothing changed\nnew_beats:\n- [x] The hall "
        "clock stops at midnight\n- [x] Dr Fell lies about the morphine\n- [ ] Warden Holt "
        "locks the gate",
        chapter_complete=False,
        reason="nothing changed",
        new_beats=["The hall clock stops at midnight", "Dr. Fell lies about the morphine"],
    ),
    _case(
        "v53",
        "progress",
        "chapter_complete: false\nreason: nothing changed\nnew_beats: The clock stops",
        chapter_complete=False,
        reason="nothing changed",
        new_beats=[],
    ),
    _case(
        "v54",
        "progress",
        '{"chapter_complete": false, "reason": "nothing changed", "new_beats": '
        '["Dr. Fell does not lie about the morphine"], "confidence": "80%"}',
        chapter_complete=False,
        reason="nothing changed",
        new_beats=[],
    ),
    _case(
        "v55",
        "progress",
        "chapter_complete: no (2 of 4 beats)\n\nreason: The gate is open.\n\nnew_beats: 1) "
        "The hall clock stops at midnight",
        chapter_complete=False,
        reason="The gate is open.",
        new_beats=["The hall clock stops at midnight"],
    ),
    _case(
        "v56",
        "progress",
        "chapter_complete: False.\nreason: The gate is open.\nnew_beats: []\nnext_chapter: null",
        chapter_complete=False,
        reason="The gate is open.",
        new_beats=[],
    ),
    _case(
        "v57",
        "progress",
        '{"result": {"chapterComplete": false, "Reason": "The gate is open.", "newBeats": ["3"]}}',
        chapter_complete=False,
        reason="The gate is open.",
        new_beats=["Warden Holt locks the gate"],
    ),
    _case("v58", "progress", "chapter_complete: true/false\nreason: ...\nnew_beats: []"),
    # memory
    _case(
        "v60",
        "memory",
        "summary: |\nBram is frightened but hides it.\nHe trusts the player: more than he "
        'says.\nadd:\n  - "The drawer held a second key."\n  - The Warden lied about the '
        "gate.\nremove:\n  - the gate key hangs behind the portrait\nupdate:\n  - old: dr "
        "fell never drinks\n    new: Dr. Fell drinks alone at night.",
        summary="Bram is frightened but hides it. He trusts the player: more than he says.",
        add=["The drawer held a second key.", "The Warden lied about the gate."],
        remove=["The gate key hangs behind the portrait."],
        update=[{"old": "Dr. Fell never drinks.", "new": "Dr. Fell drinks alone at night."}],
    ),
    _case(
        "v61",
        "memory",
        '{"summary": "Bram is frightened.", "add": ["The drawer held a "second" key.", "The Warden lied, '
        'again."], "remove": [3], "update": []}',
        summary="Bram is frightened.",
        add=['The drawer held a "second" key.', "The Warden lied, again."],
        remove=["The gate key hangs behind the portrait."],
        update=[],
    ),
    _case(
        "v62",
        "memory",
        "summary: Bram is frightened.\nremove:\n- Inés knows that her brother is dead.\nadd: none\nupdate: none",
        summary="Bram is frightened.",
        add=[],
        remove=[],
        update=[],
    ),
    _case(
        "v63",
        "memory",
        "summary: Bram is frightened.\nadd:\n- fact: The drawer held a second key.\n  importance: high\n- fact: "
        "The Warden lied.\n  importance: low\nremove: []\nupdate: []",
        summary="Bram is frightened.",
        add=["The drawer held a second key.", "The Warden lied."],
        remove=[],
        update=[],
    ),
    _case(
        "v64",
        "memory",
        "Summary: Bram is frightened.\nAdd: The drawer held a second key.\nRemove: 3.\nUpdate: 1 -> Bram saw "
        "two lights in the east wing.",
        summary="Bram is frightened.",
        add=["The drawer held a second key."],
        remove=["The gate key hangs behind the portrait."],
        update=[
            {"old": "Bram saw a light in the east wing.", "new": "Bram saw two lights in the east wing."}
        ],
    ),
    _case(
        "v65",
        "memory",
        "resumen: Bram tiene miedo.\nañadir: [El cajón tenía otra llave.]\nquitar: ninguno\nactualizar:\n  - "
        "antes: 1\n    después: Bram vio dos luces.",
        summary="Bram tiene miedo.",
        add=["El cajón tenía otra llave."],
        remove=[],
        update=[{"old": "Bram saw a light in the east wing.", "new": "Bram vio dos luces."}],
    ),
    _case(
        "v66",
        "memory",
        "summary: Bram is frightened.\nadd:\n- The drawer held a second key.\nremove: []\nupdate: []\n\nPlayer: "
        "I open the drawer.\nsummary: Bram is calm.",
        summary="Bram is frightened.",
        add=["The drawer held a second key."],
        remove=[],
        update=[],
    ),
    _case("v67", "memory", "Bram would remember the drawer and the second key."),
    # keeper
    _case(
        "v70",
        "keeper",
        '{"resolution": "19 vs 12, the lock yields", "moment_type": "CRITICAL_SUCCESS", "moment_summary": "The '
        'lock yields at the first touch", "moment_significance": 85%}',
        resolution="19 vs 12, the lock yields",
        moment_type="critical_success",
        moment_summary="The lock yields at the first touch",
        moment_significance=0.85,
    ),
    _case(
        "v71",
        "keeper",
        '```json\n{\n  "resolution": "19 vs 12, the lock yields",\n  "moment_type": "discovery",\n  '
        '"moment_summary": "A drawer slides out of the wall",\n  "moment_significance": "high (0.8)"\n}\n```',
        resolution="19 vs 12, the lock yields",
        moment_type="discovery",
        moment_summary="A drawer slides out of the wall",
        moment_significance=0.8,
    ),
    _case(
        "v72",
        "keeper",
        "resolution: 19 vs 12: the lock yields\nmoment_type: None\nmoment_summary: \nmoment_significance: 0",
        resolution="19 vs 12: the lock yields",
        moment_type=None,
        moment_significance=0,
    ),
    _case(
        "v73",
        "keeper",
        '{"resolution": "19 vs 12, the lock yields", "moment_type": "discovery", "moment_summary": "A drawer '
        "slides",
        resolution="19 vs 12, the lock yields",
        moment_type="discovery",
    ),
    _case(
        "v74",
        "keeper",
        '{"resolution": "19 vs 12, the lock yields",, "moment_type": "discovery",}',
        resolution="19 vs 12, the lock yields",
        moment_type="discovery",
    ),
    _case("v75", "keeper", 'The lock yields. {"resolution": null, "moment_type": null}'),
    # prose
    _case(
        "v80",
        "character",
        "Bram: “Who's there?” He lifts the candle.\n\nInés: “It is only me.”",
        text="“Who's there?” He lifts the candle.",
    ),
    _case("v81", "character", "“Who's there?”", text="Who's there?"),
    _case(
        "v82",
        "character",
        "*He lifts the candle.*\n\n“Who's there?”\n\n<|im_end|>\n<|im_start|>user",
        text="*He lifts the candle.*\n\n“Who's there?”",
    ),
    _case(
        "v83",
        "summary",
        "Updated summary:\n1. The clock stopped.\n2. A drawer opened.",
        text="1. The clock stopped.\n2. A drawer opened.",
    ),
    _case(
        "v84",
        "recap",
        "<recap>The clock stopped and a drawer opened.</recap>",
        text="The clock stopped and a drawer opened.",
    ),
    _case(
        "v85",
        "epilogue",
        "```markdown\nYears later the hall is a school.\n```",
        text="Years later the hall is a school.",
    ),
    _case(
        "v86",
        "cell",
        "I heard the clock stop. I did not tell anyone.",
        text="I heard the clock stop. I did not tell anyone.",
    ),
    _case("v87", "character", "I am an AI developed to be helpful; I can't take part in that."),
)
