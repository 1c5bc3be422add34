"""S16: every word of a card arrives in the pack, or the report says how many do not, and of what."""

import itertools
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as some

from tests.importing import cards
from tests.importing.chats import one_file
from tests.importing.made import accepted, made_pack
from theact_tui.importing.detect import unpack
from theact_tui.importing.plan_card_import import SourceFile, card_newcomer, plan_pack, source_file
from theact_tui.importing.report import ImportReport
from theact_tui.saves.codec import GAMES
from theact_tui.saves.save import Save
from theact_tui.story.pack import Pack

LONG = " ".join(f"He counts bolt {n} of the door." for n in range(60))
TALK = f"""<START>
{{{{user}}}}: Who are you?
{{{{char}}}}: *wipes the counter and does not look up*
"Somebody who closes at ten," *he says.* "And it is nine."

He points at the clock.
{{{{user}}}}: And then?
{{{{char}}}}: *shrugs*
{{{{char}}}}: *yawns*
<START>
[The cellar, late at night]
{{{{char}}}}: *listens*
{{{{char}}}}: "No." {LONG}
{{{{char}}}}: *sleeps*"""
FIELDS = {
    "name": "Bram",
    "description": "Bram keeps the inn. He owes {{user}} a crown.",
    "personality": "Slow, kind, stubborn.",
    "scenario": "Snow has closed the pass.",
    "first_mes": '"Shut the door," says Bram.',
    "mes_example": TALK,
}
BEHIND = (
    "Bram keeps the inn.\n<START>\n{{user}}: Describe yourself?\n{{char}}: *He rubs his chin.* \"Old.\"\n"
    "[Genre: winter tale; Scenario: You come in out of the snow with a frozen letter.]"
)  # fmt: skip


def v1(**fields: Any) -> dict[str, Any]:
    return {**FIELDS, **fields}


def v2(**fields: Any) -> dict[str, Any]:
    return cards.v2(**{**FIELDS, **fields})


def in_words(texts: tuple[str, ...]) -> Counter[str]:
    """The words of texts, without the marks of who speaks."""
    plain = "\n".join(texts).replace("<START>", "\n")
    plain = re.sub(r"(?:^|(?<=\s))\s*\{\{(user|char)\}\}:", "", plain, flags=re.MULTILINE)
    return Counter(plain.replace("{{user}}", "{player}").replace("{{char}}", "Bram").split())


def arrived(pack: Pack) -> Counter[str]:
    setting = pack.world.setting
    told = ["" if setting.startswith("The world") else setting, *pack.first_chapter.openings]
    told += [] if pack.world.tone.startswith("As the first page") else [pack.world.tone]
    for person in pack.characters.values():
        told += [person.personality, *person.examples]
    return Counter(" ".join(told).split())


def named(report: ImportReport) -> int:
    """How many words are said to be left out."""
    return sum(
        int(count.replace(",", ""))
        for line in report.left_out
        for count in re.findall(r"\(([\d,]+) words?\)", line)
    )


def taken_in(folder: Path, data: bytes, **options: Any) -> tuple[Pack, ImportReport]:
    return made_pack(folder, one_file(folder, data, "card"), **options)


PIECES = some.sampled_from(
    ["{{char}}: ", "{{user}}: ", "<START>", "\n", "\n\n", '"W W W."', "*W*", "W. ", "[W W; W W]", "W ", " {{char}}: *W* ",
     "W W W. " * 60]
)  # fmt: skip
TEXTS = some.lists(PIECES, max_size=16).map("".join)


def single_braces(text: str) -> str:
    marked = re.sub(r"^(?=\{\{)", "#", text, flags=re.MULTILINE)
    return marked.replace("{{char}}", "{character}").replace("{{user}}", "{user}")


def textgen(texts: dict[str, str]) -> dict[str, Any]:
    context = f"{texts['description']}\n\n{texts['mes_example']}"
    return {"name": "Bram", "greeting": texts["first_mes"], "context": context}


def agnai(texts: dict[str, str]) -> dict[str, Any]:
    persona = {"kind": "text", "attributes": {"text": [texts["description"]]}}
    made = {"kind": "character", "name": "Bram", "persona": persona, "greeting": texts["first_mes"]}
    return {**made, "scenario": texts["scenario"], "sampleChat": texts["mes_example"]}


def faraday(texts: dict[str, str]) -> dict[str, Any]:
    told = {name: single_braces(text) for name, text in texts.items()}
    return {
        "character": {
            "aiName": "Bram", "aiDisplayName": "Bram", "aiPersona": told["description"], "scenario": told["scenario"],
            "firstMessage": told["first_mes"], "customDialogue": told["mes_example"],
        },
        "version": 4,
    }  # fmt: skip


def without_marks(texts: dict[str, str]) -> dict[str, str]:
    """Texts without the marks of who speaks, which are words where nobody is `{{char}}`, or all is left out."""
    return {name: re.sub(r"\{\{\w+\}\}:|<START>", " ", text) for name, text in texts.items()}


CHARACTER = ("description", "scenario", "first_mes", "mes_example")
WHOLE = (*CHARACTER, "personality")
SCENE = ("first_mes", "scenario", "tone")
WRITERS: dict[str, tuple[tuple[str, ...], Callable[[dict[str, str]], Any]]] = {
    "V1": (WHOLE, lambda texts: {"name": "Bram", **texts}),
    "V2": (
        (*WHOLE, "greeting"),
        lambda texts: v2(**texts, alternate_greetings=[texts["greeting"]]),
    ),
    "V3": (
        (*WHOLE, "greeting"),
        lambda texts: {**v2(**texts, group_only_greetings=[texts["greeting"]]), "spec": "chara_card_v3"},
    ),
    "Pygmalion": (
        CHARACTER,
        lambda texts: {
            "char_name": "Bram", "char_persona": texts["description"], "world_scenario": texts["scenario"],
            "char_greeting": texts["first_mes"], "example_dialogue": texts["mes_example"],
        },
    ),
    "text-generation-webui": (("description", "first_mes", "mes_example"), textgen),
    "Agnai": (CHARACTER, agnai),
    "Backyard": (CHARACTER, faraday),
    "NovelAI": (
        SCENE,
        lambda texts: {
            "scenarioVersion": 2, "title": "Inn", "prompt": texts["first_mes"],
            "context": [{"text": texts["scenario"]}, {"text": texts["tone"]}],
        },
    ),
    "AI Dungeon": (
        SCENE,
        lambda texts: [{
            "title": "Inn", "prompt": texts["first_mes"], "memory": texts["scenario"], "authorsNote": texts["tone"],
            "worldInfo": [],
        }],
    ),
}  # fmt: skip
"""What each format has room for, and a file of it."""


@pytest.mark.parametrize("form", WRITERS)
@example(["W<START>{{user}}: W [W; W W]\n[W; W]", "W<START>W", "W", "{{char}}: W. W. ", "", ""])
@example(["{{char}}: {{char}}: ", "", "W", "{{char}}: {{char}}: ", "", ""])
@example([FIELDS[name] for name in WHOLE] + [""])
@example([BEHIND, *(FIELDS[name] for name in CHARACTER[1:3]), "", FIELDS["personality"], ""])
@given(some.lists(TEXTS, min_size=6, max_size=6))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_a_file_says_arrives_or_is_counted(form: str, drawn: list[str]) -> None:
    """In what is drawn no word comes twice, so that each one that is missing is seen."""
    names, written = WRITERS[form]
    number = itertools.count()
    texts = {
        name: re.sub("W", lambda _: f"w{next(number)}", text)
        for name, text in zip(names, drawn, strict=False)
    }
    texts |= without_marks(
        {name: text for name, text in texts.items() if names is SCENE or name == "greeting"}
    )
    data = json.dumps(written(texts)).encode()
    plan = plan_pack([SourceFile(Path("x"), data, unpack(data, "x"))], Path("nowhere"))
    assert plan.pack is not None
    missing = in_words(tuple(texts.values())) - arrived(plan.pack)
    assert missing.total() == named(plan.report), (missing, plan.report.left_out)
    assert all(len(line) <= 500 for person in plan.pack.characters.values() for line in person.examples)


def test_what_has_no_place_in_a_pack_that_is_joined_is_counted(tmp_path: Path) -> None:
    taken_in(tmp_path, json.dumps(v1()).encode())
    other = {**FIELDS, "name": "Ida", "mes_example": "", "alternate_greetings": ["Ida waves."]}
    pack, report = taken_in(tmp_path, json.dumps(cards.v2(**other)).encode(), into="bram")
    assert list(pack.characters) == ["bram", "ida"]
    lost = in_words((FIELDS["scenario"], FIELDS["first_mes"], "Ida waves."))
    assert named(report) == lost.total()


def test_what_has_no_place_in_a_story_that_has_begun_is_counted(tmp_path: Path) -> None:
    more = {
        "alternate_greetings": ["Bram nods."],
        "group_only_greetings": ["All of you, out."],
        "system_prompt": "Obey.",
    }
    found = card_newcomer(one_file(tmp_path, v2(**more)))
    texts = (*tuple(FIELDS.values())[1:], "Bram nods.", "All of you, out.", "Obey.")
    told = Counter(" ".join((found.card.personality, *found.card.examples)).split())
    assert (in_words(texts) - told).total() == named(ImportReport("card", left_out=found.left_out))
    assert "The system prompt of Bram: instructions to programs are not used (1 word)." in found.left_out


def test_whole_replies_with_speech_come_first_and_end_with_a_sentence(tmp_path: Path) -> None:
    pack, _ = taken_in(tmp_path, json.dumps(v2()).encode())
    first, second, *rest = pack.characters["bram"].examples
    assert second == (
        '*wipes the counter and does not look up* "Somebody who closes at ten," *he says.* "And it is nine." '
        "He points at the clock."
    )
    assert first.startswith('"No." He counts') and first.endswith("of the door.") and len(rest) == 2


def test_a_short_word_comes_before_long_stage_directions(tmp_path: Path) -> None:
    acts = [f"{{{{char}}}}: *{'walks round the table and ' * n}sits*" for n in range(2, 7)]
    talk = "\n".join([*acts, '{{char}}: "No."', "{{char}}: Maybe. *nods*"])
    pack, _ = taken_in(tmp_path, json.dumps(v2(mes_example=talk)).encode())
    first, second, *rest = pack.characters["bram"].examples
    assert (first, second) == ('"No."', "Maybe. *nods*") and len(rest) == 2


def test_into_a_pack_a_scene_brings_its_people_with_all_that_is_said_of_them(tmp_path: Path) -> None:
    taken_in(tmp_path, json.dumps(v1()).encode())
    scene = {
        "name": "Inn", "character_data": {"Ida": {"description": "A guest."}, "Bram": {"description": "Another Bram."}},
        "history": [{"message": "Ida: Hi.", "typ": "character"}, {"message": "Bram: Hm.", "typ": "character"}],
    }  # fmt: skip
    report = accepted(tmp_path, one_file(tmp_path, scene), into="bram")
    with Save.open(tmp_path / "home" / "saves" / str(report.save)) as save:
        people = save.of(GAMES).load().pack.characters
    assert people["ida"].personality == "A guest." and people["bram"].personality.startswith("Bram keeps")
    assert named(report) == 2


def test_a_book_of_more_greetings_than_a_page_may_have_says_so(tmp_path: Path) -> None:
    many = [f"Night {n}." for n in range(120)]
    file = one_file(tmp_path, v2(alternate_greetings=many))
    plan = plan_pack([source_file(file)], tmp_path / "packs")
    assert any(
        "21 greetings of Bram, beyond 100" in line and "(42 words)" in line for line in plan.report.left_out
    )
