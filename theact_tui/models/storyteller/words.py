"""The player's line, whatever was typed, as one clause in the second person: what an echo takes up (S8.6)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from theact_tui.models.storyteller.clauses import Clause, clause, ended, is_question, named
from theact_tui.models.storyteller.names import by_name, called, forms
from theact_tui.story.script import ActionKind
from theact_tui.text import clean

ACT_WORDS = 26
SPEECH_WORDS = 32


@dataclass(frozen=True, slots=True)
class Action:
    """What the player does. `act` is a clause such as `you lift the lamp` or `you ask: "Who is there?"`."""

    kind: ActionKind
    act: str
    words: str
    """The player's own line, tidied."""
    matter: str = ""
    """What it is about, where cues are looked for: `words` without the names of those who are spoken to."""
    called: tuple[str, ...] = ()
    """Full names of the characters who are spoken to."""
    speech: str = ""
    """What the player says aloud, when that is all the line is."""

    @property
    def sentence(self) -> str:
        """`act` as a sentence of its own."""
        text = self.act[:1].upper() + self.act[1:]
        return text if re.search(r"[.!?…。！？][\"”']?$", text) else text + "."


_SHORT: dict[str, tuple[ActionKind, str]] = {
    "l": ("look", "look around"), "x": ("look", "look closer"), "i": ("look", "go through what you carry"),
    "inv": ("look", "go through what you carry"), "inventory": ("look", "go through what you carry"),
    "z": ("wait", "wait"), "n": ("go", "go north"), "s": ("go", "go south"), "e": ("go", "go east"),
    "w": ("go", "go west"), "u": ("go", "climb up"), "d": ("go", "climb down"), "up": ("go", "climb up"),
    "down": ("go", "climb down"), "north": ("go", "go north"), "south": ("go", "go south"),
    "east": ("go", "go east"), "west": ("go", "go west"), "left": ("go", "go left"), "right": ("go", "go right"),
    "back": ("go", "go back"), "in": ("go", "go in"), "out": ("go", "go out"), "forward": ("go", "go on"),
    "continue": ("wait", "go on"), "next": ("wait", "go on"), "go on": ("wait", "go on"),
    "go": ("go", "go on"), "on": ("wait", "go on"), "proceed": ("wait", "go on"), "nothing": ("wait", "do nothing"),
    "do nothing": ("wait", "do nothing"), "silence": ("wait", "say nothing"),
    **dict.fromkeys(
        ("ok", "okay", "k", "kk", "alright", "all right", "fine", "sure", "yes", "yeah", "yep", "yup", "aye", "good",
         "agreed", "of course", "very well", "right", "cool", "great", "nice"), ("wait", "nod"),
    ),
    **dict.fromkeys(("no", "nope", "nah", "no way", "never"), ("wait", "shake your head")),
    **dict.fromkeys(("lol", "haha", "ha", "ha ha", "hahaha", "hehe", "rofl", "xd"), ("wait", "laugh to yourself")),
    **dict.fromkeys(("hm", "hmm", "hmmm", "huh", "mhm", "uh", "um", "er", "oh", "ah"), ("wait", "think it over")),
}  # fmt: skip
_REPEATED = re.compile(r"(?<!\w)(\w.{0,79}?)(?:[\s,.!?;]+\1(?!\w)){2,}", re.I)
"""Words typed three times or more."""
_QUOTE = re.compile(r"[\"“„«]([^\"”“«»]{1,2000})[\"”“»]|(?<!\w)['‘]([^'’]{2,2000})['’](?!\w)")
_SAYS = re.compile(
    r"\b(say|ask|tell|shout|call|whisper|reply|answer|yell|mutter|murmur|scream|add|cry|sing|read|write|recite)\b[^,]*$",
    re.I,
)
_COLON = re.compile(
    r"^(?:i\s+)?(say|ask|shout|whisper|reply|answer|yell|call|(?:tell|ask)\s+[\w' ]{2,30}?)\s*[:]\s*(.+)",
    re.I,
)
WHO_ARE_YOU = re.compile(
    r"\b(?:who (?:are|were) you|about you\b|your name|what do you do(?! (?:now|with|about|when|if))"
    r"|what are you(?=\W*$))",
    re.I,
)
_KILLS = r"(?:kill|slay|destroy|strangle|stab|shoot|hang|murder|drown)"
_BLOWS = rf"(?:attack|hit|fight|strike|punch|kick|slash|ambush|wrestle|tackle|bite|hack|shove|slap|{_KILLS})"
_WRECKS = r"(?:smash|wreck|demolish|shatter|break|burn(?: down)?|set fire to|blow up|crush|ruin|tear up)"
_LEAVES = re.compile(
    r"you (?:\w+ly )?(?:turn (?:around|round|back) and )?"
    r"(?P<way>(?:go|run|walk|head|march|swim|sail|row|drive|flee|escape)"
    r" (?:all the way )?(?:back (?:to the|home)|home|away)\b|(?:leave|return to|flee|escape|abandon) (?:the|this|them)\b)"
)
"""What would take the player out of the scene."""
_SPEAKS = re.compile(r"\b(?:you|your|we|let's|please|hello|sorry|thanks|help|look)\b|!$", re.I)
"""Marks a sentence after a deed as spoken, not as more of the telling."""
_SENTENCE = re.compile(r".+?(?:[.!?…。！？]+[\"'”’)]*(?=\s|$)|[。！？]|$)", re.S)


def read_line(
    text: str, player: str, names: Sequence[str] = (), callings: Mapping[str, str] = MappingProxyType({})
) -> Action:
    """The player's line as an action. Accepts anything, never fails; long lines are shortened at a clause.

    `names` are the full names of the cast, `callings` the names of those who are also called something else.
    """
    line = tidy(text)
    if re.search(r"\w$", line) and is_question(called(by_name(line, callings), names)[0].strip()):
        line += "?"
    known = [form for name in names for form in forms(name)]
    if not re.search(r"\w", line):
        return Action("look", "you look from one thing to the next", line) if "?" in line else _still(line)
    matter, called_names = called(by_name(line, callings), names)
    if WHO_ARE_YOU.search(matter):
        matter = f"{matter} yourself"
    short = _SHORT.get(line.lower().strip(" .!"))
    if short:
        return Action(short[0], f"you {short[1]}", line, line)
    made = _with_quote(line, player, known) or _plain(line, player, known)
    act = made.text if made.said else _held_back(made.text, known)
    return Action(made.kind, act, line, matter, called_names, made.text if made.said else "")


def _held_back(act: str, names: Sequence[str]) -> str:
    """A blow at one of the cast, a killing, breaking or leaving, as no more than its beginning: the story goes on."""
    if re.match(rf"you {_KILLS} (?:yourself|myself)\b", act):
        return "you stand still for a long moment with a black thought"
    if leaving := _LEAVES.match(act):
        return f"you set out to {leaving['way']}{act[leaving.end() :]}"
    if re.match(rf"you {_WRECKS} (?:the|this|that|his|her|their|every|all)\b", act):
        return "you make as if to " + act.removeprefix("you ")
    anyone = "|".join(map(re.escape, names))
    if anyone and (at_cast := re.match(rf"you (?:try to )?{_BLOWS} (?={anyone})", act)):
        return "you go for " + act[at_cast.end() :]
    return re.sub(rf"^you (?={_KILLS}\b)", "you try to ", act)


def tidy(text: str) -> str:
    """`text` on one line, without control characters, tags and the marks of chat formatting."""
    flat = re.sub(r"</?[a-zA-Z][^<>]*>|`+|[*_~]{1,3}(?=\S)|(?<=\S)[*_~]{1,3}(?=\W|$)", " ", clean(text))
    flat = " ".join(flat.replace("’", "'").replace("{", "(").replace("}", ")").split())
    flat = re.sub(r"\s+([,.;:!?])", r"\1", flat).lstrip(">/ ")
    flat = re.sub(r"^x (?=\w)", "examine ", flat, flags=re.I)
    inside = re.fullmatch(r"\(([^()]+)\)", flat)
    return _REPEATED.sub(r"\1", inside[1] if inside else flat).strip()


def _still(line: str) -> Action:
    return Action("wait", "you say nothing", line)


def _with_quote(line: str, player: str, names: Sequence[str]) -> Clause | None:
    """A line with words in quotation marks: `I turn to Maya. "Are you hurt?"`."""
    quote = _QUOTE.search(line)
    if quote:
        before, said = line[: quote.start()].strip(" ,:"), (quote[1] or quote[2]).strip()
    elif colon := _COLON.match(line):
        before, said = colon[1], colon[2].strip()
    else:
        return None
    if not re.search(r"\w", said):
        return None
    spoken = _spoken(said)
    if not re.search(r"\w", before):
        return Clause(spoken, "talk", said=True)
    lead = _plain(before, player, names)
    if lead.said:
        return Clause(_spoken(line.replace('"', "'")), "talk", said=True)
    if _SAYS.search(lead.text):
        return Clause(f"{lead.text}: {_quoted(said)}", "talk")
    return Clause(f"{lead.text} and {spoken.removeprefix('you ')}", "talk")


def _plain(line: str, player: str, names: Sequence[str]) -> Clause:
    """A line without quotation marks: its first sentence, joined with the second where both are short."""
    sentences = [found[0].strip() for found in _SENTENCE.finditer(line) if re.search(r"\w", found[0])]
    first = clause(sentences[0], player, names)
    second = clause(sentences[1], player, names) if len(sentences) > 1 else None
    if first.said:
        if second and not second.said and len(sentences[0].split()) <= 3 and not is_question(sentences[0]):
            return Clause(_cut(second.text, ACT_WORDS), second.kind)
        run = _speech_run(sentences, player, names)
        return Clause(_spoken(named(run, names)), "talk", said=True)
    act = Clause(_cut(first.text, ACT_WORDS), first.kind)
    if not second or len(act.text.split()) > 14:
        return act
    if second.said:
        speaks = is_question(second.text) or _SPEAKS.search(second.text)
        return (
            Clause(f"{act.text} and {_spoken(second.text).removeprefix('you ')}", act.kind) if speaks else act
        )
    if len(second.text.split()) <= 12 and second.text != act.text:
        return Clause(f"{act.text}, and {re.sub(r'^(?:and|then) ', '', second.text)}", act.kind)
    return act


def _speech_run(sentences: Sequence[str], player: str, names: Sequence[str]) -> str:
    """The sentences said at the start of the line, before something is done."""
    run = [clause(sentences[0], player, names).text]
    for sentence in sentences[1:4]:
        following = clause(sentence, player, names)
        if not following.said:
            break
        run.append(following.text)
    return " ".join(run)


def _spoken(said: str) -> str:
    """`you ask: "..."`, `you call out: "..."` or `you say: "..."`."""
    if is_question(said.split(". ")[-1]) or is_question(said):
        return f"you ask: {_quoted(said)}"
    return f"{'you call out' if said.rstrip().endswith('!') else 'you say'}: {_quoted(said)}"


def _quoted(said: str) -> str:
    text = said.replace('"', "'").strip()
    text = text[:1].upper() + text[1:]
    return f'"{_cut_speech(ended(text))}"'


def _cut_speech(text: str) -> str:
    """At most `SPEECH_WORDS` words, whole sentences if possible; very long words (or scripts without spaces) too."""
    if len(text.split()) <= SPEECH_WORDS and len(text) <= 240:
        return text
    kept = ""
    for found in _SENTENCE.finditer(text):
        longer = (kept + found[0]).strip()
        if len(longer.split()) > SPEECH_WORDS or len(longer) > 240:
            break
        kept = kept + found[0]
    if kept.strip():
        return kept.strip()
    return " ".join(text.split()[:SPEECH_WORDS])[:240].rstrip(" ,;:-") + "…"


def _cut(act: str, limit: int) -> str:
    """`act` in at most `limit` words, cut where a clause ends."""
    if len(act.split()) <= limit and len(act) <= 200:
        return act
    head = " ".join(act.split()[:limit])[:200]
    ends = [m.start() for m in re.finditer(r"[,;:]\s|\s(?:and|but|then|while|so|because)\s|\s[-–—]\s", head)]
    usable = [end for end in ends if len(head[:end].split()) >= 5]
    if usable:
        kept = head[: usable[-1]].rstrip(" ,;:-–—")
        return kept if " and " in kept else re.sub(r", (?=[^,]*$)", " and ", kept)
    loose = r"(?:\s+(?:the|a|an|of|to|in|on|at|with|and|or|my|your|for|from|into|by|as|that|which|so|but))+$"
    return re.sub(loose, "", head, flags=re.I)
