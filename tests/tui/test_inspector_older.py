"""Lines that were set aside: shown in the inspector, and marked when a turn brings them back."""

from itertools import chain, count
from pathlib import Path

from tests.support.fake_model import narration, view_of
from tests.support.inspector_pilot import TOLD, island, scripted
from tests.support.said import plain
from tests.tui.test_inspector_stories import EVIL, TAMED, story
from theact_tui.story.folding import FOLD_BATCH, KEPT_TURNS
from theact_tui.story.forgetting_and_recall import ArchivedLine, archive
from theact_tui.story.views import MemoryView, Witnessed
from theact_tui.tui.inspector.memory import MAX_SET_ASIDE, older_rows

MET = (
    ArchivedLine(1, "The reef cut his hand."),
    ArchivedLine(2, "Maya lied.", important=True),
    ArchivedLine(3, "A lamp burns."),
)


def shown(older: str, *prompts: str) -> list[str]:
    return [plain(row.visual) for row in older_rows(older, prompts)]


def test_what_a_turn_brought_back_comes_first_and_the_important_is_marked() -> None:
    rows = shown(archive("", MET), "What this brings back:\n- The reef cut his hand.\nA lamp burns.")
    assert rows[1] == "SET ASIDE  3 lines · 1 used again"
    assert rows[3:] == ["↺   1 The reef cut his hand.", "    3 A lamp burns.", " !  2 Maya lied."]


def test_of_very_many_the_newest_are_listed_and_the_rest_is_counted() -> None:
    rows = shown(archive("", [ArchivedLine(n, f"Line {n}.") for n in range(1, MAX_SET_ASIDE + 5)]))
    assert rows[3] == f"{MAX_SET_ASIDE + 4:>5} Line {MAX_SET_ASIDE + 4}."
    assert rows[-1] == "and 4 more, from turn 1 on"
    assert shown("") == []


def night(number: int) -> str:
    """A narration so long that turns soon leave the prompt; no sentence of it comes twice."""
    hours = (f"At {hour} the lamp of night {number} flickers {hour + number} times." for hour in range(1, 26))
    return narration(" ".join(hours), "maya", "calm", "maya")


def seen(turn: Witnessed) -> str:
    """A diary entry about a turn; that of the first one holds what no terminal may get."""
    return f"I saw {turn.entries[0].text} {EVIL}" if turn.number == 1 else f"Night {turn.number} passed."


async def test_what_is_spoken_of_again_comes_back(tmp_path: Path) -> None:
    model = scripted()
    model.answers["memory"] = lambda ask: seen(view_of(ask, MemoryView).turns[-1])
    model.answers["merge"] = "It was all long ago."
    told = chain([TOLD[1]], map(night, count(1)))
    model.answers["summary"] = "They waited."
    model.answers["narrator"] = lambda ask: next(told)
    pack = island(memory="cells", memory_cells=1)
    again = "I look for the reef where two people argued about a box."
    async with story(tmp_path, model, pack, (*["I wait."] * (KEPT_TURNS + FOLD_BATCH), again)) as reader:
        back = [row for row in reader.lines.splitlines() if row.startswith("↺")]
        (met,) = (row for row in back if "Two people stand in the shallows" in row)
        assert " ".join(TAMED.split()) in met
        await reader.look("left")
        assert "SET ASIDE" in reader.lines
        (before,) = (row for row in reader.lines.splitlines() if "Two people stand in the shallows" in row)
        assert not before.startswith("↺")
