"""Slips of a page or a reply as a player reads it, counted by code. In English and German; README.md says how well."""

import re
from collections.abc import Iterable, Sequence

from tests.benchmarks.prose.moments import Moment
from tests.benchmarks.prose.telling import Row
from theact_tui.parsing import parse
from theact_tui.parsing.speakers import QUOTE, SAYS, speaks_for, spoken_words
from theact_tui.prompting.sections import Message
from theact_tui.sentences import outside_quotations, quotation_spans, sentences
from theact_tui.story.matching import stems
from theact_tui.story.turn import Entry, Turn
from theact_tui.story.views import Viewpoint, hero_of

MIN_WORDS = {"narrator": 25, "character": 3}
ECHO_WORDS = 10  # in a row, of the page, the line, or what a prompt holds beside the story
MIN_TRUTH = 3  # words of one sentence that is hidden, and that nothing else in the story says
MIN_PAST = 2  # verbs in the past tense, where they are a third of those that are recognised

_FIRST = {"": r"\b(?:I|I['’]m|[Mm]y|me|myself)\b", "German": r"\b(?:[Ii]ch|mich|mir|[Mm]ein\w*)\b"}
_SECOND = {"": r"\b[Yy]our?\b", "German": r"\b(?:[Dd]u|[Dd]ich|[Dd]ir|[Dd]ein\w*|Sie|Ihnen|Ihr\w*)\b"}
_PAST = {
    "": r"\b(?:was|were|had|did|said|asked|went|came|took|saw|felt|stood|sat|knew|thought|heard|began|made|got|held|gave|"
    r"ran|fell|kept|left|told|could|would|became|lay|brought|found|(?:you|he|she|it|they|I|and|who|had|[A-Z]\w+) \w{2,}ed)\b",
    "German": r"\b(?:war|waren|hatte|hatten|sagte|fragte|ging|kam|nahm|sah|stand|saß|wusste|dachte|hörte|begann|machte|"
    r"hielt|gab|lag|blieb|wurde|wurden|konnte|\w{3,}(?:elte|erte))\b",
}
_PRESENT = {
    "": r"\b(?:is|are|am|has|have|does|do|says|can|will|[Yy]ou (?!\w*ed\b)\w+|(?:he|she|it|[A-Z][a-z]+) \w+s|"
    r"I (?!\w*ed\b)\w+)\b",
    "German": r"\b(?:ist|sind|bist|hat|hast|haben|sagt|fragt|geht|gehst|kommt|nimmt|siehst|steht|stehst|sitzt|hört|hörst|"
    r"hält|liegt|bleibt|wird|kann|\w{3,}st)\b",
}
SLOP = (
    "a mix of", "shivers down", "sends a shiver", "couldn't help but", "barely above a whisper", "sense of", "testament to",
    "a symphony of", "heart pounding", "hangs in the air", "fills the air", "take a deep breath", "unspoken", "little did",
)  # fmt: skip


def shown(moment: Moment, row: Row) -> str:
    """The text that the program makes of a model's answer."""
    parsed = parse(moment.agent, row.text, moment.context)
    return str(parsed.reply.text).strip() if parsed.ok else ""


def slips(moment: Moment, row: Row, messages: Sequence[Message]) -> list[str]:
    """The names of all slips."""
    text, agent = shown(moment, row), moment.agent
    counted = {
        "cut": row.finish != "stop",
        "short": len(text.split()) < MIN_WORDS[agent],
        "person": _wrong_person(moment, text),
        "tense": _is_past(moment, text),
        "player": _speaks_for_player(moment, text),
        "others": _others_speak(moment, text),
        "label": bool(re.match(r"\W*[A-Z][\w .]{1,30}:\s", text)),
        "truth": _tells_hidden(moment, text),
        "echo": _echoes(moment, text, messages),
        "language": bool(moment.game.language) and len(re.findall(r"\b(?:the|and|of|is|you)\b", text)) > 3,
        "same start": _begins_like_last(moment, text),
    }
    return [name for name, is_slip in counted.items() if is_slip]


def unknown_words(text: str, messages: Sequence[Message], known: frozenset[str]) -> list[str]:
    """Words that are neither among the `known` nor in the prompt."""
    prompt = {word for message in messages for word in _letters(message["content"])}
    return [word for word in _letters(text) if len(word) > 2 and word not in known and word not in prompt]


def _letters(text: str) -> list[str]:
    words = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", text.replace("’", "'"))
    return [word.casefold().removesuffix("'s") for word in words]


def slop_in(text: str) -> int:
    return sum(map(text.casefold().count, SLOP))


def _first_name(moment: Moment) -> str:
    return hero_of(moment.game.info.player).split()[0]


def _wrong_person(moment: Moment, text: str) -> bool:
    told, language = outside_quotations(text), moment.game.language
    if moment.agent == "narrator":
        names_player = re.search(rf"\b{_first_name(moment)}\b(?! Sallow| Pellew)", told)
        return bool(
            names_player or re.search(_FIRST[language], told) or not re.search(_SECOND[language], told)
        )
    own = moment.game.pack.name_of(moment.speaker)
    if moment.game.pack.game.voice == "third":
        return bool(re.search(_FIRST[language], told))
    names = "|".join(re.escape(name) for name in (own, own.split()[0], own.split()[-1]))
    return bool(re.search(rf"\b(?:{names})\b", told)) or (
        bool(told.strip(" .,\n")) and not re.search(_FIRST[language], text)
    )


def _is_past(moment: Moment, text: str) -> bool:
    told, language = outside_quotations(text), moment.game.language
    past, present = (len(re.findall(verbs[language], told)) for verbs in (_PAST, _PRESENT))
    return past >= MIN_PAST and 2 * past >= present


def _speaks_for_player(moment: Moment, text: str) -> bool:
    hero = moment.game.info.player.name
    entries = (Entry(role="player", text=moment.line), Entry(role="narrator", text=text))
    turn = Turn(number=1, chapter="one", entries=entries if moment.line else entries[1:])
    german = r"[“”\"],? (?:sagst|fragst|antwortest|flüsterst|rufst) du\b"
    is_reply = moment.agent == "character"
    acts = [part.strip() for part in sentences(outside_quotations(text))] if is_reply else []
    if any(re.match(r"(?:You|Du) (?!(?:are|have|bist|hast)\b)[a-z]", part) for part in acts):
        return True
    is_labelled = re.search(
        rf"^\W*(?:{_first_name(moment)}|{re.escape(hero)})[^\n:]{{0,20}}:", text, re.MULTILINE
    )
    return speaks_for(turn, hero) or bool(re.search(german, text)) or bool(is_labelled)


def _others_speak(moment: Moment, text: str) -> bool:
    """On a page anybody who is quoted and is not the player's own line; beside a reply anybody but its speaker."""
    if moment.agent == "narrator":
        typed = " ".join(spoken_words(moment.line))
        quotes = [" ".join(spoken_words(text[a:b])) for a, b in quotation_spans(text)]
        return any(len(quote.split()) > 2 and quote not in typed for quote in quotes)
    id = moment.speaker
    others = [
        name
        for other, card in moment.game.pack.characters.items()
        if other != id
        for name in {card.name, *card.name.split()}
    ]
    names = "|".join(re.escape(name) for name in (*others, _first_name(moment)))
    if re.search(
        rf"{QUOTE},? (?:the )?(?:{names}) {SAYS}s?|{QUOTE},? {SAYS}s? (?:{names})\b|^(?:{names})\W*:",
        text,
        re.MULTILINE,
    ):
        return True
    return any(
        re.match(rf"(?:{names})\b(?!['’]s?\b)", part.strip()) for part in sentences(outside_quotations(text))
    )


def _tells_hidden(moment: Moment, text: str) -> bool:
    pack, game = moment.pack, moment.game
    hidden = [*sentences(pack.world.truth)]
    own = moment.speaker
    for id, card in pack.characters.items():
        if card.secret and id != own:
            hidden += sentences(card.secret)
    if (
        own
        and pack.characters[own].secret
        and isinstance(moment.view, Viewpoint)
        and moment.view.gate == "shut"
    ):
        hidden += sentences(pack.characters[own].secret)
    chapter = game.chapter
    open_texts = [
        pack.world.setting,
        chapter.summary,
        *chapter.beats,
        chapter.completion,
        moment.line,
        moment.page,
    ]
    open_texts += [entry.text for turn in game.turns.values() for entry in turn.entries]
    open_texts += [
        f"{card.name} {card.role} {card.personality} {card.want}" for card in pack.characters.values()
    ]
    known, told = stems(" ".join(open_texts)), stems(text)
    return any(len((stems(line) - known) & told) >= MIN_TRUTH for line in hidden)


def _echoes(moment: Moment, text: str, messages: Sequence[Message]) -> bool:
    """True for words in a row of instructions and cards, of the line or, in a reply, of the page it answers."""
    pages = [entry.text for turn in game_turns(moment) for entry in turn.entries]
    pages += [line for turn in game_turns(moment) for line in [turn.narration]]
    story = runs(" ".join(spoken_words(" ".join(pages))), ECHO_WORDS)
    asked = set[str]()
    for message in messages:
        if message["role"] != "assistant":
            asked |= runs(message["content"], ECHO_WORDS)
    asked -= story
    examples = [example for card in moment.pack.characters.values() for example in card.examples]
    asked |= {run for text in (*examples, moment.line, moment.page) for run in runs(text, ECHO_WORDS)}
    return not asked.isdisjoint(runs(text, ECHO_WORDS))


def game_turns(moment: Moment) -> Iterable[Turn]:
    return moment.game.turns.values()


def runs(text: str, length: int) -> set[str]:
    """All runs of so many words."""
    words = spoken_words(text)
    return {" ".join(words[at : at + length]) for at in range(len(words) - length + 1)}


def _begins_like_last(moment: Moment, text: str) -> bool:
    id = moment.speaker
    own = [
        entry.text for turn in game_turns(moment) for entry in turn.entries if (entry.character or "") == id
    ]
    pages = [turn.narration for turn in game_turns(moment)]
    last = (own if id else pages)[-1:]
    return any(spoken_words(text)[:4] == spoken_words(before)[:4] for before in last)
