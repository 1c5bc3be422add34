"""Leaving out of what is told those who are not there: from a passage, and from its gist."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from theact_tui.models.storyteller.book import Telling, fill
from theact_tui.models.storyteller.find import paragraphs, sentences
from theact_tui.models.storyteller.names import forms, mentions
from theact_tui.story.turn import Turn
from theact_tui.story.views import Witnessed

_PRONOUNS = re.compile(r"\b(?:he|she|they|his|her|him|their)\b", re.I)


def without_people(text: str, away: Sequence[str]) -> list[str]:
    """A passage's paragraphs without the sentences about people who were sent away; all of it if little would be left."""
    parts = paragraphs(text)
    if not any(mentions(text, name) for name in away):
        return parts
    rest: list[str] = []
    cut = False
    for part in parts:
        lines = sentences(part)
        kept = _kept(lines, away, cut=cut)
        cut = len(kept) < len(lines)
        rest += [" ".join(kept)] if kept else []
    return rest if sum(map(len, rest)) * 2 > len(text) else parts


def gist_of(telling: Telling | None, turn: Turn | Witnessed, player: str, people: Mapping[str, str]) -> str:
    """What a turn was about; those of `people` (names by id) are left out who neither stand in its text nor spoke."""
    if telling is None or not telling.passage.gist:
        return ""
    gist = fill(telling.passage.gist, player)
    told = " ".join(entry.text for entry in turn.entries if entry.role == "narrator")
    spoke = {entry.character for entry in turn.entries}
    for id, name in people.items():
        expected = id in telling.passage.lines or mentions(telling.text, name)
        if expected and id not in spoke and mentions(gist, name) and not mentions(told, name):
            gist = _without_name(gist, name)
    return gist


def _kept(lines: Sequence[str], away: Sequence[str], *, cut: bool) -> list[str]:
    """The sentences that do not name anybody of `away`, nor go on about them with a pronoun.

    `cut`: the paragraph before lost a sentence, so that a pronoun at the beginning may be meant for its person.
    """
    kept: list[str] = []
    dropped = False
    for line in lines:
        starts = cut and not kept and re.match(r"[\"“]?(?:He|She|His|Her)\b", line)
        goes_on = starts or (dropped and _PRONOUNS.search(line))
        dropped = bool(goes_on) or any(mentions(line, name) for name in away)
        if not dropped:
            kept.append(line)
    return kept


def _without_name(gist: str, name: str) -> str:
    """`gist` without a person in its lists and last clause; as it was if the person is what it is about."""
    title = name.split()[0]
    made = gist
    for form in forms(name):
        who = rf"(?:{re.escape(title)} )?{re.escape(form)}(?!\w|')"
        made = re.sub(rf"(?<=, ){who}, (?=[A-Z])|^{who}, (?=[A-Z][\w ]+ and )", "", made)
        made = re.sub(rf", {who} and (?=[A-Z])", " and ", made)
        made = re.sub(rf"^{who}, (?=[A-Z])|^{who} and (?=[A-Z])", "", made)
        made = re.sub(rf"([A-Z]\w*), ([A-Z][\w ]*?) and {who}(?= [a-z])", r"\1 and \2", made)
        made = re.sub(rf"(?<=\w) and {who}(?= [a-z])", "", made)
        made = re.sub(rf",? (?:while|and|but) {who} [^,.;]+(?=[.;]|$)", "", made)
    return gist if mentions(made, name) else made[:1].upper() + made[1:]
