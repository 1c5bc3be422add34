"""Find cues, sentences and names in text."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from theact_tui.sentences import ends_sentence
from theact_tui.story.names import CALLED_ALONE, TITLES, forms, name_pattern

_SHORT_IS = re.compile(r"\b(who|what|where|when|why|how|that|it|he|she|there|here)'s\b")
_OATH = re.compile(r"\b(?:the (?:hell|fuck|heck|devil)|on earth|in the world|fucking|bloody|goddamn)\b ?")
_REFUSAL = re.compile(
    r"\b(?:(?:do not|don't|dont)\b(?! (?:be|worry|believe|trust|know|agree|understand|mind|like|think"
    r"|want to(?=\W*$))\b)|(?:will not|won't|wont|refuse to|avoid)\b)[^,.;!?]*"
)


@lru_cache(maxsize=64)
def haystack(line: str) -> str:
    """Line in lower case without refused deeds, to look for cues."""
    text = _OATH.sub("", _whole(line))
    return text if "?" in text else _REFUSAL.sub(" ", text)


def _whole(text: str) -> str:
    """Lower case, with `who's` and the like expanded."""
    return _SHORT_IS.sub(r"\1 is", text.casefold().replace("’", "'"))


def hits(cues: Iterable[str], line: str) -> int:
    """Score `line` against cues, more for more and longer ones. A cue matches as a prefix; up to three letters, or with
    a final full stop, as a word or its plural."""
    text, score = haystack(line), 0
    for cue in cues:
        bare, pattern = _cue(cue)
        if bare in text and pattern.search(text):
            score += 10 + len(cue)
    return score


_MOVES = re.compile(r"(?:open|clos|shut|lift|rais|turn)\w*$")
_OF_BODY = (
    r"(?!\w* (?:(?:my|your|his|her|their|both|one|left|right|own) )+"
    r"(?:eye|mouth|lip|jaw|hand|fist|finger|arm|leg|foot|head|face)s?\b)"
)


@lru_cache(maxsize=4096)
def _cue(cue: str) -> tuple[str, re.Pattern[str]]:
    word = _whole(cue)
    bare = word.rstrip(".")
    whole = len(word) <= 3 or bare != word
    ending = "" if not whole else r"(?!\w)" if len(bare) < 3 else r"s?(?!\w)"
    return bare, re.compile(rf"(?<!\w){re.escape(bare)}{ending}{_OF_BODY if _MOVES.match(bare) else ''}")


def flat_paragraphs(text: str) -> list[str]:
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()) if part.strip()]


_MIN_HEARD_LETTERS = 40
"""Part of a passage that is recognised."""


def share(passage: Sequence[str], narration: str) -> float:
    """Share (0 to 1, by length) of the passage's `plain` sentences in `narration`, or of the narration that they
    make up: latecomers heard a part.
    """
    whole = sum(map(len, passage))
    held = sum(len(sentence) for sentence in passage if sentence in narration)
    return held / (min(whole, len(narration)) if held >= _MIN_HEARD_LETTERS else whole) if held else 0.0


def words_in(*values: object) -> frozenset[str]:
    """Lower-case words of nested values."""
    return frozenset(re.findall(r"[^\W\d_]+", str(values).casefold()))


_TITLE = "(?:(?:" + "|".join(sorted(TITLES)) + ")\\.? )?"
_CALLED = (
    r"(?:^|(?<=[\"“„«]))(?:hey |hello |hi |dear |please,? |so,? |and you,? )?{title}{name}\s*(?:[,:!]|\?$)",
    r",\s*{title}{name}(?=\s*[.,!?]|\s*$)",
)
_GOES_ON = (
    r"(?:i|i'm|i'll|you|we|what|where|who|why|how|let|please|look|tell|listen|come|stop|don't|help|give"
    r"|(?:do|did|are|is|can|could|will|would|have) (?:you|we|i|it|this|that|there))"
)
"""Words after a name called without a comma."""
_GREETING = (
    r"(thank you|thanks|hello|hi|hey|good (?:morning|day|evening|night)|goodbye|bye|farewell|sorry|welcome"
    r"|please)"
)
"""Words before one."""
_SPOKEN_TO = (
    r"(\b(?:ask|asks|asked|tell|tells|told|say to|talk to|talk with|speak to|speak with|answer|shout at|call|turn to|beg|warn"
    r"|persuade|convince|question|thank|greet|reply to|whisper to|say(?: [\w']+){{1,3}} to|nod to|nod at|wave to"
    r"|wave at|smile at|bow to) |^(?:(?:\w+ly|under my breath),? )?to )(?:the )?{title}{name}"
)


def mentions(text: str, name: str) -> bool:
    return re.search(name_pattern(name), text, re.IGNORECASE) is not None


def as_called(name: str, texts: str) -> str:
    """Name that `texts` use for a person: the most frequent part, with the usual title."""

    def count(called: str) -> int:
        return len(re.findall(rf"\b{re.escape(called)}\b", texts))

    part, title = max(forms(name)[1:], key=count, default=name), name.split()[0]
    often = title.lower() in TITLES and 2 * count(f"{title} {part}") > count(part)
    return f"{title} {part}" if often else part


def called(line: str, names: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Split off names addressed: `Maya, where are we?`"""
    shorter, others = _without_names_beside(line, names)
    matter, called_names = _called(shorter, names)
    if not others.keys() & {*called_names}:
        return _called(line, names)
    row = [other for name in called_names for other in (name, *others.get(name, ()))]
    return matter, tuple(dict.fromkeys(row))


def _called(line: str, names: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    names_called: list[str] = []
    for name in names:
        title = name.split()[0]
        alone = title.lower() in CALLED_ALONE and sum(other.startswith(title) for other in names) == 1
        for form in (*forms(name), *([title] if alone else [])):
            if form.lower() not in line.lower():
                continue
            this = re.escape(form) + r"(?!\w)"
            rest = line
            for pattern in _CALLED:
                rest = re.sub(pattern.format(name=this, title=_TITLE), " ", rest, flags=re.I)
            rest = re.sub(rf"^{_TITLE}{this}(?= {_GOES_ON}\b)", " ", rest, flags=re.I)
            rest = re.sub(rf"^{_GREETING}\s+{_TITLE}{this}", r"\1", rest, flags=re.I)
            rest = re.sub(_SPOKEN_TO.format(name=this, title=_TITLE), r"\1", rest, flags=re.I)
            if rest != line:
                line = rest
                names_called.append(name)
    return line, tuple(dict.fromkeys(names_called))


def _without_names_beside(line: str, names: Sequence[str]) -> tuple[str, dict[str, list[str]]]:
    """Keep the first of `Maya and Joaquin`; by it, the others."""
    of_form = {form.lower(): name for name in names for form in forms(name)}
    alternatives = "|".join(map(re.escape, sorted(of_form, key=len, reverse=True)))
    name = rf"\b{_TITLE}(?:{alternatives})(?!\w)"
    beside: dict[str, list[str]] = {}

    def first(row: re.Match[str]) -> str:
        people = [of_form[form.lower()] for form in re.findall(rf"\b(?:{alternatives})(?!\w)", row[0], re.I)]
        beside.setdefault(people[0], []).extend(people[1:])
        return row[1]

    rows = rf"({name})(?:(?:,? (?:and|or|&) {name})+|(?:\s*[,?!]\s*{name})+(?=\s*(?:[,.:!?]|$)))"
    return (re.sub(rows, first, line, flags=re.I) if names else line), beside


def with_them(text: str, names: Sequence[str]) -> str:
    """Replace names, with their titles, by "them"."""
    for form in sorted((form for name in names for form in forms(name)), key=len, reverse=True):
        text = re.sub(rf"\b{_TITLE}{re.escape(form)}(?!\w)", "them", text, flags=re.I)
    return text


def callings(roles: Mapping[str, str]) -> dict[str, str]:
    """Words that stand for people by role: `priest` for Father Joaquin with the role `barefoot priest, fifty`."""
    words = [(word, name) for name, role in roles.items() for word in _nouns(role)]
    counts = Counter(word for word, _ in words)
    return {word: name for word, name in words if counts[word] == 1}


def _nouns(role: str) -> set[str]:
    first, *others = (part.strip().lower() for part in role.split(","))
    parts = [first, *(part for part in others if re.match(r"an? |the ", part))]
    heads = (re.split(r" (?:at|of|on|over|to|from|with|in|for|who|that|and|by) ", part)[0] for part in parts)
    return {head.split()[-1] for head in heads if re.search(r"[^\W\d]{3,}$", head)}


def by_name(line: str, callings: Mapping[str, str]) -> str:
    """Replace roles by names: `the priest`, `Engineer, ...`."""
    for word, name in callings.items():
        this = re.escape(word)
        meant = rf"\bthe (?:[a-z]+ )?{this}(?![\w'-])|^{this}(?=,)|(?<=, ){this}(?=[.?!]|$)"
        line = re.sub(meant, name, line, flags=re.I)
    return line


def ended(text: str) -> str:
    bare = text.strip()
    return bare if ends_sentence(bare) else bare.rstrip(",;:") + "."
