import json
import re
from collections.abc import Sequence

from theact_tui.sentences import outside_quotations, paragraph_texts, sentences
from theact_tui.story.beats import tells
from theact_tui.story.dice import named_risk
from theact_tui.story.forgetting_and_recall import are_versions
from theact_tui.story.matching import overlap, plain, stems
from theact_tui.story.script import ScriptScene, Spark
from theact_tui.story.turn import Turn
from theact_tui.story.views import EpilogueView, KeeperView, MomentsView, ProgressView, RecapView, SummaryView
from theact_tui.storyteller.book import ScriptBook, Telling
from theact_tui.storyteller.language import ended, flat_paragraphs
from theact_tui.storyteller.player_input import own_deeds, risked
from theact_tui.storyteller.remember import chosen, is_quotation
from theact_tui.text import capital

_MIN_PAGE_WORDS = 40
"""Words from which a narration can tell a beat; mere talk has fewer."""


def progress_reply(book: ScriptBook, view: ProgressView) -> str:
    """Quote the pages for beats whose scenes were told."""
    beats = view.chapter.beats
    pages = {beats[index]: turn.narration for turn in view.turns for index in _beats(book, view, turn)}
    answers: dict[str, str | bool] = {
        label: _first_words(_most_alike(beat, pages[beat])) if beat in pages else "no"
        for label, beat in view.beats.items()
    }
    for label, (id, secret) in view.secrets.items():
        replies = [entry.text for turn in view.turns for entry in turn.entries if entry.character == id]
        answers[label] = next((_first_words(text) for text in replies if is_confession(secret, text)), "no")
    told = {"end": set(beats) <= {*view.beats_hit, *pages}, "answered": True}
    return json.dumps({**answers, **told}, ensure_ascii=False)


def _first_words(text: str) -> str:
    return " ".join(text.split()[:12])


def _most_alike(beat: str, page: str) -> str:
    words = stems(beat)
    return max(paragraph_texts(page), key=lambda paragraph: overlap(words, stems(paragraph)))


def is_confession(secret: str, reply: str) -> bool:
    return any(are_versions(sentence, reply) for sentence in sentences(secret))


def _beats(book: ScriptBook, view: ProgressView, turn: Turn) -> list[int]:
    if turn.chapter != view.chapter.id:
        return []
    telling = book.passage_of(turn)
    if telling:
        return [telling.index] if telling.kind == "scene" else []
    if len(turn.narration.split()) < _MIN_PAGE_WORDS:
        return []
    following = next((i for i, beat in enumerate(view.chapter.beats) if beat not in view.beats_hit), None)
    if following is None:
        return []
    spoken = (entry.text for entry in turn.entries if entry.role in ("narrator", "character"))
    return [following] if tells([" ".join(spoken)], view.chapter.beats[following], book.pack) else []


def keep(book: ScriptBook, view: KeeperView) -> str:
    """Return the risky words of the line. A request to others or a blow at someone absent risks nothing."""
    line, present = book.read(view.action), view.narrator.present
    in_vain = (
        line.kind == "fight" and not book.meant(line, present) and book.meant(line, book.pack.characters)
    )
    parts = sentences(line.narrated if book.is_english else outside_quotations(view.action))
    deeds = [(text, own_deeds(text, book.names) if book.is_english else text) for text in parts]
    risky_words = book.pack.game.risky_words
    named = (named_risk(text, risky_words) for text, own in deeds if named_risk(own, risky_words))
    risk = risked(line, book.names) or next(named, "")
    return json.dumps({"risk": "" if in_vain else risk, "difficulty": view.difficulty})


def moments_reply(book: ScriptBook, view: MomentsView) -> str:
    sparks = [(turn, _moment(view, book.passage_of(turn)) or _extreme(book, turn)) for turn in view.turns]
    remembered = [(turn, spark) for turn, spark in sparks if spark]
    remembered.sort(key=lambda one: -one[1].significance)
    moments = [
        {"quote": " ".join(turn.narration.split()[:12]), **_fields(spark)} for turn, spark in remembered
    ]
    return json.dumps({"moments": moments}, ensure_ascii=False)


def _moment(view: MomentsView, telling: Telling | None) -> Spark | None:
    passage = telling.passage if telling and telling.kind == "scene" else None
    spark = passage.moment if isinstance(passage, ScriptScene) else None
    return None if spark and spark.summary in {moment.summary for moment in view.moments} else spark


def _extreme(book: ScriptBook, turn: Turn) -> Spark | None:
    """Return the moment of a natural 1 or 20."""
    roll = turn.ruling.roll if turn.ruling else None
    if roll not in (1, 20):
        return None
    words = book.read(turn.player_text).quotation.rstrip(".!?…").split()
    quoted = f"“{' '.join(words[:6])}{'…' if len(words) > 6 else ''}”"
    ending = "against all odds" if roll == 20 else "and it failed badly"
    kind = "critical_success" if roll == 20 else "critical_failure"
    return Spark(type=kind, summary=f"{quoted} {ending}", significance=0.6)


def _fields(spark: Spark) -> dict[str, object]:
    return {
        "moment_type": spark.type,
        "moment_summary": spark.summary,
        "moment_significance": spark.significance,
    }


# --- summaries -------------------------------------------------------------------------------------------------------

SENTENCES, ADDED = 9, 6
SUMMARY_WORDS, ADDED_WORDS = 130, 80
_EPILOGUE_WORDS = 200
_SMALL_STARTS = frozenset(
    """a an the they he she it in at on after when as by with together there then both nobody everyone someone under
    inside outside beyond behind before while from for one two three four his her their its this that alone half all
    between during near since until only some most many everything nothing""".split()
)


def summarise(book: ScriptBook, view: SummaryView) -> str:
    """Return a thread for each past chapter and the events since; without turns shorten the summary."""
    threads, rest = _by_chapter(book, "" if view.turns else view.before, view.turns)
    if not threads and not rest and (lines := [t.player_text for t in view.turns if t.player_text]):
        rest = [book.read(lines[-1]).quoted(book.player)]
    most, words = (ADDED, ADDED_WORDS) if view.turns else (SENTENCES, SUMMARY_WORDS)
    words = max(40, words - sum(len(thread.split()) for thread in threads))
    pieces = chosen(book, rest, words=words, most=max(2, most - len(threads)))
    return " ".join([*threads, *map(ended, pieces)])


def recap(book: ScriptBook, view: RecapView) -> str:
    return " ".join(book.script.chapters[view.chapter.id].recap.split())


def epilogue(book: ScriptBook, view: EpilogueView) -> str:
    """The epilogue with two or three remembered moments in it."""
    template = book.script.epilogue
    if "{moments}" not in template:
        template = template.rstrip() + "\n\n{moments}"
    if re.search(r"(?:^|[.!?…]|\n)[\"”]?\s*\{moments\}", template):
        template = template.replace("{moments}", "This is what stays with you: {moments}.")
    template = "\n\n".join(flat_paragraphs(template))
    whole = [template.replace("{moments}", _moments(book, view, count)) for count in (3, 2)]
    return next((text for text in whole if len(text.split()) <= _EPILOGUE_WORDS), whole[-1])


def _moments(book: ScriptBook, view: EpilogueView, count: int) -> str:
    best = sorted(sorted(view.moments, key=lambda m: -m.significance)[:count], key=lambda m: m.turn)
    items = [moment.summary for moment in best]
    if not items:
        items = [piece for turn in view.turns for piece in _pieces(book, turn)[:1]]
    clauses = [_small(item.strip().rstrip(".!"), book.player) for item in items if item.strip()]
    if len(clauses) < 2:
        return clauses[0] if clauses else "all of it"
    return f"{'; '.join(clauses[:-1])}; and {clauses[-1]}"


def _by_chapter(book: ScriptBook, before: str, turns: Sequence[Turn]) -> tuple[list[str], list[str]]:
    order = list(book.pack.chapters)
    current = order.index(turns[-1].chapter) if turns else 0
    chapters = {turn.chapter for turn in turns}
    summaries = {
        id: " ".join(book.script.chapters[id].thread.split()) for id in order[:current] if id in chapters
    }
    threads = {id: thread for id, thread in summaries.items() if thread}
    gists = [page.passage.gist for id in threads for page in book.pages[id] if page.passage.gist]
    used = {*map(plain, threads.values()), *map(plain, gists)}
    old = [capital(ended(text)) for text in sentences(before)]
    pieces = [
        part for part in old if plain(part) not in used and not (threads and is_quotation(part, book.player))
    ]
    new = [capital(piece) for turn in turns if turn.chapter not in threads for piece in _pieces(book, turn)]
    return list(threads.values()), [*pieces, *new]


def _pieces(book: ScriptBook, turn: Turn) -> list[str]:
    line = book.read(turn.player_text)
    quoted = line.quoted(book.player) if book.weighs(line, turn.chapter) else ""
    return [text for text in (book.gist_of(turn), quoted) if text]


def _small(text: str, player: str) -> str:
    """Write `text` for mid-sentence: small at the beginning, unless it begins with a name."""
    first = text.split(" ")[0].strip("“\"'")
    if (
        first.lower() in _SMALL_STARTS
        or first.endswith("ing")
        or (first == "You" and player.lower() == "you")
    ):
        return text[:1].lower() + text[1:]
    return text
