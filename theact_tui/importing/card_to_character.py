"""Character cards and scenarios of several programs as one `Card`."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from theact_tui.importing.macros import Expansion
from theact_tui.importing.plain import without_markup
from theact_tui.importing.read_untrusted import items, table
from theact_tui.importing.report import KEPT_IN_IMPORTED, LeftOut, document_words
from theact_tui.sentences import quotation_spans, whole_sentences
from theact_tui.story.pack import Character, PlayerInfo
from theact_tui.text import counted, one_line, words

MAX_GREETINGS = 100
MOST_EXAMPLES, MAX_EXAMPLE = 4, 500
"""Examples per character, and characters per example."""
MAX_TALKS = 2_000
"""Dialogues per card; the last holds the rest."""
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A character as imported, macros not expanded yet."""

    form: str = ""
    """Format for people, such as `V2`."""
    name: str = ""
    nickname: str = ""
    title: str = ""
    description: str = ""
    personality: str = ""
    scenario: str = ""
    tone: str = ""
    first_mes: str = ""
    mes_example: str = ""
    greetings: tuple[str, ...] = ()
    group_greetings: tuple[str, ...] = ()
    notes: str = ""
    """Creator's notes."""
    credits: str = ""
    book: Any = None
    player: str = ""
    """Name of the player's character in a scene."""
    changed: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    single_braces: bool = False
    raw: Any = None

    @property
    def called(self) -> str:
        return self.nickname or self.name


# --- the formats --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CardForm:
    name: str
    tells: Callable[[Json], Any]
    """True for a document of this format."""
    fields: Mapping[str, str]
    """`Card` fields, each with its names in the format, best first."""
    inside: str = ""
    """Path of the part that holds them; empty: the root."""
    more: Callable[[Json], Json] = field(default=lambda _: {})
    """Computed fields; they win over `fields`, but not if None."""


def _attributes(data: Json) -> Iterator[str]:
    for key, values in data.items():
        joined = ", ".join(_texts(values))
        if joined:
            yield joined if key == "text" else f"{one_line(str(key), 60)}: {joined}"


def _agnai(data: Json) -> Json:
    persona = table(data.get("persona"))
    return {"description": "\n".join(_attributes(table(persona.get("attributes")))) or None}


def _textgen(data: Json) -> Json:
    context = _text(data, "context")
    cut = re.search(r"^(?:\{\{user\}\}|<user>|You):", context, re.IGNORECASE | re.MULTILINE)
    return {"description": context[: cut.start()], "mes_example": context[cut.start() :]} if cut else {}


def _backyard(data: Json) -> Json:
    lore = [table(item) for item in items(data.get("loreItems"))]
    entries = [{"keys": item.get("key"), "value": item.get("value")} for item in lore]
    return {"book": {"entries": entries} if lore else None, "single_braces": True}


def _with_traits(data: Json) -> Json:
    known = {name for names in _TRAITS.values() for name in names.split()} | _USED_TRAITS
    others = {key: value for key, value in data.items() if key not in known}
    description = "\n".join([_text(data, "description"), *_attributes(others)])
    return {"description": description.strip() or None}


def _talemate(data: Json) -> Json:
    own = {"gender": data["gender"]} if data.get("gender") else {}
    lines = [
        *_attributes({**own, **table(data.get("base_attributes"))}),
        *_attributes(table(data.get("details"))),
    ]
    return {"personality": "\n".join(lines), "mes_example": "\n".join(_texts(data.get("example_dialogue")))}


def _novelai(data: Json) -> Json:
    inside = table(data.get("content")) or data
    memory, note = [*(_text(table(entry), "text") for entry in items(inside.get("context"))), "", ""][:2]
    left = "The text of the story: it is kept in a format that cannot be read."
    return {
        "title": _text(inside, "title") or _text(table(data.get("metadata")), "title") or "Scenario",
        "scenario": memory,
        "tone": note,
        "book": inside.get("lorebook"),
        "left_out": (LeftOut(left),) if inside is not data else (),
    }


# fmt: off
_CARD = {
    "name": "name char_name", "nickname": "nickname", "description": "description char_persona",
    "personality": "personality", "scenario": "scenario world_scenario", "first_mes": "first_mes char_greeting",
    "mes_example": "mes_example example_dialogue", "greetings": "alternate_greetings",
    "group_greetings": "group_only_greetings", "notes": "creator_notes creatorcomment", "book": "character_book",
}
_BACKYARD = {
    "name": "displayName aiName", "nickname": "name aiDisplayName", "description": "persona aiPersona",
    "scenario": "scenario", "first_mes": "firstMessage", "mes_example": "customDialogue", "greetings": "greetings",
}
_AGNAI = {
    "name": "name", "description": "persona", "scenario": "scenario", "first_mes": "greeting",
    "mes_example": "sampleChat", "greetings": "alternateGreetings", "notes": "description", "book": "characterBook",
}
_TEXTGEN = {"name": "name bot <|bot|>", "description": "context", "first_mes": "greeting"}
_CHARACTER_AI = {
    "name": "name participant__name", "description": "description", "personality": "definition", "first_mes": "greeting",
}
_TRAITS = {
    "name": "name", "description": "description", "personality": "personality", "scenario": "scenario",
    "first_mes": "firstMessage", "mes_example": "exampleDialogue", "greetings": "alternateGreetings",
    "notes": "creatorNotes", "book": "characterBook",
}
_USED_TRAITS = frozenset("creator characterVersion systemPrompt postHistoryInstructions tags traits defaultSprite".split())
_TALEMATE = {"name": "name", "description": "description", "first_mes": "greeting_text"}
_SCENARIO = {
    "title": "title", "first_mes": "prompt", "scenario": "memory", "tone": "authorsNote", "notes": "description",
    "book": "worldInfo storyCards",
}
# fmt: on


def _is_card(data: Json) -> bool:
    return "first_mes" in data or ("name" in data and bool({"description", "personality"} & data.keys()))


V3 = CardForm("V3", lambda v: v.get("spec") == "chara_card_v3", _CARD, "data")
V2 = CardForm(
    "V2", lambda v: v.get("spec") == "chara_card_v2" or _is_card(table(v.get("data"))), _CARD, "data"
)
V1 = CardForm("V1", lambda v: {"first_mes", "mes_example"} & v.keys(), _CARD)
PYGMALION = CardForm("Pygmalion", lambda v: "char_name" in v, _CARD)
BACKYARD = CardForm(
    "Backyard", lambda v: "aiPersona" in table(v.get("character")), _BACKYARD, "character", _backyard
)
AGNAI = CardForm(
    "Agnai",
    lambda v: v.get("kind") == "character" or {"persona", "greeting", "sampleChat"} <= v.keys(),
    _AGNAI,
    more=_agnai,
)
TEXTGEN = CardForm(
    "text-generation-webui",
    lambda v: "greeting" in v and {"context", *_TEXTGEN["name"].split()} & v.keys(),
    _TEXTGEN,
    more=_textgen,
)
NOVELAI = CardForm(
    "NovelAI", lambda v: {"scenarioVersion", "storyContainerVersion"} & v.keys(), _SCENARIO, more=_novelai
)
DUNGEON = CardForm(
    "AI Dungeon", lambda v: "prompt" in v and {"worldInfo", "storyCards", "authorsNote"} & v.keys(), _SCENARIO
)
TALEMATE = CardForm(
    "Talemate",
    lambda v: "greeting_text" in v or {"base_attributes", "details"} <= v.keys(),
    _TALEMATE,
    more=_talemate,
)
CHUNGUS = CardForm(
    "ChungusHub",
    lambda v: "name" in v and {"description", "personality", "firstMessage"} & table(v.get("traits")).keys(),
    _TRAITS,
    "traits",
    _with_traits,
)
CHARACTER_AI = CardForm("Character.AI", lambda _: False, _CHARACTER_AI)
_FORMS = (V3, V2, CHUNGUS, BACKYARD, AGNAI, PYGMALION, TALEMATE, V1, NOVELAI, DUNGEON, TEXTGEN)
_LISTS, _RAW = ("greetings", "group_greetings"), ("book",)
CARD_FIELDS = frozenset(
    name
    for fields in (_CARD, _AGNAI, _TEXTGEN, _TALEMATE)
    for names in fields.values()
    for name in names.split()
) | frozenset(
    "spec spec_version data avatar chat create_date creation_date modification_date creator character_version tags source "
    "extensions talkativeness fav id appearance age gender species kind persona".split()
)
_INSTRUCTIONS = {
    "system prompt": "system_prompt systemPrompt basePrompt",
    "post-history instructions": "post_history_instructions postHistoryInstructions",
    "dialogue instructions": "dialogue_instructions",
}


def read_card(value: Any, name: str, form: CardForm | None = None) -> Card:
    """Read a detected card; `name`, the file's, replaces a missing one."""
    whole = table(value)
    form = form or next((form for form in _FORMS if form.tells(whole)), V1)
    data: Json = table(whole.get(form.inside)) or whole
    if form is CHUNGUS:
        data = {**whole, **data}
    fields: dict[str, Any] = {key: content for key, content in form.more(data).items() if content is not None}
    for key, names in form.fields.items():
        if key not in fields:
            read = _all_texts if key in _LISTS else _raw if key in _RAW else _text
            fields[key] = read(data, *names.split())
    for key, limit in (("name", 80), ("nickname", 80), ("title", 80)):
        fields[key] = one_line(fields.get(key) or "", limit)
    if not (fields["name"] or fields["title"]):
        fields["name"] = fields["nickname"] or one_line(name, 80) or "Character"
    if (greetings := fields.get("greetings")) and not fields["first_mes"].strip():
        fields["first_mes"], fields["greetings"] = greetings[0], greetings[1:]
    if not fields.get("notes") and (many := table(data.get("creator_notes_multilingual"))):
        fields["notes"] = _text(many, "en")
    fields["notes"] = (
        "" if (notes := fields.get("notes", "").strip()) == "Creator's notes go here." else notes
    )
    speaker = fields["nickname"] or fields["name"] or fields["title"]
    fields["left_out"] = (*fields.get("left_out", ()), *_unused(data, speaker))
    return _with_talk(
        Card(
            form=form.name if form is not V1 or "data" not in whole else V2.name,
            **fields,
            credits=_credits(data),
            raw=value,
        )
    )


_START = re.compile(r"<START>", re.IGNORECASE)
_SPEAKS = re.compile(
    r"(?<=[^\s#])[ \t]+(?=#?(?:\{\{(?:user|char)\}\}|\{(?:user|character)\}|<(?:user|bot|char)>):)",
    re.IGNORECASE,
)
"""Speaker label in the middle of a line."""
_ASIDE = re.compile(r"^\[[^\[\]]+\][ \t]*$", re.MULTILINE)


def _with_talk(card: Card) -> Card:
    """Move dialogue from the description, after <START>, to the examples."""
    description, *talk = _START.split(card.description, MAX_TALKS)
    if not talk:
        return card
    asides = [aside for block in talk for aside in _ASIDE.findall(block)]
    blocks = [*(_ASIDE.sub("", block) for block in talk), card.mes_example]
    description_text = "\n".join([description.rstrip(), *asides])
    return replace(card, description=description_text, mes_example="<START>".join(blocks))


def _unused(data: Json, name_of_card: str) -> Iterator[LeftOut]:
    extensions = table(data.get("extensions"))
    prompts = {name: _text(data, *keys.split()) for name, keys in _INSTRUCTIONS.items()}
    prompts["depth prompt"] = _text(table(extensions.get("depth_prompt")), "prompt")
    for name, text in prompts.items():
        if text.strip():
            yield LeftOut.counted(
                f"The {name} of {name_of_card}: instructions to programs are not used", text
            )
    scripts = [*map(table, items(extensions.get("regex_scripts")))]
    names = [one_line(_text(script, "scriptName"), 40) or "unnamed" for script in scripts]
    names += ["tavern_helper"] if extensions.get("tavern_helper") else []
    if names:
        text = document_words({"scripts": scripts, "helper": extensions.get("tavern_helper")})
        yield LeftOut(f"Scripts of {name_of_card}, which are never run: {', '.join(names[:20])}.", text)


def _credits(data: Json) -> str:
    creator, version = _text(data, "creator"), _text(data, "character_version", "characterVersion")
    tags, source = data.get("tags"), data.get("source")
    shown = tags.split(",") if isinstance(tags, str) else _texts(tags)
    sources = ", ".join(one_line(entry, 200) for entry in _texts(source)[:10])
    lines = [
        f"By {one_line(creator, 100)}." if creator.strip() else "",
        f"Version {one_line(version, 40)}." if version.strip() else "",
        f"Tags: {', '.join(one_line(tag, 30) for tag in shown[:30])}." if shown else "",
        f"From {sources}" if source else "",
    ]
    return "\n".join(line for line in lines if line)


def _text(data: Json, *keys: str) -> str:
    for value in map(data.get, keys):
        if isinstance(value, (str, int, float)) and not isinstance(value, bool) and value != "":
            return without_markup(str(value))
    return ""


def _texts(value: Any) -> tuple[str, ...]:
    """Return non-empty texts; a single text is a list."""
    texts = [value] if isinstance(value, str | int | float) and not isinstance(value, bool) else items(value)
    return tuple(
        without_markup(str(text))
        for text in texts
        if isinstance(text, str | int | float) and str(text).strip()
    )


def _all_texts(data: Json, *keys: str) -> tuple[str, ...]:
    return next((texts for key in keys if (texts := _texts(data.get(key)))), ())


def _raw(data: Json, *keys: str) -> Any:
    return next((data[key] for key in keys if data.get(key)), None)


# --- the character of a card --------------------------------------------------------------------------------------


def expansion_of(card: Card, cast: Sequence[str] = ()) -> Expansion:
    """Build the macros of a card, whose own fields may be named."""

    def own(fields: Mapping[str, str]) -> Expansion:
        return Expansion(card.called, ", ".join(cast), card.name, card.single_braces, fields)

    names = ("description", "personality", "scenario", "first_mes", "mes_example")
    texts = {name: getattr(card, name) for name in names}
    if any("{{" in text for text in texts.values()):
        texts = {name: own({})(text) for name, text in texts.items()}
    return own(texts)


def with_settled_names(card: Card, player: str = "") -> Card:
    """Expand the macros in a card's names now, for a name cannot wait for the player's."""
    names = {field: getattr(card, field) for field in ("name", "nickname", "title")}
    expand = Expansion(seed=card.name, single=card.single_braces, player=player or PlayerInfo().name)
    settled = {field: one_line(expand(name), 80) or name for field, name in names.items()}
    hint = "" if player else " --player names the player."
    told = (
        f"The name “{name}” is “{settled[field]}” here.{hint}"
        for field, name in names.items()
        if settled[field] != name
    )
    changed = (*card.changed, *told, *expand.left_out)
    name, nickname, title = settled.values()
    return replace(card, name=name, nickname=nickname, title=title, changed=changed)


def character_from(card: Card, expand: Expansion) -> tuple[Character, tuple[LeftOut, ...]]:
    """Build the character, and list the examples left out."""
    texts = (without_wpp(expand(text)).strip() for text in (card.description, card.personality))
    examples, left_out = _examples(card, expand)
    personality = "\n\n".join(text for text in texts if text)
    return Character(name=card.called, role="", personality=personality, examples=examples), left_out


def _examples(card: Card, expand: Expansion) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    mine = {name.casefold() for name in (card.name, card.called, *card.called.split()[:1])}
    marks = sorted((*mine, "{player}", "{{user}}", "you", "user"), key=len, reverse=True)
    mark = re.compile(rf"^[ \t]*#?({'|'.join(map(re.escape, marks))}):", re.IGNORECASE | re.MULTILINE)
    replies: dict[str, None] = {}
    others: list[str] = []
    for block in _START.split(card.mes_example, MAX_TALKS):
        before, *labelled = mark.split(expand(_SPEAKS.sub("\n", block)))
        if not labelled:
            labelled, before = [card.called, before], ""
        others.append(before)
        for speaker, speech in zip(labelled[::2], labelled[1::2], strict=True):
            if speaker.casefold() in mine:
                replies[" ".join(speech.split())] = None
            else:
                others.append(speech)
    filled = [reply for reply in replies if reply]
    best = sorted(filled, key=lambda reply: (_speech(reply), min(len(reply), MAX_EXAMPLE)), reverse=True)
    chosen = [_beginning(reply) for reply in best[:MOST_EXAMPLES]]
    more = best[MOST_EXAMPLES:]
    ends = [reply.removeprefix(part) for reply, part in zip(best, chosen, strict=False)]
    lost = {
        counted(len(more), "more reply", "more replies"): "\n".join(more),
        "the ends of long replies": "\n".join(ends),
        "other speakers' lines": "\n".join(others),
    }
    parts = [f"{label} ({counted(words(text), 'word')})" for label, text in lost.items() if words(text)]
    sentence = f"From {card.called}'s example dialogue: {'; '.join(parts)}.{KEPT_IN_IMPORTED}"
    return tuple(chosen), (LeftOut(sentence, "\n".join(lost.values())),) if parts else ()


_ACTS = re.compile(r"\*[^*]*\*")


def _speech(reply: str) -> int:
    """Rank a reply: 2 with quoted speech, 1 with more than actions, else 0."""
    if quotation_spans(reply):
        return 2
    return bool(re.search(r"\w", _ACTS.sub("", reply)))


def _beginning(reply: str) -> str:
    if len(reply) <= MAX_EXAMPLE:
        return reply
    room = reply[:MAX_EXAMPLE].rpartition(" ")[0] or reply[:MAX_EXAMPLE]
    cut = longest = whole_sentences(room)
    while cut.count("*") % 2 or cut.count('"') % 2:
        shorter = whole_sentences(cut[:-1])
        if shorter == cut[:-1]:
            return longest
        cut = shorter
    return cut


_WPP = re.compile(
    r"\[?[ \t]*\bcharacter[ \t]*\([^()\n]*\)\s*\{(.*?)(?:\}\s*\]|^\s*\}[ \t]*$|\}\s*\Z)", re.I | re.M | re.S
)
_WPP_PLUS = re.compile(r'"\s*\+\s*"')
_WPP_ATTRIBUTE = re.compile(r'([A-Za-z][\w /-]{0,40}?)[ \t]*\(\s*"([^"]*?)\.?"\s*\)')


def without_wpp(text: str) -> str:
    """Turn W++ such as `Age("27")` and `Likes("tea" + "crows")` into plain lines."""

    def lines(block: re.Match[str]) -> str:
        lines_text = _WPP_ATTRIBUTE.sub(r"\1: \2.\n", _WPP_PLUS.sub(", ", block[1]))
        return "\n".join(filter(None, map(str.strip, lines_text.splitlines())))

    return _WPP.sub(lines, text)
