"""Forms about a page (who missed what, who is present, who answers) and, before one, about what the player risks."""

import json
from collections.abc import Iterable, Mapping

from theact_tui.agents.agent import Agent, Templates, clerk_system
from theact_tui.agents.prompts import fill_prompt
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.sections import Section
from theact_tui.story.dice import EASIEST, HARDEST
from theact_tui.story.matching import is_unspaced
from theact_tui.story.pack import MOODS
from theact_tui.story.perception import cut
from theact_tui.story.scene import Scene, named_outside_speech
from theact_tui.story.views import KeeperView, StageView
from theact_tui.text import one_line

_FIRST_WORDS = 5
_FIRST_SIGNS = 12
"""Characters, in scripts without spaces."""
_LAST_WORDS = 8

_FIELDS = {
    "answer": "{asked}",
    "only": "each piece{replies} that not everybody there took in, with who alone did, [] for {player} alone: a whisper, a "
    "sign, a note, a thought, a letter, something said before somebody came, too far away, or beside somebody asleep or "
    "deaf. If part of a piece is private, mark it. Of somebody who came and went every piece they took in. {{}} if everybody "
    "took in everything",
    "mood": f"of the page: {', '.join(MOODS)}",
    "here": "who is with {player} at the end, also if asleep",
    "asleep": "who of them sleeps at the end",
    "gone": "who of {answered} left in that last reply",
    "aloud": "{muted}, the letters of the pieces of the last replies that this person could hear",
    "moved": "who came, with the first piece they took in; who left, with the last",
    "elsewhere": "true if {player} went to another place",
    "place": "the new place or hour, at most 8 words",
}
_ASKED = {
    True: "who of those here was asked and has not answered on the page; mostly nobody, []",
    False: "one or two of those here who were spoken to or would speak now; [] for nobody",
}
"""By whether people speak on the page."""
_REQUIRED = ("answer", "only", "mood")
_IF_CHANGED = "Leave out what did not change or does not apply:"
_EXAMPLE = {
    "answer": ["cy"],
    "only": {"2": ["ben"]},
    "mood": "calm",
    "here": ["ben", "cy", "dee"],
    "moved": {"dee": "B"},
    "place": "the kitchen, noon",
}


_BEYOND_BRIEF = frozenset({"asleep", "aloud", "moved", "place"})


def offered(scene: Scene, page: str, *, is_brief: bool = False) -> dict[str, tuple[str, ...]]:
    """Return the form's fields in order, each with the ids it may hold; () is a text, a choice or yes and no.
    Fields that are already decided are left out.
    """
    may_be_here = tuple(id for id in scene.cast if scene.held.get(id, True))
    unfixed = tuple(id for id in scene.cast if id not in scene.held)
    named = {*scene.here, *named_outside_speech(page, scene.names), *scene.names.within(scene.audible_line)}
    fields: dict[str, tuple[str, ...] | None] = {
        "answer": None if scene.asked else tuple(id for id in may_be_here if id not in scene.hushed) or None,
        "only": tuple(id for id in may_be_here if id in named) or None,
        "mood": (),
        "here": unfixed or None,
        "asleep": may_be_here or None,
        "gone": tuple(id for id in scene.answered if id in scene.here and id in unfixed) or None,
        "aloud": tuple(scene.muted) or None,
        "moved": unfixed or None,
        "elsewhere": () if scene.here else None,
        "place": (),
    }
    beyond = _BEYOND_BRIEF if is_brief else frozenset[str]()
    return {name: ids for name, ids in fields.items() if ids is not None and name not in beyond}


def _offered(view: StageView) -> dict[str, tuple[str, ...]]:
    return offered(view.scene, view.page, is_brief=view.is_brief)


def _task(view: StageView) -> str:
    scene, hero = view.scene, view.story.hero
    offered, names = _offered(view), scene.names.of
    asked = {
        "asked": _ASKED[view.narrator.people_speak],
        "replies": ", also of the last replies," if scene.overheard else "",
        "player": hero,
        "answered": _list(scene, scene.answered),
        "muted": json.dumps(dict.fromkeys(scene.muted, "..."), separators=(",", ":")),
    }
    present_names = f"{_list(scene, scene.here) or 'nobody else'} here"
    asleep = f", {_list(scene, scene.asleep)} asleep" if scene.asleep else ""
    return fill_prompt(
        "stage",
        {},
        line=_line_pieces(view),
        page=_page_pieces(view),
        replies=_reply_pieces(view) if scene.overheard or "gone" in offered else "",
        people="; ".join(f"{id} ({name}{_role(view, id)})" for id, name in names.items()),
        before=present_names + asleep,
        fields="\n".join(_field_lines(offered, asked)),
        # models copy the spaces of an example, a quarter of its tokens
        example=json.dumps({n: v for n, v in _EXAMPLE.items() if n in offered}, separators=(",", ":")),
    )


def _field_lines(offered: Iterable[str], asked: Mapping[str, str]) -> list[str]:
    lines = {name: f"{name}: {_FIELDS[name].format(**asked)}" for name in offered}
    required = [lines.pop(name) for name in _REQUIRED if name in lines]
    return [*required, _IF_CHANGED, *lines.values()]


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
    """Show the beginning of each piece of the last replies, if somebody else heard them, and how each reply ended."""
    scene = view.scene
    is_cut = bool(scene.overheard)
    replies = (
        f"{scene.names.of.get(entry.character or '', '')}: "
        + (" ".join(f"[{label}] {_first(text)} ..." for label, text in pieces.items()) if is_cut else "... ")
        + _last(entry.text)
        for entry, pieces in zip(scene.replies, scene.reply_pieces, strict=True)
    )
    return "The last replies, before the line: " + " ".join(replies)


def _role(view: StageView, id: str) -> str:
    """Return what the prompts of others leave out of a role: what stands behind its first comma."""
    card = view.cast.get(id)
    rest = card.role.partition(",")[2] if card else ""
    return f",{rest}" if rest else ""


def _first(text: str) -> str:
    return one_line(text)[:_FIRST_SIGNS] if is_unspaced(text) else " ".join(text.split()[:_FIRST_WORDS])


def _last(text: str) -> str:
    return one_line(text)[-2 * _FIRST_SIGNS :] if is_unspaced(text) else " ".join(text.split()[-_LAST_WORDS:])


def _behind(view: StageView, templates: Templates) -> list[Section]:
    task = Section("stage", _task(view), source="prompts")
    return [Section("page", view.page, source="this turn", part="assistant"), task]


def _alone(view: StageView, templates: Templates) -> list[Section]:
    people = "\n".join(f"- {card.name}{f', {card.role}' if card.role else ''}" for card in view.cast.values())
    line = f"> {view.story.hero}: {view.scene.line}" if view.scene.line else ""
    replies = [
        f"{view.scene.names.of.get(one.character or '', '')}: {one.text}" for one in view.scene.replies
    ]
    said = "\n\n".join(["THE LAST REPLIES", *replies]) if view.scene.overheard else ""
    return [
        clerk_system(view.story, templates),
        Section("cast", f"THE PEOPLE\n{people}", source="characters"),
        Section("replies", said, source="the story", priority="pages"),
        Section("player", line, source="the player"),
        Section("page", f"THE PAGE\n{view.page}", source="this turn", priority="pages"),
        Section("stage", _task(view), source="prompts"),
    ]


def _context(view: StageView) -> ReplyContext:
    """Return the names and labels that the form may hold."""
    scene, cuts = view.scene, cut(view.scene.line, view.page)
    told = (*(() if scene.explicit else cuts.line_labels), *cuts.page_labels)
    muted = tuple(dict.fromkeys(label for labels in scene.muted.values() for label in labels))
    return ReplyContext(
        scene.names.of,
        offered=_offered(view),
        labels={"only": (*told, *scene.overheard), "aloud": muted, "moved": told},
        player=view.story.hero,
    )


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
    text = fill_prompt(
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
