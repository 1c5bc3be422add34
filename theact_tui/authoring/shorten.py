"""Shorten a character with a model. The full text becomes lore that the character knows."""

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from theact_tui import yaml
from theact_tui.agents.author import AUTHORS, SHORT
from theact_tui.authoring.draft import with_fields
from theact_tui.engine.agent_runner import AgentRunner
from theact_tui.engine.bus import Bus
from theact_tui.errors import CallError, TurnError, UsageError
from theact_tui.importing.pack_file import PackPlan
from theact_tui.importing.pack_maker import SHORT_CARD_WORDS
from theact_tui.importing.report import ImportReport
from theact_tui.models.model import Models
from theact_tui.packs.files import character_file, lore_file
from theact_tui.packs.library import pack_folder
from theact_tui.packs.loader import load_pack
from theact_tui.parsing.forms import LoreReply
from theact_tui.saves.codec import data_of
from theact_tui.sentences import sentences, whole_sentences
from theact_tui.story.lore import MAX_KEY, NARRATOR, LoreEntry
from theact_tui.story.matching import plain
from theact_tui.story.pack import Character
from theact_tui.story.views import AuthorView
from theact_tui.text import clean, counted, one_line, unique_slug, words

MIN_WORDS, MAX_WORDS = 8, 120
PASSAGE_WORDS = 90
"""A passage becomes an entry of lore."""
_MOST_KEYS = 6
_LABEL = re.compile(r"^[*_#\s]*(?:personality|description)[*_\s]*:[*_\s]*", re.IGNORECASE)
OnStep = Callable[[str], None]


def passages(text: str) -> list[str]:
    """Split a text into passages of about `PASSAGE_WORDS` words, at paragraphs, lines or sentences."""
    joined: list[str] = []
    for piece in _pieces(text):
        if joined and words(joined[-1]) + words(piece) <= PASSAGE_WORDS:
            joined[-1] += f"\n{piece}"
        else:
            joined.append(piece)
    return joined


def _pieces(text: str) -> Iterator[str]:
    for line in filter(str.strip, text.splitlines()):
        for sentence in [line.strip()] if words(line) <= PASSAGE_WORDS else sentences(line):
            sentence_words = sentence.split()
            yield from (
                " ".join(sentence_words[at : at + PASSAGE_WORDS])
                for at in range(0, len(sentence_words), PASSAGE_WORDS)
            )


async def shorten_characters(
    packs: Path, id: str, models: Models, *, character: str = "", on_step: OnStep = lambda _: None
) -> ImportReport:
    """Shorten the long characters of a user's pack, or one; all or nothing. Closes `models`. Raises UsageError if no
    character is long, and TurnError if a model wrote nothing usable.
    """
    try:
        await models.probe()
        plan = await _plan(packs, id, models, character, on_step)
    finally:
        await models.close()
    return await asyncio.to_thread(plan.write)


async def _plan(packs: Path, id: str, models: Models, character: str, on_step: OnStep) -> PackPlan:
    folder = await asyncio.to_thread(pack_folder, packs, id)
    if folder.parent != packs:
        raise UsageError(f"'{one_line(id)}' is not one of your own packs. Only those can be changed.")
    pack = await asyncio.to_thread(load_pack, folder)
    chosen = [
        name
        for name, person in pack.characters.items()
        if words(person.personality) > SHORT_CARD_WORDS and character in ("", name, pack.name_of(name))
    ]
    if not chosen:
        raise UsageError(f"No character of '{id}' has more than {SHORT_CARD_WORDS} words to shorten.")
    if models.for_agent("author").provider == "storyteller":
        raise UsageError("Shortening needs a model. Connect one in the settings, or name one with --model.")
    runner, plan = AgentRunner(models, Bus()), PackPlan(packs, id, folder, {}, ImportReport("card", pack=id))
    count = runner.model("author").tokens.count
    ids = {entry.id for entries in pack.lore.values() for entry in entries}
    books, changed = set(pack.lore), []
    for name in chosen:
        person, parts = pack.characters[name], passages(pack.characters[name].personality)
        on_step(f"Shortening {person.name}")
        short = await _short(runner, person)
        entries: list[LoreEntry] = []
        for number, part in enumerate(parts, 1):
            on_step(f"Naming what {person.name} knows: {number} of {len(parts)}")
            title, keys = await _named(runner, person, part, parts)
            entry_id = unique_slug(title, ids, "entry")
            ids.add(entry_id)
            entries.append(
                LoreEntry(id=entry_id, title=title, text=part, keys=keys, known_by=(name, NARRATOR))
            )
        book = unique_slug(f"about-{name}", books, "lore")
        books.add(book)
        file, text = character_file(name), person.personality
        before = (folder / file).read_text("utf-8")
        plan.contents |= {
            file: with_fields(before, {"personality": short}).encode(),
            lore_file(book): yaml.dump([data_of(entry) for entry in entries]),
            f"imported/{name}-whole.txt": text.encode(),
        }
        changed.append(
            f"{person.name}: {counted(words(text), 'word')} ({count(text)} tokens) are {words(short)} ({count(short)}) now; "
            f"the full text is in {counted(len(entries), 'entry', 'entries')} of lore and in imported/{name}-whole.txt."
        )
    plan.report = plan.report.adding(changed=changed)
    return plan


async def _short(runner: AgentRunner, person: Character) -> str:
    view = AuthorView(kind="short", plan=person.personality, words={"name": person.name})
    try:
        answer = await runner.ask(SHORT, view, key="author:short")
    except CallError as error:
        raise TurnError(f"{person.name} was not shortened: {error.message}") from error
    short = _LABEL.sub("", clean(answer.reply.text).strip(), count=1)
    if words(short) > MAX_WORDS:
        short = whole_sentences(" ".join(short.split()[:MAX_WORDS]))
    if not MIN_WORDS <= words(short) < words(person.personality):
        raise TurnError(f"{person.name} was not shortened: the model gave no usable text.")
    return short


async def _named(
    runner: AgentRunner, person: Character, part: str, parts: list[str]
) -> tuple[str, tuple[str, ...]]:
    view = AuthorView(kind="lore", plan=part, words={"name": person.name})
    try:
        lore: LoreReply = (await runner.ask(AUTHORS["lore"], view, key="author:lore")).reply
    except CallError:
        lore = LoreReply()
    own = set(plain(person.name).split())
    proposed_keys = [one_line(key, MAX_KEY) for line in lore.keys for key in line.split(",")]
    keys = [
        key for key in proposed_keys if plain(key) and not set(plain(key).split()) <= own and words(key) <= 4
    ]
    keys = list(dict.fromkeys(keys))[:_MOST_KEYS] or _rare_words(part, parts, own)
    title = one_line(lore.title, 60) or f"{person.name}: {', '.join(keys[:2])}"
    return title, tuple(keys)


def _rare_words(part: str, parts: list[str], own: set[str]) -> list[str]:
    spread = Counter(word for passage in parts for word in set(plain(passage).split()))
    candidates = {word for word in re.findall(r"\w{4,40}", plain(part)) if word not in own}
    return sorted(candidates, key=lambda word: (spread[word], -len(word), word))[:4]
