"""Forms about a page (who missed what, who is present, who answers) and, before one, about what the player risks."""

import json
from collections.abc import Iterable, Mapping

from theact_tui.agents.base import Agent, Templates, clerk_system
from theact_tui.agents.prompts import fill
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.sections import Section
from theact_tui.story.dice import EASIEST, HARDEST
from theact_tui.story.matching import is_unspaced
from theact_tui.story.perception import cut
from theact_tui.story.scene import Scene
from theact_tui.story.turn import reply_label
from theact_tui.story.views import KeeperView, StageView
from theact_tui.text import one_line

FIRST_WORDS = 5
FIRST_SIGNS = 12
"""Characters, in scripts without spaces."""
LAST_WORDS = 8

_FIELDS = {
    "answer": "one or two of those here who were spoken to or would speak now; [] for nobody",
    "missed": "for each person the pieces that this person cannot have seen or heard: not there yet, gone, asleep, too "
    "far away, or a whisper, a sign, a note, a thought or a letter for somebody else. "
    '"" for none, "all" for every piece',
    "here": "who is with {player} at the end, also if asleep",
    "asleep": "who of them sleeps at the end",
    "gone": "who of {answered} left in that last reply",
    "aloud": "which of the last replies {muted} everybody here could hear",
    "elsewhere": "true if {player} went to another place",
    "place": "the new place or hour, at most 8 words",
}
_REQUIRED = ("answer", "missed")
_IF_CHANGED = "Leave out what did not change or does not apply:"
_EXAMPLE = {
    "answer": ["cy"],
    "missed": {"ben": "", "cy": "2", "dee": "12A"},
    "here": ["ben", "cy", "dee"],
    "place": "the kitchen, noon",
}


_BEYOND_BRIEF = frozenset({"asleep", "aloud", "place"})


def _offered(view: StageView) -> dict[str, tuple[str, ...]]:
    fields = view.scene.offered(view.page)
    return {name: ids for name, ids in fields.items() if not (view.is_brief and name in _BEYOND_BRIEF)}


def _task(view: StageView) -> str:
    scene, hero = view.scene, view.story.hero
    offered, names = _offered(view), scene.names.of
    asked = {"player": hero, "answered": _list(scene, scene.answered), "muted": ", ".join(scene.muted)}
    present_names = f"{_list(scene, scene.here) or 'nobody else'} here"
    asleep = f", {_list(scene, scene.asleep)} asleep" if scene.asleep else ""
    return fill(
        "stage",
        {},
        line=_line_pieces(view),
        page=_page_pieces(view),
        replies=_reply_pieces(view) if offered.keys() & {"gone", "aloud"} else "",
        people=", ".join(f"{id} ({name})" for id, name in names.items()),
        before=present_names + asleep,
        fields="\n".join(_field_lines(offered, asked)),
        # models copy the spaces of an example, a quarter of its tokens
        example=json.dumps({n: v for n, v in _EXAMPLE.items() if n in offered}, separators=(",", ":")),
    )


def _field_lines(offered: Iterable[str], asked: Mapping[str, str]) -> list[str]:
    lines = {name: f"{name}: {_FIELDS[name].format(**asked)}" for name in offered}
    required = [lines.pop(name) for name in _REQUIRED if name in lines]
    return [*required, *([_IF_CHANGED] if lines else []), *lines.values()]


def _list(scene: Scene, ids: Iterable[str]) -> str:
    return ", ".join(scene.names.of[id] for id in ids)


def _line_pieces(view: StageView) -> str:
    line, cuts, hero = view.scene.line, cut(view.scene.line, view.page), view.story.hero
    if view.scene.explicit or not cuts.line:
        return f"{hero}'s line: {line}" if line else f"{hero} says nothing."
    pieces = cuts.line_pieces(line).items()
    return f"{hero}'s line: " + " ".join(f"[{label}] {text}" for label, text in pieces)


def _page_pieces(view: StageView) -> str:
    pieces = cut(view.scene.line, view.page).page_pieces(view.page).items()
    return "The page: " + " ".join(f"[{label}] {_first(text)} ..." for label, text in pieces)


def _reply_pieces(view: StageView) -> str:
    names = view.scene.names.of
    replies = (
        f"[{reply_label(number)}] {names.get(entry.character or '', '')}: ... {_last(entry.text)}"
        for number, entry in enumerate(view.scene.replies)
    )
    return "The last replies, before the line: " + " ".join(replies)


def _first(text: str) -> str:
    return one_line(text)[:FIRST_SIGNS] if is_unspaced(text) else " ".join(text.split()[:FIRST_WORDS])


def _last(text: str) -> str:
    return one_line(text)[-2 * FIRST_SIGNS :] if is_unspaced(text) else " ".join(text.split()[-LAST_WORDS:])


def _behind(view: StageView, templates: Templates) -> list[Section]:
    task = Section("stage", _task(view), source="prompts")
    return [Section("page", view.page, source="this turn", part="assistant"), task]


def _alone(view: StageView, templates: Templates) -> list[Section]:
    people = "\n".join(
        f"- {card.name}{f', {role}' if (role := card.role.partition(',')[0]) else ''}"
        for card in view.cast.values()
    )
    line = f"> {view.story.hero}: {view.scene.line}" if view.scene.line else ""
    return [
        clerk_system(view.story, templates),
        Section("cast", f"THE PEOPLE\n{people}", source="characters"),
        Section("player", line, source="the player"),
        Section("page", f"THE PAGE\n{view.page}", source="this turn", priority="pages"),
        Section("stage", _task(view), source="prompts"),
    ]


def _context(view: StageView) -> ReplyContext:
    """Return the names that the form may hold. The offline storyteller adds the mood."""
    scene, cuts = view.scene, cut(view.scene.line, view.page)
    labels = cuts.page_labels if scene.explicit else (*cuts.line_labels, *cuts.page_labels)
    offered = {**_offered(view), "mood": ()}
    return ReplyContext(scene.names.of, offered=offered, labels=labels, player=view.story.hero)


STAGE: Agent[StageView] = Agent(
    "stage",
    "stage",
    260,
    0.2,
    _alone,
    context=_context,
    behind=_behind,
)


def _risk(view: KeeperView, templates: Templates) -> list[Section]:
    hero, narrator_view = view.story.hero, view.narrator
    present = [narrator_view.cast[id].name for id in narrator_view.present if id in narrator_view.cast]
    text = fill(
        "risk",
        templates,
        player=hero,
        line=f"> {hero}: {view.action}",
        here=f"{' and '.join(present)} {'is' if len(present) == 1 else 'are'}"
        if present
        else "nobody else is",
        difficulty=str(min(HARDEST, max(EASIEST, view.difficulty))),
    )
    return [Section("risk", text, source="prompts")]


def _risk_alone(view: KeeperView, templates: Templates) -> list[Section]:
    last = view.narrator.turns[-1].narration if view.narrator.turns else ""
    page = Section("page", last, source="the story", priority="pages")
    return [clerk_system(view.story, templates), page, *_risk(view, templates)]


KEEPER: Agent[KeeperView] = Agent("keeper", "risk", 120, 0.2, _risk_alone, behind=_risk)
