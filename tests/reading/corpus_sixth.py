"""A sixth set, written without a look at the reader: a lighthouse, and every kind of slip in fresh words."""

from __future__ import annotations

from typing import Any

from tests.reading.cases import Case
from theact_tui.models.reading.context import Context

LAMP = Context(
    active_characters={
        "edda": "Edda Voss",
        "keeper_rolf": "Rolf Amundsen",
        "sister_agnes": "Sister Agnes",
        "pip": "Pip",
    },
    beats=(
        "The lamp goes out",
        "Rolf confesses that he sold the oil",
        "A boat is sighted beyond the bar",
        "Edda climbs down to the wreck",
        "The logbook is found to be forged",
    ),
    facts=(
        "Rolf owes money to the harbour master.",
        "The logbook ends on 3 March.",
        "Pip cannot swim.",
        "Edda keeps a pistol in the flour tin.",
        "The fog bell is cracked.",
    ),
    prompt_example="""```yaml
narration: |
  You wind the brass owl on Tibblewick's shelf. Somewhere a spoon applauds.
responding_characters: [tibblewick]
mood: humorous
```""",
    player="Jonas",
)
STAIR = "You climb the iron stair. The lamp room smells of cold oil and wet wool."
BOTH = STAIR + " Below, somebody bolts a door."


def tale(name: str, raw: str, *, text: str = STAIR, **fields: Any) -> Case:
    return Case(f"sixth narrator {name}", "narrator", raw, {"narration": text, **fields}, LAMP)


NARRATOR = (
    tale(
        "opened fence, never closed",
        f"```yaml\nnarration: |\n  {STAIR}\nresponding_characters: [edda, pip]\nmood: tense",
        responding_characters=["edda", "pip"],
        mood="tense",
    ),
    tale(
        "closed fence without opening",
        f"narration: |\n  {STAIR}\nresponding_characters: [edda]\nmood: calm\n```\n",
        responding_characters=["edda"],
        mood="calm",
    ),
    tale(
        "fence of tildes, label in capitals",
        f"~~~YAML\nnarration: |\n  {STAIR}\nresponding_characters: [pip]\nmood: mysterious\n~~~",
        responding_characters=["pip"],
        mood="mysterious",
    ),
    tale(
        "two fences, the inner one labelled",
        f"```\n```yaml\nnarration: |\n  {STAIR}\nresponding_characters: []\nmood: tense\n```\n```",
        responding_characters=[],
        mood="tense",
    ),
    tale(
        "preamble and farewell",
        "Of course! Here is the next page of the story, Jonas:\n\n```yaml\nnarration: |\n  "
        f"{STAIR}\nresponding_characters: [sister_agnes]\nmood: calm\n```\n\nLet me know if it "
        "should be darker.",
        responding_characters=["sister_agnes"],
        mood="calm",
    ),
    tale(
        "block scalar not indented",
        f"```yaml\nnarration: |\n{STAIR}\nBelow, somebody bolts a door.\nresponding_characters: "
        "[edda]\nmood: tense\n```",
        text=BOTH,
        responding_characters=["edda"],
        mood="tense",
    ),
    tale(
        "block scalar with ragged indents",
        "```yaml\nnarration: |\n    You climb the iron stair. The lamp room\n  smells of cold "
        "oil\n      and wet wool.\n"
        "mood: tense\nresponding_characters:\n- edda\n   - pip\n```",
        mood="tense",
        responding_characters=["edda", "pip"],
    ),
    tale(
        "text on the line of the bar",
        f"narration: | {STAIR}\n  Below, somebody bolts a door.\nresponding_characters: [pip]\nmood: dramatic",
        text=BOTH,
        responding_characters=["pip"],
        mood="dramatic",
    ),
    tale(
        "tabs for indents",
        f"```yaml\nnarration: |\n\t{STAIR}\nresponding_characters:\n\t- edda\n\t- sister_agnes\n"
        "mood:\turgent\n```",
        responding_characters=["edda", "sister_agnes"],
        mood="urgent",
    ),
    tale(
        "colon and quotes in plain text",
        'narration: The note says: "Rolf knows". You fold it: twice.\nresponding_characters: '
        "[keeper_rolf]\nmood: tense",
        text='The note says: "Rolf knows". You fold it: twice.',
        responding_characters=["keeper_rolf"],
        mood="tense",
    ),
    tale(
        "names in place of ids",
        f"```yaml\nnarration: |\n  {STAIR}\nresponding_characters: [Edda Voss, Rolf Amundsen]\n"
        "mood: calm\n```",
        responding_characters=["edda", "keeper_rolf"],
        mood="calm",
    ),
    tale(
        "ids with names in brackets",
        f"```yaml\nnarration: |\n  {STAIR}\nresponding_characters:\n  - pip (Pip)\n  - edda (Edda "
        "Voss)\nmood: calm\n```",
        responding_characters=["pip", "edda"],
        mood="calm",
    ),
    tale(
        "names first, ids in brackets",
        f"narration: |\n  {STAIR}\nresponding_characters: Sister Agnes (sister_agnes), Pip (pip)\n"
        "mood: melancholic",
        responding_characters=["sister_agnes", "pip"],
        mood="melancholic",
    ),
    tale(
        "a list joined by and",
        f"narration: |\n  {STAIR}\nresponding_characters: Edda and Pip\nmood: calm",
        responding_characters=["edda", "pip"],
        mood="calm",
    ),
    tale(
        "somebody nobody knows among them",
        f"```yaml\nnarration: |\n  {STAIR}\nresponding_characters: [edda, captain_hook, pip]\n"
        "mood: tense\n```",
        responding_characters=["edda", "pip"],
        mood="tense",
    ),
    tale(
        "nobody, in words",
        f"```yaml\nnarration: |\n  {STAIR}\nresponding_characters: none\nmood: melancholic\n```",
        responding_characters=[],
        mood="melancholic",
    ),
    tale(
        "the word N/A",
        f"narration: |\n  {STAIR}\n\nresponding_characters: N/A\n\nmood: tense\n",
        responding_characters=[],
        mood="tense",
    ),
    tale(
        "mood shouted, with a full stop",
        f"```yaml\nnarration: |\n  {STAIR}\nresponding_characters: [pip]\nmood: MYSTERIOUS.\n```",
        responding_characters=["pip"],
        mood="mysterious",
    ),
    tale(
        "mood with an emoji",
        f"```yaml\nnarration: |\n  {STAIR}\nresponding_characters: [pip]\nmood: urgent 🔥\n```",
        responding_characters=["pip"],
        mood="urgent",
    ),
    tale(
        "a mood outside the list",
        f"```yaml\nnarration: |\n  {STAIR}\nresponding_characters: [pip]\nmood: flabbergasted\n```",
        responding_characters=["pip"],
    ),
    tale(
        "markdown headings",
        f"## Narration\n\n{STAIR}\n\n## Responding Characters\n\n- edda\n- pip\n\n## Mood\n\ntense\n",
        responding_characters=["edda", "pip"],
        mood="tense",
    ),
    tale(
        "bold labels",
        f"**Narration:** {STAIR}\n\n**Responding characters:** Edda, Sister Agnes\n\n**Mood:** calm",
        responding_characters=["edda", "sister_agnes"],
        mood="calm",
    ),
    tale(
        "bold labels, the colon outside",
        f"**narration**: {STAIR}\n**responding_characters**: [pip]\n**mood**: humorous\n",
        responding_characters=["pip"],
        mood="humorous",
    ),
    tale(
        "equals signs",
        f'narration = "{STAIR}"\nresponding_characters = ["edda"]\nmood = "tense"',
        responding_characters=["edda"],
        mood="tense",
    ),
    tale(
        "tags",
        f"<narration>\n{STAIR}\n</narration>\n<responding_characters>edda, "
        "pip</responding_characters>\n<mood>calm</mood>",
        responding_characters=["edda", "pip"],
        mood="calm",
    ),
    tale(
        "tags around yaml",
        f"<answer>\nnarration: |\n  {STAIR}\nresponding_characters: [edda]\nmood: calm\n</answer>",
        responding_characters=["edda"],
        mood="calm",
    ),
    tale(
        "JSON instead of YAML",
        f'{{"narration": "{STAIR}", "responding_characters": ["edda", "pip"], "mood": "tense"}}',
        responding_characters=["edda", "pip"],
        mood="tense",
    ),
    tale(
        "JSON with a trailing comma and a comment",
        f'{{\n  "narration": "{STAIR}", // the prose\n  "responding_characters": ["edda",],\n  '
        f'"mood": "tense",\n}}',
        responding_characters=["edda"],
        mood="tense",
    ),
    tale(
        "JSON with quotes inside quotes",
        '{"narration": "Rolf says "not tonight" and turns away.", "responding_characters": '
        '["keeper_rolf"], "mood": "tense"}',
        text='Rolf says "not tonight" and turns away.',
        responding_characters=["keeper_rolf"],
        mood="tense",
    ),
    tale(
        "JSON with real line breaks in a string",
        '{"narration": "You climb the iron stair.\nThe lamp room smells of cold oil and wet wool.", '
        '"responding_characters": [], "mood": "calm"}',
        responding_characters=[],
        mood="calm",
    ),
    tale(
        "JSON without its last brace",
        f'{{"narration": "{STAIR}", "responding_characters": ["pip"], "mood": "calm"',
        responding_characters=["pip"],
        mood="calm",
    ),
    tale(
        "single quotes, Python style",
        "{'narration': 'You climb the iron stair. The lamp room smells of cold oil and wet wool.', "
        "'responding_characters': ['edda'], 'mood': 'tense'}",
        responding_characters=["edda"],
        mood="tense",
    ),
    tale(
        "curly quotes as delimiters",
        "{“narration”: “You climb the iron stair. The lamp room smells of cold oil and wet wool.”, "
        "“responding_characters”: [“edda”], “mood”: “tense”}",
        responding_characters=["edda"],
        mood="tense",
    ),
    tale(
        "YAML in a JSON string",
        '{"response": "narration: |\\n  You climb the iron stair. The lamp room smells of cold '
        "oil and wet wool.\\n"
        'responding_characters: [edda]\\nmood: tense\\n"}',
        responding_characters=["edda"],
        mood="tense",
    ),
    tale(
        "wrapped in an outer key",
        f"```yaml\nturn:\n  narration: |\n    {STAIR}\n  responding_characters: [edda]\n  mood: tense\n```",
        responding_characters=["edda"],
        mood="tense",
    ),
    tale(
        "wrapped in a list",
        f"```yaml\n- narration: |\n    {STAIR}\n  responding_characters: [edda]\n  mood: tense\n```",
        responding_characters=["edda"],
        mood="tense",
    ),
    tale(
        "camel case keys",
        f'{{"narration": "{STAIR}", "respondingCharacters": ["edda"], "mood": "tense"}}',
        responding_characters=["edda"],
        mood="tense",
    ),
    tale(
        "keys with spaces and capitals",
        f"Narration: {STAIR}\nResponding Characters: edda, pip\nMood: Tense\n",
        responding_characters=["edda", "pip"],
        mood="tense",
    ),
    tale(
        "other names for the keys",
        f"narrative: |\n  {STAIR}\nresponders: [edda]\nmood: calm\n",
        responding_characters=["edda"],
        mood="calm",
    ),
    tale(
        "keys in Spanish",
        f"narración: |\n  {STAIR}\npersonajes: [edda, pip]\nmood: tense\n",
        responding_characters=["edda", "pip"],
        mood="tense",
    ),
    tale(
        "keys nobody asked for",
        f"```yaml\nscene: lamp room\nnarration: |\n  {STAIR}\ntime_of_day: dusk\n"
        "responding_characters: [edda]\nmood: calm\n```",
        responding_characters=["edda"],
        mood="calm",
    ),
    tale(
        "prose before bare keys",
        f"{STAIR}\n\nresponding_characters: [edda]\nmood: tense",
        responding_characters=["edda"],
        mood="tense",
    ),
    tale("prose alone", BOTH, text=BOTH),
    tale(
        "thought before the answer",
        "<think>\nThe player climbs. Maybe mood: dramatic? I will let Edda speak.\n</think>\n"
        "```yaml\nnarration: |\n  "
        f"{STAIR}\nresponding_characters: [edda]\nmood: tense\n```",
        responding_characters=["edda"],
        mood="tense",
    ),
    tale(
        "a thought whose beginning is missing",
        "So Jonas goes up. I keep it short.\n</think>\n\n```yaml\nnarration: |\n  "
        f"{STAIR}\nresponding_characters: [pip]\nmood: calm\n```",
        responding_characters=["pip"],
        mood="calm",
    ),
    tale(
        "a draft in the thought",
        "<think>Draft:\n```yaml\nnarration: |\n  You fall down the stair.\n"
        "responding_characters: [pip]\nmood: dramatic\n```\n"
        f"Too harsh.</think>\n```yaml\nnarration: |\n  {STAIR}\nresponding_characters: [edda]\n"
        "mood: calm\n```",
        responding_characters=["edda"],
        mood="calm",
    ),
    tale(
        "harmony channels",
        "<|channel|>analysis<|message|>He climbs; tense.<|end|><|start|>assistant<|channel|>final<|message|>"
        f"narration: |\n  {STAIR}\nresponding_characters: [edda]\nmood: tense<|return|>",
        responding_characters=["edda"],
        mood="tense",
    ),
    tale(
        "leaked template tokens",
        f"<|im_start|>assistant\n```yaml\nnarration: |\n  {STAIR}\nresponding_characters: [edda]\n"
        "mood: calm\n```<|im_end|>",
        responding_characters=["edda"],
        mood="calm",
    ),
    tale(
        "the label of the assistant",
        f"Assistant:\nnarration: |\n  {STAIR}\nresponding_characters: [pip]\nmood: calm\n",
        responding_characters=["pip"],
        mood="calm",
    ),
    tale(
        "an invented next turn",
        f"```yaml\nnarration: |\n  {STAIR}\nresponding_characters: [edda]\nmood: tense\n```\n\n"
        "User: I open the hatch.\n\n"
        "```yaml\nnarration: |\n  The hatch groans.\nresponding_characters: [pip]\nmood: dramatic\n```",
        responding_characters=["edda"],
        mood="tense",
    ),
    tale(
        "a correction of itself",
        "```yaml\nnarration: |\n  You swim to the lamp room.\nresponding_characters: [pip]\n"
        "mood: calm\n```\n\n"
        "Wait, that is wrong, the player climbed. Corrected version:\n\n```yaml\nnarration: |\n  "
        f"{STAIR}\nresponding_characters: [edda]\nmood: tense\n```",
        responding_characters=["edda"],
        mood="tense",
    ),
    tale(
        "the example first, then the answer",
        f"{LAMP.prompt_example}\n\n```yaml\nnarration: |\n  {STAIR}\nresponding_characters: "
        "[edda]\nmood: calm\n```",
        responding_characters=["edda"],
        mood="calm",
    ),
    tale(
        "cut off in the list",
        f"```yaml\nnarration: |\n  {STAIR}\nresponding_characters: [edda, sis",
        responding_characters=["edda", "sister_agnes"],
    ),
    tale(
        "cut off in the mood",
        f"```yaml\nnarration: |\n  {STAIR}\nresponding_characters: [edda]\nmoo",
        responding_characters=["edda"],
    ),
    tale(
        "inline code fence",
        f"`narration: {STAIR}`\n`responding_characters: [edda]`\n`mood: calm`",
        responding_characters=["edda"],
        mood="calm",
    ),
    tale(
        "a map of booleans",
        f"```yaml\nnarration: |\n  {STAIR}\nresponding_characters:\n  edda: true\n  pip: false\n  "
        "sister_agnes: true\nmood: calm\n```",
        responding_characters=["edda", "sister_agnes"],
        mood="calm",
    ),
    tale(
        "objects for the characters",
        f'{{"narration": "{STAIR}", "responding_characters": [{{"id": "edda", "name": "Edda '
        f'Voss"}}, {{"id": "pip"}}], "mood": "calm"}}',
        responding_characters=["edda", "pip"],
        mood="calm",
    ),
    tale(
        "a key word inside the prose",
        "```yaml\nnarration: |\n  The slate over the stove reads\n  mood: foul. Somebody "
        "laughs.\n  You set down the lamp.\n"
        "responding_characters: [pip]\nmood: humorous\n```",
        text="The slate over the stove reads mood: foul. Somebody laughs. You set down the lamp.",
        responding_characters=["pip"],
        mood="humorous",
    ),
    tale(
        "present given as well",
        f"```yaml\nnarration: |\n  {STAIR}\nresponding_characters: edda\nmood: tense\npresent: "
        "Edda, Pip, Rolf\n```",
        responding_characters=["edda"],
        mood="tense",
        present=["edda", "pip", "keeper_rolf"],
    ),
    tale(
        "bullets of another kind",
        f"narration: >\n  {STAIR}\nresponding_characters:\n  • edda\n  • pip\nmood: calm",
        responding_characters=["edda", "pip"],
        mood="calm",
    ),
    tale(
        "numbered characters",
        f"narration: |\n  {STAIR}\nresponding_characters:\n  1. Edda Voss\n  2. Pip\nmood: calm",
        responding_characters=["edda", "pip"],
        mood="calm",
    ),
    tale(
        "the colon forgotten",
        f"```yaml\nnarration: |\n  {STAIR}\nresponding_characters [edda]\nmood tense\n```",
        responding_characters=["edda"],
        mood="tense",
    ),
)
