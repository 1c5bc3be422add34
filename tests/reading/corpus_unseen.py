"""Replies written before the reader was, and kept out of sight while it was made: what it does here is its measure."""

from __future__ import annotations

from tests.reading.cases import EXAMPLE, Case

RAIN = (
    "Rain hammers the torn fuselage. You taste salt, and somewhere behind you the radio spits once and dies."
)
CAVE = "You crawl into the cave mouth.\n\nA cold breath of air tells you it goes deep."

UNSEEN = (
    # narrator: wrapper
    Case(
        "u01",
        "narrator",
        "Sure! Here's the next part of the story:\n\n```yml\nnarration: |\n  Rain hammers the torn fuselage. "
        "You taste "
        "salt, and somewhere behind you the radio spits once and dies.\nresponding_characters:\n  - maya\n  - "
        "lena\n"
        "mood: tense\n```\n\nLet me know if you'd like me to change anything!",
        {"narration": RAIN, "responding_characters": ["maya", "lena"], "mood": "tense"},
    ),
    Case(
        "u02",
        "narrator",
        "~~~\nnarration: >\n  Rain hammers the torn fuselage.\n  You taste salt, and somewhere behind you the "
        "radio "
        "spits once and dies.\nresponding_characters: [Father Joaquin, maya]\nmood: Tense.\n",
        {"narration": RAIN, "responding_characters": ["joaquin", "maya"], "mood": "tense"},
    ),
    Case(
        "u03",
        "narrator",
        "<response>\n<narration>\nRain hammers the torn fuselage. You taste salt, and somewhere behind you the "
        "radio "
        "spits once and dies.\n</narration>\n<responding_characters>maya, old tom</responding_characters>\n"
        "<mood>tense</mood>\n</response>",
        {"narration": RAIN, "responding_characters": ["maya", "old_tom"], "mood": "tense"},
    ),
    Case(
        "u04",
        "narrator",
        "**Narration:**\n\nYou crawl into the cave mouth.\n\nA cold breath of air tells you it goes deep.\n\n"
        "**Responding Characters:** Lena Okafor\n\n**Mood:** mysterious",
        {"narration": CAVE, "responding_characters": ["lena"], "mood": "mysterious"},
    ),
    Case(
        "u05",
        "narrator",
        "## Narration\nYou crawl into the cave mouth.\n\nA cold breath of air tells you it goes deep.\n\n"
        "## Responding characters\n1. Lena (lena)\n2. Maya (maya)\n\n## Mood\nMysterious 🌫️",
        {"narration": CAVE, "responding_characters": ["lena", "maya"], "mood": "mysterious"},
    ),
    Case(
        "u06",
        "narrator",
        "<think>The player goes in the cave. narration: maybe a bat? mood: humorous. I should respond in YAML."
        "</think>\n\nnarration: |\nYou crawl into the cave mouth.\n\nA cold breath of air tells you it goes "
        "deep.\n"
        "responding_characters: []\nmood: mysterious",
        {"narration": CAVE, "responding_characters": [], "mood": "mysterious"},
    ),
    Case(
        "u07",
        "narrator",
        "Okay, the player wants to enter the cave. Lena should talk since she knows caves. Mood is mysterious.\n"
        "</think>\n```yaml\nnarration: |\n  You crawl into the cave mouth.\n\n  A cold breath of air tells you "
        "it goes "
        "deep.\nresponding_characters: lena\nmood: mysterious\n```",
        {"narration": CAVE, "responding_characters": ["lena"], "mood": "mysterious"},
    ),
    Case(
        "u08",
        "narrator",
        "<|channel|>analysis<|message|>We need YAML with "
        "narration.<|end|><|start|>assistant<|channel|>final<|message|>"
        "```yaml\nnarration: |\n  You crawl into the cave mouth.\n\n  A cold breath of air tells you it goes "
        "deep.\n"
        "responding_characters: [lena]\nmood: mysterious\n```<|return|>",
        {"narration": CAVE, "responding_characters": ["lena"], "mood": "mysterious"},
    ),
    Case(
        "u09",
        "narrator",
        "<think>\nI need to write a scene. The player is in the cave, so:\n\nnarration: |\n  You step into the "
        "dark.\n"
        "responding_characters: [lena]\nmood: calm\n\nNo wait, that is too short, let me think about",
        None,
    ),
    # narrator: block scalars and YAML slips
    Case(
        "u10",
        "narrator",
        'narration: |\n  "Did you hear that?" Maya whispers.\n Nobody answers: the jungle does.\n   You hold '
        "your "
        "breath.\nresponding_characters: [maya]\nmood: tense",
        {
            "narration": '"Did you hear that?" Maya whispers. Nobody answers: the jungle does. You hold your '
            "breath.",
            "responding_characters": ["maya"],
            "mood": "tense",
        },
    ),
    Case(
        "u11",
        "narrator",
        'narration: Rain hammers the torn fuselage: you taste salt, and it\'s "over".\nresponding_characters:\n'
        "\t- joaquin\n\t- maya\nmood:\tmelancholic",
        {
            "narration": 'Rain hammers the torn fuselage: you taste salt, and it\'s "over".',
            "responding_characters": ["joaquin", "maya"],
            "mood": "melancholic",
        },
    ),
    Case(
        "u12",
        "narrator",
        "narration |\n  You crawl into the cave mouth.\n\n  A cold breath of air tells you it goes deep.\n\n"
        "responding_characters\n• Lena\n• Old Tom\n\nmood - mysterious",
        {"narration": CAVE, "responding_characters": ["lena", "old_tom"], "mood": "mysterious"},
    ),
    Case(
        "u13",
        "narrator",
        "narration: |-\n  You crawl into the cave mouth.\n\n  A cold breath of air tells you it goes deep.\n"
        "responding_characters: [lena, maya\nmood: mysterious\n",
        {"narration": CAVE, "responding_characters": ["lena", "maya"], "mood": "mysterious"},
    ),
    Case(
        "u14",
        "narrator",
        "```yaml\nnarration: |\n  You crawl into the cave mouth.\n\n  mood: that is the word scratched into the "
        "rock.\n"
        "responding_characters: [lena]\nmood: mysterious\n```",
        {
            "narration": "You crawl into the cave mouth.\n\nmood: that is the word scratched into the rock.",
            "responding_characters": ["lena"],
            "mood": "mysterious",
        },
    ),
    # narrator: JSON in place of YAML
    Case(
        "u15",
        "narrator",
        '{\n  "narration": "Maya lifts the lamp. "Stay behind me," she says, and the dark folds shut.",\n'
        '  "responding_characters": ["maya", "Tom"],\n  "mood": "tense",\n}',
        {
            "narration": 'Maya lifts the lamp. "Stay behind me," she says, and the dark folds shut.',
            "responding_characters": ["maya", "old_tom"],
            "mood": "tense",
        },
    ),
    Case(
        "u16",
        "narrator",
        "{'narration': 'You crawl into the cave mouth.\n\nA cold breath of air tells you it goes deep.', "
        "'responding_characters': None, 'mood': 'mysterious'}",
        {"narration": CAVE, "mood": "mysterious"},
    ),
    Case(
        "u17",
        "narrator",
        '{"response": {"narrative": "You crawl into the cave mouth.\\n\\nA cold breath of air tells you it goes '
        'deep.", '
        '"respondingCharacters": [{"id": "lena", "name": "Lena Okafor"}], "mood": "Mysterious"}}',
        {"narration": CAVE, "responding_characters": ["lena"], "mood": "mysterious"},
    ),
    Case(
        "u18",
        "narrator",
        '```json\n{"narration": "You crawl into the cave mouth.\\n\\nA cold breath of air tells you it goes '
        'deep.", '
        '"responding_characters": {"maya": false, "lena": true, "joaquin": true}, "mood": "mysterious"',
        {"narration": CAVE, "responding_characters": ["lena", "joaquin"], "mood": "mysterious"},
    ),
    # narrator: values, prose only, turns, cuts
    Case(
        "u19",
        "narrator",
        "You crawl into the cave mouth.\n\nA cold breath of air tells you it goes deep.\n\n---\n"
        "responding_characters: none\nmood: mysterious",
        {"narration": CAVE, "responding_characters": [], "mood": "mysterious"},
    ),
    Case(
        "u20",
        "narrator",
        "You crawl into the cave mouth.\n\nA cold breath of air tells you it goes deep.",
        {"narration": CAVE},
    ),
    Case(
        "u21",
        "narrator",
        "```yaml\nnarration: |\n  You crawl into the cave mouth.\n\n  A cold breath of air tells you it goes "
        "deep.\n"
        "responding_characters: [Captain Vane, lena, LENA, joaquin]\nmood: mysterious\n```\n\nPlayer: I go "
        "deeper.\n\n"
        "```yaml\nnarration: |\n  You fall.\nresponding_characters: [maya]\nmood: urgent\n```",
        {"narration": CAVE, "responding_characters": ["lena", "joaquin"], "mood": "mysterious"},
    ),
    Case(
        "u22",
        "narrator",
        "narration: |\n  You crawl into the cave mouth.\n\n  A cold breath of air tells you it go",
        {"narration": "You crawl into the cave mouth.\n\nA cold breath of air tells you it go"},
    ),
    Case(
        "u23",
        "narrator",
        "narrador: |\n  Te arrastras hacia la boca de la cueva.\npersonajes_que_responden: [maya y lena]\n"
        "estado_de_animo: mysterious",
        {
            "narration": "Te arrastras hacia la boca de la cueva.",
            "responding_characters": ["maya", "lena"],
            "mood": "mysterious",
        },
    ),
    Case("u24", "narrator", EXAMPLE, None),
    Case("u25", "narrator", "I'm sorry, but I can't continue this story as it may involve violence.", None),
    Case(
        "u26",
        "narrator",
        "```yaml\nnarration: |\n  <150 to 300 words of narration, second person>\nresponding_characters: "
        "[<ids>]\n"
        "mood: <tense|calm|urgent>\n```",
        None,
    ),
    Case("u27", "narrator", "```yaml\n```", None),
    # progress
    Case(
        "u28",
        "progress",
        "chapter_complete: FALSE (not yet)\nreason: They only found the water: the storm hasn't come.\n"
        "new_beats:\n"
        "  - 1. The survivors find fresh water\n",
        {
            "chapter_complete": False,
            "reason": "They only found the water: the storm hasn't come.",
            "new_beats": ["The survivors find fresh water"],
        },
    ),
    Case(
        "u29",
        "progress",
        "**chapter_complete**: No\n**reason**: Two beats are still open.\n**new_beats**: 2, 5",
        {
            "chapter_complete": False,
            "reason": "Two beats are still open.",
            "new_beats": ["Someone hears the radio crackle", "A footprint that is not theirs is discovered"],
        },
    ),
    Case(
        "u30",
        "progress",
        '{"chapter_complete": True, "reason": "the shelter is gone & the beacon truth is out", "new_beats": '
        '[{"number": 4, "text": "The storm destroys the shelter"}, "Maya admits that she sabotaged the beacon"]}',
        {
            "chapter_complete": True,
            "reason": "the shelter is gone & the beacon truth is out",
            "new_beats": ["The storm destroys the shelter", "Maya admits she sabotaged the beacon"],
        },
    ),
    Case(
        "u31",
        "progress",
        "Chapter Complete: yes.\nNew Beats:\n[x] Someone hears the radio crackle\n[ ] The storm destroys the "
        "shelter\n"
        "Reason: the set came alive for a moment",
        {
            "chapter_complete": True,
            "reason": "the set came alive for a moment",
            "new_beats": ["Someone hears the radio crackle"],
        },
    ),
    Case(
        "u32",
        "progress",
        "chapter_complete: false\nreason: nothing\nnew_beats:\n  - The pirates attack\n  - The storm does not "
        "destroy "
        "the shelter\n",
        {"chapter_complete": False, "reason": "nothing", "new_beats": []},
    ),
    Case(
        "u33",
        "progress",
        "- chapter_complete: false\n- reason: They are still arguing.\n- new_beats: none",
        {"chapter_complete": False, "reason": "They are still arguing.", "new_beats": []},
    ),
    Case(
        "u34",
        "progress",
        "reason: The storm hit hard.\nnew_beats:\n- the storm destroys the shelter.",
        None,
    ),
    Case(
        "u35",
        "progress",
        "The chapter is not complete yet, since nobody has found water.\n\nchapter_complete = false;\nnew_beats "
        "= [];\n"
        'reason = "no water yet";',
        {"chapter_complete": False, "reason": "no water yet", "new_beats": []},
    ),
    Case(
        "u36",
        "progress",
        '"{\\"chapter_complete\\": false, \\"reason\\": \\"The radio is \\\\\\"dead\\\\\\".\\", '
        '\\"new_beats\\": []}"',
        {"chapter_complete": False, "reason": 'The radio is "dead".', "new_beats": []},
    ),
    # memory
    Case(
        "u37",
        "memory",
        "summary: I now know that the player is kind.\nadd:\n* The cave breathes cold air.\n* Lena: brave\n"
        "remove:\n* 3\n"
        "update:\n* old: Lena can read the tide tables\n  new: Lena misread the tide tables once.",
        {
            "summary": "I now know that the player is kind.",
            "add": ["The cave breathes cold air.", "Lena: brave"],
            "remove": ["There are 3 flares left in the orange box."],
            "update": [
                {"old": "Lena can read the tide tables.", "new": "Lena misread the tide tables once."},
            ],
        },
    ),
    Case(
        "u38",
        "memory",
        '{"summary": "Maya trusts them.", "additions": ["They share water",], "removals": [], "updates": '
        '{"There are 3 flares left in the orange box": "There are 2 flares left in the orange box."}} // done',
        {
            "summary": "Maya trusts them.",
            "add": ["They share water"],
            "remove": [],
            "update": [
                {
                    "old": "There are 3 flares left in the orange box.",
                    "new": "There are 2 flares left in the orange box.",
                }
            ],
        },
    ),
    Case(
        "u39",
        "memory",
        "```yaml\nsummary: |\n  Maya leans on the player now.\nadd: none\nremove:\n  - Joaquin trusts the pilot\n"
        "update:\n  - 'Tom hid the hunting knife under the third bunk -> Tom gave the knife back'\n```",
        {
            "summary": "Maya leans on the player now.",
            "add": [],
            "remove": [],
            "update": [
                {"old": "Tom hid the hunting knife under the third bunk.", "new": "Tom gave the knife back"},
            ],
        },
    ),
    Case(
        "u40",
        "memory",
        "Summary: She has understood that the radio works.\n\nAdd: \n– The radio works for a few seconds at "
        "dusk\n– Tom "
        "is afraid of the dark\n\nRemove: Fact 4\n\nUpdate: (none)",
        {
            "summary": "She has understood that the radio works.",
            "add": ["The radio works for a few seconds at dusk", "Tom is afraid of the dark"],
            "remove": ["The spring behind the ridge is safe to drink."],
            "update": [],
        },
    ),
    Case(
        "u41",
        "memory",
        "memory_update:\n  summary: Maya feels watched.\n  add:\n    - fact: There is a footprint by the "
        "spring\n    - "
        "fact: It is not theirs\n  remove: []\n  update:\n    - from: 2\n      to: Joaquin has forgiven the "
        "pilot.",
        {
            "summary": "Maya feels watched.",
            "add": ["There is a footprint by the spring", "It is not theirs"],
            "remove": [],
            "update": [
                {"old": "Joaquin does not trust the pilot.", "new": "Joaquin has forgiven the pilot."}
            ],
        },
    ),
    Case(
        "u42",
        "memory",
        "resumen: Maya sabe que la radio funciona.\nagregar:\n  - La radio funciona al anochecer\neliminar: []\n"
        "actualizar: []",
        {
            "summary": "Maya sabe que la radio funciona.",
            "add": ["La radio funciona al anochecer"],
            "remove": [],
            "update": [],
        },
    ),
    Case(
        "u43",
        "memory",
        'add:\n  - "The player lied about the flares\n  - Tom saw it\nsummary: Maya no longer believes them. '
        "She kee",
        {
            "add": ["The player lied about the flares", "Tom saw it"],
            "summary": "Maya no longer believes them. She kee",
        },
    ),
    Case("u44", "memory", "No changes needed.", None),
    Case(
        "u45",
        "memory",
        '{"summary": "string", "add": ["string"], "remove": ["string"], "update": [{"old": "string", "new": '
        '"string"}]}',
        None,
    ),
    # keeper
    Case(
        "u46",
        "keeper",
        '{"resolution": "14 vs 12, the door gives way", "moment_type": "Critical Success", "moment_summary": '
        '"You break '
        'the sealed hatch open", "moment_significance": .75}',
        {
            "resolution": "14 vs 12, the door gives way",
            "moment_type": "critical_success",
            "moment_summary": "You break the sealed hatch open",
            "moment_significance": 0.75,
        },
    ),
    Case(
        "u47",
        "keeper",
        'Here is the JSON:\n{resolution: "7 against 12: you slip", moment_type: null, moment_summary: "", '
        "moment_significance: 0,3}",
        {
            "resolution": "7 against 12: you slip",
            "moment_type": None,
            "moment_summary": "",
            "moment_significance": 0.3,
        },
    ),
    Case(
        "u48",
        "keeper",
        "resolution: 18 vs 12, the rope holds\nmoment_type: none\nmoment_summary: n/a\nmoment_significance: 8/10",
        {
            "resolution": "18 vs 12, the rope holds",
            "moment_type": None,
            "moment_significance": 0.8,
        },
    ),
    Case(
        "u49",
        "keeper",
        "{“resolution”: “20 vs 12, the beast falls”, “moment_type”: “combat_victory”, “moment_summary”: “The "
        "ridge beast "
        "dies at your feet”, “moment_significance”: “95%”}",
        {
            "resolution": "20 vs 12, the beast falls",
            "moment_type": "combat_victory",
            "moment_summary": "The ridge beast dies at your feet",
            "moment_significance": 0.95,
        },
    ),
    Case(
        "u50",
        "keeper",
        '{\n  "resolution": "3 vs 12, the lock jams"\n  "moment_type": "critical_failure" /* bad luck */\n  '
        '"moment_summary": "The lock jams for good"\n  "moment_significance": 1.7\n',
        {
            "resolution": "3 vs 12, the lock jams",
            "moment_type": "critical_failure",
            "moment_summary": "The lock jams for good",
            "moment_significance": 1.0,
        },
    ),
    Case("u51", "keeper", "The player rolls well and the door opens, creaking on its hinges.", None),
    # lock and delta
    Case(
        "u52",
        "lock",
        'Here is your lock:\n```json\n{"memory_type": "world_chapter_lock", "world": {"genre": "survival", '
        '"tone": '
        '"bleak", "themes": "guilt, hope", "rules_of_reality": ["no magic"]}, "chapter": {"premise": "a crash", '
        '"location": "an island", "active_threats": ["storm",]}, "canonLocks": ["the pilot is dead"], '
        '"assumptions": '
        '["tone inferred"]\n```',
        {
            "world": {
                "genre": "survival",
                "tone": "bleak",
                "themes": ["guilt", "hope"],
                "rules_of_reality": ["no magic"],
                "factions_or_powers": [],
                "key_lore": [],
                "safety_or_boundaries": [],
            },
            "canon_locks": ["the pilot is dead"],
            "assumptions": ["tone inferred"],
        },
    ),
    Case(
        "u53",
        "delta",
        '{"memory_type":"turn_delta","major_events":[{"event":"The hatch was '
        'forced","cause":"hunger","effect":"noise",'
        '"participants":["Agent Red","Mina"]}],"unresolved_threads":[{"thread":"Who lit the '
        'fire?","stakes":"safety"}],'
        '"location_updates":{"where":"the wreck","notable_environment_chan',
        {
            "major_events": [
                {
                    "event": "The hatch was forced",
                    "cause": "hunger",
                    "effect": "noise",
                    "participants": ["Agent Red", "Mina"],
                }
            ],
            "unresolved_threads": [
                {"thread": "Who lit the fire?", "stakes": "safety", "next_likely_trigger": ""},
            ],
        },
    ),
    Case("u54", "lock", "I cannot help with locking this world.", None),
    # prose agents
    Case(
        "u55",
        "character",
        'Maya Chen: "I told you the beacon was dead." She looks away.\n\nPlayer: What do you mean?\nMaya: I '
        "mean it.",
        {"text": '"I told you the beacon was dead." She looks away.'},
    ),
    Case(
        "u56",
        "character",
        "<thinking>She is guilty.</thinking>\n\n*Maya wipes the rain from her face.* We should move.<|im_end|>",
        {"text": "*Maya wipes the rain from her face.* We should move."},
    ),
    Case(
        "u57",
        "summary",
        "Here is the updated summary:\n\nThe survivors found a cave and argued about the flares.",
        {"text": "The survivors found a cave and argued about the flares."},
    ),
    Case(
        "u58",
        "recap",
        '```json\n{"recap": "They crossed the ridge. The radio spoke once."}\n```',
        {"text": "They crossed the ridge. The radio spoke once."},
    ),
    Case("u59", "character", "As an AI language model, I cannot roleplay as a real person.", None),
    Case("u60", "epilogue", "<think>Let me write the epilogue. The survivors", None),
)
