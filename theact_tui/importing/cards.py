"""Character cards as their programs write them, read into one form: V1, V2, V3, Pygmalion, text-generation-webui, Agnai,
Backyard. Fields are coerced, never believed; what is not understood stays in `raw`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from theact_tui.importing.reading import items, table
from theact_tui.text import clean, one_line

MAX_GREETINGS = 100
_WPP = re.compile(
    r"\[?[ \t]*\bcharacter[ \t]*\([^()\n]*\)\s*\{(.*?)(?:\}\s*\]|^\s*\}[ \t]*$|\}\s*\Z)", re.I | re.M | re.S
)
_WPP_PLUS = re.compile(r'"\s*\+\s*"')
_WPP_ATTRIBUTE = re.compile(r'([A-Za-z][\w /-]{0,40}?)[ \t]*\(\s*"([^"]*?)\.?"\s*\)')
_STOCK_NOTES = "Creator's notes go here."
_START = re.compile(r"<START>", re.IGNORECASE)
_DIALOGUE = re.compile(r"^(?:\{\{user\}\}|<user>|You):", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A character as it came, macros not expanded yet."""

    form: str
    """How it was written, for people, such as `V2`."""
    name: str
    nickname: str = ""
    description: str = ""
    personality: str = ""
    scenario: str = ""
    first_mes: str = ""
    mes_example: str = ""
    greetings: tuple[str, ...] = ()
    """Alternate ones."""
    group_greetings: tuple[str, ...] = ()
    notes: str = ""
    """Of the creator, to people."""
    credits: str = ""
    instructions: tuple[str, ...] = ()
    """Names of the prompts that it wants to put into the program."""
    scripts: tuple[str, ...] = ()
    """Names of the scripts that it brings."""
    book: Any = None
    single_braces: bool = False
    raw: Any = None

    @property
    def called(self) -> str:
        """What `{{char}}` stands for."""
        return self.nickname or self.name


def read_card(value: Any, name: str) -> Card:
    """The card in a value that `detect` calls one; `name`, the file's, for one that has none."""
    card = _read(table(value))
    return card if card.name else replace(card, name=one_line(name, 80) or "Character")


def _read(whole: Mapping[str, Any]) -> Card:
    data = table(whole.get("data"))
    if data and ("spec" in whole or {"name", "first_mes"} & data.keys()):
        return _from_v2(data, whole)
    if "aiPersona" in (character := table(whole.get("character"))):
        scene = {**character, "exampleMessages": character.get("customDialogue")}
        return backyard_card(character, scene, whole, wants=_text(character, "basePrompt"))
    if whole.get("kind") == "character" or {"persona", "greeting", "sampleChat"} <= whole.keys():
        return _from_agnai(whole)
    if "char_name" not in whole and ("greeting" in whole or "context" in whole):
        return _from_textgen(whole)
    return _from_v2(whole, whole)


def _from_v2(data: Mapping[str, Any], whole: Mapping[str, Any]) -> Card:
    extensions = table(data.get("extensions"))
    spec = str(whole.get("spec") or "")
    form = {"chara_card_v2": "V2", "chara_card_v3": "V3"}.get(spec, "V2" if "data" in whole else "V1")
    form = "Pygmalion" if "char_name" in data else form
    # some put example talk into the description, behind <START>
    description, *examples = map(str.strip, _START.split(_text(data, "description", "char_persona")))
    greetings = _texts(data.get("alternate_greetings"))
    first = _text(data, "first_mes", "char_greeting")
    if not first.strip() and greetings:
        first, greetings = greetings[0], greetings[1:]
    wants = {
        "system prompt": data.get("system_prompt"),
        "post-history instructions": data.get("post_history_instructions"),
        "depth prompt": table(extensions.get("depth_prompt")).get("prompt"),
    }
    scripted = map(table, items(extensions.get("regex_scripts")))
    scripts = [_text(script, "scriptName") or "unnamed" for script in scripted]
    scripts += ["tavern_helper"] if extensions.get("tavern_helper") else []
    return Card(
        form=form,
        name=one_line(_text(data, "name", "char_name"), 80),
        nickname=one_line(_text(data, "nickname"), 80),
        description=description,
        personality=_text(data, "personality"),
        scenario=_text(data, "scenario", "world_scenario"),
        first_mes=first,
        mes_example="\n".join(
            filter(None, ("\n".join(examples), _text(data, "mes_example", "example_dialogue")))
        ),
        greetings=greetings,
        group_greetings=_texts(data.get("group_only_greetings")),
        notes=_notes(data),
        credits=_credits(data),
        instructions=tuple(name for name, text in wants.items() if isinstance(text, str) and text.strip()),
        scripts=tuple(one_line(name, 40) for name in scripts[:20]),
        book=data.get("character_book"),
        raw=whole,
    )


def _from_textgen(data: Mapping[str, Any]) -> Card:
    context = _text(data, "context")
    cut = _DIALOGUE.search(context)
    name = _text(data, "name", "bot", "<|bot|>")
    return Card(
        form="text-generation-webui",
        name=one_line(name, 80),
        description=context[: cut.start()] if cut else context,
        first_mes=_text(data, "greeting"),
        mes_example=context[cut.start() :] if cut else "",
        raw=data,
    )


def _from_agnai(data: Mapping[str, Any]) -> Card:
    persona = table(data.get("persona"))
    attributes = table(persona.get("attributes"))
    lines = []
    for key, values in attributes.items():
        texts = _texts(values)
        lines.append("\n".join(texts) if key == "text" else f"{one_line(str(key), 60)}: {', '.join(texts)}")
    return Card(
        form="Agnai",
        name=one_line(_text(data, "name"), 80),
        description="\n".join(line for line in lines if line) or _text(data, "persona"),
        scenario=_text(data, "scenario"),
        first_mes=_text(data, "greeting"),
        mes_example=_text(data, "sampleChat"),
        greetings=_texts(data.get("alternateGreetings")),
        notes=_text(data, "description"),
        credits=_credits(data),
        book=data.get("characterBook"),
        raw=data,
    )


def backyard_card(
    character: Mapping[str, Any], scenario: Mapping[str, Any], raw: Any, *, wants: str = ""
) -> Card:
    """A character of Backyard, with the scenario that it is played in."""
    lore = [table(each) for each in items(character.get("loreItems"))]
    entries = [{"keys": each.get("key"), "value": each.get("value")} for each in lore]
    nickname = one_line(_text(character, "name", "aiDisplayName"), 80)
    return Card(
        form="Backyard",
        name=one_line(_text(character, "displayName", "aiName"), 80) or nickname,
        nickname=nickname,
        description=_text(character, "persona", "aiPersona"),
        scenario=_text(scenario, "narrative", "scenario"),
        first_mes=_text(scenario, "firstMessage"),
        mes_example=_text(scenario, "exampleMessages").replace("#{character}:", "{character}:"),
        instructions=("system prompt",) if wants.strip() else (),
        book={"entries": entries} if lore else None,
        single_braces=True,
        raw=raw,
    )


def without_wpp(text: str) -> str:
    """A text whose parts in W++, such as `Age("27")` and `Likes("tea" + "crows")`, are plain lines."""

    def lines(block: re.Match[str]) -> str:
        told = _WPP_ATTRIBUTE.sub(r"\1: \2.\n", _WPP_PLUS.sub(", ", block[1]))
        return "\n".join(filter(None, map(str.strip, told.splitlines())))

    return _WPP.sub(lines, text)


def example_lines(card: Card, expanded: str) -> tuple[str, ...]:
    """What the character itself says in its examples (macros already expanded), each line once, the longest last."""
    marks = "|".join(re.escape(name) for name in {card.name, card.called} if name)
    found = re.findall(rf"^(?:{marks}):[ \t]*(.+)$", expanded, re.MULTILINE) if marks else []
    return tuple(dict.fromkeys(one_line(line, 400) for line in found if line.strip()))


def _notes(data: Mapping[str, Any]) -> str:
    many = table(data.get("creator_notes_multilingual"))
    found = _text(data, "creator_notes") or _text(data, "creatorcomment") or _text(many, "en")
    return "" if found.strip() == _STOCK_NOTES else found.strip()


def _credits(data: Mapping[str, Any]) -> str:
    creator, version = _text(data, "creator"), _text(data, "character_version")
    tags, source = data.get("tags"), data.get("source")
    shown = tags.split(",") if isinstance(tags, str) else _texts(tags)
    sources = ", ".join(one_line(each, 200) for each in _texts(source)[:10])
    lines = [
        f"By {one_line(creator, 100)}." if creator.strip() else "",
        f"Version {one_line(version, 40)}." if version.strip() else "",
        f"Tags: {', '.join(one_line(tag, 30) for tag in shown[:30])}." if shown else "",
        f"From {sources}" if source else "",
    ]
    return "\n".join(line for line in lines if line)


def _text(data: Mapping[str, Any], *keys: str) -> str:
    """The first field that is filled, as clean text; anything that is no text or number is nothing."""
    for value in map(data.get, keys):
        if isinstance(value, (str, int, float)) and not isinstance(value, bool) and value != "":
            return clean(str(value))
    return ""


def _texts(value: Any) -> tuple[str, ...]:
    """A list of texts; a single text is a list of one. Empty ones are dropped."""
    found = [value] if isinstance(value, str) else items(value)
    return tuple(clean(text) for text in found if isinstance(text, str) and text.strip())[:MAX_GREETINGS]
