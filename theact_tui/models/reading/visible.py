"""What may be shown of a reply that is still arriving: pure functions of the text so far, for `prose`."""

from __future__ import annotations

import re
from functools import lru_cache

from theact_tui.models.reading import wrapping
from theact_tui.models.reading.answers import tagged
from theact_tui.models.reading.context import Context
from theact_tui.models.reading.documents import values_of
from theact_tui.models.reading.fields import NARRATOR
from theact_tui.models.reading.judge import is_off_task, is_refusal
from theact_tui.models.reading.keylines import folded, key_line, may_follow
from theact_tui.models.reading.lines import FENCE, records
from theact_tui.models.reading.loosejson import mappings
from theact_tui.models.reading.plain import PROSE_KEYS, SPEAKING, prose_of
from theact_tui.models.reading.scalars import without_remarks
from theact_tui.models.reading.values import is_placeholder
from theact_tui.story.matching import plain

PATIENCE = 200
"""Characters without any wrapper after which a narrator's text is taken for prose."""
_QUOTE_PATIENCE = 160
_MARK_LENGTH = 64
"""A line that has not become a mark by then is prose."""

_PROBE = 60
"""Characters that show whether it is worth while to compare all."""

_INLINE_KEY = re.compile(r"[\s,;|\"'“”{*]*\bresponding[_ ]characters[\"'“”*]*\s*[:=]", re.IGNORECASE)
_OPEN_END = re.compile(r"[\"”']\s*,\s*[\"“'{]?[\w -]{0,40}[\"”']?\s*\Z")
"""What may be the end of a quoted string and the beginning of the next key."""
_PARTIAL_MARK = re.compile(r"(?:<[^<>\n]{0,48}|\[/?[A-Z]{0,6}|◁[/a-z]{0,6}|\\)\Z")
_LABELS = (
    "player user human you instruction system input next turn turn jugador usuario spieler joueur utilisateur "
    "narrator assistant yaml json final"
).split()
_TALK = tuple(
    (
        "let me know;i hope;hope this;hope that;would you like me;feel free;please let;note;explanation;here "
        "is;here's;sure;"
        "certainly;of course;okay;this response;this narration;if you;i've;i have;the above"
    ).split(";")
)
_AFTER_NAME = re.compile(r"[\s*_`\"'”’»\])>?|=~-]*(?:\([^)]*\)?)?[\s*_`\"')-]*(?:[:：=].*)?", re.DOTALL)
_PREAMBLE_START = re.compile(
    r"[\s*_#>`-]*(?:sure|certainly|of course|okay|ok|alright|absolutely|great|understood|got it|here|below|this "
    r"is|the following|"
    r"claro|aquí|hier ist|voici)\b",
    re.IGNORECASE,
)
_THINKING_ALOUD = re.compile(
    r"\W*(?:okay|ok|let me|let's|hmm|so|alright|first|we need|i need|i should|the player)\b", re.IGNORECASE
)


def visible(agent: str, raw: str, context: Context, *, last: bool) -> tuple[str, str]:
    """The prose of `raw` that is certain, and its thoughts. `last` says that nothing follows."""
    kind, _, own = agent.partition(":")
    own = own or context.speaker
    partial = None if last else _PARTIAL_MARK.search(raw)
    text = wrapping.normalised(raw[: partial.start()] if partial else raw)
    text, thoughts = wrapping.without_thoughts(text)
    text = wrapping.without_template(text, one_turn=True)
    text = wrapping.without_invented_turns(text, told=kind in {"narrator", *SPEAKING}, player=context.player)
    prose = (
        _narration(text, context.player, last=last)
        if kind == "narrator"
        else _plain(kind, text, own, context, last=last)
    )
    return "" if _is_echo(prose, context.prompt_example) else prose, thoughts


def _is_echo(prose: str, example: str) -> bool:
    """True for a placeholder, and for what is so far the example of the prompt."""
    if prose.startswith("<") or is_placeholder(prose):
        return True
    begin = plain(prose[:_PROBE]).rpartition(" ")[0]
    return bool(example) and begin in plain(example) and plain(prose) in plain(example)


def _narration(text: str, player: str, *, last: bool) -> str:
    bare = re.sub(r"\A\s*(?:`{3,}|~{3,})[\w+-]*[ \t]*\n", "", text).lstrip()
    if bare.startswith(("{", "[{", "[\n")):
        found = next(
            (
                values
                for one in mappings(bare, NARRATOR.deep_keys)
                for values in values_of(one.value, NARRATOR)
            ),
            {},
        )
        told = found.get("narration")
        return _told(told, player, last=last) if isinstance(told, str) else ""
    certain = text if last else _without_open_mark(text, (player,))
    in_tags = tagged(certain, NARRATOR)
    answers = in_tags or records(certain, NARRATOR)
    told = next((record.values["narration"] for record in answers if record.values.get("narration")), "")
    if told:
        prose = _told(_without_tail(str(told)), player, last=last)
        return "" if not last and _undecided_quote(prose, certain) else prose
    if any(record.values for record in answers) or any(FENCE.fullmatch(line) for line in certain.split("\n")):
        return ""
    return _loose(certain)


def _told(text: str, player: str, *, last: bool) -> str:
    """A narration up to a key on its last line; one that is an answer of its own is read as that."""
    text = text.strip()
    if text.startswith(("{", "narration:")):
        return _narration(text, player, last=last)
    if "characters" in text.casefold():
        text = _INLINE_KEY.split(text, maxsplit=1)[0]
    return text if last else _OPEN_END.sub("", text)


def _loose(text: str) -> str:
    """Text without any wrapper, once it is long enough and does not talk about the task."""
    probe = text.strip()[:PATIENCE]
    if len(probe) < PATIENCE or _THINKING_ALOUD.match(probe) or is_off_task(probe) or is_refusal(probe):
        return ""
    return without_remarks(text)


def _without_tail(prose: str) -> str:
    """`prose` without last lines that are keys, indented as if they belonged to it."""
    lines = prose.split("\n")
    while lines:
        key = key_line(lines[-1], NARRATOR)
        if key is None or key.field.kind not in {"ids", "choice"} or not may_follow(key.field, key.rest):
            break
        lines.pop()
    return "\n".join(lines).strip()


def _undecided_quote(prose: str, text: str) -> bool:
    """True while it is open whether a quotation mark at the beginning is around all or begins a dialogue."""
    start = text.find(prose[:20])
    opened = start > 0 and text[start - 1] in '"“'
    if not opened and prose[:1] not in {'"', "“"}:
        return False
    inside = prose.lstrip('"“')
    second = re.search(r"[\"”]", inside)
    if second is None:
        return len(inside) < _QUOTE_PATIENCE
    return not inside[second.end() :].strip()


def _plain(kind: str, text: str, own: str, context: Context, *, last: bool) -> str:
    cast = dict(context.active_characters or {})
    names = tuple(cast.values()) if kind in SPEAKING else ()
    bare = text.lstrip()
    if bare.startswith("{"):
        found = next((one.value for one in mappings(bare, frozenset(PROSE_KEYS))), None)
        return prose_of(kind, bare, own, context) if found else ""
    if last:
        return prose_of(kind, text, own, context)
    certain = _without_open_mark(text, (*names, context.player))
    if "\n" not in certain.strip() and _PREAMBLE_START.match(certain):
        return ""
    prose = prose_of(kind, certain, own, context)
    return "" if _undecided_quote(prose, certain) else prose


def _without_open_mark(text: str, speakers: tuple[str, ...]) -> str:
    """`text` without its last line, as long as that may become a key, a fence, a name or talk about the answer."""
    start = text.rfind("\n") + 1
    line = text[start:]
    if line.strip() and len(line) < _MARK_LENGTH and _may_become_mark(line.strip(), speakers):
        return text[:start]
    return text


def _may_become_mark(line: str, speakers: tuple[str, ...]) -> bool:
    bare = re.sub(r"^[\W\d_]+", "", line)
    if not bare:
        return True
    said = re.sub(r"[ _-]+", " ", folded(bare)).casefold().strip()
    names = _names(speakers)
    if f"\n{said}" in "\n".join(("", *names, *_TALK)) or said.startswith(_TALK):
        return True
    begun = (name for name in names if said.startswith(name)) if said.startswith(names) else ()
    return any(_AFTER_NAME.fullmatch(said[len(name) :]) for name in begun)


@lru_cache(maxsize=32)
def _names(speakers: tuple[str, ...]) -> tuple[str, ...]:
    keys = [name.replace("_", " ") for name in NARRATOR.by_key]
    joined = [name.replace(" ", "") for name in keys if " " in name]
    people = [re.sub(r"[ _-]+", " ", folded(name)).casefold() for name in speakers]
    return tuple(dict.fromkeys([*keys, *joined, *_LABELS, *filter(None, people)]))
