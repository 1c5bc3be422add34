"""Remove what models put around an answer: thoughts, templates, remarks, quotes, invented turns."""

import re
from collections.abc import Iterator
from functools import lru_cache

FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)[ \t]*")
_ITEM_MARK = re.compile(r"\A(?:[-+•▪–—·]|\*(?!\*)|\(?\d{1,3}[.)](?=\s))[ \t]*(?=\S)")


def bare_item(text: str) -> str:
    """Remove an item's list mark or number, and quotes around it."""
    return unwrapped(_ITEM_MARK.sub("", text.strip(), count=1))


_PAIRS = {'"': '"”', "“": '”"', "„": '“”"', "«": "»", "'": "'’", "‘": "’'", "`": "`"}
_ANNOUNCES = re.compile(
    r"[\s*_#>`-]*(?:[^\n:]{0,60}\b)?(?:here(?:['’]s| is| are)|below is|this is|the following is)\b[^\n:]{0,80}?"
    r"\b(?:scene|page|narration|chapter|continuation|reply|response|summary|recap|entry|epilogue|version|JSON)\b"
    r"[^\n:]{0,80}:[\s*_`]*",
    re.IGNORECASE,
)
_RULE = re.compile(r"\s*(?:[-*_=~]{3,}|\.{3})\s*")


def announces(line: str) -> bool:
    """True for a line that only announces the answer, such as "Sure! Here is the next scene:"."""
    return _ANNOUNCES.fullmatch(line) is not None


def is_rule(line: str) -> bool:
    """True for a line that only separates: `---`, `***`."""
    return _RULE.fullmatch(line) is not None


def between_rules(text: str) -> str:
    """Remove a line before the text that announces it, and rules at both ends."""
    lines = text.strip("\n").split("\n")
    while lines and (not lines[0].strip() or is_rule(lines[0]) or (len(lines) > 1 and announces(lines[0]))):
        lines.pop(0)
    while lines and (not lines[-1].strip() or is_rule(lines[-1])):
        lines.pop()
    return "\n".join(lines).strip()


def unwrapped(text: str) -> str:
    """Remove quotation marks around the whole text and resolve the escapes of such a string."""
    text = text.strip()
    for triple in ('"""', "'''", "```"):
        if text.startswith(triple) and len(text) > 6:
            return text.removeprefix(triple).removesuffix(triple).strip()
    bare = re.sub(r"(?<=[\"”'’`»])\s*[,;]\Z", "", text) if text[:1] in _PAIRS else text
    if not _is_wrapped(bare):
        return with_line_feeds(text)
    inside = bare[1:-1].replace("''", "'") if bare[0] == "'" else bare[1:-1]
    return with_line_feeds(inside).strip()


def is_one_speech(text: str) -> bool:
    """True for a single speech: its quotation marks are the speaker's. A quoted string has escapes or quotes inside."""
    bare = text.strip()
    is_quoted = len(bare) > 2 and bare[0] in '"“„«' and bare[-1] in _PAIRS[bare[0]]
    return is_quoted and "\\" not in bare and not bare.startswith('""') and not _inner_quotes(bare)


def _is_wrapped(text: str) -> bool:
    """True if the first and last character quote the whole text, not two speeches."""
    if len(text) < 2 or text[0] not in _PAIRS or text[-1] not in _PAIRS[text[0]] or text.endswith('\\"'):
        return False
    inner = _inner_quotes(text)
    if not inner or (text[0] == "'" and "''" in text[1:-1]):
        return True
    first = inner[0]
    if text[0] == "„" and text[first] != "„":  # in German “ closes
        return False
    if text[first] in "“„«" or text[first - 1] == "\\":
        return True
    return text[first - 1] in " \t\n(—–-[" and not text[first + 1].isspace()


def _inner_quotes(text: str) -> list[int]:
    """Return places of quotation marks of the same family inside of `text`; apostrophes do not count."""
    family = {'"': '"', "“": '"“”', "„": '"“”„', "«": "«»", "'": "'", "‘": "'‘’", "`": "`"}[text[0]]
    places = [at for at, char in enumerate(text[:-1]) if at and char in family]
    return [
        at for at in places if not (text[at] in "'’" and text[at - 1].isalnum() and text[at + 1].isalnum())
    ]


def with_line_feeds(text: str) -> str:
    """Resolve line feeds and quotes that a model wrote as escapes outside of a string."""
    if "\\" not in text:
        return text
    text = resolved(re.sub(r"\\[ \t]*$", "", text, flags=re.MULTILINE))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def resolved(text: str) -> str:
    return re.sub(r"\\r?\\n|\\n", "\n", text).replace('\\"', '"').replace("\\'", "'")


_ROLE = r"(?:assistant|model|gpt|bot|ai|narrator_agent|final)"
_TOKEN = (
    r"<\|(?:start|channel|constrain)\|>[^<\n]{0,40}(?=<\|)|<\|[^|<>\n]{1,40}\|>|"
    r"<｜[^<>\n]{1,40}｜>|</?s>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>"
    r"|<(?:bos|eos|pad|unk|end_of_utterance)>|<0x[0-9A-Fa-f]{2}>"
)
HEADER = re.compile(
    rf"\A\s*(?:(?:{_TOKEN})\s*(?:{_ROLE}\b[ \t]*:?)?\s*|{_ROLE}[ \t]*(?::|\n)\s*)+", re.IGNORECASE
)
_THEIR_TURN = re.compile(
    r"\A\s*(?:<s>\s*)?(?:\[INST\].*?\[/INST\]|(?:<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>|"
    r"<\|)(?:user|system)\b.*?"
    r"(?=(?:<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>|<\|)(?:assistant|model)))",
    re.IGNORECASE | re.DOTALL,
)
ANY_TOKEN = re.compile(_TOKEN)
_SWITCH = re.compile(r"\s*/(?:no_)?think\s*\Z")  # of Qwen's template, repeated
_SPEAKER = (
    r"(?:the[ \t]+)?(?:player|user|human|you|jugador|usuario|spieler|joueur|utilisateur)"
    r"(?:['’]s)?(?:[ \t]+(?:turn|action|input|response|message|says|character))?"
)
_LONG_RUN = re.compile(r"[ \t]{200,}|\n{40,}|([^\w\s])\1{80,}")
_INVISIBLE = re.compile("[\u0000\u200b\u2060\ufeff]")


def normalised(raw: str) -> str:
    """Unify line ends; remove byte order marks and invisible characters."""
    text = raw.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n\n")
    text = _without_long_runs(text)
    return _INVISIBLE.sub("", re.sub("[\ud800-\udfff]", "\ufffd", text))


def _without_long_runs(text: str) -> str:
    """Shorten long runs of a sign to three. Only every 80th character is looked at first, which is quick."""
    marks = (mark * 81 for mark in set(text[::80]) if not mark.isalnum())
    if "\n" * 40 in text or " " * 200 in text.replace("\t", " ") or any(run in text for run in marks):
        return _LONG_RUN.sub(lambda run: run[0][:3], text)
    return text


def without_template(text: str) -> str:
    """Remove the tokens of a chat template; cut where the model began a turn that is not its own."""
    text = _SWITCH.sub("", text)
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
    """Return a pattern for the label of a turn that is not the model's."""
    speaker = f"(?:{_SPEAKER}|{re.escape(player)})" if player else f"(?:{_SPEAKER})"
    return re.compile(
        rf"^(?P<indent>[ \t]*)(?:[*_#>\[(]{{1,4}}[ \t]*)?{speaker}[ \t]*[\])*_]*[ \t]*(?:\([^)\n]{{0,40}}\))?"
        rf"[ \t]*[:：][*_]*|^#{{1,4}}[ \t]*{speaker}[ \t]*$",
        re.IGNORECASE | re.MULTILINE,
    )


def without_invented_turns(text: str, player: str = "") -> str:
    """Cut `text` before the first turn that is not the model's."""
    for label in _at_lines(player_label(player), text):
        before = text[: label.start()]
        if not label["indent"] and re.search(r"\w", before):
            return before
    return text


def _at_lines(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    start = 0
    while True:
        if match := pattern.match(text, start):
            yield match
        start = text.find("\n", start) + 1
        if not start:
            return
