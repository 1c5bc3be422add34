"""A second set written without looking at the reader, in another story and by another hand's habits."""

from __future__ import annotations

from tests.reading.cases import Case
from theact_tui.models.reading.context import Context

PIT = Context(
    active_characters={
        "ogilvy": "Ogilvy",
        "henderson": "Mr. Henderson",
        "mrs_elphinstone": "Mrs. Elphinstone",
        "pvt_kane": "Private Kane",
    },
    beats=(
        "Ogilvy discovers the cylinder in the sand pit",
        "The lid begins to unscrew",
        "Henderson sends a telegram to London",
        "The deputation is killed by the heat ray",
        "The player escapes the common alive",
    ),
    facts=(
        "Ogilvy is convinced something lives inside the cylinder.",
        "The telegraph office closes at six.",
        "Private Kane lost his rifle at the canal.",
        "Mrs. Elphinstone hides 20 sovereigns in her boot.",
    ),
    prompt_example=(
        "```yaml\nnarration: |\n  The lighthouse keeper taps the glass twice. You smell oranges.\n"
        "responding_characters: [bartleby]\nmood: calm\n```"
    ),
)
HEAT = "Heat shimmers above the rim of the pit. You lie flat in the heather and count your breaths."
TALK = (
    "The crowd falls silent. “Don't go nearer,” you hear someone hiss; a boy laughs.\n\n"
    "Then the lid moves: a quarter turn, no more."
)


def _case(id: str, agent: str, raw: str, **fields: object) -> Case:
    return Case(id, agent, raw, fields or None, PIT)


SECOND = (
    _case(
        "z01",
        "narrator",
        f"<|assistant|>\nHere you go —\n\n```YAML\nnarration: |\n   {HEAT}\nresponding_characters:\n   - "
        f"Ogilvy\n   - Pvt. Kane\nmood: Tense\n````",
        narration=HEAT,
        responding_characters=["ogilvy", "pvt_kane"],
        mood="tense",
    ),
    _case(
        "z02",
        "narrator",
        f"NARRATION: {HEAT}\n\nRESPONDING: Kane, then Henderson\n\nMOOD: melancholic (grey)",
        narration=HEAT,
        responding_characters=["pvt_kane", "henderson"],
        mood="melancholic",
    ),
    _case(
        "z03",
        "narrator",
        '{\n\t"narration" : "The crowd falls silent. “Don\'t go nearer,” you hear someone hiss; a boy laughs.\n'
        "\nThen the lid moves: a quarter turn, "
        'no more.",\n\t"responding_characters" : [ "henderson", "ogilvy", ],\n\t"mood" : "dramatic",\n}',
        narration=TALK,
        responding_characters=["henderson", "ogilvy"],
        mood="dramatic",
    ),
    _case(
        "z04",
        "narrator",
        f"narration: >-\n  {HEAT}\nresponding_characters: !!seq [ogilvy]\nmood: !!str calm",
        narration=HEAT,
        responding_characters=["ogilvy"],
        mood="calm",
    ),
    _case(
        "z05",
        "narrator",
        f"{HEAT}\n\n**Who responds:** Mrs. Elphinstone, Private Kane\n**Mood:** urgent",
        narration=HEAT,
        responding_characters=["mrs_elphinstone", "pvt_kane"],
        mood="urgent",
    ),
    _case(
        "z06",
        "narrator",
        f"narration: |\n  {HEAT}\nresponding_characters: [ogilvy, henderson]\nmood: tense\n\n---\n\n"
        f"**Explanation:** I chose a tense mood because of the pit.",
        narration=HEAT,
        responding_characters=["ogilvy", "henderson"],
        mood="tense",
    ),
    _case(
        "z07",
        "narrator",
        f"# yaml\nnarration: |\n  {HEAT}\n\n# who answers\nresponding_characters:\n  - henderson   # he has the "
        f"news\n\n# mood\nmood: tense",
        narration=HEAT,
        responding_characters=["henderson"],
        mood="tense",
    ),
    _case(
        "z08",
        "narrator",
        '{"scene": {"narration": "' + HEAT + '", "mood": "tense"}, "responding_characters": ["kane"]}',
        narration=HEAT,
        responding_characters=["pvt_kane"],
        mood="tense",
    ),
    _case(
        "z09",
        "narrator",
        "Reasoning: the player hides, so the crowd should react. Mood: urgent?\n\nAnswer:\nnarration: "
        + HEAT
        + "\nresponding_characters: [ogilvy]\nmood: tense",
        narration=HEAT,
        responding_characters=["ogilvy"],
        mood="tense",
    ),
    _case(
        "z10",
        "narrator",
        f"<narration>{HEAT}</narration><responding>ogilvy, pvt_kane</responding><mood>tense</mood>",
        narration=HEAT,
        responding_characters=["ogilvy", "pvt_kane"],
        mood="tense",
    ),
    _case(
        "z11",
        "narrator",
        f"narration: |2\n    {HEAT}\nresponding_characters: [ogilvy,]\nmood: tense,",
        narration=HEAT,
        responding_characters=["ogilvy"],
        mood="tense",
    ),
    _case(
        "z12",
        "narrator",
        f"```yaml\nnarration: |\n  {HEAT}\nresponding_characters: [ogilvy]\nmood: tense\n``` \n\nAssistant: "
        f"```yaml\nnarration: |\n  You stand.\nresponding_characters: []\nmood: calm\n```",
        narration=HEAT,
        responding_characters=["ogilvy"],
        mood="tense",
    ),
    _case(
        "z13",
        "narrator",
        f'"narration": |\n  {HEAT}\n"responding_characters": ["ogilvy"]\n"mood": "tense"',
        narration=HEAT,
        responding_characters=["ogilvy"],
        mood="tense",
    ),
    _case(
        "z14",
        "narrator",
        f"narration: |\n  {HEAT}\nresponding_characters: Ogilvy (astronomer), Mr Henderson (journalist)\nmood: "
        f"'mysterious.'",
        narration=HEAT,
        responding_characters=["ogilvy", "henderson"],
        mood="mysterious",
    ),
    _case(
        "z15",
        "narrator",
        f"[narration]\n{HEAT}\n[/narration]\n[responding_characters]ogilvy[/responding_characters]\n"
        f"[mood]tense[/mood]",
        narration=HEAT,
        responding_characters=["ogilvy"],
        mood="tense",
    ),
    _case(
        "z16",
        "narrator",
        "***\n\n" + HEAT + "\n\n***\n\n*Mood: tense. Responding characters: Ogilvy.*",
        narration=HEAT,
        responding_characters=["ogilvy"],
        mood="tense",
    ),
    _case(
        "z17",
        "narrator",
        "narration: |\n  Heat shimmers above the rim of the pit.\n\n  You lie flat in the heather and count "
        "your breaths.\n  \n  \nresponding_characters:\n- ogilvy\nmood:\n- tense",
        narration=HEAT,
        responding_characters=["ogilvy"],
        mood="tense",
    ),
    _case(
        "z18",
        "narrator",
        f"narration: '{HEAT}'\nresponding_characters: 'ogilvy, henderson'\nmood: 'tense'",
        narration=HEAT,
        responding_characters=["ogilvy", "henderson"],
        mood="tense",
    ),
    _case(
        "z19",
        "narrator",
        "The user wants me to write the next narration. I should not decide for the player.\n</think>\n\n"
        + HEAT
        + "\n\nresponding_characters: []\nmood: tense",
        narration=HEAT,
        responding_characters=[],
        mood="tense",
    ),
    _case(
        "z20",
        "narrator",
        "narration:\n  - Heat shimmers above the rim of the pit.\n  - You lie flat in the heather and count "
        "your breaths.\nresponding_characters: [ogilvy]\nmood: tense",
        narration=HEAT,
        responding_characters=["ogilvy"],
        mood="tense",
    ),
    _case(
        "z21",
        "narrator",
        f"- narration: {HEAT}\n  responding_characters: [ogilvy]\n  mood: tense",
        narration=HEAT,
        responding_characters=["ogilvy"],
        mood="tense",
    ),
    _case(
        "z22",
        "narrator",
        f"narration：{HEAT}\nresponding_characters：ogilvy、henderson\nmood：tense",
        narration=HEAT,
        responding_characters=["ogilvy", "henderson"],
        mood="tense",
    ),
    _case(
        "z23",
        "narrator",
        "I'm really sorry, but I won't be able to continue with this scene.",
    ),
    _case(
        "z24",
        "narrator",
        "The lighthouse keeper taps the glass twice. You smell oranges.\n\nresponding_characters: [bartleby]\n"
        "mood: calm",
    ),
    _case("z25", "narrator", '{"narration": "", "responding_characters": [], "mood": "calm"}'),
    _case("z26", "narrator", "Lorem ipsum dolor sit amet, consectetur adipiscing elit."),
    _case(
        "z27",
        "narrator",
        "Step 1: Read the player's action.\nStep 2: Write narration.\nStep 3: Choose characters.",
    ),
    _case(
        "z28",
        "narrator",
        "narration: |\n  " + "Heat shimmers above the rim of the pit. " + "You wait. " * 300,
        narration="Heat shimmers above the rim of the pit. You wait.",
    ),
    # progress
    _case(
        "z30",
        "progress",
        'chapter_complete: false\nreason: "Nobody has been killed yet, so the chapter can\'t be over."\n'
        'new_beats: ["2. The lid begins to unscrew"]',
        chapter_complete=False,
        reason="Nobody has been killed yet, so the chapter can't be over.",
        new_beats=["The lid begins to unscrew"],
    ),
    _case(
        "z31",
        "progress",
        "Beats hit this turn: 1, 2\nChapter complete: No\nReason: the ray has not fired",
        chapter_complete=False,
        reason="the ray has not fired",
        new_beats=["Ogilvy discovers the cylinder in the sand pit", "The lid begins to unscrew"],
    ),
    _case(
        "z32",
        "progress",
        '{"chapter_complete": "no", "new_beats": [{"id": 3, "beat": "Henderson sends a telegram to London", '
        '"hit": true}], "reason": null}',
        chapter_complete=False,
        new_beats=["Henderson sends a telegram to London"],
    ),
    _case(
        "z33",
        "progress",
        "```\nchapter_complete: False\nreason: >\n  The lid moved\n  but nobody died.\nnew_beats:\n  - >\n    "
        "the lid begins to unscrew\n```",
        chapter_complete=False,
        reason="The lid moved but nobody died.",
        new_beats=["The lid begins to unscrew"],
    ),
    _case(
        "z34",
        "progress",
        "chapter_complete: false\nreason: still at the pit\nnew_beats: Beat 1 and Beat 2",
        chapter_complete=False,
        reason="still at the pit",
        new_beats=["Ogilvy discovers the cylinder in the sand pit", "The lid begins to unscrew"],
    ),
    _case(
        "z35",
        "progress",
        "chapter_complete: false\nreason: still at the pit\nnew_beats:\n  - The lid begins to unscrew. (The "
        "crowd sees it turn.)\n  - The martians land in London",
        chapter_complete=False,
        reason="still at the pit",
        new_beats=["The lid begins to unscrew"],
    ),
    _case(
        "z36",
        "progress",
        "Let me check each beat:\n1. Ogilvy discovers the cylinder in the sand pit - already hit\n2. The lid "
        "begins to unscrew - YES\n3. Henderson sends a telegram - no\n\n"
        "chapter_complete: false\nreason: three beats left\nnew_beats: [2]",
        chapter_complete=False,
        reason="three beats left",
        new_beats=["The lid begins to unscrew"],
    ),
    _case(
        "z37",
        "progress",
        "CHAPTER_COMPLETE=TRUE\nREASON=everyone is dead or fled\nNEW_BEATS=[4,5]",
        chapter_complete=True,
        reason="everyone is dead or fled",
        new_beats=["The deputation is killed by the heat ray", "The player escapes the common alive"],
    ),
    _case(
        "z38",
        "progress",
        "chapter_complete: false.\nreason: the deputation survived\nnew_beats:\n- The deputation is not killed "
        "by the heat ray",
        chapter_complete=False,
        reason="the deputation survived",
        new_beats=[],
    ),
    _case(
        "z39",
        "progress",
        "{'chapter_complete': False, 'reason': 'Henderson's telegram isn't sent', 'new_beats': []}",
        chapter_complete=False,
        reason="Henderson's telegram isn't sent",
        new_beats=[],
    ),
    _case("z40", "progress", "chapter_complete: <true or false>\nreason: <why>\nnew_beats: <list>"),
    _case("z41", "progress", "It depends on what the player does next."),
    _case(
        "z42",
        "progress",
        "chapter_complete: false\nreason: not yet\nnew_beats:\n  The lid begins to unscrew\n  Henderson sends a "
        "telegram to London",
        chapter_complete=False,
        reason="not yet",
        new_beats=["The lid begins to unscrew", "Henderson sends a telegram to London"],
    ),
    # memory
    _case(
        "z50",
        "memory",
        'summary: Kane now follows the player.\nadd:\n  - "The pit is ringed by soldiers."\n  - \'Kane owes the '
        'player his life.\'\nremove:\n  - "fact 2"\nupdate:\n  - {old: "3", new: "Private Kane has a new '
        'rifle."}',
        summary="Kane now follows the player.",
        add=["The pit is ringed by soldiers.", "Kane owes the player his life."],
        remove=["The telegraph office closes at six."],
        update=[{"old": "Private Kane lost his rifle at the canal.", "new": "Private Kane has a new rifle."}],
    ),
    _case(
        "z51",
        "memory",
        "**Summary**: Kane now follows the player.\n\n**Add**:\n1. The pit is ringed by soldiers.\n\n"
        "**Remove**:\n2. The telegraph office closes at six.\n\n**Update**:\n3. Private Kane lost his rifle at "
        "the canal. → Private Kane has a new rifle.",
        summary="Kane now follows the player.",
        add=["The pit is ringed by soldiers."],
        remove=["The telegraph office closes at six."],
        update=[{"old": "Private Kane lost his rifle at the canal.", "new": "Private Kane has a new rifle."}],
    ),
    _case(
        "z52",
        "memory",
        '{"summary": "Kane now follows the player.", "add": ["The pit is ringed by soldiers."], "remove": ["The '
        'telegraph office closes at six"], "update": [{"old": "Mrs. Elphinstone hides 20 sovereigns in her '
        'boot", "new": "Mrs. Elphinstone gave 5 of her 20 sovereigns away."}]',
        summary="Kane now follows the player.",
        add=["The pit is ringed by soldiers."],
        remove=["The telegraph office closes at six."],
        update=[
            {
                "old": "Mrs. Elphinstone hides 20 sovereigns in her boot.",
                "new": "Mrs. Elphinstone gave 5 of her 20 sovereigns away.",
            }
        ],
    ),
    _case(
        "z53",
        "memory",
        'summary: |\n    Kane now follows\n    the player.\nadd: [\n    "The pit is ringed by soldiers."\n    '
        '"Kane owes the player his life."\n]\nremove: []\nupdate: {}',
        summary="Kane now follows the player.",
        add=["The pit is ringed by soldiers.", "Kane owes the player his life."],
        remove=[],
        update=[],
    ),
    _case(
        "z54",
        "memory",
        "New summary: Kane now follows the player.\nFacts to add: The pit is ringed by soldiers.\nFacts to "
        "remove: none\nFacts to update: none",
        summary="Kane now follows the player.",
        add=["The pit is ringed by soldiers."],
        remove=[],
        update=[],
    ),
    _case(
        "z55",
        "memory",
        "summary: Kane now follows the player.\nadd:\n  - The pit is ringed by soldiers.\n\n    They came at "
        "noon.\nremove:\nupdate:\n  - old: >\n      The telegraph office\n      closes at six.\n    new: >\n    "
        "  The telegraph office is shut for good.",
        summary="Kane now follows the player.",
        remove=[],
        update=[
            {"old": "The telegraph office closes at six.", "new": "The telegraph office is shut for good."}
        ],
    ),
    _case(
        "z56",
        "memory",
        "summary: Kane now follows the player.\nupdate: The telegraph office closes at six -> The telegraph "
        "office is shut.\nadd: nothing new\nremove: nothing",
        summary="Kane now follows the player.",
        add=[],
        remove=[],
        update=[{"old": "The telegraph office closes at six.", "new": "The telegraph office is shut."}],
    ),
    _case(
        "z57",
        "memory",
        "summary: Kane now follows the player.\nremove:\n  - Mrs. Elphinstone hides 30 sovereigns in her boot.",
        summary="Kane now follows the player.",
        remove=[],
    ),
    _case(
        "z58",
        "memory",
        "Here is the memory update for Private Kane:\n\nsummary: Kane now follows the player.\nadd:\n  • The "
        "pit is ringed by soldiers.\nremove:\n  • (none)\nupdate:\n  • (none)\n\nLet me know if you need "
        "anything else!",
        summary="Kane now follows the player.",
        add=["The pit is ringed by soldiers."],
        remove=[],
        update=[],
    ),
    _case("z59", "memory", "I don't see any new information to add."),
    _case(
        "z60",
        "memory",
        '{"facts": {"add": ["The pit is ringed by soldiers."], "remove": [2], "update": [[3, "Kane has a new '
        'rifle."]]}, "summary": "Kane now follows the player."}',
        summary="Kane now follows the player.",
        add=["The pit is ringed by soldiers."],
        remove=["The telegraph office closes at six."],
        update=[{"old": "Private Kane lost his rifle at the canal.", "new": "Kane has a new rifle."}],
    ),
    # keeper
    _case(
        "z70",
        "keeper",
        '{"resolution": "17 beats 12 - you vault the fence", "moment_type": "Achievement", "moment_summary": '
        '"Vaulting the fence under fire", "moment_significance": "4/10"}',
        resolution="17 beats 12 - you vault the fence",
        moment_type="achievement",
        moment_summary="Vaulting the fence under fire",
        moment_significance=0.4,
    ),
    _case(
        "z71",
        "keeper",
        "Resolution → 17 beats 12, you vault the fence\nType → none",
        resolution="17 beats 12, you vault the fence",
        moment_type=None,
    ),
    _case(
        "z72",
        "keeper",
        '```json\n{\n  "resolution": "17 beats 12, you vault the fence",\n  "moment_type": "achievement",\n  '
        '"moment_summary": "Vaulting the fence",\n  "moment_significance": 0.4,\n}\n```\nThe player succeeds '
        "because the roll is higher.",
        resolution="17 beats 12, you vault the fence",
        moment_type="achievement",
        moment_summary="Vaulting the fence",
        moment_significance=0.4,
    ),
    _case(
        "z73",
        "keeper",
        '{"resolution": "17 beats 12, you vault the fence", "moment_type": null, "moment_summary": null, '
        '"moment_significance": null}',
        resolution="17 beats 12, you vault the fence",
        moment_type=None,
    ),
    _case(
        "z74",
        "keeper",
        '{"result": {"resolution": "17 beats 12, you vault the fence", "moment_type": "critical-success", '
        '"moment_significance": "0.9"}}',
        resolution="17 beats 12, you vault the fence",
        moment_type="critical_success",
        moment_significance=0.9,
    ),
    _case(
        "z75",
        "keeper",
        "resolution: '17 beats 12, you vault the fence'\nmoment_type: ~\nmoment_summary: ''\n"
        "moment_significance: ~",
        resolution="17 beats 12, you vault the fence",
        moment_type=None,
        moment_summary="",
    ),
    _case(
        "z76",
        "keeper",
        '{"resolution" "17 beats 12, you vault the fence", "moment_type" "achievement"}',
        resolution="17 beats 12, you vault the fence",
        moment_type="achievement",
    ),
    _case("z77", "keeper", "I rolled a 17! Do you want to continue?"),
    _case(
        "z78",
        "keeper",
        "{resolution: '17 beats 12, you vault the fence', moment_type: 'achievement', moment_summary: 'Vaulting "
        "the fence', moment_significance: 40%}",
        resolution="17 beats 12, you vault the fence",
        moment_type="achievement",
        moment_summary="Vaulting the fence",
        moment_significance=0.4,
    ),
    # prose
    _case(
        "z80",
        "character",
        "**Henderson** (wiping his glasses): I'll have it in the evening edition, mark me.",
        text="I'll have it in the evening edition, mark me.",
    ),
    _case(
        "z81",
        "character",
        'henderson: "I\'ll have it in the evening edition, mark me." He taps his watch.',
        text='"I\'ll have it in the evening edition, mark me." He taps his watch.',
    ),
    _case(
        "z82",
        "character",
        '```text\n"I\'ll have it in the evening edition." He taps his watch.\n```',
        text='"I\'ll have it in the evening edition." He taps his watch.',
    ),
    _case(
        "z83",
        "character",
        '{"response": "\\"I\'ll have it in the evening edition.\\" He taps his watch."}',
        text='"I\'ll have it in the evening edition." He taps his watch.',
    ),
    _case(
        "z84",
        "character",
        "<think>Henderson is greedy for news.\n\nSo he says he'll print it.</think>I'll print it.\n\nOgilvy: "
        "Don't!",
        text="I'll print it.",
    ),
    _case("z85", "character", "[Henderson is silent.]", text="[Henderson is silent.]"),
    _case(
        "z86",
        "summary",
        "**Story so far:** The cylinder fell and Ogilvy found it.",
        text="The cylinder fell and Ogilvy found it.",
    ),
    _case(
        "z87",
        "summary",
        'Sure, here\'s an updated summary in 5 sentences or less:\n\n"The cylinder fell and Ogilvy found it."',
        text="The cylinder fell and Ogilvy found it.",
    ),
    _case(
        "z88",
        "recap",
        "recap: >\n  The cylinder fell\n  and Ogilvy found it.",
        text="The cylinder fell and Ogilvy found it.",
    ),
    _case("z89", "cell", "**Memory entry (Turn 4):** I saw the lid turn.", text="I saw the lid turn."),
    _case("z90", "epilogue", "I apologize, but I'm not able to generate that content."),
    _case(
        "z91",
        "merge",
        "Merged memories:\n- I saw the lid turn.\n- I ran.",
        text="- I saw the lid turn.\n- I ran.",
    ),
    _case(
        "z92",
        "actor",
        "Agent Violet: *I draw the bolt and listen.*\n\nI whisper to the others to wait.",
        text="*I draw the bolt and listen.*\n\nI whisper to the others to wait.",
    ),
)
