"""The inspector over a directed chapter: notes at any prompt, and what each character was sent."""

from pathlib import Path

from tests.support.direct_pilot import PLAYED, Master, all_actors, app_for, open_begun, prompt_at, scripted
from tests.support.pilot import until
from tests.support.said import plain, text_of
from theact_tui.tui.inspector.screen import InspectorScreen
from theact_tui.tui.inspector.view import NARRATOR_ID, BlockView, PersonTabs
from theact_tui.tui.play.transcript import Transcript
from theact_tui.tui.widgets.header import HeaderLine


async def test_d10_the_inspector_shows_notes_and_what_each_character_was_sent(
    begun: Path, tmp_path: Path
) -> None:
    app = app_for(tmp_path)
    async with app.run_test(size=(140, 40)) as pilot:
        gm = Master(pilot)
        model = scripted()
        all_actors(model, "I hold the rope.")
        await gm.open(await open_begun(app, begun, model))
        await gm.give("The seventh bell.")
        await gm.press("ctrl+g", "i")
        await until(
            pilot, lambda: isinstance(app.screen, InspectorScreen) and app.screen.settled, "the inspector"
        )
        inspector = app.screen
        assert isinstance(inspector, InspectorScreen)

        def listed() -> str:
            return text_of(inspector.panes.memory)

        def head(id: str) -> str:
            return plain(inspector.query_one(f"#{id}", HeaderLine).parts)

        assert "prompt 7 of 7" in head("head") and inspector.person == "1"
        tabs = [plain(tab) for _, tab, _ in inspector.query_one(PersonTabs).people]
        assert [tab.split()[-1] for tab in tabs] == ["Marrow", "Quill", "Wenna", "Notes"]
        assert "The bell must come down." in listed() and "+   7 major events: The bell moved." in listed()
        sent = text_of(inspector.query_one("#prompt-page", BlockView))
        assert (
            head("prompt-head").startswith("SENT  Ilse Marrow")
            and "identity" in sent
            and "prompts 1-6" in sent
        )
        assert head("head").startswith("Notes")
        labels = {binding.description for _, binding, *_ in inspector.active_bindings.values()}
        assert {"prompt", "sent", "calls"} <= labels and not {"turn", "pin", "direction"} & labels
        assert "turn" not in inspector.help_text.lower().split()
        await pilot.press("tab", "tab", "tab")
        await until(pilot, lambda: inspector.person == NARRATOR_ID and inspector.settled, "the notes")
        assert head("prompt-head").startswith("SENT  notes")
        await pilot.press("left")
        await until(pilot, lambda: inspector.number == PLAYED and inspector.settled, "the prompt before")
        assert "The bell moved." not in listed() and "The bell must come down." in listed()
        await pilot.press("w")
        await until(pilot, lambda: inspector.settled, "its text")
        words = [
            plain(block.text) for block in inspector.query_one("#words", Transcript).window.turns[0].blocks
        ]
        assert words[0] == f"{PLAYED}) {prompt_at(PLAYED)}" and "OLD WENNA" in " ".join(words).upper()
        await pilot.press("escape", "home", "left")
        await until(pilot, lambda: inspector.number == 0 and inspector.settled, "the lock")
        assert "before the first prompt" in head("head") and head("prompt-head").startswith("SENT  lock")
