"""All prompt templates. A pack's own template has the agent's name and the same placeholders."""

import re
import string
from collections.abc import Mapping

TEMPLATES: dict[str, str] = {
    "system": """\
Tell a story in the present tense. "You" is {player}, who decides what "you" says and does.

{setting}

TONE
{tone}

RULES
{rules}""",
    "clerk": """\
You keep the records of an interactive story: only what the text says happened, plainly, nothing made up. \
"You" in the pages is {player}, the player's character.""",
    "narrator": """\
{title}. {summary}
{cast}
Here: {present}
{setting}
{behind}
{begin} {words} of plain prose, in short sentences and short paragraphs, in which the people here talk and act. Take up my \
line first, in full, so that it changes something. {hidden}Never speak, decide or feel for me. What was said, counted and \
hidden, and who knows of it, stays so.
{hints}
{answering}
{lead}

{line}""",
    "stage": """\
{line}
{page}
{replies}
People: {people}. Before this page: {before}.

{fields}
Another page: Ben and Cy sit at the table, Dee comes in at [B]. [1] I ask Cy for the salt. [2] Under the table I show Ben \
the key.
{example}
For this page, one JSON object:""",
    "risk": """\
{line}
Before this is told: does {player} attempt something here that can fail and would cost something (a blow, a leap, a theft, a \
lie)? Not if it is only said, asked, planned, left to others or done without danger, or needs somebody who is not here \
({here} here).
If so, repeat those words of the line as "risk", with a "difficulty" from 5 (easy) to 20 (next to impossible), mostly \
{difficulty}. If not: {{"risk": "", "difficulty": {difficulty}}}
One JSON object:""",
    "character": """\
You are now {card}
{relationships}
{secret}
{memory}

{scene}
Answer as {name} alone, {words}: what you say to this, in double quotes, and what you do, told as {person} in the present \
tense. Go further than the page: something true that it has not told yet. No thoughts, no errands for {player}. {begin}""",
    "memory": """\
WHAT JUST HAPPENED
{turn}

What of this would somebody who was there still bring up next week? Mostly nothing or one line; a second only beside a death \
or a promise. Nothing that is settled by the end of the page or remembered already; no clues, questions, refusals, orders, \
moves, gestures. Full sentences: who did or said what to whom, names instead of pronouns.
kind: none, or promise (still open), gift, lie, debt, death, secret (admitted or found out)
changed: by its number, a line below that this page ends, keeps, breaks or shows to be untrue, as it is now; not again in new
Example: {{"new": [{{"fact": "Ada lent Ben her key until Friday.", "kind": "gift"}}], "changed": {{}}}}
Mere talk: {{"new": [], "changed": {{}}}}

This is {card}, who already remembers:
{facts}

For {name}, one JSON object:""",
    "cell": """\
WHAT JUST HAPPENED
{turn}

Somebody who was there keeps a diary: {card}
Remembered from before: {summary}
{cells}

The next entry of {name}, 1 to 3 sentences in the first person: only what {name} saw, heard, did, learned or felt. A death, \
a promise or a secret ends with (important). Plain prose only.""",
    "merge": """\
{name} shortens old memories.
The old summary: {summary}
Diary entries to add, oldest first:
{cells}

Write one new summary of both: every promise, secret, gift, debt, lie and death, then names, discoveries, changed feelings. \
At most 6 sentences, in the first person of {name}. Plain prose only.""",
    "past": """\
{turns}

This is {card}, who remembers from before: {summary}

Tell in 3 to 6 sentences what {name} remembers of all this: every promise, secret, gift, debt, lie and death, then what \
{name} found out or suspects. Past tense, third person, names instead of pronouns. Plain prose only.""",
    "reflection": """\
{turns}

RECORDS. A chapter of {name}'s life is over.
{card}
{relationships}
From before these pages {name} remembers:
{memory}

By this text only, one short sentence each, "" where nothing changed: what {name} wants now; what {name} hides now beside \
the secret; what {name} now thinks of {others}.
Example, of Ada, about Ben and Cy:
{example}
For {name}, one JSON object:""",
    "progress": """\
WHAT JUST HAPPENED
{turn}

Has this happened on these pages? For each line answer "no", "begun", or the words above in which it is finished, copied \
(5 to 15 words).
{lines}
Example: {example}
Answer with one JSON object like the example:""",
    "finished": """\
{place}

One question about these words: is this finished in them? {beat}
It is not if it only begins, is only wanted, feared, promised or talked about, or is something else.
Answer with one JSON object, {{"finished": false}} or {{"finished": true}}:""",
    "moment": """\
{turn}

RECORDS. Moments so far:
{moments}

Which one or two events here matter for the whole story: a fight, a discovery, something achieved, a turning \
point? Often none, never one listed above. Significance: 0.3 is a good scene, 0.6 changes the chapter, 0.9 the story's end.

None: {{"moments": []}}
Else, in JSON: {{"moments": [{{"quote": "(a few words, copied)", "moment_type": "({types})", "moment_summary": \
"(5 to 10 words)", "moment_significance": 0.3}}]}}""",
    "summary": """\
{turns}

RECORDS. Only what these pages say happened.
Already written: {before}

Summarise these pages in 4 to 5 new sentences, past tense, {player} in the third person. Keep names, places, promises, \
injuries and open questions. Plain prose only.""",
    "condense": """\
The story so far: {before}

Write it in at most 5 sentences, past tense, {player} in the third person. Keep names, places, promises, injuries, open \
questions. Plain prose only.""",
    "casting": """\
YOUR PART NOW: {name} joins the story. Write who that is: a role of at most 8 words and a full stop, then 2 sentences on how \
{name} talks and acts. What the pages do not say you may choose, as fits the world. No secrets, nothing about {player}. At \
most 50 words, plain prose, no name in front.""",
    "ideas": """\
SUGGESTIONS for the player. Here: {present}.
The story leads to this, never give it away: {beat}

Write three different lines for {player} to send next: what {player} says or does now, first person, present tense, at \
most 20 words each. Each names somebody here or a thing of the last page; the first goes a step towards where the story \
leads. No outcome, no words of others. One line each, no numbers.""",
    "recap": """\
{turns}

RECORDS. Only what these pages say happened.
A chapter has ended: {title}.
{beats}
{summary}

Tell in 2 to 3 sentences what happened in the chapter and what stays open, past tense, {player} in the third person. \
Plain prose only.""",
    "epilogue": """\
The story "{title}" has ended.
Its chapters:
{recaps}
To be remembered:
{moments}

Write the epilogue: 150 to 200 words to {player} as "you", looking back from later, with two or three of the things to be \
remembered. End on an image, not a lesson. Plain prose only.""",
}

BRIEF_NARRATOR = """\
{title}. {summary}
{cast}
Here: {present}
{setting}
{behind}
{begin} {words} of plain prose. Begin with “you”: what you see and hear, and what comes of my line. Nobody speaks yet. \
{hidden}
{hints}
{answering}
{lead}

{line}"""
"""For a model that a grammar holds: it copies what it reads, whole cards too."""

BRIEF_CHARACTER = TEMPLATES["character"].replace(", in double quotes", "")
"""For a small model: a grammar sets the marks where a server takes one, and the words came back in its replies."""

PLACEHOLDERS: dict[str, frozenset[str]] = {
    agent: frozenset(name for _, name, _, _ in string.Formatter().parse(text) if name)
    | frozenset({"player"} if agent in ("narrator", "memory") else ())
    for agent, text in TEMPLATES.items()
}
"""Placeholders allowed in each template."""

REQUIRED: dict[str, frozenset[str]] = {
    "system": frozenset({"setting", "rules"}),
    "narrator": frozenset({"present", "hints"}),
    "character": frozenset({"name", "card", "secret", "memory"}),
    "memory": frozenset({"name", "facts", "turn"}),
    "cell": frozenset({"name", "turn"}),
    "merge": frozenset({"summary", "cells"}),
    "past": frozenset({"name", "turns"}),
    "reflection": frozenset({"name", "turns"}),
    "risk": frozenset({"line"}),
    "moment": frozenset({"turn"}),
    "summary": frozenset({"before", "turns"}),
    "condense": frozenset({"before"}),
    "casting": frozenset({"name"}),
    "ideas": frozenset({"player"}),
    "recap": frozenset({"turns"}),
    "epilogue": frozenset({"moments"}),
}
"""Placeholders required in a pack's own template."""


def fill_prompt(agent: str, overrides: Mapping[str, str], **values: str) -> str:
    return fill_text(overrides.get(agent, TEMPLATES[agent]), **values)


_BRACES = re.compile(r"\{\{|\}\}|\{(\w+)\}")


def fill_text(template: str, **values: str) -> str:
    """Fill a template, closing up lines left empty. Raises KeyError for a name without a value."""

    def value(match: re.Match[str]) -> str:  # as text: no attributes, no widths
        return values[match[1]] if match[1] else match[0][0]

    lines = _BRACES.sub(value, template).splitlines()
    filled_lines = [
        line.rstrip() for i, line in enumerate(lines) if line.strip() or (i > 0 and lines[i - 1].strip())
    ]
    return "\n".join(filled_lines).strip()


DIRECT_TEMPLATES: dict[str, str] = {
    "lock": """\
A game master is about to lead a chapter of a story. From the notes below you write down, once and for all, what the \
chapter starts from.
- Short items in lists, never paragraphs. Say each thing once: what both notes share belongs to the world alone.
- What happened before the chapter is key_lore, each event an item; premise, location and time are those of now.
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
- A thought stands in (parentheses): only you and the game master know it. A paragraph that begins with → and one name \
and a colon, as in "→ Ada: Wait here.", is heard by that one alone.
- You know what is established, and what your character saw, heard or was told.
- What is established is true. Do not overrule it; if something is unclear, ask about it as your character would.
- No rules of a game unless you are asked for them. Never speak of prompts, models or game masters. Write no \
summaries and no notes.""",
    "delta": """\
You keep the notes of a story that is being played. You are given the notes so far, and then new pages. Lines with a \
number were told by the game master to the one they name, and are fact; lines with a name are what that character said \
and tried.
- Write down only what is new or changed in the new pages. Several similar events become one.
- Keep cause and consequence. Somebody's attempt without a told outcome gets the result "attempted".
- Names exactly as written. Make nothing up; leave empty what was not told.
- All characters read these notes: leave out what somebody only thought, felt or kept from the others.
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
- What the game master told is true, whatever a character claims. Where the notes say otherwise, later notes are right.
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

AUTHOR_TEMPLATES: dict[str, str] = {
    "author": """\
You help somebody to plan an interactive story, told in a terminal to one player who meets a few characters. Plain, \
concrete words; no clichés, no filler. What the plan says already stays true. Answer with what you are asked for, and \
nothing around it.""",
    "concept": """\
Plan this story: {characters} for the player to meet, and {chapters}, from a first sign of trouble to an end. The player \
is none of them. Everybody wants something that stands in somebody's way, the player's or another's.""",
    "setting": """\
Describe where it happens, and decide what is really going on. The truth is told to nobody but the narrator: nothing of \
it may stand in the setting or in the rules.""",
    "character": """\
Write the card of {name}, {role}. Only {name}, nobody else. The personality says how {name} talks and acts, never what \
is secret.""",
    "chapter": """\
Write chapter {number} of {chapters}: {title}. Beats are things that visibly happen, in order. What the player finds \
out is nobody's; only a real choice is the player's, and is brought up by something that happens first. {ending}""",
    "short": """\
Say the same of {name} in at most 70 words: who {name} is, how {name} talks and acts, what {name} wants. Only what \
stands above; the most important first. Plain prose, nothing around it.""",
    "lore": """\
Give the text above about {name} a title, and the words that bring it to mind when somebody says them.""",
    "change": """\
YOUR LAST VERSION
{last}

The author wants this changed: {change}
Write it again whole; keep what was not mentioned.""",
    "repair": """\
THIS PART IS NOT RIGHT YET
{last}

What is wrong:
{problems}
Write it again whole, with only that mended.""",
    "talker": """\
You talk with somebody who looks for the idea of an interactive story, told in a terminal to one player who meets a few \
characters. Plain, concrete words. You propose, they decide.""",
    "talk": """\
Answer them in two to four sentences: take up what they said last, add one concrete thing to it (somebody, a place, a \
trouble), and end with one question. No list, no title.""",
    "premise": """\
Say what the idea is by now, in one or two sentences: who the player is, where, and what goes wrong. Where you and they \
differ, they are right. Only these sentences.""",
}
"""Task of each author agent; the plan stands before it, the form after."""

AUTHOR_FORMS: dict[str, dict[str, str | list[str]]] = {
    "concept": {
        "title": "(2 to 4 words)",
        "description": "(two sentences that make one want to play it)",
        "tone": "(one sentence: how it is told)",
        "player_name": "(first and last name)",
        "player_description": "(one line: who the player is and why here)",
        "characters": ["(name): (role, and one thing seen at first sight)"],
        "chapters": ["(title): (one sentence: what happens in it)"],
    },
    "setting": {
        "setting": "(50 to 90 words: what anybody there can see and know)",
        "rules": "(two or three short sentences: what cannot be done, what it costs)",
        "truth": "(two to four sentences: what is behind it all)",
    },
    "character": {
        "personality": "(two sentences)",
        "want": "(one sentence: what they are after)",
        "secret": "(one or two sentences they would rather not tell)",
        "known": "(one sentence that they may say of it, true and harmless)",
        "examples": ["(a line they could say, with a gesture)", "(another one)"],
        "relationships": ["(name, of {others}): (one line)"],
    },
    "chapter": {
        "summary": "(two or three sentences)",
        "beats": [
            "(5 beats, at most 12 words each; when it is the act of {people}, that name in brackets at the end; when it is \
the player's choice, in brackets: player: what happens first)"
        ],
        "clues": ["(two or three objects that can be found and show what is behind it)"],
        "completion": "(one sentence that can be checked: what has happened by its end)",
        "characters": ["(of {people}, those in it)"],
        "secret_of": "(who of them tells their secret in this chapter, or nothing)",
        "at_first": ["(who of them is there on the first page; [] for nobody)"],
        "opening": "(60 to 100 words: the first page, to the player as 'you', present tense)",
    },
    "lore": {
        "title": "(2 to 4 words)",
        "keys": ["(3 to 6 single words or names that stand in the text)"],
    },
}
"""Form of an author agent's reply, as shown to the model."""

FORM_AGAIN = "Answer again with the one JSON object only, with the keys named above."
PROSE_AGAIN = "Answer again, with the plain prose only."
"""Added to a second attempt after a refusal, a cut or an unreadable reply."""
WRITE_ON = (
    "Your text above breaks off. Write only what follows: begin with the next word, and repeat nothing of it."
)
"""Behind a text so far, where a server does not go on by itself."""
