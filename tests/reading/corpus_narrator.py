"""Narrator replies the reader was made with, by what is wrong with them."""

from __future__ import annotations

from tests.reading.cases import EXAMPLE, Case

WRECK = "You step over the torn seats. Smoke curls out of the tail section.\n\nSomewhere a strap creaks."
FIRE = 'The fire spits. "We should move," Maya says, and nobody laughs.'
GOOD = {"narration": WRECK, "responding_characters": ["maya", "joaquin"], "mood": "tense"}
BLOCK = (
    "narration: |\n  You step over the torn seats. Smoke curls out of the tail section.\n\n  Somewhere a "
    "strap creaks.\n"
)
TAIL = "responding_characters: [maya, joaquin]\nmood: tense"


def _good(id: str, raw: str, **changed: object) -> Case:
    return Case(id, "narrator", raw, {**GOOD, **changed})


def _fire(id: str, raw: str, **changed: object) -> Case:
    return Case(
        id,
        "narrator",
        raw,
        {"narration": FIRE, "responding_characters": ["maya"], "mood": "tense", **changed},
    )


WRAPPERS = (
    _good("w01-plain", BLOCK + TAIL),
    _good("w02-fence", f"```yaml\n{BLOCK}{TAIL}\n```"),
    _good("w03-doubled-fence", f"```\n```yaml\n{BLOCK}{TAIL}\n```\n```"),
    _good("w04-unclosed", f"```yaml\n{BLOCK}{TAIL}"),
    _good("w05-only-closing", f"{BLOCK}{TAIL}\n```"),
    _good("w06-tilde", f"~~~yaml\n{BLOCK}{TAIL}\n~~~"),
    _good("w07-backticks", f"`{BLOCK}{TAIL}`"),
    _good("w08-preamble", f"Here is the YAML block you asked for:\n\n{BLOCK}{TAIL}"),
    _good("w09-epilogue", f"{BLOCK}{TAIL}\n\nI hope this fits the tone! Would you like me to go on?"),
    _good("w10-document-mark", f"---\n{BLOCK}{TAIL}\n..."),
    _good("w11-xml", f"<yaml>\n{BLOCK}{TAIL}\n</yaml>"),
    _good("w12-answer-tag", f"<answer>\n```yaml\n{BLOCK}{TAIL}\n```\n</answer>"),
    _good("w13-template-tokens", f"<|im_start|>assistant\n```yaml\n{BLOCK}{TAIL}\n```<|im_end|>"),
    _good("w14-assistant-colon", f"assistant: \n{BLOCK}{TAIL}</s>"),
    _good("w15-llama-header", f"<|start_header_id|>assistant<|end_header_id|>\n\n{BLOCK}{TAIL}<|eot_id|>"),
    _good("w16-gemma", f"<start_of_turn>model\n{BLOCK}{TAIL}<end_of_turn>"),
    _good("w17-fence-closed-early", f"```yaml\n{BLOCK}```\n{TAIL}"),
    _good("w18-two-fences", f"```yaml\n{BLOCK}```\n\n```yaml\n{TAIL}\n```"),
    _good("w19-fence-text-first", f"Okay!\n```\n{BLOCK}{TAIL}\n```\nThe mood: tense because of the smoke."),
    _good("w20-bom", f"\ufeff{BLOCK}{TAIL}"),
    _good("w21-crlf", f"{BLOCK}{TAIL}".replace("\n", "\r\n")),
    _good("w22-quoted-lines", "\n".join(f"> {line}" for line in f"{BLOCK}{TAIL}".split("\n"))),
    _good("w23-yaml-word", f"yaml\n{BLOCK}{TAIL}"),
    _good("w24-indented-all", "\n".join(f"    {line}" for line in f"{BLOCK}{TAIL}".split("\n"))),
    _good(
        "w25-correction",
        f"```yaml\nnarration: |\n  You wake up.\nresponding_characters: [lena]\nmood: calm\n```\n\nWait, that "
        f"is not "
        f"right, the mood should be tense. Corrected:\n\n```yaml\n{BLOCK}{TAIL}\n```",
    ),
    _good(
        "w26-second-take-ignored",
        f"```yaml\n{BLOCK}{TAIL}\n```\n\nAnd the next one:\n\n```yaml\nnarration: |\n  You wake up.\n"
        "responding_characters: [lena]\nmood: calm\n```",
    ),
    _good("w27-twice-the-same", f"```yaml\n{BLOCK}{TAIL}\n```\n```yaml\n{BLOCK}{TAIL}\n```"),
    _good("w28-example-then-answer", f"{EXAMPLE}\n\n```yaml\n{BLOCK}{TAIL}\n```"),
    _good(
        "w29-user-turn",
        f"{BLOCK}{TAIL}\n<|im_end|>\n<|im_start|>user\nI look around.<|im_end|>\n<|im_start|>assistant\n"
        "narration: |\n  You look.\nresponding_characters: []\nmood: calm",
    ),
    _good(
        "w30-human", f"{BLOCK}{TAIL}\n\nHuman: I look around.\n\nAssistant: narration: You look.\nmood: calm"
    ),
    _good(
        "w31-instruction",
        f"{BLOCK}{TAIL}\n\n### Instruction:\nGo on.\n### Response:\nnarration: You look.\nmood: calm",
    ),
    _good("w32-mistral", f"[INST] go [/INST] {BLOCK}{TAIL}</s>"),
    _fire(
        "w33-fence-in-string",
        '{"narration": "The fire spits. \\"We should move,\\" Maya says, and nobody laughs.", '
        '"responding_characters": ["maya"], "mood": "tense", "note": "```yaml\\nmood: calm\\n```"}',
    ),
    _good("w34-key-after-fence-value", f"narration:\n```\n{WRECK}\n```\n{TAIL}"),
)

THOUGHTS = (
    _good("t01-block", f"<think>They are in the wreck. mood: calm?</think>\n{BLOCK}{TAIL}"),
    _good(
        "t02-complete-draft",
        f"<think>\n```yaml\nnarration: |\n  You fall asleep.\nresponding_characters: [lena]\nmood: calm\n```\n"
        f"Too calm.\n</think>\n\n```yaml\n{BLOCK}{TAIL}\n```",
    ),
    _good(
        "t03-never-opened",
        f"The player is in the wreck. narration: I write about smoke.\n</think>\n\n{BLOCK}{TAIL}",
    ),
    _good(
        "t04-harmony",
        f"<|channel|>analysis<|message|>Draft: mood: "
        f"calm<|end|><|start|>assistant<|channel|>final<|message|>{BLOCK}{TAIL}",
    ),
    _good("t05-harmony-bare", f"analysisWe need a block. mood: calm.assistantfinal{BLOCK}{TAIL}"),
    _good("t06-thinking-tag", f"<Thinking>\nnarration: no\n</Thinking>\n{BLOCK}{TAIL}"),
    _good("t07-empty", f"<think>\n\n</think>\n\n{BLOCK}{TAIL}"),
    _good("t08-magistral", f"[THINK]mood: calm[/THINK]{BLOCK}{TAIL}"),
    _good("t09-after", f"{BLOCK}{TAIL}\n<think>Did I do well? mood: calm"),
    _good("t10-reasoning", f"<reasoning>mood: urgent</reasoning><answer>{BLOCK}{TAIL}</answer>"),
    _good("t11-kimi", f"◁think▷mood: calm◁/think▷{BLOCK}{TAIL}"),
    _good("t12-nested", f"<think>a <think>b</think> mood: calm</think>{BLOCK}{TAIL}"),
    Case(
        "t13-unclosed", "narrator", f"<think>\nLet me draft.\n```yaml\n{BLOCK}{TAIL}\n```\nHmm, maybe", None
    ),
    Case("t14-unclosed-no-draft", "narrator", "<think>You step over the seats, says the narrator, and", None),
    Case(
        "t15-harmony-unfinished",
        "narrator",
        f"<|channel|>analysis<|message|>I will answer {BLOCK}{TAIL}",
        None,
    ),
    Case("t16-only-a-thought", "narrator", f"<think>{BLOCK}{TAIL}</think>", None),
)

YAML = (
    _good("y01-unindented", f"narration: |\n{WRECK}\n{TAIL}"),
    _good(
        "y02-ragged",
        "narration: |\n    You step over the torn seats.\n  Smoke curls out of the tail section.\n\n Somewhere "
        "a strap "
        f"creaks.\n{TAIL}",
    ),
    _good(
        "y03-text-after-mark",
        f"narration: |You step over the torn seats. Smoke curls out of the tail section.\n\n  Somewhere a strap "
        f"creaks.\n{TAIL}",
    ),
    _good(
        "y04-no-mark",
        f"narration:\n  You step over the torn seats. Smoke curls out of the tail section.\n\n  Somewhere a "
        f"strap "
        f"creaks.\n{TAIL}",
    ),
    _good("y05-one-line", f"narration: {WRECK.replace(chr(10) * 2, ' ')}\n{TAIL}"),
    _good(
        "y06-keys-in-block",
        "narration: |\n  You step over the torn seats. Smoke curls out of the tail section.\n\n  Somewhere a "
        "strap "
        "creaks.\n  responding_characters: [maya, joaquin]\n  mood: tense",
    ),
    _good(
        "y07-tabs",
        f"narration: |\n\tYou step over the torn seats. Smoke curls out of the tail section.\n\n\tSomewhere a "
        f"strap creaks.\n{TAIL}",
    ),
    _fire(
        "y08-colon-and-quotes",
        'narration: The fire spits. "We should move," Maya says, and nobody laughs.\nresponding_characters: '
        "[maya]\nmood: tense",
    ),
    _fire(
        "y09-quoted-with-inner",
        'narration: "The fire spits. "We should move," Maya says, and nobody laughs."\nresponding_characters: '
        "maya\nmood: tense",
    ),
    _fire(
        "y10-quoted-escaped",
        'narration: "The fire spits. \\"We should move,\\" Maya says, and nobody laughs."\n'
        "responding_characters: "
        '["maya"]\nmood: "tense"',
    ),
    _fire(
        "y11-unclosed-quote",
        'narration: "The fire spits. \\"We should move,\\" Maya says, and nobody laughs.\nresponding_characters: '
        "[maya]\nmood: tense",
    ),
    _good("y12-bullets", f"{BLOCK}responding_characters:\n• Maya\n• Father Joaquin\nmood: tense"),
    _good("y13-numbers", f"{BLOCK}responding_characters:\n  1. maya\n  2. joaquin\nmood: tense"),
    _good("y14-stars", f"{BLOCK}responding_characters:\n* maya\n* joaquin\n\nmood: tense"),
    _good("y15-dashes-tight", f"{BLOCK}responding_characters:\n-maya\n-joaquin\nmood: tense"),
    _good(
        "y16-missing-colon",
        f"narration |\n  {WRECK}\nresponding_characters [maya, joaquin]\nmood tense".replace(
            "\n\nSome", "\n\n  Some"
        ),
    ),
    _good(
        "y17-list-of-maps",
        "- narration: |\n    You step over the torn seats. Smoke curls out of the tail section.\n\n    "
        "Somewhere a "
        "strap creaks.\n- responding_characters: [maya, joaquin]\n- mood: tense",
    ),
    _good(
        "y18-outer-key",
        "response:\n  narration: |\n    You step over the torn seats. Smoke curls out of the tail section.\n\n  "
        "  "
        "Somewhere a strap creaks.\n  responding_characters: [maya, joaquin]\n  mood: tense",
    ),
    _good(
        "y19-comments", f"{BLOCK}responding_characters: [maya, joaquin]  # both heard it\nmood: tense # smoke"
    ),
    _good(
        "y20-literal-escapes",
        "narration: You step over the torn seats. Smoke curls out of the tail section.\\n\\nSomewhere a strap "
        f"creaks.\n{TAIL}",
    ),
    _good("y21-escaped-whole", f"{BLOCK}{TAIL}".replace("\n", "\\n")),
    _good("y22-equals", f"narration = {WRECK}\nresponding_characters = maya, joaquin\nmood = tense"),
    _good("y23-arrow", f"narration -> {WRECK}\nresponding_characters -> maya, joaquin\nmood -> tense"),
    _good(
        "y24-semicolons",
        f"narration: {WRECK.replace(chr(10) * 2, ' ')}; responding_characters: maya, joaquin; mood: tense",
    ),
    _good(
        "y25-keys-first",
        "mood: tense\nresponding_characters: [maya, joaquin]\nnarration: |\n  You step over the torn seats. "
        "Smoke curls "
        "out of the tail section.\n\n  Somewhere a strap creaks.",
    ),
    _good("y26-prose-first", f"{WRECK}\n\nresponding_characters: [maya, joaquin]\nmood: tense"),
    _good("y27-prose-last", f"{TAIL}\n\n{WRECK}"),
    _good("y28-prose-before-fence", f"{WRECK}\n\n```yaml\n{TAIL}\n```"),
    _good("y29-key-twice", f"{BLOCK}mood: tense\nresponding_characters: [maya, joaquin]\nmood: tense"),
    _good("y30-extra-keys", f"turn: 12\n{BLOCK}{TAIL}\nlocation: beach\nplayer_action: none"),
    _good("y31-flow-unclosed", f"{BLOCK}responding_characters: [maya, joaquin\nmood: tense"),
    _good("y32-flow-many-lines", f"{BLOCK}responding_characters: [\n  maya,\n  joaquin,\n]\nmood: tense"),
    Case(
        "y33-cut-in-key",
        "narrator",
        f"{BLOCK}responding_characters: [maya, joaquin]\nmo",
        {"narration": WRECK, "responding_characters": ["maya", "joaquin"]},
    ),
    Case("y34-cut-in-list", "narrator", f"{BLOCK}responding_characters: [maya, joa", {"narration": WRECK}),
    _good("y35-bracketed-text", f"{BLOCK}responding_characters: (maya, joaquin)\nmood: (tense)"),
)

SHAPES = (
    _good(
        "s01-headings", f"# Narration\n{WRECK}\n\n# Responding Characters\n- Maya\n- Joaquin\n\n# Mood\ntense"
    ),
    _good(
        "s02-headings-bold",
        f"### **Narration**\n\n{WRECK}\n\n### **Responding Characters**\nMaya, Joaquin\n\n### **Mood**\nTense",
    ),
    _good(
        "s03-bold-keys", f"**narration:** {WRECK}\n**responding_characters:** maya, joaquin\n**mood:** tense"
    ),
    _good(
        "s04-bold-colon-outside",
        f"**Narration**: {WRECK}\n\n**Responding characters**: Maya and Joaquin\n\n**Mood**: Tense.",
    ),
    _good("s05-brackets", f"[NARRATION]\n{WRECK}\n[RESPONDING CHARACTERS]\nmaya\njoaquin\n[MOOD]\ntense"),
    _good(
        "s06-rules",
        f"=== NARRATION ===\n{WRECK}\n=== RESPONDING_CHARACTERS ===\nmaya, joaquin\n=== MOOD ===\ntense",
    ),
    _good(
        "s07-xml",
        f"<narration>{WRECK}</narration>\n<responding_characters>[maya, joaquin]</responding_characters>\n"
        f"<mood>tense</mood>",
    ),
    _good("s08-xml-unclosed", f"<narration>\n{WRECK}\n<responding_characters>maya, joaquin\n<mood>tense"),
    _good(
        "s09-xml-items",
        f"<scene><narration>{WRECK}</narration><responding_characters><character>maya</character><character>joaquin"
        "</character></responding_characters><mood>tense</mood></scene>",
    ),
    _good(
        "s10-bullet-keys",
        f"- **Narration**: {WRECK}\n- **Responding characters**: maya, joaquin\n- **Mood**: tense",
    ),
    _good(
        "s11-emoji-keys", f"🎬 Narration: {WRECK}\n👥 Responding Characters: Maya, Joaquin\n🎭 Mood: Tense 😬"
    ),
    _good(
        "s12-json",
        '{"narration": "You step over the torn seats. Smoke curls out of the tail section.\\n\\nSomewhere a '
        'strap creaks.", '
        '"responding_characters": ["maya", "joaquin"], "mood": "tense"}',
    ),
    _good(
        "s13-json-raw-newlines",
        f'{{"narration": "{WRECK}",\n"responding_characters": ["maya", "joaquin"],\n"mood": "tense"}}',
    ),
    _good(
        "s14-json-side-by-side",
        f'{{"narration": "{WRECK}"}}\n{{"responding_characters": ["maya", "joaquin"]}}\n{{"mood": "tense"}}',
    ),
    _good(
        "s15-json-list",
        f'[{{"narration": "{WRECK}", "responding_characters": ["maya", "joaquin"], "mood": "tense"}}]',
    ),
    _good(
        "s16-yaml-in-json",
        '{"yaml": "narration: |\\n  You step over the torn seats. Smoke curls out of the tail section.\\n\\n  '
        "Somewhere a "
        'strap creaks.\\nresponding_characters: [maya, joaquin]\\nmood: tense"}',
    ),
    _good(
        "s17-json-in-json",
        '{"response": "{\\"narration\\": \\"You step over the torn seats. Smoke curls out of the tail section. '
        "Somewhere "
        'a strap creaks.\\", \\"responding_characters\\": [\\"maya\\", \\"joaquin\\"], \\"mood\\": '
        '\\"tense\\"}"}',
    ),
    _good(
        "s18-tool-call",
        '{"name": "narrate", "arguments": {"narration": "You step over the torn seats. Smoke curls out of the '
        "tail section. "
        'Somewhere a strap creaks.", "responding_characters": ["maya", "joaquin"], "mood": "tense"}}',
    ),
    _good(
        "s19-key-unquoted", f'{{narration: "{WRECK}", responding_characters: [maya, joaquin], mood: tense}}'
    ),
    _good(
        "s20-doubled-braces",
        f'{{{{"narration": "{WRECK}", "responding_characters": ["maya", "joaquin"], "mood": "tense"}}}}',
    ),
    _good(
        "s21-table",
        f"| narration | {WRECK.replace(chr(10) * 2, ' ')} |\n| responding_characters | maya, joaquin |\n| mood "
        f"| tense |",
    ),
    _good("s22-caps", f"NARRATION: {WRECK}\nRESPONDING_CHARACTERS: MAYA, JOAQUIN\nMOOD: TENSE"),
    _good("s23-camel", f"narrationText: {WRECK}\nrespondingCharacters: [maya, joaquin]\nmood: tense"),
    _good("s24-typos", f"narraton: {WRECK}\nresponding_charcters: [maya, joaquin]\nmood: tense"),
    _good("s25-hyphens", f"Narration: {WRECK}\nResponding-Characters: maya; joaquin\nMood: tense"),
    _good("s26-german", f"Erzählung: {WRECK}\nAntwortende Charaktere: Maya und Joaquin\nStimmung: tense"),
    _good("s27-french", f"récit : {WRECK}\npersonnages_qui_répondent : maya et joaquin\nambiance : tense"),
    _good("s28-renamed", f"narrative: {WRECK}\nresponders: [maya, joaquin]\natmosphere: tense"),
    _good("s29-story-key", f"Story: {WRECK}\nWho responds: maya, joaquin\nTone: tense"),
    _good(
        "s30-remarks",
        f"narration (second person): {WRECK}\nresponding_characters (ids): maya, joaquin\nmood (one word): tense",
    ),
    Case(
        "s31-prose-only",
        "narrator",
        f"{WRECK} Father Joaquin watches you from the wing.",
        {"narration": f"{WRECK} Father Joaquin watches you from the wing."},
    ),
    Case(
        "s32-prose-and-greeting",
        "narrator",
        f"Sure! Here is the next scene:\n\n{WRECK}",
        {"narration": WRECK},
    ),
    _fire(
        "s33-python-dict",
        "{'narration': 'The fire spits. \"We should move,\" Maya says, and nobody laughs.', "
        "'responding_characters': "
        "['maya'], 'mood': 'tense'}",
    ),
    _fire(
        "s34-smart-quotes",
        '{“narration”: “The fire spits. "We should move," Maya says, and nobody laughs.”, '
        "“responding_characters”: "
        "[“maya”], “mood”: “tense”}",
    ),
    _fire(
        "s35-inner-quotes",
        '{"narration": "The fire spits. "We should move," Maya says, and nobody laughs.", '
        '"responding_characters": '
        '["maya"], "mood": "tense"}',
    ),
    _fire(
        "s36-missing-commas",
        '{"narration": "The fire spits. \\"We should move,\\" Maya says, and nobody laughs."\n'
        '"responding_characters": '
        '["maya"]\n"mood": "tense"}',
    ),
    _fire(
        "s37-missing-brace",
        '{"narration": "The fire spits. \\"We should move,\\" Maya says, and nobody laughs.", '
        '"responding_characters": '
        '["maya"], "mood": "tense"',
    ),
    _fire(
        "s38-comments",
        '{\n  // the scene\n  "narration": "The fire spits. \\"We should move,\\" Maya says, and nobody '
        'laughs.",\n  '
        '"responding_characters": ["maya"], # only her\n  "mood": "tense" /* or calm */\n}',
    ),
    _fire(
        "s39-text-around-json",
        'My answer: {"narration": "The fire spits. \\"We should move,\\" Maya says, and nobody laughs.", '
        '"responding_characters": ["maya"], "mood": "tense"} That is all.',
    ),
    _fire(
        "s40-paragraph-list",
        '{"narration": ["The fire spits.", "\\"We should move,\\" Maya says, and nobody laughs."], '
        '"responding_characters": ["maya"], "mood": ["tense"]}',
    ),
)

VALUES = (
    _good("v01-names", f"{BLOCK}responding_characters: [Maya Chen, Father Joaquin Reyes]\nmood: tense"),
    _good(
        "v02-id-name",
        f"{BLOCK}responding_characters:\n  - maya (Maya Chen)\n  - Father Joaquin (joaquin)\nmood: tense",
    ),
    _good("v03-and", f"{BLOCK}responding_characters: maya and joaquin\nmood: Tense!"),
    _good("v04-unknown", f"{BLOCK}responding_characters: [maya, Sergeant Pike, joaquin]\nmood: tense"),
    _good("v05-player", f"{BLOCK}responding_characters: [player, maya, joaquin, narrator]\nmood: tense"),
    _good(
        "v06-objects",
        f'{BLOCK}responding_characters:\n  - name: Maya Chen\n    line: "No."\n  - name: Joaquin\n    line: '
        f'"Yes."\nmood: tense',
    ),
    _good(
        "v07-booleans",
        f"{BLOCK}responding_characters:\n  maya: true\n  lena: false\n  joaquin: yes\nmood: tense",
    ),
    _good(
        "v08-reasons",
        f"{BLOCK}responding_characters:\n  - maya: she is closest\n  - joaquin - he prays\nmood: tense",
    ),
    _good("v09-none", f"{BLOCK}responding_characters: none\nmood: tense", responding_characters=[]),
    _good("v10-nobody", f"{BLOCK}responding_characters: nobody\nmood: tense", responding_characters=[]),
    _good("v11-empty", f"{BLOCK}responding_characters:\nmood: tense", responding_characters=[]),
    _good("v12-null", f"{BLOCK}responding_characters: null\nmood: tense", responding_characters=[]),
    _good(
        "v13-slug",
        f"{BLOCK}responding_characters: [tom, LENA]\nmood: tense",
        responding_characters=["old_tom", "lena"],
    ),
    _good(
        "v14-upper-names",
        f"{BLOCK}responding_characters: [OLD TOM, Okafor]\nmood: tense",
        responding_characters=["old_tom", "lena"],
    ),
    _good(
        "v15-misspelt",
        f"{BLOCK}responding_characters: [Joaqin, Mayaa]\nmood: tense",
        responding_characters=["joaquin", "maya"],
    ),
    _good(
        "v16-order-and-doubles",
        f"{BLOCK}responding_characters: [joaquin, maya, Joaquin, Maya Chen]\nmood: tense",
        responding_characters=["joaquin", "maya"],
    ),
    _good("v17-sentence", f"{BLOCK}responding_characters: Maya responds first, then Joaquin.\nmood: tense"),
    _good(
        "v18-everyone",
        f"{BLOCK}responding_characters: all\nmood: tense",
        responding_characters=["maya", "joaquin", "old_tom", "lena"],
    ),
    _good("v19-mood-words", f"{BLOCK}responding_characters: [maya, joaquin]\nmood: tense and urgent"),
    _good("v20-mood-emoji", f"{BLOCK}responding_characters: [maya, joaquin]\nmood: 😨 Tense"),
    _good("v21-mood-unknown", f"{BLOCK}responding_characters: [maya, joaquin]\nmood: Spooky", mood="spooky"),
    _good(
        "v22-mood-noun", f"{BLOCK}responding_characters: [maya, joaquin]\nmood: mystery", mood="mysterious"
    ),
    _good(
        "v23-present", f"{BLOCK}{TAIL}\npresent: [maya, joaquin, Tom]", present=["maya", "joaquin", "old_tom"]
    ),
    _good("v24-possessive", f"{BLOCK}responding_characters: [maya, Maya's mother, joaquin]\nmood: tense"),
    _good("v25-quoted-ids", f"{BLOCK}responding_characters: ['maya', \"joaquin\"]\nmood: 'tense'"),
    _good("v26-slashes", f"{BLOCK}responding_characters: maya / joaquin\nmood: tense/urgent"),
    _good(
        "v27-speeches",
        f'{BLOCK}responding_characters:\n  maya: "We should go."\n  joaquin: "Let us pray."\nmood: tense',
    ),
)

NOTHING = (
    Case("n01-empty", "narrator", "", None),
    Case("n02-spaces", "narrator", " \n\t\n", None),
    Case("n03-refusal", "narrator", "I'm sorry, but I can't assist with that request.", None),
    Case(
        "n04-refusal-in-key",
        "narrator",
        "narration: I cannot continue this story because it contains violence.\nmood: calm",
        None,
    ),
    Case("n05-example", "narrator", EXAMPLE.replace("```yaml\n", "").replace("\n```", ""), None),
    Case(
        "n06-example-as-json",
        "narrator",
        '{"narration": "You set the copper kettle on Zebulon\'s bench. Quillaby hums at the window.", '
        '"responding_characters": ["quillaby"], "mood": "humorous"}',
        None,
    ),
    Case(
        "n19-example-misspelt", "narrator", EXAMPLE.replace("responding_characters", "responcharacters"), None
    ),
    Case(
        "n20-example-unfenced-misspelt",
        "narrator",
        EXAMPLE.removeprefix("```yaml\n").removesuffix("\n```").replace("responding_", "respon"),
        None,
    ),
    Case(
        "n07-schema",
        "narrator",
        '{"type": "object", "properties": {"narration": {"type": "string"}, "mood": {"type": "string"}}}',
        None,
    ),
    Case(
        "n08-placeholders",
        "narrator",
        "narration: |\n  <your narration here>\nresponding_characters: [id1, id2]\nmood: <mood>",
        None,
    ),
    Case(
        "n09-instructions",
        "narrator",
        "Write the narration in second person, present tense, 150 to 300 words, then the YAML keys "
        "responding_characters and mood.",
        None,
    ),
    Case("n10-off-task", "narrator", "Hello! How can I help you today?", None),
    Case("n11-code", "narrator", "```python\ndef play():\n    print('hello')\n```", None),
    Case(
        "n12-as-an-ai",
        "narrator",
        "As an AI language model, I don't have feelings, but I can tell you a story.",
        None,
    ),
    Case("n13-clarify", "narrator", "Could you please provide more details about what you do next?", None),
    Case("n14-keys-only", "narrator", "responding_characters: [maya]\nmood: tense", None),
    Case("n15-dots", "narrator", "narration: ...\nresponding_characters: [...]\nmood: ...", None),
    Case("n16-cut-at-once", "narrator", "```yaml\nnarr", None),
    Case("n17-capital", "narrator", "The capital of France is Paris.", None),
    Case(
        "n18-meta", "narrator", "The user wants me to continue the story in YAML format with narration.", None
    ),
)

NARRATOR_CASES = (*WRAPPERS, *THOUGHTS, *YAML, *SHAPES, *VALUES, *NOTHING)
