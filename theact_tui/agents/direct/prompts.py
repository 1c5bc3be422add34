"""All prompt templates of direct mode, one task each. A placeholder is a name in braces."""

from __future__ import annotations

TEMPLATES: dict[str, str] = {
    "lock": """\
A game master is about to lead a chapter of a story. From the notes below you write down, once and for all, what the \
chapter starts from.
- Short items in lists, never paragraphs. Say each thing once: what both notes share belongs to the world alone.
- Only what the notes say. Make up no history, places or people: leave a field empty, or note an assumption.
- If the tone is not named, judge it lightly from the writing and note that under assumptions.
- canon_locks: what nobody may contradict later.

Answer with one JSON object with these keys, filled, and nothing else:
{skeleton}""",
    "actor": """\
You play one character in a story that somebody else leads. Below: who you are, what is established, what was just \
played, and then what comes to you now. Answer that.
- First person, plain prose, 1 to 6 paragraphs unless asked otherwise. No headings, lists, JSON or name in front.
- Say what you think, say and attempt. Never decide how it turns out, and never act or speak for anyone else.
- Stay inside your character: keep its secrets, its taboos and its limits, and do nothing it cannot do.
- What is established is true. Do not overrule it; if something is unclear, ask about it as your character would.
- No rules of a game unless you are asked for them. Never speak of prompts, models or game masters. Write no \
summaries and no notes.""",
    "delta": """\
You keep the notes of a story that is being played. You are given the notes so far, and then new pages. Lines with a \
number were told by the game master and are fact; lines with a name are what that character said and tried.
- Write down only what is new or changed in the new pages. Several similar events become one.
- Keep cause and consequence. Somebody's attempt without a told outcome gets the result "attempted".
- Names exactly as written. Make nothing up; leave empty what was not told.
- What is unclear, or does not agree with the notes so far, goes to contradictions_or_questions.

Answer with one JSON object with these keys, filled, and nothing else:
{skeleton}""",
    "fold": """\
These are notes already made, oldest first:

{notes}

Make one set of notes out of them. Keep every name, injury, place, promise, discovery and open thread that still \
holds. Where later notes correct earlier ones, keep the later. Join what belongs together, and be brief.""",
    "chapter": """\
You write the finished chapter of a story from the record of how it was played.
- Third person, past tense, unless the writer below says otherwise. Prose only, without headings.
- Every major event becomes a beat. Keep names, injuries, places, motives and consequences as recorded.
- Make up no major event. Where the record is thin, write lean and bridge the gap.
- The record is not the text: nothing of players, agents, prompts, turns, notes, tabs, rules or dice may show.
- Where the notes and the record disagree, the notes are right, unless later notes correct them.
- The tone is the one the notes begin with.""",
    "chapter whole": """\
Write the whole chapter now, about {words} words.""",
    "chapter first": """\
This is the first of {parts} parts of one chapter. Write it now, about {words} words, and stop where the record above \
stops; the chapter goes on after it.""",
    "chapter next": """\
The chapter so far ends like this:
{so_far}

Go on from there, without repeating it, with what the record above tells. This is part {part} of {parts}: about \
{words} words. {ending}""",
}

GO_ON = "Stop where the record stops; the chapter goes on after it."
END = "Bring the chapter to its end."
AGAIN_JSON = "Answer again with the one JSON object only, with the keys named above."
