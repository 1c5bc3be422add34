"""All prompt templates, one per agent, in one place (S6).

Every template is one task. A placeholder is a name in braces. A pack may replace a template by a file of the agent's
name, with the same placeholders: those in `REQUIRED` must be there, others of `TEMPLATES` may.
"""

from __future__ import annotations

import string
from collections.abc import Mapping

TEMPLATES: dict[str, str] = {
    "system": """\
You are one of several writers of an interactive story. The person at the keyboard plays {player}; only that person \
decides what {player} says, does and feels. What already happened stays true.

THE WORLD
{setting}

TONE
{tone}

RULES OF THIS STORY
{rules}""",
    "clerk": """\
You keep the records of an interactive story. You write down only what the text says happened, briefly and plainly, \
and you never make anything up. {player} is the character played by the person at the keyboard.""",
    "narrator": """\
YOUR PART NOW: THE NARRATOR
Chapter: {title}. {summary}
{beats}
People in this chapter: {cast}
On stage now: {present}
{hints}
Continue the story from the last line above. Write 150 to 300 words of narration in the second person, present tense. \
Show what follows from what {player} just did, through concrete sights and sounds. Never speak, choose or feel for \
{player}. Do not write what the others say in reply; they answer for themselves after you. Lead gently towards the \
next open beat; never skip one.
Then name who should answer now, in order (ids only, may be empty), and the mood.

Answer with exactly this block and nothing else:
```yaml
narration: |
  (your narration, every line indented by two spaces)
responding_characters: [{ids}]
mood: one of {moods}
present: [ids of everyone on stage at the end]
```""",
    "character": """\
YOUR PART NOW: {name}
{card}
{secret}
{relationships}
What {name} remembers:
{memory}

Answer as {name}, to what was just said and done. Write 50 to 150 words: what {name} says aloud, with a little \
gesture, in {name}'s own way of talking. {name} knows only what is written above. Do not narrate for {player} or for \
anyone else. Plain prose only, without a name in front.""",
    "memory": """\
These are {name}'s memories so far.
Summary: {summary}
Facts:
{facts}

This is what {name} just lived through:
{turn}

Bring {name}'s memories up to date. Write the summary anew in 3 to 5 sentences: what {name} now understands. Add a \
fact only if it will still matter later; one short sentence each, with names instead of pronouns. If it must never be \
forgotten (a death, a promise, a secret), end it with (important); few are. Remove a fact, by its number, if it is no \
longer true. Update one, by its number, if it changed.

Answer with exactly this block:
```yaml
summary: (3 to 5 sentences)
add:
  - (a new fact)
remove: [(numbers)]
update:
  - old: (number)
    new: (the fact as it is now)
```""",
    "cell": """\
{name} is writing a private diary.
What {name} remembers from before: {summary}
{cells}

This is what {name} just lived through:
{turn}

Write {name}'s next diary entry about it: 1 to 3 sentences, in the first person, only what {name} saw, heard, did, \
learned or felt. If it must never be forgotten (a death, a promise, a secret), end with (important); few are. Plain \
prose only, nothing else.""",
    "merge": """\
{name} is shortening old memories.
The old summary: {summary}
Diary entries that must go into it, oldest first:
{cells}

Write one new summary that holds everything of weight from both: names, promises, discoveries, changed feelings. At \
most 6 sentences, in the first person of {name}. Plain prose only.""",
    "progress": """\
Chapter: {title}
The chapter is complete when: {completion}
Its beats:
{beats}

What just happened:
{turn}

Which open beats have clearly happened in this text? And is the chapter complete? A beat that is only hinted at has \
not happened.

Answer with exactly this block:
```yaml
chapter_complete: (true or false)
reason: (one short sentence)
new_beats: [(numbers of open beats that happened, or nothing)]
```""",
    "keeper": """\
{player} tries something with an uncertain outcome.
What happened last:
{last}
Moments so far:
{moments}
The action: {action}
The die shows {roll}; {difficulty} or more succeeds.

Say what that means in under 10 words, numbers first. Then say if this is a moment to remember for the whole story; \
most actions are not.
Types of moments: {types}

Answer with one JSON object on one line:
{{"resolution": "...", "moment_type": null, "moment_summary": "(5 to 10 words)", "moment_significance": (0.0 to 1.0)}}""",
    "moment": """\
What just happened:
{turn}
Moments so far:
{moments}

Say in under 10 words what was settled here. Then say if this turn holds a moment to remember for the whole story: a \
fight won or lost, a discovery, something achieved, a turning point. Most turns hold none.
Types of moments: {types}

Answer with one JSON object on one line:
{{"resolution": "...", "moment_type": null, "moment_summary": "(5 to 10 words)", "moment_significance": (0.0 to 1.0)}}""",
    "summary": """\
The story so far: {before}

What happened since:
{turns}

Write the story so far anew, with what happened since in it. At most 5 sentences, past tense, {player} in the third \
person. Keep names, places, promises, injuries and open questions; leave out talk that changed nothing. Plain prose \
only.""",
    "recap": """\
A chapter of the story has ended: {title}. {beats}
The story so far: {summary}
Its last pages:
{turns}

Write 2 to 3 sentences that tell what happened in this chapter and what was left open, past tense, {player} in the \
third person. Plain prose only.""",
    "epilogue": """\
The story "{title}" has reached its end.
Its chapters:
{recaps}
What will be remembered:
{moments}

Write the epilogue: 150 to 200 words, second person, to {player}, looking back from some time after. Name two or \
three of the things to be remembered as they were. End on an image, not on a lesson. Plain prose only.""",
}

PLACEHOLDERS: dict[str, frozenset[str]] = {
    agent: frozenset(name for _, name, _, _ in string.Formatter().parse(text) if name)
    for agent, text in TEMPLATES.items()
}
"""What each template may use."""

REQUIRED: dict[str, frozenset[str]] = {
    "system": frozenset({"setting", "rules"}),
    "narrator": frozenset({"beats", "present", "hints"}),
    "character": frozenset({"name", "card", "secret", "memory"}),
    "memory": frozenset({"name", "facts", "turn"}),
    "cell": frozenset({"name", "turn"}),
    "merge": frozenset({"summary", "cells"}),
    "progress": frozenset({"beats", "turn"}),
    "keeper": frozenset({"action", "roll", "difficulty"}),
    "moment": frozenset({"turn"}),
    "summary": frozenset({"before", "turns"}),
    "recap": frozenset({"turns"}),
    "epilogue": frozenset({"moments"}),
}
"""What a pack's own template must use."""


def template_faults(agent: str, text: str) -> list[str]:
    """What is wrong with a pack's template of `agent`: unknown agent, stray braces, unknown or missing placeholders."""
    if agent not in TEMPLATES:
        return [f"there is no agent '{agent}'; known: {', '.join(sorted(TEMPLATES))}"]
    try:
        used = {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
    except ValueError as error:
        return [f"a brace stands alone ({error}); write {{{{ and }}}} for braces that are meant"]
    unknown = sorted(used - PLACEHOLDERS[agent])
    missing = sorted(REQUIRED.get(agent, frozenset()) - used)
    faults = [f"unknown placeholder {{{name}}}" for name in unknown]
    return faults + [f"the placeholder {{{name}}} is missing" for name in missing]


def fill(agent: str, overrides: Mapping[str, str], **values: str) -> str:
    """The template of `agent`, filled."""
    return fill_text(overrides.get(agent, TEMPLATES[agent]), **values)


def fill_text(template: str, **values: str) -> str:
    """A template filled; lines left empty by empty values are closed up."""
    lines = template.format_map(values).splitlines()
    kept = [line for i, line in enumerate(lines) if line.strip() or (i > 0 and lines[i - 1].strip())]
    return "\n".join(kept).strip()


def split_template(agent: str, overrides: Mapping[str, str], placeholder: str) -> tuple[str, str]:
    """What stands before and after a placeholder in the template of `agent`."""
    before, _, after = overrides.get(agent, TEMPLATES[agent]).partition("{" + placeholder + "}")
    return before, after
