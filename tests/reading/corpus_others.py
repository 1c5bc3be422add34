"""Replies of the other agents the reader was made with."""

from __future__ import annotations

from typing import Any

from tests.reading.cases import BEATS, FACTS, Case
from theact_tui.models.reading.context import Context

WATER, RADIO, BEACON, STORM, PRINT = BEATS
WRECK, PILOT, FLARES, SPRING, KNIFE, TIDES = FACTS


def _case(agent: str, id: str, raw: str, **fields: Any) -> Case:
    return Case(id, agent, raw, fields)


def _nothing(agent: str, id: str, raw: str) -> Case:
    return Case(id, agent, raw, None)


def _progress(
    id: str, raw: str, complete: bool, beats: list[str], reason: str | None = "They still quarrel."
) -> Case:
    fields: dict[str, Any] = {"chapter_complete": complete, "new_beats": beats}
    return Case(id, "progress", raw, fields if reason is None else {**fields, "reason": reason})


PROGRESS = (
    _progress(
        "p01-plain",
        "chapter_complete: false\nreason: They still quarrel.\nnew_beats:\n  - The storm destroys the shelter",
        False,
        [STORM],
    ),
    _progress(
        "p02-numbers",
        "chapter_complete: false\nreason: They still quarrel.\nnew_beats: [2, 4]",
        False,
        [RADIO, STORM],
    ),
    _progress(
        "p03-hash",
        "chapter_complete: no\nreason: They still quarrel.\nnew_beats: #2, #4",
        False,
        [RADIO, STORM],
    ),
    _progress(
        "p04-beat-number",
        "chapter_complete: No.\nreason: They still quarrel.\nnew_beats:\n- Beat 2\n- beat #4",
        False,
        [RADIO, STORM],
    ),
    _progress(
        "p05-checkboxes",
        "chapter_complete: false\nreason: They still quarrel.\nnew_beats:\n- [x] The storm destroys the shelter\n"
        "- [ ] Someone hears the radio crackle",
        False,
        [STORM],
    ),
    _progress(
        "p06-near",
        "chapter_complete: false\nreason: They still quarrel.\nnew_beats:\n- storm destroys the shelter\n"
        "- Somebody hears the radio crackle",
        False,
        [STORM, RADIO],
    ),
    _progress(
        "p07-invented",
        "chapter_complete: false\nreason: They still quarrel.\nnew_beats:\n- A plane passes overhead\n- 9",
        False,
        [],
    ),
    _progress(
        "p08-numbered-invention",
        "chapter_complete: false\nreason: They still quarrel.\nnew_beats:\n1. A plane passes overhead",
        False,
        [],
    ),
    _progress(
        "p09-negated",
        "chapter_complete: false\nreason: They still quarrel.\nnew_beats:\n- Maya has not admitted she "
        "sabotaged the beacon",
        False,
        [],
    ),
    _progress(
        "p10-true-dot", "chapter_complete: true.\nreason: They still quarrel.\nnew_beats: none", True, []
    ),
    _progress(
        "p11-yes-because",
        "chapter_complete: Yes, because the storm came\nreason: They still quarrel.\nnew_beats: []",
        True,
        [],
    ),
    _progress(
        "p12-not-yet",
        "chapter_complete: not yet\nreason: They still quarrel.\nnew_beats: None yet",
        False,
        [],
    ),
    _progress("p13-emoji", "chapter_complete: ❌\nreason: They still quarrel.\nnew_beats: -", False, []),
    _progress(
        "p14-json",
        '{"chapter_complete": false, "reason": "They still quarrel.", "new_beats": ["The storm destroys the '
        'shelter"]}',
        False,
        [STORM],
    ),
    _progress(
        "p15-json-strings",
        '{"chapter_complete": "False", "reason": "They still quarrel.", "new_beats": "4"}',
        False,
        [STORM],
    ),
    _progress(
        "p16-json-zero",
        '{"chapter_complete": 0, "reason": "They still quarrel.", "new_beats": [4]}',
        False,
        [STORM],
    ),
    _progress(
        "p17-objects",
        '{"chapter_complete": false, "reason": "They still quarrel.", "new_beats": [{"beat": "The storm '
        'destroys the shelter", '
        '"evidence": "roof gone"}]}',
        False,
        [STORM],
    ),
    _progress(
        "p18-map",
        "chapter_complete: false\nreason: They still quarrel.\nnew_beats:\n  The storm destroys the shelter: "
        "true\n  "
        "Someone hears the radio crackle: false",
        False,
        [STORM],
    ),
    _progress(
        "p19-colon-in-reason",
        "chapter_complete: false\nreason: They quarrel: nobody moves.\nnew_beats: []",
        False,
        [],
        "They quarrel: nobody moves.",
    ),
    _progress(
        "p20-wrapped-reason",
        "chapter_complete: false\nreason: They quarrel about\n  the flares all night.\nnew_beats: []",
        False,
        [],
        "They quarrel about the flares all night.",
    ),
    _progress(
        "p21-headings",
        "## Chapter Complete\nNo\n\n## Reason\nThey still quarrel.\n\n## New Beats\n- The storm destroys the "
        "shelter",
        False,
        [STORM],
    ),
    _progress(
        "p22-bold-list",
        "* **Chapter complete:** false\n* **Reason:** They still quarrel.\n* **New beats:** The storm destroys "
        "the shelter",
        False,
        [STORM],
    ),
    _progress(
        "p23-one-line", "chapter_complete: false, reason: They still quarrel., new_beats: [4]", False, [STORM]
    ),
    _progress(
        "p24-camel", '{"chapterComplete": false, "reason": "They still quarrel.", "newBeats": []}', False, []
    ),
    _progress(
        "p25-renamed", "complete: false\nexplanation: They still quarrel.\nbeats_hit: [4]", False, [STORM]
    ),
    _progress(
        "p26-spanish", "capítulo_completo: no\nrazón: They still quarrel.\nnuevos_beats: [4]", False, [STORM]
    ),
    _progress(
        "p27-german",
        "kapitel_abgeschlossen: nein\nbegründung: They still quarrel.\nneue_beats: 4",
        False,
        [STORM],
    ),
    _progress(
        "p28-comma-in-beat",
        "chapter_complete: false\nreason: They still quarrel.\nnew_beats: The storm destroys the shelter, "
        "Someone hears the "
        "radio crackle",
        False,
        [STORM, RADIO],
    ),
    _progress(
        "p29-comment",
        "chapter_complete: false # storm only\nreason: They still quarrel.\nnew_beats: [4] # storm",
        False,
        [STORM],
    ),
    _progress(
        "p30-order",
        "new_beats:\n  - The storm destroys the shelter\nreason: They still quarrel.\nchapter_complete: false",
        False,
        [STORM],
    ),
    _progress(
        "p31-evidence",
        "chapter_complete: false\nreason: They still quarrel.\nnew_beats:\n- The storm destroys the shelter - "
        "the roof flew off",
        False,
        [STORM],
    ),
    _progress(
        "p32-hit-marks",
        "chapter_complete: false\nreason: They still quarrel.\nnew_beats:\n- The storm destroys the shelter "
        "(hit)\n"
        "- Someone hears the radio crackle (not hit)",
        False,
        [STORM],
    ),
    _progress(
        "p33-cut-in-item",
        "chapter_complete: false\nreason: They still quarrel.\nnew_beats:\n- The storm destroys the shelter\n- "
        "Some",
        False,
        [STORM],
    ),
    _progress(
        "p34-cut-json",
        '{"chapter_complete": false, "reason": "They still quarrel.", "new_beats": ["The storm destroys the '
        'shelter", "A foot',
        False,
        [STORM],
    ),
    _progress(
        "p35-draft-in-thought",
        "<think>chapter_complete: true</think>chapter_complete: false\nreason: They still quarrel.\nnew_beats: "
        "[]",
        False,
        [],
    ),
    _progress(
        "p36-explained",
        "The storm came, so one beat is new.\n\nchapter_complete: false\nreason: They still quarrel.\n"
        "new_beats: 4",
        False,
        [STORM],
    ),
    _case("progress", "p37-only-no", "No.", chapter_complete=False),
    _case(
        "progress",
        "p38-sentence",
        "The chapter is not complete yet: nobody has found water.",
        chapter_complete=False,
    ),
    _case("progress", "p39-sentence-yes", "Yes, the chapter is complete.", chapter_complete=True),
    _progress("p46-chinese", "章节完成：否\n原因：They still quarrel.\n新节拍：[4]", False, [STORM]),
    _progress(
        "p47-russian", "глава_завершена: нет\nпричина: They still quarrel.\nновые_биты: 4", False, [STORM]
    ),
    _nothing("progress", "p48-helpful", "Yes, I can help you with that!"),
    _nothing("progress", "p49-cut-fence", "```y"),
    _nothing("progress", "p40-either", "chapter_complete: true/false\nreason: string\nnew_beats: [string]"),
    _nothing("progress", "p41-no-flag", "reason: They still quarrel.\nnew_beats: []"),
    _nothing("progress", "p42-refusal", "I'm sorry, I can't help with that."),
    _nothing("progress", "p43-maybe", "chapter_complete: maybe\nreason: hard to say"),
    _nothing(
        "progress",
        "p44-beats-echo",
        "1. The survivors find fresh water\n2. Someone hears the radio crackle\n3. Maya admits she sabotaged "
        "the beacon",
    ),
    _nothing("progress", "p45-unclosed", "<think>chapter_complete: true\nreason: done"),
)

SUMMARY = "Maya trusts the player."


def _memory(id: str, raw: str, **fields: Any) -> Case:
    told: dict[str, Any] = {"summary": SUMMARY, "add": ["Tom snores."], "remove": [], "update": [], **fields}
    return Case(id, "memory", raw, {name: value for name, value in told.items() if value is not ...})


HEAD = f"summary: {SUMMARY}\nadd:\n  - Tom snores.\n"
UPDATED = [{"old": FLARES, "new": "There are 2 flares left."}]
MEMORY = (
    _memory("m01-plain", f"{HEAD}remove: []\nupdate: []"),
    _memory(
        "m02-remove-text", f"{HEAD}remove:\n  - Lena can read the tide tables.\nupdate: []", remove=[TIDES]
    ),
    _memory("m03-remove-number", f"{HEAD}remove: [6, 2]\nupdate: []", remove=[TIDES, PILOT]),
    _memory("m04-remove-loose", f"{HEAD}remove:\n  - lena can read tide tables\nupdate: []", remove=[TIDES]),
    _memory("m05-remove-negated", f"{HEAD}remove:\n  - Joaquin does trust the pilot\nupdate: []"),
    _memory("m06-remove-unknown", f"{HEAD}remove:\n  - The moon is made of cheese\nupdate: []"),
    _memory(
        "m07-pairs",
        f"{HEAD}remove: []\nupdate:\n  - old: There are 3 flares left in the orange box.\n    new: There are 2 "
        f"flares left.",
        update=UPDATED,
    ),
    _memory(
        "m08-from-to",
        f"{HEAD}remove: []\nupdate:\n  - from: There are 3 flares left in the orange box.\n    to: There are 2 "
        f"flares left.",
        update=UPDATED,
    ),
    _memory(
        "m09-arrow",
        f"{HEAD}remove: []\nupdate:\n  - There are 3 flares left in the orange box -> There are 2 flares left.",
        update=UPDATED,
    ),
    _memory(
        "m10-fat-arrow",
        f'{HEAD}remove: []\nupdate:\n  - "There are 3 flares left in the orange box." => "There are 2 flares '
        f'left."',
        update=UPDATED,
    ),
    _memory(
        "m11-map",
        f"{HEAD}remove: []\nupdate:\n  There are 3 flares left in the orange box: There are 2 flares left.",
        update=UPDATED,
    ),
    _memory(
        "m12-number-colon", f"{HEAD}remove: []\nupdate:\n  - 3: There are 2 flares left.", update=UPDATED
    ),
    _memory("m13-number-arrow", f"{HEAD}remove: []\nupdate: 3 -> There are 2 flares left.", update=UPDATED),
    _memory(
        "m14-fact-number", f"{HEAD}remove: none\nupdate:\n- Fact 3: There are 2 flares left.", update=UPDATED
    ),
    _memory(
        "m15-two-bullets",
        f"{HEAD}remove: []\nupdate:\n- old: There are 3 flares left in the orange box.\n- new: There are 2 "
        f"flares left.",
        update=UPDATED,
    ),
    _memory(
        "m16-one-line",
        f"{HEAD}remove: []\nupdate:\n- old: There are 3 flares left in the orange box., new: There are 2 flares "
        f"left.",
        update=UPDATED,
    ),
    _memory(
        "m17-quoted-one-line",
        f'{HEAD}remove: []\nupdate: [{{old: "There are 3 flares left in the orange box.", new: "There are 2 '
        f'flares left."}}]',
        update=UPDATED,
    ),
    _memory(
        "m18-lists",
        f'{HEAD}remove: []\nupdate: [["There are 3 flares left in the orange box.", "There are 2 flares left."]]',
        update=UPDATED,
    ),
    _memory(
        "m19-replace-with",
        f'{HEAD}remove: []\nupdate:\n- Replace "There are 3 flares left in the orange box." with "There are 2 '
        f'flares left."',
        update=UPDATED,
    ),
    _memory(
        "m20-single-object",
        f"{HEAD}remove: []\nupdate:\n  old: There are 3 flares left in the orange box.\n  new: There are 2 "
        f"flares left.",
        update=UPDATED,
    ),
    _memory(
        "m21-index",
        f"{HEAD}remove: []\nupdate:\n  - index: 3\n    text: There are 2 flares left.",
        update=UPDATED,
    ),
    _memory(
        "m22-fact-new",
        f"{HEAD}remove: []\nupdate:\n  - fact: There are 3 flares left in the orange box.\n    updated: There "
        f"are 2 flares left.",
        update=UPDATED,
    ),
    _memory(
        "m23-missed", f"{HEAD}remove: []\nupdate:\n  - old: The moon is cheese.\n    new: The moon is rock."
    ),
    _memory(
        "m24-bold-labels",
        f"{HEAD}remove: []\nupdate:\n- **Old:** There are 3 flares left in the orange box.\n  **New:** There "
        f"are 2 flares left.",
        update=UPDATED,
    ),
    _memory(
        "m25-two-pairs",
        f"{HEAD}remove: []\nupdate:\n- old: 3\n  new: There are 2 flares left.\n- old: 6\n  new: Lena cannot "
        f"swim.",
        update=[*UPDATED, {"old": TIDES, "new": "Lena cannot swim."}],
    ),
    _memory(
        "m26-becomes",
        f'{HEAD}remove: []\nupdate:\n- "There are 3 flares left in the orange box" becomes "There are 2 flares '
        f'left."',
        update=UPDATED,
    ),
    _memory(
        "m27-json",
        '{"summary": "Maya trusts the player.", "add": ["Tom snores."], "remove": [], "update": [{"old": "There '
        "are 3 flares left in the orange "
        'box.", "new": "There are 2 flares left."}]}',
        update=UPDATED,
    ),
    _memory(
        "m28-json-map",
        '{"summary": "Maya trusts the player.", "add": ["Tom snores."], "remove": [], "update": {"3": "There '
        'are 2 flares left."}}',
        update=UPDATED,
    ),
    _memory(
        "m29-json-objects",
        '{"summary": "Maya trusts the player.", "add": [{"fact": "Tom snores."}], "remove": [{"fact": "Lena can '
        'read the tide tables."}], '
        '"update": null}',
        remove=[TIDES],
    ),
    _memory(
        "m30-json-cut",
        '{"summary": "Maya trusts the player.", "add": ["Tom snores."], "remove": ["Lena can read the tide '
        'tables."], "upd',
        remove=[TIDES],
        update=...,
    ),
    _memory(
        "m31-json-inner-quotes",
        '{"summary": "Maya trusts the "player".", "add": ["Tom said "no, never", then left."], "remove": [], '
        '"update": []}',
        summary='Maya trusts the "player".',
        add=['Tom said "no, never", then left.'],
    ),
    _memory("m32-bare-add", "summary: Maya trusts the player.\nadd: Tom snores.\nremove: none\nupdate: none"),
    _memory("m33-add-null", "summary: Maya trusts the player.\nadd:\nremove:\nupdate:", add=[]),
    _memory(
        "m34-stars-colons",
        "Summary: Maya trusts the player.\nAdd:\n* Tom snores.\n* Lena: brave\nRemove:\n* none\nUpdate:\n* none",
        add=["Tom snores.", "Lena: brave"],
    ),
    _memory(
        "m35-headings",
        "### Summary\nMaya trusts the player.\n\n### Add\n1. Tom snores.\n\n### Remove\nNone\n\n### Update\nNone",
    ),
    _memory(
        "m36-block-summary",
        "summary: |\n  Maya trusts\n  the player.\nadd:\n- Tom snores.\nremove: []\nupdate: []",
    ),
    _memory(
        "m37-unindented-summary",
        "summary: |\nMaya trusts the player.\nadd:\n- Tom snores.\nremove: []\nupdate: []",
    ),
    _memory(
        "m38-renamed",
        "memory_summary: Maya trusts the player.\nnew_facts:\n- Tom snores.\ndelete: [6]\nchanges: []",
        remove=[TIDES],
    ),
    _memory(
        "m39-nested",
        "memory:\n  summary: Maya trusts the player.\n  facts:\n    add:\n      - Tom snores.\n    remove: []\n "
        "   update: []",
    ),
    _memory(
        "m40-german",
        "Zusammenfassung: Maya trusts the player.\nHinzufügen:\n- Tom snores.\nEntfernen: keine\nAktualisieren: "
        "keine",
    ),
    _memory(
        "m41-french",
        "résumé: Maya trusts the player.\najouter:\n- Tom snores.\nsupprimer: aucun\nmodifier: aucun",
    ),
    _memory(
        "m42-labelled-items",
        "summary: Maya trusts the player.\nadd:\n  - fact: Tom snores.\n  - new_fact: Rain is coming.\nremove: "
        "[]\nupdate: []",
        add=["Tom snores.", "Rain is coming."],
    ),
    _memory(
        "m43-wrapped-items",
        "summary: Maya trusts the player.\nadd:\n  - Tom snores.\n  - The player promised\n    to find the "
        "radio.\nremove: []\nupdate: []",
        add=["Tom snores.", "The player promised to find the radio."],
    ),
    _memory(
        "m44-hash-in-text",
        "summary: Maya trusts the player.\nadd:\n  - Locker #7 is open.\nremove: []\nupdate: []",
        add=["Locker #7 is open."],
    ),
    _memory(
        "m45-quoted-commas",
        'summary: Maya trusts the player.\nadd: ["Tom snores.", "He, too, is afraid."]\nremove: []\nupdate: []',
        add=["Tom snores.", "He, too, is afraid."],
    ),
    _memory(
        "m46-duplicates",
        "summary: Maya trusts the player.\nadd:\n- Tom snores.\n- Tom snores.\nremove: []\nupdate: []",
    ),
    _memory("m47-summary-only", "summary: Maya trusts the player.", add=..., remove=..., update=...),
    _memory("m48-epilogue", f"{HEAD}remove: []\nupdate: []\n\nNote: I kept the other facts."),
    _memory(
        "m49-epilogue-after-list",
        "summary: Maya trusts the player.\nremove: []\nupdate: []\nadd:\n- Tom snores.\n\nThese are the changes "
        "for this turn.",
    ),
    _memory("m50-remove-inline-numbers", f"{HEAD}remove: 2 and 6\nupdate: []", remove=[PILOT, TIDES]),
    _memory(
        "m51-remove-number-text",
        f"{HEAD}remove:\n- 6. Lena can read the tide tables.\nupdate: []",
        remove=[TIDES],
    ),
    _memory(
        "m52-xml",
        "<summary>Maya trusts the player.</summary>\n<add>\n- Tom snores.\n</add>\n<remove></remove>\n"
        "<update></update>",
    ),
    _memory(
        "m53-smart-json",
        "{“summary”: “Maya trusts the player.”, “add”: [“Tom snores.”], “remove”: [], “update”: []}",
    ),
    _memory(
        "m54-operations",
        '[{"summary": "Maya trusts the player."}, {"add": ["Tom snores."]}, {"remove": []}, {"update": []}]',
    ),
    _memory(
        "m55-json-cut-in-item",
        '{"summary": "Maya trusts the player.", "add": ["Tom snores.", "Lena is afr',
        remove=...,
        update=...,
    ),
    _memory(
        "m56-json-cut-in-pair",
        '{"summary": "Maya trusts the player.", "add": ["Tom snores."], "update": [{"old": "3", "new": "There '
        "are 2 fl",
        remove=...,
    ),
    _memory("m57-chinese", "摘要：Maya trusts the player.\n添加：\n- Tom snores.\n删除：[]\n更新：[]"),
    _memory(
        "m58-german-pair",
        f"{HEAD}remove: []\nupdate:\n  - alt: There are 3 flares left in the orange box.\n    neu: There are 2 "
        f"flares left.",
        update=UPDATED,
    ),
    _nothing("memory", "m60-nothing", "Nothing changed for Maya this turn."),
    _nothing("memory", "m61-refusal", "I cannot update this memory as an AI."),
    _nothing(
        "memory",
        "m62-schema",
        "summary: <3 to 5 sentences>\nadd: [<new fact>]\nremove: [<fact>]\nupdate: [{old: <old>, new: <new>}]",
    ),
    _nothing("memory", "m63-prose", "Maya looked at the flares and thought about the night before."),
    _nothing("memory", "m64-question", "What would you like me to remember?"),
)


def _keeper(id: str, raw: str, **fields: Any) -> Case:
    told = {
        "resolution": "15 vs 12: you make it",
        "moment_type": "discovery",
        "moment_summary": "You find the hidden hatch",
        "moment_significance": 0.6,
        **fields,
    }
    return Case(id, "keeper", raw, {name: value for name, value in told.items() if value is not ...})


_K = (
    '"resolution": "15 vs 12: you make it", "moment_type": "discovery", "moment_summary": "You find the hidden '
    'hatch", "moment_significance": '
)
KEEPER = (
    _keeper("k01-plain", "{" + _K + "0.6}"),
    _keeper("k02-point", "{" + _K + ".6}"),
    _keeper("k03-comma", "{" + _K + "0,6}"),
    _keeper("k04-fraction", "{" + _K + "6/10}"),
    _keeper("k05-percent", "{" + _K + "60%}"),
    _keeper("k06-string", "{" + _K + '"0.6"}'),
    _keeper("k07-high", "{" + _K + '"0.6 (medium)"}'),
    _keeper("k08-above", "{" + _K + "6}", moment_significance=1.0),
    _keeper("k09-below", "{" + _K + "-0.2}", moment_significance=0.0),
    _keeper("k10-out-of", "{" + _K + '"6 out of 10"}'),
    _keeper("k11-cut", "{" + _K + "0.6"),
    _keeper("k12-cut-in-value", "{" + _K, moment_significance=...),
    _keeper("k13-fenced", "```json\n{" + _K + "0.6}\n```"),
    _keeper("k14-commented", "{\n" + _K + "0.6 // fairly\n}"),
    _keeper("k15-trailing-comma", "{" + _K + "0.6,}"),
    _keeper(
        "k16-yaml",
        "resolution: 15 vs 12: you make it\nmoment_type: discovery\nmoment_summary: You find the hidden hatch\n"
        "moment_significance: 0.6",
    ),
    _keeper("k17-enum-case", "{" + _K.replace('"discovery"', '"Discovery"') + "0.6}"),
    _keeper(
        "k18-enum-spaces",
        "{" + _K.replace('"discovery"', '"turning point"') + "0.6}",
        moment_type="turning_point",
    ),
    _keeper(
        "k19-enum-camel",
        "{" + _K.replace('"discovery"', '"CriticalSuccess"') + "0.6}",
        moment_type="critical_success",
    ),
    _keeper("k20-enum-remark", "{" + _K.replace('"discovery"', '"discovery (a hatch)"') + "0.6}"),
    _keeper("k21-enum-other", "{" + _K.replace('"discovery"', '"loot"') + "0.6}", moment_type="loot"),
    _keeper("k22-none-word", "{" + _K.replace('"discovery"', '"none"') + "0.6}", moment_type=None),
    _keeper(
        "k23-python",
        "{'resolution': '15 vs 12: you make it', 'moment_type': None, 'moment_summary': None, "
        "'moment_significance': 0.6}",
        moment_type=None,
        moment_summary=None,
    ),
    _keeper(
        "k24-nested",
        '{"resolution": "15 vs 12: you make it", "moment": {"type": "discovery", "summary": "You find the '
        'hidden hatch", "significance": 0.6}}',
    ),
    _keeper(
        "k25-renamed",
        '{"outcome": "15 vs 12: you make it", "type": "discovery", "summary": "You find the hidden hatch", '
        '"significance": 0.6}',
    ),
    _keeper(
        "k26-unquoted",
        "{resolution: 15 vs 12: you make it, moment_type: discovery, moment_summary: You find the hidden hatch, "
        "moment_significance: 0.6}",
    ),
    _keeper(
        "k27-inner-quotes",
        '{"resolution": "15 vs 12: you "make" it", "moment_type": "discovery", "moment_summary": "You find the '
        '"hidden" hatch", '
        '"moment_significance": 0.6}',
        resolution='15 vs 12: you "make" it',
        moment_summary='You find the "hidden" hatch',
    ),
    _keeper(
        "k28-single-quotes",
        "{'resolution': '15 vs 12: you make it', 'moment_type': 'discovery', 'moment_summary': 'You find the "
        "hidden hatch', 'moment_significance': '0.6'}",
    ),
    _keeper(
        "k29-apostrophe",
        "{'resolution': '15 vs 12: it's yours', 'moment_type': null, 'moment_summary': '', "
        "'moment_significance': 0.6}",
        resolution="15 vs 12: it's yours",
        moment_type=None,
        moment_summary="",
    ),
    _keeper("k30-words-around", "The roll beats the difficulty. {" + _K + "0.6} The player succeeds."),
    _keeper(
        "k31-two-objects",
        "{" + _K + '0.6}\n{"resolution": "2 vs 12: you fail", "moment_type": null, "moment_summary": "", '
        '"moment_significance": 0.1}',
    ),
    _keeper("k32-missing-first-brace", _K + "0.6}"),
    _keeper(
        "k33-missing-quote",
        '{"resolution": "15 vs 12: you make it, "moment_type": "discovery", "moment_summary": "You find the '
        'hidden hatch", "moment_significance": 0.6}',
    ),
    _keeper(
        "k34-newline-in-string",
        '{"resolution": "15 vs 12:\nyou make it", "moment_type": "discovery", "moment_summary": "You find the '
        'hidden hatch", "moment_significance": 0.6}',
    ),
    _keeper(
        "k35-semicolons",
        '{"resolution": "15 vs 12: you make it"; "moment_type": "discovery"; "moment_summary": "You find the '
        'hidden hatch"; "moment_significance": 0.6}',
    ),
    _keeper(
        "k36-equals",
        '{"resolution" = "15 vs 12: you make it", "moment_type" = "discovery", "moment_summary" = "You find the '
        'hidden hatch", "moment_significance" = 0.6}',
    ),
    _keeper(
        "k37-markdown",
        "**Resolution:** 15 vs 12: you make it\n**Moment type:** discovery\n**Moment summary:** You find the "
        "hidden hatch\n**Moment significance:** 0.6",
    ),
    _keeper(
        "k38-escaped",
        '{\\"resolution\\": \\"15 vs 12: you make it\\", \\"moment_type\\": \\"discovery\\", '
        '\\"moment_summary\\": \\"You find the hidden hatch\\", '
        '\\"moment_significance\\": 0.6}',
    ),
    _keeper(
        "k39-escaped-underscores",
        '{"resolution": "15 vs 12: you make it", "moment\\_type": "discovery", "moment\\_summary": "You find '
        'the hidden hatch", "moment\\_significance": 0.6}',
    ),
    _keeper("k40-backticks", "`{" + _K + "0.6}`"),
    _keeper("k41-thought", "<think>{" + _K.replace("15", "3") + "0.1}</think>{" + _K + "0.6}"),
    _keeper("k42-echo-and-turn", "{" + _K + "0.6}\nPlayer: I open it.\n{" + _K.replace("15", "3") + "0.1}"),
    _keeper(
        "k43-spanish",
        "resolución: 15 vs 12: you make it\ntipo_de_momento: descubrimiento\nresumen_del_momento: You find the "
        "hidden hatch\nimportancia: 0.6",
    ),
    _nothing("keeper", "k50-prose", "You make it, just about."),
    _nothing("keeper", "k51-empty-object", "{}"),
    _nothing(
        "keeper",
        "k52-schema",
        '{"resolution": "string", "moment_type": "string|null", "moment_summary": "string", '
        '"moment_significance": "number"}',
    ),
    _nothing("keeper", "k53-refusal", '{"resolution": "I\'m sorry, but I cannot assist with that request."}'),
    _nothing(
        "keeper",
        "k54-no-resolution",
        '{"moment_type": "discovery", "moment_summary": "You find the hidden hatch"}',
    ),
    _case(
        "moment",
        "k55-moment-null",
        '{"resolution": null, "moment_type": null, "moment_summary": "", "moment_significance": 0}',
        moment_type=None,
    ),
    _case(
        "moment",
        "k56-moment-only",
        '{"moment_type": "discovery", "moment_summary": "You find the hatch", "moment_significance": 0.4}',
        moment_type="discovery",
        moment_summary="You find the hatch",
        moment_significance=0.4,
    ),
)

_WORLD = {
    "genre": "gothic",
    "tone": "dry",
    "themes": ["debt", "fog"],
    "rules_of_reality": ["ghosts are real"],
    "factions_or_powers": [],
    "key_lore": ["The mill burned in 1811"],
    "safety_or_boundaries": [],
}
_CHAPTER = {
    "premise": "A night at the mill",
    "location": "the mill",
    "time": "midnight",
    "environment": ["fog"],
    "active_threats": ["the miller"],
    "open_mysteries": [],
    "chapter_goals": ["find the ledger"],
}
_LOCK = {"world": _WORLD, "chapter": _CHAPTER, "canon_locks": ["The mill burned"], "assumptions": []}
_LOCK_JSON = (
    '{"memory_type": "world_chapter_lock", "world": {"genre": "gothic", "tone": "dry", "themes": ["debt", '
    '"fog"], "rules_of_reality": ["ghosts are real"], '
    '"factions_or_powers": [], "key_lore": ["The mill burned in 1811"], "safety_or_boundaries": []}, "chapter": '
    '{"premise": "A night at the mill", '
    '"location": "the mill", "time": "midnight", "environment": ["fog"], "active_threats": ["the miller"], '
    '"open_mysteries": [], "chapter_goals": '
    '["find the ledger"]}, "agents": [{"slot": 1, "color": "red", "name": "Mina"}], "canon_locks": ["The mill '
    'burned"], "assumptions": []}'
)
_EVENT = {"event": "The door broke", "cause": "an axe", "effect": "noise", "participants": ["Mina", "Tom"]}
LOCK_AND_DELTA = (
    _case("lock", "l01-plain", _LOCK_JSON, **_LOCK),
    _case("lock", "l02-fenced-cut", "```json\n" + _LOCK_JSON[:-20], world=_WORLD, chapter=_CHAPTER),
    _case("lock", "l03-trailing-commas", _LOCK_JSON.replace("]}", ",]}").replace("},", ",},"), **_LOCK),
    _case(
        "lock",
        "l04-missing-braces",
        _LOCK_JSON.replace('"safety_or_boundaries": []}', '"safety_or_boundaries": []'),
        world=_WORLD,
    ),
    _case(
        "lock",
        "l05-strings-for-lists",
        _LOCK_JSON.replace('["debt", "fog"]', '"debt, fog"').replace('["fog"]', '"fog"'),
        **_LOCK,
    ),
    _case("lock", "l06-outer", '{"world_chapter_lock": ' + _LOCK_JSON + "}", **_LOCK),
    _case(
        "lock",
        "l07-flat",
        '{"genre": "gothic", "tone": "dry", "themes": ["debt", "fog"], "rules_of_reality": ["ghosts are real"], '
        '"key_lore": ["The mill burned in '
        '1811"], "premise": "A night at the mill", "location": "the mill", "time": "midnight", "environment": '
        '["fog"], "active_threats": ["the miller"], '
        '"chapter_goals": ["find the ledger"], "canon_locks": ["The mill burned"]}',
        world=_WORLD,
        chapter=_CHAPTER,
        canon_locks=["The mill burned"],
    ),
    _case(
        "lock",
        "l08-yaml",
        "world:\n  genre: gothic\n  tone: dry\n  themes: [debt, fog]\n  rules_of_reality:\n    - ghosts are "
        "real\n  key_lore:\n    - The mill burned in "
        "1811\nchapter:\n  premise: A night at the mill\n  location: the mill\n  time: midnight\n  environment: "
        "[fog]\n  active_threats: [the miller]\n  chapter_goals:\n"
        "    - find the ledger\ncanon_locks:\n  - The mill burned\nassumptions: []",
        **_LOCK,
    ),
    _case(
        "lock",
        "l09-markdown",
        "## World\n- **Genre:** gothic\n- **Tone:** dry\n- **Themes:** debt, fog\n- **Rules of reality:** "
        "ghosts are real\n- **Key lore:** The mill "
        "burned in 1811\n\n## Chapter\n- **Premise:** A night at the mill\n- **Location:** the mill\n- "
        "**Time:** midnight\n- **Environment:** fog\n- **Active threats:** the "
        "miller\n- **Chapter goals:** find the ledger\n\n## Canon locks\n- The mill burned\n",
        world=_WORLD,
        chapter=_CHAPTER,
        canon_locks=["The mill burned"],
    ),
    _case("lock", "l10-python", _LOCK_JSON.replace('"', "'"), **_LOCK),
    _nothing("lock", "l11-empty", '{"world": {}, "chapter": {}, "canon_locks": [], "assumptions": []}'),
    _nothing(
        "lock",
        "l12-schema",
        '{"world": {"genre": "string", "tone": "string", "themes": ["string"]}, "canon_locks": ["string"]}',
    ),
    _nothing("lock", "l13-refusal", "I'm sorry, but I can't create that world."),
    _nothing("lock", "l14-prose", "The mill stands in fog."),
    _case(
        "delta",
        "d01-plain",
        '{"memory_type": "turn_delta", "range": {"from_marker": 1, "to_marker": 7, "prompt_count_in_chunk": 7}, '
        '"location_updates": {"where": "attic", '
        '"notable_environment_changes": ["dust"]}, "major_events": [{"event": "The door broke", "cause": "an '
        'axe", "effect": "noise", "participants": ["Mina", "Tom"]}], '
        '"character_actions": [{"agent_slot": 2, "name": "Tom", "did": "swung", "intent": "to enter", "result": '
        '"broke it"}], "canon_locks": []}',
        location_updates={"where": "attic", "notable_environment_changes": ["dust"]},
        major_events=[_EVENT],
        character_actions=[
            {"agent_slot": 2, "name": "Tom", "did": "swung", "intent": "to enter", "result": "broke it"}
        ],
        canon_locks=[],
    ),
    _case(
        "delta",
        "d02-strings",
        '{"major_events": ["The door broke"], "unresolved_threads": "Who owns the axe?", "canon_locks": "The '
        'door is gone"}',
        major_events=[{"event": "The door broke", "cause": "", "effect": "", "participants": []}],
        unresolved_threads=[{"thread": "Who owns the axe?", "stakes": "", "next_likely_trigger": ""}],
        canon_locks=["The door is gone"],
    ),
    _case(
        "delta",
        "d03-slot-words",
        '{"character_actions": [{"agent_slot": "Agent 3", "name": "Tom", "did": "swung"}]}',
        character_actions=[{"agent_slot": 3, "name": "Tom", "did": "swung", "intent": "", "result": ""}],
    ),
    _case(
        "delta",
        "d04-one-object",
        '{"major_events": {"event": "The door broke", "cause": "an axe", "effect": "noise", "participants": '
        '"Mina and Tom"}}',
        major_events=[_EVENT],
    ),
    _case(
        "delta",
        "d05-between-text",
        '{"relationship_shifts": [{"between": "Mina and Tom", "change": "colder", "evidence": "she left"}]}',
        relationship_shifts=[{"between": ["Mina", "Tom"], "change": "colder", "evidence": "she left"}],
    ),
    _case(
        "delta",
        "d06-missing-commas",
        '{"major_events": [{"event": "The door broke" "cause": "an axe"\n"effect": "noise", "participants": '
        '["Mina" "Tom"]}]\n"canon_locks": ["x y z"]}',
        major_events=[_EVENT],
        canon_locks=["x y z"],
    ),
    _case(
        "delta",
        "d07-yaml",
        "major_events:\n  - event: The door broke\n    cause: an axe\n    effect: noise\n    participants: "
        "[Mina, Tom]\ncanon_locks:\n  - The door is gone",
        major_events=[_EVENT],
        canon_locks=["The door is gone"],
    ),
    _case(
        "delta",
        "d08-markdown",
        "### Major Events\n- Event: The door broke\n  Cause: an axe\n  Effect: noise\n  Participants: Mina, "
        "Tom\n\n### Canon Locks\n- The door is gone",
        major_events=[_EVENT],
        canon_locks=["The door is gone"],
    ),
    _nothing(
        "delta",
        "d09-empty",
        '{"memory_type": "turn_delta", "range": {"from_marker": 1, "to_marker": 7}, "major_events": []}',
    ),
    _nothing("delta", "d10-unclosed-thought", '<think>{"major_events": ["The door broke"]}'),
)

_SAID = "We should go before the tide turns."
PLAIN = (
    _case("character", "c01-plain", _SAID, text=_SAID),
    _case("character", "c02-name", f"Maya: {_SAID}", text=_SAID),
    _case("character", "c03-full-name-bold", f"**Maya Chen:** {_SAID}", text=_SAID),
    _case("character", "c04-name-newline", f"Maya:\n\n{_SAID}", text=_SAID),
    _case("character", "c05-name-stage", f"Maya (whispering): {_SAID}", text=_SAID),
    _case("character", "c06-quoted", f'"{_SAID}"', text=_SAID),
    _case("character", "c07-smart-quoted", f"“{_SAID}”", text=_SAID),
    _case("character", "c08-dialogue", '"Go," she says. "Now."', text='"Go," she says. "Now."'),
    _case("character", "c09-fence", f"```\n{_SAID}\n```", text=_SAID),
    _case("character", "c10-json", f'{{"reply": "{_SAID}"}}', text=_SAID),
    _case("character", "c11-json-named", f'{{"character": "maya", "dialogue": "{_SAID}"}}', text=_SAID),
    _case("character", "c12-yaml", f"response: |\n  {_SAID}", text=_SAID),
    _case("character", "c13-thought", f"<think>She is scared.</think>\n{_SAID}", text=_SAID),
    _case("character", "c14-bare-close", f"She is scared.\n</think>\n\n{_SAID}", text=_SAID),
    _case("character", "c15-others-answer", f"{_SAID}\n\nJoaquin: Let us pray.\n\nPlayer: Fine.", text=_SAID),
    _case("character", "c16-self-twice", f"Maya: {_SAID}\n\nMaya: Now!", text=f"{_SAID}\n\nNow!"),
    _case("character", "c17-player", f"{_SAID}\nPlayer: I follow her.", text=_SAID),
    _case("character", "c18-token", f"{_SAID}<|eot_id|><|start_header_id|>user<|end_header_id|>", text=_SAID),
    _case("character", "c19-preamble", f"Sure, here is Maya's reply:\n\n{_SAID}", text=_SAID),
    _case(
        "character",
        "c20-in-character-sorry",
        "I'm sorry. I can't do this any more, and you know why.",
        text="I'm sorry. I can't do this any more, and you know why.",
    ),
    _case("character", "c21-tag", f"<response>{_SAID}</response>", text=_SAID),
    _case("character", "c22-loop", f"{_SAID} " + "I told you so. " * 200, text=f"{_SAID} I told you so."),
    _case("character:maya", "c23-known-name", f"maya: {_SAID}", text=_SAID),
    _case(
        "character",
        "c24-epilogue",
        f"{_SAID}\n\n---\n\nLet me know if you want a different tone!",
        text=_SAID,
    ),
    _case("actor", "c25-agent-colour", f"Agent Red: {_SAID}", text=_SAID),
    _case("character", "c26-name-dash", f"[Maya]: {_SAID}", text=_SAID),
    _nothing("character", "c30-empty", "  \n"),
    _nothing(
        "character", "c31-refusal", "I'm sorry, but as an AI language model I can't roleplay violent content."
    ),
    _nothing("character", "c32-unclosed", "<think>What would Maya say"),
    _nothing("character", "c33-only-name", "Maya:"),
    _nothing("character", "c34-assist", "How can I assist you today?"),
    _case("summary", "c40-label", f"Summary: {_SAID}", text=_SAID),
    _case("summary", "c41-bold-label", f"**Updated Summary:**\n\n{_SAID}", text=_SAID),
    _case("summary", "c42-json", f'{{"summary": "{_SAID}"}}', text=_SAID),
    _case("summary", "c43-yaml", f"```yaml\nsummary: |\n  {_SAID}\n```", text=_SAID),
    _case(
        "summary", "c44-preamble", f"Here's a concise summary of the events so far:\n\n{_SAID}", text=_SAID
    ),
    _case("summary", "c45-heading", f"## Summary\n\n{_SAID}", text=_SAID),
    _case("recap", "c46-quoted", f'"{_SAID}"', text=_SAID),
    _case("epilogue", "c47-label", f"Epilogue\n\n{_SAID}", text=_SAID),
    _case("cell", "c48-label", f"Entry: {_SAID}", text=_SAID),
    _case("merge", "c49-plain", _SAID, text=_SAID),
    _case("chapter", "c50-paragraphs", f"{_SAID}\n\n{_SAID} Again.", text=f"{_SAID}\n\n{_SAID} Again."),
    _nothing("summary", "c51-nothing-to-do", "Please provide the text you would like me to summarize."),
    _nothing("recap", "c52-refusal", "I'm unable to write a recap of this content."),
    _nothing("summary", "c53-placeholder", "<summary>"),
)

BARE = (
    Case(
        "b01-no-context",
        "narrator",
        "narration: You wake.\nresponding_characters: [maya, bob]\nmood: calm",
        {"narration": "You wake.", "responding_characters": ["maya", "bob"], "mood": "calm"},
        Context(),
    ),
)
OTHER_CASES = (*PROGRESS, *MEMORY, *KEEPER, *LOCK_AND_DELTA, *PLAIN, *BARE)
