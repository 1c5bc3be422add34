from collections.abc import Awaitable, Callable
from typing import Any

from rich.cells import cell_len, set_cell_size
from textual.app import App
from textual.content import Content

from theact_tui.engine.session import StorySession
from theact_tui.engine.suggestions import find_newcomer, suggest_ideas
from theact_tui.errors import UsageError
from theact_tui.story.cast import Newcomer, add_character
from theact_tui.story.edits import set_entry_text
from theact_tui.story.turn import Entry
from theact_tui.text import clean, described_as, one_line
from theact_tui.tui.actions import LEADER_NAME
from theact_tui.tui.blocks import Cast
from theact_tui.tui.play.writing_box import PromptInput
from theact_tui.tui.visuals import SplitLine
from theact_tui.tui.widgets.dialogs import (
    FormDialog,
    FormField,
    GrowingTextDialog,
    ListDialog,
    TextDialog,
    ask_to_grow,
    ask_until_valid,
)
from theact_tui.tui.widgets.status_line import show_message

WHO_IT_IS = "empty: the model describes them"


async def ask_jump(app: App[Any], session: StorySession, jump: Callable[[int], Awaitable[object]]) -> None:
    last = session.game.state.turn

    async def go(texts: tuple[str, ...]) -> None:
        if texts[0] not in map(str, range(1, last + 1)):
            raise UsageError(f"Enter a number from 1 to {last}.")
        await jump(int(texts[0]))

    await ask_until_valid(app, FormDialog("Go to turn", FormField(f"1 to {last}"), yes="go there"), go)


async def ask_branch(app: App[Any], session: StorySession) -> None:
    before = session.branch

    async def begin(texts: tuple[str, ...]) -> None:
        await session.switch(await session.branch_at(texts[0]))

    note = f"The branch starts at turn {session.game.state.turn}. Both versions are kept."
    await ask_until_valid(app, FormDialog("New branch", FormField("Name"), note=note, yes="create"), begin)
    if session.branch != before:
        show_message(
            app, f"Branch “{one_line(session.branch_title, 40)}” was created; the story continues there."
        )


async def ask_idea(app: App[Any], session: StorySession, prompt: PromptInput) -> None:
    rows = {idea: Content(idea) for idea in await suggest_ideas(session)}
    if chosen := await app.push_screen_wait(ListDialog("What could I do?", rows, yes="put in the box")):
        prompt.write(" ".join(part for part in (prompt.text.strip(), chosen) if part))
        prompt.writing.focus()


async def ask_hearers(app: App[Any], session: StorySession) -> str:
    """Ask who heard the last turn; return the command that says so, or ""."""
    turn = session.last_turn
    present = turn.stage.here if turn and turn.stage else session.game.state.present
    cast = Cast.of(session.game.pack)
    rows = {"/heard all": Content("Everybody here")}
    rows |= {f"/heard {id}": Content(f"Only {clean(cast.name(id))}") for id in present}
    rows |= {"/heard nobody": Content("Nobody"), "/retry --stage": Content("Ask the model again")}
    return await app.push_screen_wait(ListDialog("Who heard this turn?", rows, yes="decide")) or ""


async def ask_reply(app: App[Any], session: StorySession) -> str:
    turn, cast = session.last_turn, Cast.of(session.game.pack)
    ids = [entry.character or "" for entry in turn.replies] if turn else []
    if len(ids) < 2:
        return "".join(ids)
    rows = {id: Content(clean(cast.name(id))) for id in ids}
    return await app.push_screen_wait(ListDialog("Whose reply?", rows, at=ids[-1], yes="retry")) or ""


async def ask_newcomer(app: App[Any], session: StorySession, typed: str = "") -> None:
    if newcomer := await _find_newcomer(app, session, typed):
        await session.edit(add_character, newcomer)
        show_message(app, f"{one_line(newcomer.card.name, 40)} joins the story.")


async def _find_newcomer(app: App[Any], session: StorySession, typed: str) -> Newcomer | None:
    """Ask for a character; one without a description is shown for editing. None if cancelled."""

    async def find(texts: tuple[str, ...]) -> Newcomer:
        return await find_newcomer(session, ": ".join(filter(None, texts)))

    about = FormField("Description", placeholder="" if session.offline else WHO_IT_IS)
    ask = FormDialog("Add a character", FormField("Name, or the file of a card"), about, yes="add")
    try:
        newcomer = await find((typed,)) if typed else await ask_until_valid(app, ask, find)
    except UsageError as error:
        name, _, words = map(str.strip, described_as(typed))
        newcomer = await ask_until_valid(app, ask.again((name, words), error.message), find)
    if newcomer is None or newcomer.origin == "player":
        return newcomer
    title = f"{one_line(newcomer.card.name, 40)} joins the story"
    note = "\n".join(("Left out:", *newcomer.left_out)) if newcomer.left_out else ""
    shown = TextDialog(title, newcomer.about, clean(note), single="\n" not in newcomer.about)
    text = await app.push_screen_wait(shown)
    return newcomer.described(text) if text else None


async def ask_edit(
    app: App[Any], session: StorySession, number: int, write_on: Callable[[str, str], Awaitable[object]]
) -> bool:
    """Ask for another text; True if it changed. `write_on` goes on from one of the newest turn, the page or the reply of
    a character.
    """
    session.check_free()
    turns = await session.turns(number, number)
    if not turns:
        raise UsageError("There is no text to edit yet.")
    turn = turns[0]
    entries = {str(turn.entries.index(entry)): entry for entry in turn.ordered_entries}
    names = {id: _entry_name(entry, Cast.of(session.game.pack)) for id, entry in entries.items()}
    column = max(map(cell_len, names.values()), default=0)
    texts = {id: (f"  {one_line(entry.text, 60)}", ".quiet") for id, entry in entries.items()}
    heads = {id: (set_cell_size(name, column), ".strong") for id, name in names.items()}
    rows = {id: SplitLine(Content.assemble(heads[id], text)) for id, text in texts.items()}
    narrated = next((id for id, entry in entries.items() if entry.role == "narrator"), "")
    chosen = narrated if len(rows) == 1 else ""
    if len(rows) > 1:
        chosen = await app.push_screen_wait(ListDialog(f"Edit turn {number}", rows, at=narrated, yes="edit"))
    if not chosen:
        return False
    entry, title = entries[chosen], f"Turn {number}: {names[chosen]}"
    if number == session.game.state.turn and entry.role in ("narrator", "character"):
        dialog = GrowingTextDialog(title, entry.text)
        text = await ask_to_grow(app, dialog, lambda text: write_on(text, entry.character or ""))
    else:
        text = await app.push_screen_wait(TextDialog(title, entry.text))
    if text is None or text.strip() == entry.text.strip():
        return False
    await session.edit_turn(number, set_entry_text, int(chosen), text)
    show_message(app, f"Turn {number} changed. {LEADER_NAME} u undoes this.")
    return True


def _entry_name(entry: Entry, cast: Cast) -> str:
    own = {"player": "your text", "narrator": "the narration", "system": "the epilogue"}
    return own.get(entry.role) or one_line(cast.name(entry.character or ""), 20)
