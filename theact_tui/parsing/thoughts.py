"""Thoughts in a reply: how models mark them, and the text outside."""

import re
from typing import Literal

Thought = Literal["marked", "opened", "apart"]
"""Where a model's thoughts are: marked in the text; begun by its template, so only their end is marked; or in a field of
their own."""

_NAME = (
    r"(?:\w{1,12}:)?(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|analysis|inner_monologue|cot)"
)
_UNENDED = r"think(?:ing)?(?![^<>\n]*>)"  # very small models leave the `>` out
_MARKS = (
    (rf"<\s*{_NAME}(?:\s[^<>\n]*)?>", rf"<\s*/+\s*{_NAME}\s*>"),
    (r"\[think\]|◁think▷", r"\[/think\]|◁/think▷|\(/think\)"),
    (
        rf"<[|｜](?:(?:begin|start)[_▁](?:of[_▁])?)?{_NAME}[|｜]>",
        rf"<[|｜](?:end[_▁](?:of[_▁])?|/){_NAME}[|｜]>",
    ),
    (r"<unused94>(?:thought)?|<\|channel>\s*thought", r"<unused95>|<channel\|>"),
    (rf"<{_UNENDED}", rf"</{_UNENDED}"),
)
"""How a thought begins and ends."""
_FOLDED, _FOLDED_END = r"<details\s+type=[\"']?reasoning[^<>\n]*>", r"</details>"
"""How a thought that a page of the web folds begins and ends. The end alone is of another folded part."""
_OPENING, _CLOSING = ("|".join(marks) for marks in zip(*_MARKS, strict=True))
_EDGE = re.compile(rf"(?P<open>{_OPENING}|{_FOLDED})|(?P<close>{_CLOSING})", re.IGNORECASE)
CLOSE = re.compile(f"{_CLOSING}|{_FOLDED_END}", re.IGNORECASE)

_SIDE_CHANNEL = r"<\|channel\|>\s*(?:analysis|commentary|thought|reflection)\b"
_CHANNEL = re.compile(
    rf"{_SIDE_CHANNEL}[^<]*(?:<\|message\|>)?.*?(?:<\|end\|>|(?=<\|channel\|>)|(?=<\|start\|>)|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_CHANNEL_START = re.compile(rf"{_SIDE_CHANNEL}(?:<\|message\|>)?", re.IGNORECASE)
_CHANNEL_END = re.compile(r"<\|end\|>|(?=<\|start\|>)|(?=<\|channel\|>)")
_BARE_CHANNEL = re.compile(r"\A\s*analysis(?=[A-Z\s]).*?assistant\s*final", re.DOTALL)

THOUGHT_LABEL = re.compile(
    r"\A[\s#*_]*(?:thinking|thoughts?|reasoning|analysis)(?: process)?[*_]*:[*_]*", re.IGNORECASE
)
_ANSWER = re.compile(
    r"^[ \t#*_]*(?:final )?(?:response|answer|reply|output|narration)[*_]*:[*_ \t]*",
    re.IGNORECASE | re.MULTILINE,
)


def without_thoughts(text: str, thought: Thought = "marked") -> tuple[str, str]:
    """Split a text into the part outside of thoughts, and the thoughts.

    An unclosed thought goes to the end. Text before a closing mark without an opening one was a thought, unless nothing
    follows the mark or thoughts come apart.
    """
    if "<|channel|>" in text:
        text = _CHANNEL.sub("", text)
    text = _BARE_CHANNEL.sub("", text, count=1)
    if (label := THOUGHT_LABEL.match(text)) and (answer := _ANSWER.search(text, label.end())):
        return text[answer.end() :], text[label.end() : answer.start()]
    if not any(sign in text for sign in "<[◁("):
        return text, ""
    outside: list[str] = []
    thoughts: list[str] = []
    start, inside = 0, False
    while edge := (CLOSE if inside else _EDGE).search(text, start):
        before = text[start : edge.start()]
        if inside:
            thoughts.append(before)
            inside = False
        elif edge["open"]:
            outside.append(before)
            inside = True
        elif thought == "apart" or (thought == "marked" and not _has_words(text, edge.end())):
            outside.append(before)
        else:
            thoughts += [*outside, before]
            outside = []
        start = edge.end()
    (thoughts if inside else outside).append(text[start:])
    return "".join(outside), "".join(thoughts)


_WORD = re.compile(r"\w")


def _has_words(text: str, start: int) -> bool:
    return _WORD.search(text, start) is not None


def out_of_open_thought(text: str) -> str:
    """Return the inside of an unclosed thought that is the whole text, else `text`."""
    edges = [*_EDGE.finditer(text)]
    alone = len(edges) == 1 and edges[0]["open"] and not text[: edges[0].start()].strip()
    return text[edges[0].end() :] if alone else text


def begins_in_thought(text: str) -> bool:
    """True if the model's template opened the thought."""
    first = _EDGE.search(text)
    return first is not None and bool(first["close"]) and _has_words(text, first.end())


def thought_edge(text: str) -> tuple[int, int, re.Pattern[str] | None] | None:
    """Return the first mark of a thought in `text`: start, end, and for an opening one the pattern that closes it."""
    channel, edge = _CHANNEL_START.search(text), _EDGE.search(text)
    if channel and (edge is None or channel.start() <= edge.start()):
        return channel.start(), channel.end(), _CHANNEL_END
    if edge is None:
        return None
    return *edge.span(), None if edge["close"] else CLOSE
