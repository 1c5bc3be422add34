"""Dice: when they are thrown, and what a throw means. The verdict is the program's; a model only colours it.

The generator's state is the seed and the count of rolls, both in the save.
"""

from __future__ import annotations

import random
import re

from theact_tui.story.pack import GameInfo

SIDES = 20

RISKY_WORDS = (
    "attack", "fight", "hit", "strike", "punch", "kick", "stab", "shoot", "throw", "tackle", "wrestle", "charge",
    "ambush", "defend", "parry", "dodge", "block", "climb", "jump", "leap", "swim", "vault", "balance", "squeeze",
    "sneak", "creep", "hide", "steal", "pickpocket", "palm", "pick the lock", "force", "break", "smash", "pry",
    "lift", "push", "pull", "drag", "catch", "grab", "snatch", "chase", "flee", "escape", "outrun", "persuade",
    "convince", "bluff", "lie", "lying", "deceive", "threaten", "intimidate", "charm", "bribe", "bargain", "haggle", "seduce",
    "distract", "provoke", "calm", "tame", "ride", "steer", "track", "decipher", "disarm", "defuse", "repair", "cast",
    "gamble", "bet", "dare", "risk", "try to", "attempt",
)  # fmt: skip
"""Words that, in any of their usual forms, mark an action as uncertain. A pack adds its own with `risky_words`."""


_QUOTED = re.compile(r"[\"“„«][^\"“”„«»]*[\"“”»]")
_SENTENCE = re.compile(r"[^.!?…。？]+[.!?…。？]*")
_ASKED = re.compile(
    r"\s*(?:[\w' ]{1,30},\s*)?(?:(?:what|who|whom|whose|why|how|which)\b"
    r"|(?:where|when) (?:do|does|did|are|is|was|were|have|has|had|can|could|will|would|should|may|might)\b"
    r"|(?:do|does|did|are|is|was|were|have|has|had|can|could|will|would|should|may) (?!(?:i|we)\b))"
)
_MAY_I = re.compile(r"\s*(?:[\w' ]{1,30},\s*)?(?:can|could|may) (?:i|we)\b")
_ADDRESSED = re.compile(
    r"\s*(?!\w+ly\b|(?:Then|Now|Next|First|Finally|Ok|Okay|Yes|No|Well|So)\b)[A-ZÀ-Þ][\w']+(?: [A-ZÀ-Þ][\w']+)?, (?!I\b)"
)
_REFUSED = re.compile(
    r"\b(?:not|\w+n't|\w+n’t|cannot|dont|wont|never|refuse to|avoid|without|instead of|rather than)\b[^,.;!?]*"
)
_REQUESTED = re.compile(
    r"(\b(?:ask|tell|order|urge|beg|invite|beckon|want|signal)(?:s|ed|ing)? )[^,.;!?]{1,40}? to [^,.;!?]*"
)
"""What somebody else is asked to do: if that is uncertain, it is not the player's attempt."""
_CLAUSE = (
    r"\b(?:what|whom?|whose|why|how|which|where|when|if|whether|that)\b(?:(?:(?! and )[^,.;!?])*?"
    r"\b(?:to|can|could|may|might|must|shall|should|will|would)\b[^,.;!?]*|(?:(?! and )[^,.;!?])*)"
)
"""Ends before `and`, but where a verb follows that may belong to the clause: whether we should run and hide."""
_SPEAKING = (
    r"\b(?:(?:say|ask|tell|speak|talk|answer|reply|explain|admit|confess|warn|promise|add|wonder|whisper|murmur|mutter|hiss"
    r"|breathe|shout|yell|cry|scream|bellow|call|order|command|beg|urge|plead|insist|suggest|propose|agree|think|remark"
    r"|declare|announce|joke|sing|repeat|write|sign|dream|remind)(?:e?s|e?d|ing)?|said|told|to(?: [\w'-]+){1,3}(?=:))\b"
)
"""Words before a colon after which somebody speaks or thinks; or a person it is said to: `I turn to Maya: ...`"""
_REPORTED = re.compile(
    r"(\b(?:ask|tell|explain|wonder|remind|warn)(?:s|ed|ing)?\b)[^,.;!?]*?"
    rf"{_CLAUSE}(?:,? (?:and|or) {_CLAUSE})*|(\bi\b[^:]*{_SPEAKING}[^:]*|\A\W*to\b[^:]*): .*"
)
"""What is asked or told in other words, or after a colon: not what `I do this: ...` announces."""
_NO_VERB = (
    r"(?<!\bthe )(?<!\ba )(?<!\ban )(?<!\bmy )(?<!\byour )(?<!\bhis )(?<!\bher )(?<!\bour )(?<!\btheir )"
)
"""Behind an article or a possessive stands a thing, not an act: the climbing rope, my ring finger."""
_HARMLESS = re.compile(
    r"\blie (?:down|back|flat|low|still|awake|there|here|on|in|beside|under|next)\b|\blying\b(?! to\b)"
    r"|\bcalm down\b|\bsave\b[^,.;!?]*\b(?:for|until|till) (?:later|tomorrow|last|another)\b"
    r"|\b(?:catch|hold) (?:my|our) breath\b|\bbreak the silence\b|\b(?:throw|cast) (?:a|one) (?:look|glance)\b"
    r"|\bi bet\b|\bpush (?:the|that) thought\b|\bpull up a chair\b"
)
_PERILOUS = (
    r"\b(?:walk|cross|step|crawl|edge|inch|go|run|wade)(?:s|es|ed|ing)?\b[^,.;!?]*"
    r"\b(?:ledge|beam|plank|tightrope|rope bridge|precipice|chasm|thin ice|rooftops?|cliff edge)\b"
)
"""Plain movements over what one may fall from."""


def is_risky(text: str, game: GameInfo) -> bool:
    """True if the player's text attempts something uncertain. What is asked, refused or said aloud is no attempt."""
    words = (*RISKY_WORDS, *(word.strip().lower() for word in game.risky_words if word.strip()))
    risky = "|".join([f"{_NO_VERB}(?:{'|'.join(map(_forms, words))})", _PERILOUS])
    attempted = " ".join(
        _REPORTED.sub(r"\1\2", _REQUESTED.sub(r"\1", _REFUSED.sub(" ", sentence.lower())))
        for sentence in _SENTENCE.findall(_QUOTED.sub(" ", text))
        if not _is_said(sentence)
    )
    return re.search(risky, _HARMLESS.sub(" ", attempted)) is not None


def _is_said(sentence: str) -> bool:
    lower = sentence.lower()
    if _MAY_I.match(lower):
        return False
    return sentence.rstrip().endswith(("?", "？")) or bool(_ASKED.match(lower) or _ADDRESSED.match(sentence))


def _forms(word: str) -> str:
    """A pattern for a word and its usual endings: climb, climbs, climbed; dodge, dodging; hit, hitting."""
    if re.search(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]", word):  # written without spaces
        return re.escape(word)
    if word.endswith("e"):
        return rf"\b{re.escape(word[:-1])}(?:e|es|ed|ing)\b"
    return rf"\b{re.escape(word)}(?:{re.escape(word[-1])}?(?:s|es|ed|ing))?\b"


def roll(seed: int, rolls: int) -> int:
    """The die that follows `rolls` earlier ones, 1 to 20. The same seed and count always give the same."""
    return random.Random(f"{seed}:{rolls}").randint(1, SIDES)


BEST, WORST = 20, 1
_NUMBERS = re.compile(
    r"\A\W*(?:(?:roll(?:ed)?|die|dice)\W+)?\d+(?:\s*(?:against|vs\.?|versus|of|/|to|out of|[<>]=?)\s*\d+)?"
    r"\s*[:.,;–—-]*\s*",
    re.IGNORECASE,
)
_WON = re.compile(
    r"\b(?:succe\w+|works?|manages?|triumph\w*|wins?|won|it holds|gets? there)\b", re.IGNORECASE
)
_LOST = re.compile(
    r"\b(?:fail\w*|in vain|misse[sd]|loses?|lost|falls? short|goes wrong|does(?: not|n['’]t) work|unsuccessful\w*"
    r"|can(?:not|['’]t)|not (?:succeed|manage)|defeat\w*)\b",
    re.IGNORECASE,
)


def verdict_of(roll: int, difficulty: int) -> str:
    """What the dice say, in words: a 20 and a 1 have words of their own."""
    if roll >= difficulty:
        return "it works, better than hoped" if roll == BEST else "it works"
    return "it fails badly" if roll == WORST else "it fails"


def resolution_of(roll: int, difficulty: int, told: str = "") -> str:
    """The throw and its verdict, such as `3 against 12: it fails; the rope burns your hands`. What a model `told` of it
    is left out where it says the opposite, or no more than the verdict."""
    verdict = verdict_of(roll, difficulty)
    colour = _NUMBERS.sub("", told.strip()).strip().rstrip(".")
    won, lost = _WON.search(colour) is not None, _LOST.search(colour) is not None
    opposite = (lost and not won) if roll >= difficulty else (won and not lost)
    if not colour or opposite or verdict.startswith(colour.casefold()):
        return f"{roll} against {difficulty}: {verdict}"
    return f"{roll} against {difficulty}: {verdict}; {colour}"
