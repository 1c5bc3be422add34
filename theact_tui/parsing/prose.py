"""Prose replies: take off what is certainly wrapping, and say which replies are provably no prose.

What is written for the player is never judged by its words. Records, which the player does not read, must hold a sentence
and no refusal.
"""

import re

from theact_tui.parsing.forms import MODELS, StageReply
from theact_tui.parsing.json_objects import objects_in
from theact_tui.parsing.no_answer import is_blank, is_nothing
from theact_tui.parsing.refusals import is_refusal
from theact_tui.parsing.speakers import before_answers, one_speaker
from theact_tui.parsing.types import ReplyContext
from theact_tui.parsing.unwrap import FENCE, announces, between_rules, is_one_speech, unwrapped
from theact_tui.story.matching import is_unspaced
from theact_tui.story.names import forms, name_pattern

RECORDS = frozenset({"summary", "recap", "merge", "cell"})
SPEAKING = frozenset({"character", "actor"})
_PROSE_KEYS = tuple(
    "narration text reply response answer content message output dialogue speech line story chapter summary recap epilogue "
    "memory entry memories merged cell".split()
)
PAGE_LABEL = re.compile(
    r"\A[ \t]*[*_\[\"']{0,3}(?:narration|narrator|narrative|final answer|response|reply|epilogue)"
    r"[*_\]\"']{0,3}[ \t]*:[*_]{0,3}[ \t]*",
    re.IGNORECASE,
)
_RECORD_LABEL = re.compile(
    r"\A[ \t]*[*_\[\"']{0,3}(?:(?:the|new|updated|final|rolling|short|merged|chapter|story) ){0,3}"
    r"(?:response|answer|output|text|story|summary|recap|memor(?:y|ies)|diary|entry|cell)(?: entry| so far)?"
    r"(?:[ \t]*\([^()\n]{0,40}\))?[*_\]\"']{0,3}[ \t]*:[*_]{0,3}[ \t]*",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"\A(?:#{1,6}[ \t][^\n]{0,80}\n+|[*_]{0,2}(?:chapter|epilogue|recap|summary)\b[^\n.!?]{0,60}\n[ \t]*\n)(?=\s*\S)",
    re.IGNORECASE,
)
_CUT_OBJECT = re.compile(r"\[?\s*\{\s*[\"“']\w+[\"”']\s*:")
_KEY = re.compile(r"\s*[a-z_]{2,24}:(?:\s|\Z)")


def read_prose(agent: str, text: str, own: str, context: ReplyContext) -> tuple[str, str]:
    """Return the prose of `text`, and what is missing if there is none; `own` is the speaker's id if known."""
    prose = prose_of(agent, text, own, context)
    if not re.search(r"\w", prose) or is_blank(prose):
        return "", "text"
    if agent in RECORDS and not context.is_scripted:
        if is_nothing(prose) or not _has_sentence(prose):
            return "", "text (no sentence)"
        if is_refusal(prose):
            return "", "text (declined)"
    return prose, ""


def _has_sentence(text: str) -> bool:
    """True if a line that is not a key with its value holds two words."""
    lines = [line for line in text.split("\n") if not _KEY.match(line)]
    least = 4 if is_unspaced(text) else 2
    words = r"\w" if is_unspaced(text) else r"\w+(?:['’]\w+)*"
    return any(len(re.findall(words, line)) >= least for line in lines)


def prose_of(agent: str, text: str, own: str, context: ReplyContext) -> str:
    """Remove wrappers around the prose until none is left, and what others say or do after it."""
    text = _unwrapped(agent, text)
    cast = dict(context.active_characters or {})
    if agent in SPEAKING:
        text = _unwrapped(agent, one_speaker(text, own, cast))
        if context.player and not {*forms(context.player)} & {*forms(cast.get(own, ""))}:
            text = _without_acts_of(context.player, text)
    elif agent == "narrator":
        text = before_answers(text, ({"player": context.player} if context.player else {}) | cast)
    return text


def _without_acts_of(player: str, text: str) -> str:
    """Cut lines at the end that tell what the player's character does."""
    states = "and|or|is|was|has|had|will|would|can|could|must|may|might|should"
    acts = re.compile(rf"[*_]*{name_pattern(player)}[*_]*[ \t]+(?!(?:{states})\b)[a-z]")
    lines = text.split("\n")
    while len(lines) > 1 and (not lines[-1].strip() or acts.match(lines[-1])):
        lines.pop()
    return "\n".join(lines)


def _unwrapped(agent: str, text: str) -> str:
    for _ in range(6):
        inner = _unwrap_once(agent, text)
        if inner == text:
            break
        text = inner
    return text


def _unwrap_once(agent: str, text: str) -> str:
    text = _out_of_tag(_out_of_object(_out_of_fence(between_rules(text))))
    if agent not in SPEAKING:
        text = text if agent == "chapter" else _HEADING.sub("", text, count=1)
        text = (_RECORD_LABEL if agent in RECORDS else PAGE_LABEL).sub("", text, count=1).strip() or text
    if agent in RECORDS:
        text = re.sub(r"\A[-*•][ \t]+(?=[^\n]+\Z)", "", text)
        announced = re.match(r"[^:\n]{1,120}:(?=[ \t]+\S)", text)
        text = text[announced.end() :] if announced and announces(announced[0]) else text
    if agent in SPEAKING and is_one_speech(text):
        return text.strip()
    is_string = text.strip()[:1] in {'"', "“", "«", "`", "'", "„", "‘"} or "\\n" in text
    return unwrapped(text) if is_string else text.strip()


def _out_of_fence(text: str) -> str:
    """Remove a fence around the whole text, or its only mark. A fence within a text stays: a letter may stand in it."""
    lines = text.strip().split("\n")
    marks = [index for index, line in enumerate(lines) if FENCE.fullmatch(line)]
    first, last = (line in marks for line in (0, len(lines) - 1))
    if len(lines) < 2 or not (first or last) or len(marks) > 1 + (first and last):
        return text
    return "\n".join(lines[first : len(lines) - last])


def _out_of_object(text: str) -> str:
    """Return the prose in a JSON object; "" of an object without prose that is the whole text."""
    bare = text.strip()
    if not bare.startswith(("{", "[")):
        return text
    value = next((value for _, value in objects_in(bare)), None)
    if value is None:
        return "" if _CUT_OBJECT.match(bare) else text
    end = max(bare.rfind("}"), bare.rfind("]"))
    return _prose_in(value) or (bare[end + 1 :].strip() if end >= 0 else "")


def _prose_in(value: object) -> str:
    """Return an object's text under a key for prose, else a text further in, else its longest. The fields of a form
    hold none.
    """
    if isinstance(value, list):
        return next(filter(None, map(_prose_in, value)), "")
    if not isinstance(value, dict):
        return ""
    items = {str(key).casefold(): item for key, item in value.items()}
    texts = {key: item.strip() for key, item in items.items() if isinstance(item, str)}
    if len(items) > 1 and {*items} <= {*StageReply.model_fields}:  # `answer` holds names there
        return ""
    if named := next((texts[key] for key in _PROSE_KEYS if texts.get(key)), ""):
        return named
    if any({*items} <= {*model.model_fields} for model in MODELS.values()):
        return ""
    inner = next(filter(None, map(_prose_in, items.values())), "")
    is_empty = not texts.keys().isdisjoint(_PROSE_KEYS)
    return inner or ("" if is_empty else max(texts.values(), key=len, default=""))


def _out_of_tag(text: str) -> str:
    """Remove a tag around the whole text, or a lone closing one at its end."""
    tag = re.fullmatch(
        r"\s*<([a-z][\w:-]*)(?:\s[^<>\n]*)?>\s*(.*?)\s*(?:</\1>)?\s*", text, re.IGNORECASE | re.DOTALL
    )
    if tag and f"<{tag[1]}" not in tag[2]:
        return tag[2]
    closing = re.search(r"\s*</([a-z][\w:-]*)>\s*\Z", text, re.IGNORECASE)
    return text[: closing.start()] if closing and f"<{closing[1]}" not in text else text
