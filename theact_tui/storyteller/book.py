"""A pack's script, ready to tell and to recognise in past pages."""

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, Literal

from theact_tui.sentences import ends_sentence, sentences
from theact_tui.story.matching import plain
from theact_tui.story.names import Names
from theact_tui.story.pack import MOODS, Pack
from theact_tui.story.script import CuedAnswer, Deed, Passage, Script, ScriptScene, Voice
from theact_tui.story.steering import language_name
from theact_tui.story.turn import Turn
from theact_tui.story.value import Value
from theact_tui.story.views import StoryView, Witnessed
from theact_tui.storyteller.language import as_called, callings, hits, mentions, share, words_in
from theact_tui.storyteller.player_input import PlayerLine, base, own_deeds, read_line
from theact_tui.storyteller.stock import complete, stock

_MIN_PACK_WORDS = 1500
"""Fewer do not identify a pack's language."""
_MIN_UNDERSTOOD_SHARE = 1 / 3
"""Known words in a line."""
_AT_HAND = frozenset("the my your a an some that this".split())
_WITHOUT = frozenset("look search wish build make draw carve imagine dream write think remember".split())
"""Deeds that need no object."""
_ALPHABETIC = re.compile(r"[A-Za-z\u00c0-\u052f]+")
"""Words that scripts without spaces may join."""
_NEVER = 100_000
"""Age of an unused line."""
_TEXTS_BEFORE_REPEAT = 12
_SHORT_LINE_WORDS = 11
"""A short line may repeat early."""
_MIN_KNOWN_LETTERS = 12
"""A shorter line is recognised only as the whole text."""
WORTH, OTHER = {"scene": 3.0, "opening": 2.5, "topic": 2.0}, 1.5
"""Worth of a sentence by kind of passage."""
_MIN_RECOGNISED_SHARE = 0.4
"""Part of a passage that identifies it in a narration."""


@dataclass(frozen=True)
class Telling:
    kind: Literal["opening", "scene", "topic", "again", "ambient", "after", "talk"]
    index: int
    passage: Passage
    text: str

    @property
    def mood(self) -> str:
        return self.passage.mood if self.passage.mood in MOODS else "calm"

    @cached_property
    def plain_sentences(self) -> tuple[str, ...]:
        return tuple(map(plain, sentences(self.text)))

    def is_about(self, line: PlayerLine) -> bool:
        return isinstance(self.passage, ScriptScene) and hits(self.passage.all_cues, line.matter) > 0


class Told:
    """Texts of one voice, oldest first."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = [plain(text) for text in texts]

    def since(self, line: str) -> int:
        """Texts since `line`, 1 for the last; `_NEVER` if unused."""
        needle, latest = plain(line), enumerate(reversed(self._texts), 1)
        if len(needle) < _MIN_KNOWN_LETTERS:  # such as `No.`, which many words hold
            return next((ago for ago, text in latest if needle == plain(text)), _NEVER)
        return next((ago for ago, text in latest if needle in text), _NEVER)

    def __contains__(self, line: str) -> bool:
        return self.since(line) < _NEVER

    def is_unused(self, line: str) -> bool:
        return self.since(line) > _TEXTS_BEFORE_REPEAT


class ScriptBook:
    """`pack`'s script without gaps, for this player and seed."""

    def __init__(self, pack: Pack, seed: int, player: str) -> None:
        self.pack = pack
        self.seed = seed
        self.player = player
        self.script: Script = _addressed(complete(pack), player)
        self.pages = {id: tuple(_tellings(self.script, id)) for id in pack.chapters}
        self.all_pages = tuple(page for pages in self.pages.values() for page in pages)
        self.names = tuple(character.name for character in pack.characters.values())
        self._callings = callings({character.name: character.role for character in pack.characters.values()})
        self.last_page: tuple[object, Any] | None = None
        self._passage_cache = lru_cache(maxsize=1024)(self._find)
        self.words_by = lru_cache(maxsize=16)(self._words_by)

    def read(self, text: str) -> PlayerLine:
        return read_line(text, self.player, self.names, self._callings)

    def deed(self, line: PlayerLine, chapter: str) -> Deed | None:
        """Return the best reaction to a deed: chapter's, script's, or stock; after the end (no chapter) stock only."""
        if line.only_spoken or line.only_asks:
            return None
        matter = own_deeds(line.matter, self.names) + " sleep" * line.sleeps + " rejoin" * line.rejoins
        chapter_script = self.script.chapters.get(chapter)
        for deeds in (
            (chapter_script.deeds, self.script.deeds, stock().deeds) if chapter_script else (stock().deeds,)
        ):
            best = max(deeds, key=lambda deed: hits(deed.cues, matter), default=None)
            if best is not None and hits(best.cues, matter):
                return best
        return None

    def tells_leaving(self, narration: str) -> bool:
        """True if a page tells that the player walked off."""
        page = plain(narration)
        return any(plain(text) in page for text in (*self.script.leaving.away, *stock().leaving.away))

    def meant(self, line: PlayerLine, among: Iterable[str]) -> list[str]:
        return [id for id in among if mentions(line.words, self.pack.name_of(id))]

    def named_in(self, line: PlayerLine, among: Iterable[str]) -> list[str]:
        """Return those whom a line in any language names, in its order."""
        words = _ALPHABETIC.sub(r" \g<0> ", line.words)
        return [id for id in self._people.within(self._people.capitalized(words, "")) if id in {*among}]

    def touched(self, line: PlayerLine, among: Iterable[str]) -> list[str]:
        verbs = map(base, re.findall(r"[a-z]+", line.words.lower()))
        return [] if line.only_spoken or stock().contact.isdisjoint(verbs) else self.meant(line, among)

    def lacks(self, line: PlayerLine, chapter: str) -> bool:
        """True for a deed with an object this world is not known to have."""
        if line.kind in ("talk", "wait") or chapter not in self.pages:
            return False
        words = re.findall(r"[a-z]+", line.words.lower())
        vocabulary = self.words_by(chapter)
        for before, word in zip(["", *words], words, strict=False):
            noun = word if word in stock().things else word.removesuffix("s")
            if before in _AT_HAND and noun in stock().things and not {word, noun, noun + "s"} & vocabulary:
                return not _WITHOUT & {*words}
        return False

    def weighs(self, line: PlayerLine, chapter: str) -> bool:
        return line.worth_keeping and not self.puzzling(line) and not self.lacks(line, chapter)

    def puzzling(self, line: PlayerLine) -> bool:
        """True for nonsense, or a language that is not the pack's."""
        return len(self.vocabulary) >= _MIN_PACK_WORDS and self._is_unknown(line)

    def is_foreign(self, line: PlayerLine) -> bool:
        """True for a line that is not in English, the language in which lines are read."""
        return not self.is_english or self._is_unknown(line)

    def _is_unknown(self, line: PlayerLine) -> bool:
        if not line.only_spoken:
            return False
        typed_words = re.findall(r"[\w']+", line.spoken.casefold())
        words = [
            word for word in map(_longest_part, typed_words) if word and word not in words_in(self.names)
        ]
        return bool(words) and sum(map(self._is_vocabulary, words)) <= _MIN_UNDERSTOOD_SHARE * len(words)

    def _is_vocabulary(self, word: str) -> bool:
        forms = {word, word.removesuffix("s") if len(word) > 3 else word}
        return base(word) is not None or bool(forms & (self.vocabulary | stock().common))

    @cached_property
    def is_english(self) -> bool:
        return language_name(self.pack.game.language or "en") == language_name("en")

    @cached_property
    def _people(self) -> Names:
        return Names(self.pack.names)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        return words_in(self.script, self.pack.world, self.names)

    def _words_by(self, chapter: str) -> frozenset[str]:
        order = list(self.pack.chapters)
        chapters = (self.script.chapters[id] for id in order[: order.index(chapter) + 1])
        scripts = [script.model_copy(update={"answers": {}}) for script in chapters]
        return words_in(*scripts, self.pack.world)

    def answers(self, character: str, chapter: str, seen: int) -> tuple[CuedAnswer, ...]:
        """A character's answers, this chapter's first, after `seen` scenes."""
        own = self.script.chapters[chapter].answers.get(character, ()) if chapter in self.pages else ()
        return (*(answer for answer in own if in_time(answer, seen)), *self.voice(character).answers)

    def all_answers(self, character: str) -> tuple[CuedAnswer, ...]:
        answer_lists = (
            chapter_script.answers.get(character, ()) for chapter_script in self.script.chapters.values()
        )
        return (*chain.from_iterable(answer_lists), *self.voice(character).answers)

    def voice(self, character: str) -> Voice:
        return self.script.voices.get(character, Voice())

    @cached_property
    def _short(self) -> dict[str, str]:
        gists = " ".join(page.passage.gist for page in self.all_pages)
        return {id: as_called(character.name, gists) for id, character in self.pack.characters.items()}

    def short(self, character: str) -> str:
        """Script's name for a character, with the usual title."""
        return self._short.get(character, character)

    def passage_of(self, turn: Turn | Witnessed) -> Telling | None:
        text = next((entry.text for entry in turn.entries if entry.role == "narrator"), "")
        return self._passage_cache(text, turn.chapter) if text else None

    def _find(self, narration: str, chapter: str) -> Telling | None:
        text = plain(narration)
        scores = ((share(page.plain_sentences, text), page) for page in self.pages.get(chapter, ()))
        likely = [(held, page) for held, page in scores if held >= _MIN_RECOGNISED_SHARE]
        best = max(likely, key=lambda one: (one[0], len(one[1].plain_sentences)), default=None)
        return best[1] if best else None

    def scenes_seen(self, turns: Iterable[Turn | Witnessed], chapter: str) -> int:
        passages = [self.passage_of(turn) for turn in turns if turn.chapter == chapter]
        return max((page.index + 1 for page in passages if page and page.kind == "scene"), default=0)

    def gist_of(self, turn: Turn | Witnessed) -> str:
        """Summarise a turn in a sentence; "" if unknown."""
        telling = self.passage_of(turn)
        return telling.passage.gist if telling else ""

    @cached_property
    def worth(self) -> dict[str, float]:
        """Worth of sentences in memories and summaries, by `plain` words; scenes count more."""
        answers = chain.from_iterable(map(self.all_answers, self.pack.characters))
        weights = {plain(answer.learns): 1.0 for answer in answers}
        for page in self.all_pages:
            traces = page.passage
            spark = traces.moment if isinstance(traces, ScriptScene) else None
            weight = WORTH.get(page.kind, OTHER) + (spark.significance if spark else 0.0)
            weights[plain(traces.gist)] = weight
            weights |= {plain(text): weight - 0.3 for text in traces.learns.values()}
            for diary in map(sentences, traces.diary.values()):
                weights |= {plain(text): weight - 0.3 * place for place, text in enumerate(diary)}
        return weights

    def dice(self, story: StoryView, key: str, *, retell: bool = True) -> random.Random:
        """Random generator of one choice; takes differ unless `retell` is off."""
        return random.Random(f"{self.seed}/{key}/{story.turn}/{story.take if retell else 1}")

    def in_turn(self, texts: Told, story: StoryView, key: str, *lists: Sequence[str]) -> str:
        """Next line: from the first list with one left, in the seed's order, different per take; else an unused one."""
        free: list[str] = []
        order: list[str] = []
        for lines in lists:
            order = list(dict.fromkeys(lines))
            random.Random(f"{self.seed}/{key}").shuffle(order)
            order.sort(key=texts.since, reverse=True)
            free += [line for line in order if texts.is_unused(line)]
        free.sort(key=lambda line: (line in texts, line in texts and len(line.split()) > _SHORT_LINE_WORDS))
        return free[(story.take - 1) % len(free)] if free else next(iter(order), "")


def _tellings(script: Script, chapter: str) -> Iterator[Telling]:
    chapter_script = script.chapters[chapter]
    traces = chapter_script.opened.model_dump(exclude={"others"})
    opening = Passage(narration=chapter_script.opening, lines=chapter_script.opening_lines, **traces)
    yield from (
        Telling("opening", 0, opening, text)
        for text in (chapter_script.opening, *chapter_script.opened.others)
    )
    for index, scene in enumerate(chapter_script.scenes):
        texts = (scene.narration, *(way.narration for way in scene.ways))
        yield from (Telling("scene", index, scene, text) for text in texts)
    for index, topic in enumerate(chapter_script.topics):
        yield Telling("topic", index, topic, topic.narration)
        if topic.again:  # nothing new is said or learned
            yield Telling("again", index, Passage(narration=topic.again, mood=topic.mood), topic.again)
    for index, passage in enumerate(chapter_script.ambient):
        yield Telling("ambient", index, passage, passage.narration)
    for index, passage in enumerate(script.afterwards):
        yield Telling("after", index, passage, passage.narration)


def _longest_part(word: str) -> str:
    """Part of `don't`, or of the French `j'ai`, that shows its language."""
    return max(word.split("'"), key=len)


def in_time(passage: Passage | CuedAnswer, beats: int) -> bool:
    return passage.after <= beats and (passage.before is None or beats < passage.before)


def _addressed(value: Any, player: str) -> Any:
    match value:
        case str():
            return with_player(value, player)
        case tuple():
            return tuple(_addressed(part, player) for part in value)
        case dict():
            return {key: _addressed(part, player) for key, part in value.items()}
        case Value():
            return value.model_copy(update={name: _addressed(part, player) for name, part in value})
        case _:
            return value


def with_player(template: str, player: str) -> str:
    """Replace `{player}` by the name, or by "you" with matching verbs."""

    def put(match: re.Match[str]) -> str:
        following = match[1] or ""
        if player.lower() != "you":
            return player + following
        before = template[: match.start()].rstrip(" \"“‘'(")
        begins = not before or ends_sentence(before) or re.search(r"\n\s*\n$", before)
        you = "You" if begins else "you"
        special = {"'s": "r", " was": " were", " is": " are", " has": " have", " does": " do"}
        return you + special.get(following, following)

    return re.sub(r"\{player\}('s\b| (?:was|is|has|does)\b)?", put, template)
