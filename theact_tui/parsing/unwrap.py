"""Remove what models put around an answer: thoughts, templates, remarks, quotes, invented turns."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)[ \t]*")
_ITEM_MARK = re.compile(r"\A(?:[-+•▪–—·]|\*(?!\*)|\(?\d{1,3}[.)](?=\s))[ \t]*(?=\S)")


def bare_item(text: str) -> str:
    """Remove an item's list mark or number, and quotes around it."""
    return unwrapped(_ITEM_MARK.sub("", text.strip(), count=1))


_PAIRS = {'"': '"”', "“": '”"', "„": '“”"', "«": "»", "'": "'’", "‘": "’'", "`": "`"}
_META = re.compile(
    r"[\s*_(\[#>-]*(?:let me know|i hope (?:this|that|you)|hope (?:this|that) |would you like me|"
    r"feel free to|please let me|is there anything|this (?:response|narration|yaml|json|block|output|reply|"
    r"update|format)|the above|explanation\s*:|i(?:'ve| have|'ll| will) (?:kept|made|included|used|followed|"
    r"written|chosen|provided|tried|updated|added|continue|wait)|if you(?:'d| would) like|if you (?:want|"
    r"need)|note(?: that)?\s*[:,]|notes\s*:|\(?word count|end of (?:response|yaml|narration)|is this|"
    r"does this|please (?:tell|provide|note|respond)|remember[,:] |disclaimer|espero que|ich hoffe|j'espère)",
    re.IGNORECASE,
)
_PREAMBLE = re.compile(
    r"[\s*_#>`-]*(?:(?:sure|certainly|of course|okay|ok|alright|absolutely|great|understood|got it|yes|"
    r"claro|natürlich|bien sûr)(?:[,.!:]|\s+thing)[^\n]{0,160}|(?:here(?:'s|’s| is| are)|below is|this is|"
    r"the following is|aquí|aqui|hier ist|voici)\b[^\n]{0,160}[:.!]|(?:final|corrected|updated|"
    r"revised) (?:answer|output|response|version|reply)\s*:?|(?:answer|output|response|reply|result|yaml|"
    r"json|ya?ml (?:output|block)|(?:assistant|ai)(?: response)?)\s*:?)[\s*_`]*",
    re.IGNORECASE,
)
_RULE = re.compile(r"\s*(?:[-*_=~]{3,}|\.{3})\s*")


def is_meta(line: str) -> bool:
    """True for a line about the answer, such as "Let me know ..."."""
    return _META.match(line) is not None


def is_preamble(line: str) -> bool:
    """True for a line that only announces the answer, such as "Sure! Here is the next scene:"."""
    return _PREAMBLE.fullmatch(line) is not None


def is_rule(line: str) -> bool:
    """True for a line that only separates: `---`, `***`."""
    return _RULE.fullmatch(line) is not None


def without_remarks(text: str) -> str:
    """Remove a greeting line before the text, a remark about it after it, and rules at both ends."""
    lines = text.strip("\n").split("\n")
    while lines and (not lines[0].strip() or is_rule(lines[0]) or _greets(lines)):
        lines.pop(0)
    end = len(lines)
    for index in range(len(lines) - 1, 0, -1):
        line = lines[index]
        if not line.strip() or is_rule(line):
            continue
        if not is_meta(line):
            break
        end = index
    while end and (not lines[end - 1].strip() or is_rule(lines[end - 1])):
        end -= 1
    return "\n".join(lines[:end]).strip()


def _greets(lines: Sequence[str]) -> bool:
    return len(lines) > 1 and is_preamble(lines[0]) and any(line.strip() for line in lines[1:])


def unwrapped(text: str) -> str:
    """Remove quotation marks around the whole text and resolve the escapes of such a string."""
    text = text.strip()
    for triple in ('"""', "'''", "```"):
        if text.startswith(triple) and len(text) > 6:
            return text.removeprefix(triple).removesuffix(triple).strip()
    bare = re.sub(r"(?<=[\"”'’`»])\s*[,;]\Z", "", text) if text[:1] in _PAIRS else text
    if not _is_wrapped(bare):
        return with_line_feeds(text)
    inside = bare[1:-1]
    if bare[0] == "'":
        return with_line_feeds(inside.replace("''", "'")).strip()
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


def without_thoughts(text: str) -> tuple[str, str]:
    """Split a text into the part outside of thoughts, and the thoughts.

    An unclosed thought goes to the end; text before a closing mark without an opening one was a thought.
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
    """Return the inside of an unclosed thought that is the whole text, else `text`."""
    edges = [*_THOUGHT_EDGE.finditer(text)]
    alone = len(edges) == 1 and edges[0]["open"] and not text[: edges[0].start()].strip()
    return text[edges[0].end() :] if alone else text


def without_template(text: str) -> str:
    """Remove the tokens of a chat template; cut where the model began a turn that is not its own."""
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


def begins_in_thought(text: str) -> bool:
    """True if the model's template opened the thought."""
    first = _THOUGHT_EDGE.search(text)
    return first is not None and bool(first["close"])


def thought_edge(text: str) -> tuple[int, int, re.Pattern[str] | None] | None:
    """Return the first mark of a thought in `text`: start, end, and for an opening one the pattern that closes it."""
    channel, edge = _CHANNEL_START.search(text), _THOUGHT_EDGE.search(text)
    if channel and (edge is None or channel.start() <= edge.start()):
        return channel.start(), channel.end(), _CHANNEL_END
    if edge is None:
        return None
    return *edge.span(), None if edge["close"] else THOUGHT_CLOSE
