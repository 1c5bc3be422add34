from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from textual.app import App
from textual.content import Content
from textual.visual import Visual

from theact_tui.errors import UsageError
from theact_tui.story.lore import EVERYONE, MAX_KEY, MAX_KEYS, NARRATOR, LoreEntry
from theact_tui.text import one_line, unique_slug
from theact_tui.tui.visuals import SplitLine, accent, quiet
from theact_tui.tui.widgets.dialogs import DELETE, ConfirmDialog, FormDialog, FormField, ListDialog

BY_KEYS, ALWAYS, OFF = "when a key is said", "always", "off"
NEW = "+"


class LoreDialog(FormDialog):
    DEFAULT_CSS = """
    LoreDialog {
        & > Vertical { width: 84; }
        .title, .problem, Input, ChoiceField { margin: 0; }
        TextArea { height: 12; }
        .keys { padding: 1 0 0 0; }
        &.-low TextArea, &.-tiny TextArea { height: 5; }
    }
    """
    HELP = (
        "Keys are words that trigger the entry, separated by commas; * at the end matches any ending. The entry is known "
        "to everyone, only to the narrator, or to the characters you name. Enter and tab move to the next field, ^s saves, "
        "escape cancels."
    )

    def __init__(self, entry: LoreEntry, names: Mapping[str, str], ids: Sequence[str]) -> None:
        """`names` are characters by id, `ids` all entries; an entry without id is new."""
        self._entry, self._ids = entry, ids
        self._names = {id: id if "," in name else name for id, name in names.items()}
        """Labels that fit between commas."""
        when = OFF if entry.id and not entry.enabled else ALWAYS if entry.always else BY_KEYS
        knowers = ", ".join(self._names.get(id, id) for id in entry.known_by if id != NARRATOR) or NARRATOR
        super().__init__(
            "Lore" if entry.id else "New lore",
            FormField("Title", entry.title),
            FormField("Keys", ", ".join(entry.keys), "silver spring, drink*"),
            FormField("Known by", knowers, "everyone, narrator, or names", check=self._read_knowers),
            FormField("Told", when, words=(BY_KEYS, ALWAYS, OFF)),
            FormField("Text", entry.text, check=_not_empty, form="text"),
            yes="save",
        )

    hints = "^s save   enter next field"

    def read(self, texts: tuple[str, ...]) -> LoreEntry:
        title, written, knowers, when, text = texts
        keys = tuple(dict.fromkeys(key for part in written.split(",") if (key := one_line(part, MAX_KEY))))
        if when == BY_KEYS and not keys:
            raise UsageError("Keys are missing: words that trigger it. Or choose always.")
        title, knower_ids = one_line(title, 120), self._read_knowers(knowers)
        id = self._entry.id or unique_slug(title or next(iter(keys), text[:40]), self._ids, "entry")
        changed = {"title": title, "keys": keys[:MAX_KEYS], "known_by": knower_ids, "text": text, "id": id}
        return self._entry.model_copy(update={**changed, "always": when == ALWAYS, "enabled": when != OFF})

    def _read_knowers(self, text: str) -> tuple[str, ...]:
        ids = {name.casefold(): id for id, name in self._names.items()} | {id: id for id in self._names}
        wanted = [typed.casefold() for part in text.split(",") if (typed := part.strip())]
        if not wanted or EVERYONE in wanted:
            return (EVERYONE,)
        if unknown := [typed for typed in wanted if typed != NARRATOR and typed not in ids]:
            choices = ", ".join((EVERYONE, NARRATOR, *self._names.values()))
            raise UsageError(f"Nobody is called '{unknown[0]}'. Known: {choices}.")
        return (*dict.fromkeys(ids[typed] for typed in wanted if typed != NARRATOR), NARRATOR)


def _not_empty(text: str) -> None:
    if not text:
        raise UsageError("The text is missing.")


async def edit_lore(
    app: App[Any],
    entries: Callable[[], Awaitable[Sequence[LoreEntry]]],
    names: Mapping[str, str],
    keep: Callable[[LoreEntry], Awaitable[object]] | None,
    delete: Callable[[str], Awaitable[object]] | None = None,
) -> None:
    """List and edit entries until cancelled; read-only without `keep`."""
    at = ""
    while True:
        by_id = {entry.id: entry for entry in await entries()}
        rows: dict[str, Visual] = {id: _row(entry, names) for id, entry in by_id.items()}
        if keep:
            rows[NEW] = accent("+ New entry")
        dialog = ListDialog("Lore", rows, at=at, yes="open", deletable=by_id if delete else ())
        at = await app.push_screen_wait(dialog)
        if not at:
            return
        if at.startswith(DELETE) and delete:
            at = at.removeprefix(DELETE)
            if await app.push_screen_wait(
                ConfirmDialog("Delete this entry?", "It cannot be restored.", yes="delete")
            ):
                await delete(at)
            continue
        entry = by_id.get(at) or LoreEntry(id="", text="")
        changed = await app.push_screen_wait(LoreDialog(entry, names, tuple(by_id)))
        if changed is not None and changed != entry and keep:
            await keep(changed)
            at = changed.id


def _row(entry: LoreEntry, names: Mapping[str, str]) -> SplitLine:
    people = [names.get(id, id) for id in entry.known_by if id != NARRATOR]
    facts = [] if EVERYONE in people else [", ".join(people) or "narrator only"]
    facts += ["off"] if not entry.enabled else ["always"] if entry.always else []
    shown = Content.assemble(
        (one_line(entry.name, 40), ".strong"), (f"  {one_line(entry.text, 60)}", ".quiet")
    )
    return SplitLine(shown, quiet(" · ".join(facts)))
