"""Suggest lines about things on the last pages."""

import re
from collections.abc import Iterable

from theact_tui.story.views import SuggestionView
from theact_tui.storyteller.book import ScriptBook, Told, in_time
from theact_tui.storyteller.who_answers import best_answer

_THING = re.compile(
    r"\b(?:the|an?|his|her|its|your) ([a-z]{4,})(?=\s*$|\s*[^\w\s'’-]|\s(?:the|an?|and|or|but|of|in|on|at|by|to|up|from|"
    r"with|that|which|who|is|are|was|were|has|had|as|for|over|under|behind|beside|between|near|into|through|like|out|"
    r"off|down)\b)"
)
"""Noun after its article, not before another noun: `a punctual sea`."""
_OFFERED_TURNS = 2
"""Their things are offered."""
_NO_THINGS = frozenset(
    "arms back eyes face feet fingers first ground half hand hands last little morning next night ones other others "
    "place rest same side sound tenth thing things time voice whole word".split()
)


def suggest(book: ScriptBook, view: SuggestionView) -> str:
    """Suggest three new lines: one towards the next beat, a question with an unused answer, a thing with a topic."""
    turns = view.earlier or view.turns
    chapter_script, beats = book.script.chapters[view.chapter], view.beats_hit
    texts = [entry.text for turn in reversed(view.turns[-_OFFERED_TURNS:]) for entry in turn.ordered_entries]
    named = dict.fromkeys(noun for text in texts for noun in _THING.findall(text.lower()))
    nouns = [noun for noun in named if noun not in _NO_THINGS]
    people = {id: book.short(id) for id in view.present}
    scene = _about(
        [cue for scene in chapter_script.scenes[beats : beats + 1] for cue in scene.all_cues], nouns
    )
    pages = [page for turn in turns if turn.chapter == view.chapter and (page := book.passage_of(turn))]
    past = {page.index for page in pages if page.kind in ("topic", "again")}
    open_topics = [
        topic
        for index, topic in enumerate(chapter_script.topics)
        if index not in past and in_time(topic, beats)
    ]
    topics = [cue for topic in open_topics for cue in topic.cues]
    replies = Told(entry.text for turn in turns for entry in turn.entries if entry.character)
    sent = {turn.player_text for turn in view.turns[-_OFFERED_TURNS:]}
    offers: list[str] = []

    def offer(most: int, line: str, *abouts: str) -> None:
        for offered in (line.format(about) for about in abouts):
            last_words = {other.split()[-1] for other in offers}
            if len(offers) < most and offered not in sent and offered.split()[-1] not in last_words:
                offers.append(offered)

    def can_answer(id: str, line: str) -> bool:
        witnessed = [turn for turn in view.turns if id in turn.witnesses]
        answers = book.answers(id, view.chapter, book.scenes_seen(witnessed, view.chapter))
        best = best_answer(answers, book.read(line).matter)
        return best is not None and best.line not in replies

    offer(1, "I take a closer look at the {}.", *scene)
    offer(1, "I wait to see what {} does.", *people.values())
    for id in sorted(people, key=lambda id: any(people[id] in line for line in offers)):
        cues = [cue for answer in book.answers(id, view.chapter, beats) for cue in answer.cues]
        asked = {noun: f"I ask {people[id]} about the {noun}." for noun in _about(cues, nouns)}
        offer(
            2,
            f"I ask {people[id]} about the {{}}.",
            *(noun for noun, line in asked.items() if can_answer(id, line)),
        )
    offer(3, "I try to find out more about the {}.", *_about(topics, nouns))
    offer(
        3,
        "I ask {} what happened.",
        *(name for id, name in people.items() if can_answer(id, f"I ask {name} what happened.")),
    )
    offer(3, "I tell {} what I know.", *people.values())
    if not people and view.turns:  # who walked off
        offer(3, "I go back to {}.", *map(book.short, book.pack.chapters[view.chapter].opening_cast))
    offer(3, "I take a closer look at the {}.", *nouns)
    offer(3, "{}", "I look around.", "I listen.", "I wait.")
    return "\n".join(offers)


def _about(cues: Iterable[str], nouns: Iterable[str]) -> list[str]:
    starts = tuple(cue.rstrip(".") for cue in cues)
    return [noun for noun in nouns if noun.startswith(starts)]
