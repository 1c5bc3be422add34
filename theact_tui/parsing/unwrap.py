"""Remove thoughts, chat templates and invented turns around an answer."""

import re
from collections.abc import Iterator
from functools import lru_cache

_THOUGHT = (
    r"(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis|inner_monologue|seed:think|cot)"
)
_UNENDED = r"think(?:ing)?(?![^<>\n]*>)"  # very small models leave the `>` out
OPENING = (
    rf"<\s*{_THOUGHT}(?:\s[^<>\n]*)?>|\[THINK\]|◁think▷|<\|(?:begin_of_thought|START_THINKING|thinking|think)\|>"
    rf"|<unused94>(?:thought)?|<\|channel>\s*thought|<{_UNENDED}"
)
CLOSING = (
    rf"<\s*/\s*{_THOUGHT}\s*>|\[/THINK\]|◁/think▷|<\|(?:end_of_thought|END_THINKING|/thinking|/think)\|>"
    rf"|<unused95>|<channel\|>|</{_UNENDED}"
)
_THOUGHT_EDGE = re.compile(rf"(?P<open>{OPENING})|(?P<close>{CLOSING})", re.IGNORECASE)
THOUGHT_CLOSE = re.compile(CLOSING, re.IGNORECASE)
_CHANNEL_END = re.compile(r"<\|end\|>|(?=<\|start\|>)|(?=<\|channel\|>)")
_CHANNEL = re.compile(
    r"<\|channel\|>\s*(?:analysis|commentary|thought|reflection)\b[^<]*(?:<\|message\|>)?"
    r".*?(?:<\|end\|>|(?=<\|channel\|>)|(?=<\|start\|>)|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_CHANNEL_START = re.compile(
    r"<\|channel\|>\s*(?:analysis|commentary|thought|reflection)\b(?:<\|message\|>)?", re.IGNORECASE
)
_BARE_CHANNEL = re.compile(r"\A\s*analysis(?=[A-Z\s]).*?assistant\s*final", re.DOTALL)

_ROLE = r"(?:assistant|model|gpt|bot|ai|narrator_agent|final)"
TOKEN = (
    r"<\|[^|<>\n]{1,40}\|>|<｜[^<>\n]{1,40}｜>|</?s>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>"
    r"|<(?:bos|eos|pad|unk|end_of_utterance)>|<0x[0-9A-Fa-f]{2}>"
)
HEADER = re.compile(
    rf"\A\s*(?:(?:{TOKEN})\s*(?:{_ROLE}\b[ \t]*:?)?\s*|{_ROLE}[ \t]*(?::|\n)\s*)+", re.IGNORECASE
)
_THEIR_TURN = re.compile(
    r"\A\s*(?:<s>\s*)?(?:\[INST\].*?\[/INST\]|(?:<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>|"
    r"<\|)(?:user|system)\b.*?"
    r"(?=(?:<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>|<\|)(?:assistant|model)))",
    re.IGNORECASE | re.DOTALL,
)
ANY_TOKEN = re.compile(TOKEN)
_SPEAKER = (
    r"(?:the[ \t]+)?(?:player|user|human|you|jugador|usuario|spieler|joueur|utilisateur|instruction|system|"
    r"input|next turn)(?:['’]s)?(?:[ \t]+(?:turn|action|input|response|message|says|character))?"
)
TURN_NUMBER = re.compile(
    r"^[ \t]*(?:[*_#=\-\[]{1,4}[ \t]*)?turn[ \t]+#?\d+\b[ \t]*[:\]*_=-]*[ \t]*$", re.IGNORECASE | re.MULTILINE
)
_LONG_RUN = re.compile(r"[ \t]{200,}|\n{40,}|([^\w\s])\1{80,}")
_INVISIBLE = re.compile("[\u0000\u200b\u2060\ufeff]")


def normalised(raw: str) -> str:
    """`raw` with line feeds as its only line ends and without byte order marks and invisible characters."""
    text = raw.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n\n")
    text = _without_long_runs(text)
    return _INVISIBLE.sub("", re.sub("[\ud800-\udfff]", "\ufffd", text))


def _without_long_runs(text: str) -> str:
    """Shorten long runs to three characters. Every 80th character is looked at first, which is quick."""
    marks = (mark * 81 for mark in set(text[::80]) if not mark.isalnum())
    if "\n" * 40 in text or " " * 200 in text.replace("\t", " ") or any(run in text for run in marks):
        return _LONG_RUN.sub(lambda run: run[0][:3], text)
    return text


def without_thoughts(text: str) -> tuple[str, str]:
    """The text outside of thoughts, and the thoughts.

    An unclosed thought goes to the end; what precedes a closing mark without an opening one was a thought.
    """
    if "<|channel|>" in text:
        text = _CHANNEL.sub("", text)
    text = _BARE_CHANNEL.sub("", text, count=1)
    if not any(sign in text for sign in "<[◁"):
        return text, ""
    outside: list[str] = []
    thoughts: list[str] = []
    start, inside = 0, False
    for edge in _THOUGHT_EDGE.finditer(text):
        if edge["open"] and not inside:
            outside.append(text[start : edge.start()])
            start, inside = edge.end(), True
        elif edge["close"] and edge.start() >= start:
            thoughts += [text[start : edge.start()]] if inside else [*outside, text[start : edge.start()]]
            outside = outside if inside else []
            start, inside = edge.end(), False
    (thoughts if inside else outside).append(text[start:])
    return "".join(outside), "".join(thoughts)


def out_of_open_thought(text: str) -> str:
    """Return the inside of an unclosed thought that is all there is, else `text`."""
    edges = [*_THOUGHT_EDGE.finditer(text)]
    alone = len(edges) == 1 and edges[0]["open"] and not text[: edges[0].start()].strip()
    return text[edges[0].end() :] if alone else text


def without_template(text: str) -> str:
    """`text` without the tokens of a chat template, cut where the model began a turn that is not its own."""
    text = HEADER.sub("", _THEIR_TURN.sub("", text, count=1), count=1)
    if "<" not in text and "[" not in text:
        return text
    start = 0
    for token in ANY_TOKEN.finditer(text):
        if re.search(r"\w", text[start : token.start()]):
            return ANY_TOKEN.sub("", text[: token.start()])
        start = token.end()
    return ANY_TOKEN.sub("", text)


@lru_cache(maxsize=32)
def player_label(player: str) -> re.Pattern[str]:
    """Label of a turn that is not the model's."""
    speaker = f"(?:{_SPEAKER}|{re.escape(player)})" if player else f"(?:{_SPEAKER})"
    return re.compile(
        rf"^(?P<indent>[ \t]*)(?:[*_#>\[(]{{1,4}}[ \t]*)?{speaker}[ \t]*[\])*_]*[ \t]*(?:\([^)\n]{{0,40}}\))?"
        rf"[ \t]*[:：][*_]*|^#{{1,4}}[ \t]*{speaker}[ \t]*$",
        re.IGNORECASE | re.MULTILINE,
    )


def without_invented_turns(text: str, *, is_story: bool, player: str = "") -> str:
    """Cut `text` before the first turn that is not the model's; in a story also before a heading such as "Turn 12"."""
    labels = player_label(player)
    for label in _at_lines(labels, text):
        before = text[: label.start()]
        if not label["indent"] and re.search(r"\w", before):
            text = before
            break
    if is_story:
        for label in _at_lines(TURN_NUMBER, text):
            if re.search(r"\w", text[: label.start()]):
                return text[: label.start()]
    return text


def _at_lines(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Matches of `pattern` at line starts."""
    start = 0
    while True:
        if match := pattern.match(text, start):
            yield match
        start = text.find("\n", start) + 1
        if not start:
            return


def begins_in_thought(text: str) -> bool:
    """True if the model's template opened the thought."""
    first = _THOUGHT_EDGE.search(text)
    return first is not None and bool(first["close"])


def thought_edge(text: str) -> tuple[int, int, re.Pattern[str] | None] | None:
    """The first mark of a thought in `text`: where it begins and ends, and for an opening one what will close it."""
    channel, edge = _CHANNEL_START.search(text), _THOUGHT_EDGE.search(text)
    if channel and (edge is None or channel.start() <= edge.start()):
        return channel.start(), channel.end(), _CHANNEL_END
    if edge is None:
        return None
    return *edge.span(), None if edge["close"] else THOUGHT_CLOSE
