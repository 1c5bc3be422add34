"""Texts as small models write them in YAML, JSON or markdown: block marks, wrapping quotes, escapes, remarks around."""

from __future__ import annotations

import re
from collections.abc import Sequence

from theact_tui.models.reading.literals import unescaped

_BLOCK = re.compile(r"[|>][+-]?\d?[+-]?[ \t]*(?:#.*)?")
_PAIRS = {'"': '"”', "“": '”"', "„": '“”"', "«": "»", "'": "'’", "‘": "’'", "`": "`"}
_META = re.compile(
    r"[\s*_(\[#>-]*(?:let me know|i hope (?:this|that|you)|hope (?:this|that) |would you like me|feel free to|"
    r"please let me|"
    r"is there anything|this (?:response|narration|yaml|json|block|output|reply|update|format)|the above|"
    r"explanation\s*:|"
    r"i(?:'ve| have|'ll| will) (?:kept|made|included|used|followed|written|chosen|provided|tried|updated|added|"
    r"continue|wait)|"
    r"if you(?:'d| would) like|if you (?:want|need)|note(?: that)?\s*[:,]|notes\s*:|\(?word count|end of "
    r"(?:response|yaml|narration)|"
    r"is this|does this|please (?:tell|provide|note|respond)|remember[,:] |disclaimer|espero que|ich hoffe|"
    r"j'espère)",
    re.IGNORECASE,
)
_PREAMBLE = re.compile(
    r"[\s*_#>`-]*(?:(?:sure|certainly|of course|okay|ok|alright|absolutely|great|understood|got it|yes|claro|"
    r"natürlich|bien sûr)"
    r"(?:[,.!:]|\s+thing)[^\n]{0,160}|(?:here(?:'s|’s| is| are)|below is|this is|the following is|aquí|aqui|"
    r"hier ist|voici)\b[^\n]{0,160}"
    r"[:.!]|(?:final|corrected|updated|revised) (?:answer|output|response|version|reply)\s*:?|(?:answer|output|"
    r"response|reply|result|"
    r"yaml|json|ya?ml (?:output|block)|(?:assistant|ai)(?: response)?)\s*:?)[\s*_`]*",
    re.IGNORECASE,
)
_RULE = re.compile(r"\s*(?:[-*_=~]{3,}|\.{3})\s*")


def is_meta(line: str) -> bool:
    """True for a line about the answer instead of in it, such as "Let me know ..."."""
    return _META.match(line) is not None


def is_preamble(line: str) -> bool:
    """True for a line that only announces the answer, such as "Sure! Here is the next scene:"."""
    return _PREAMBLE.fullmatch(line) is not None


def is_rule(line: str) -> bool:
    """True for a line that only separates: `---`, `***`."""
    return _RULE.fullmatch(line) is not None


def without_remarks(text: str) -> str:
    """`text` without a greeting line before it, a remark about it after it, and rules at both ends."""
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


def block_mark(rest: str) -> bool:
    """True if `rest` is the sign of a YAML block scalar and nothing else."""
    return _BLOCK.fullmatch(rest) is not None


def scalar(rest: str, following: Sequence[str]) -> str:
    """The text of a field: what stands behind its key, and the lines after it."""
    if block_mark(rest):
        folds = rest.startswith(">")
        return with_line_feeds(_paragraphs(following, folds=folds))
    if re.match(r"\|[+-]?\s*\S", rest) or re.match(r">[+-]\s*\S", rest):
        rest = re.sub(r"^[|>][+-]?\s*", "", rest)
    lines = [rest, *following] if rest else list(following)
    folds = bool(rest) and all(line.startswith((" ", "\t")) for line in following if line.strip())
    return unwrapped(_paragraphs(lines, folds=folds))


def _paragraphs(lines: Sequence[str], *, folds: bool) -> str:
    bare = [line.strip() for line in lines]
    if any(bare) and all(line.startswith(">") for line in bare if line):
        bare = [line.lstrip("> ") for line in bare]
    text = "\n".join(bare).strip("\n")
    text = re.sub(r"\n{3,}", "\n\n", text)
    return (re.sub(r"(?<!\n)\n(?!\n)", " ", text) if folds else text).strip()


def unwrapped(text: str) -> str:
    """`text` without quotation marks around all of it, and with the escapes of such a string resolved."""
    text = text.strip()
    for triple in ('"""', "'''", "```"):
        if text.startswith(triple) and len(text) > 6:
            return text.removeprefix(triple).removesuffix(triple).strip()
    bare = (
        re.sub(r"[,;]\s*$", "", text)
        if text[:1] in _PAIRS and re.search(r"[\"”'’`»]\s*[,;]\s*$", text)
        else text
    )
    if not _is_wrapped(bare):
        return with_line_feeds(_without_lone_quote(text))
    inside = bare[1:-1]
    if bare[0] == "'":
        return with_line_feeds(inside.replace("''", "'")).strip()
    return unescaped(inside).strip()


def _is_wrapped(text: str) -> bool:
    """True if the first and last character quote the whole text, not a speech at its beginning and one at its end."""
    if len(text) < 2 or text[0] not in _PAIRS or text[-1] not in _PAIRS[text[0]] or text.endswith('\\"'):
        return False
    inner = _inner_quotes(text)
    if not inner or (text[0] == "'" and "''" in text[1:-1]):
        return True
    first = inner[0]
    if text[first] in "“„«" or text[first - 1] == "\\":
        return True
    return text[first - 1] in " \t\n(—–-[" and not text[first + 1].isspace()


def _inner_quotes(text: str) -> list[int]:
    """Places of quotation marks of the same family inside of `text`; apostrophes do not count."""
    family = {'"': '"', "“": '"“”', "„": '"“”„', "«": "«»", "'": "'", "‘": "'‘’", "`": "`"}[text[0]]
    places = [at for at, char in enumerate(text[:-1]) if at and char in family]
    return [
        at for at in places if not (text[at] in "'’" and text[at - 1].isalnum() and text[at + 1].isalnum())
    ]


def _without_lone_quote(text: str) -> str:
    if (
        text.startswith("'")
        and len(text) > 1
        and (text[1].isalnum() or text[1] in '"“')
        and not re.search(r"'(?![^\W_])", text[1:])
    ):
        return text[1:]
    if text.startswith('"') and '\\"' in text and not re.search(r'(?<!\\)"', text[1:]):
        return text[1:]
    if text.count('"') % 2 == 0:
        return text
    if text.startswith('"'):
        second = text.find('"', 1)
        if (
            second < 0
            or text[second - 1] == "\\"
            or (text[second - 1].isspace() and not text[second + 1 : second + 2].isspace())
        ):
            return text[1:].lstrip()
    if text.endswith('"') and text.count('"') == 1:
        return text[:-1].rstrip()
    return text


def with_line_feeds(text: str) -> str:
    """`text` with line feeds and quotes where a model wrote them as escapes outside of a string."""
    if "\\" not in text:
        return text
    text = re.sub(r"\\[ \t]*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\\r?\\n|\\n", "\n", text)
    return re.sub(r"\n{3,}", "\n\n", text.replace('\\"', '"').replace("\\'", "'")).strip()
