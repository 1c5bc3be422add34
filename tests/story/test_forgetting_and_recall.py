"""What gives way to newer lines, and how it comes back (S4)."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theact_tui.story.forgetting_and_recall import (
    MAX_ARCHIVED,
    RETRIEVED,
    ArchivedLine,
    archive,
    archive_sentences,
    archived_lines,
    crowded_out,
    parse_importance,
    ranked,
    retrieve,
)
from theact_tui.story.memory import MAX_FACTS, Cell, CellsMemory, Fact, FactsMemory, change_facts, push_cells
from theact_tui.story.moments import Moment, archive_moments


def facts(count: int, *, important: tuple[int, ...] = (), pinned: tuple[int, ...] = ()) -> list[Fact]:
    return [
        Fact(text=f"fact {n} is so", turn=n, important=n in important, pinned=n in pinned)
        for n in range(1, count + 1)
    ]


@pytest.mark.parametrize(
    ("count", "important", "pinned", "gone"),
    [
        (12, range(0), range(0), [1, 2]), (10, range(0), range(0), []),
        (12, range(1, 2), range(0), [2, 3]), (12, range(1, 11), range(0), [1, 2]),
        (12, range(1, 6), range(0), [6, 7]), (12, range(1, 9), range(0), [9, 10]), (12, (11, 12), range(1, 9), [9, 10]),
        (12, range(2, 3), (1, 3), [4, 5]), (12, range(0), range(1, 13), []),
    ],
)  # fmt: skip
def test_the_oldest_go_first_important_ones_later_down_to_two_others_and_pinned_ones_never(
    count: int, important: Sequence[int], pinned: Sequence[int], gone: list[int]
) -> None:
    lines = facts(count, important=tuple(important), pinned=tuple(pinned))
    assert sorted(line.turn for line in crowded_out(lines, 10)[1]) == gone


@pytest.mark.parametrize(
    ("marked", "text"),
    [
        ("Bob drowned. (important)", "Bob drowned."), ("important: Bob drowned.", "Bob drowned."),
        ("[Important] Bob drowned.", "Bob drowned."), ("Bob knows it (secret, important).", "Bob knows it"),
        ("Bob will come back (promise)", "Bob will come back"), ("The sea rises [discovery]", "The sea rises"),
        ("Bob sings (a secret song)", ""), ("Important papers lie in the chest.", ""), ("(important)", ""),
    ],
)  # fmt: skip
def test_a_mark_is_read_where_it_is_one(marked: str, text: str) -> None:
    assert parse_importance(marked) == (text or marked, bool(text))


def test_what_is_crowded_out_of_the_facts_is_kept_and_known_again_is_not_kept_twice() -> None:
    memory = FactsMemory(key_facts=tuple(facts(MAX_FACTS)))
    after = change_facts(memory, turn_of=lambda line: 20, new=[("a new one (important)", "")])
    assert [(line.turn, line.text) for line in archived_lines(after.older)] == [(1, "fact 1 is so")]
    assert after.key_facts[-1] == Fact(text="a new one", turn=20, important=True)
    again = change_facts(after, turn_of=lambda line: 21, new=[("Fact 1 is so!", "")])
    assert [line.turn for line in archived_lines(again.older)] == [2]


def test_merged_entries_are_kept_beside_their_summary() -> None:
    cells = (Cell(turn=2, text="I saw\nthe second."), Cell(turn=1, text="I saw the first.", important=True))
    after = push_cells(CellsMemory(cells=cells), [Cell(turn=3, text="Third.")], cells, "I saw much.", 3)
    assert after.older == "1! I saw the first.\n2 I saw the second."


@given(st.lists(st.tuples(st.integers(0, 999), st.text(max_size=20), st.booleans()), max_size=30))
def test_archived_lines_read_back_as_they_were_kept(lines: list[tuple[int, str, bool]]) -> None:
    kept = archive("", [ArchivedLine(*line) for line in lines])
    assert archive(kept, []) == kept
    assert len(archived_lines(kept)) == len(kept.splitlines())


def test_at_most_so_many_are_kept_the_important_ones_longest() -> None:
    older = archive("", [ArchivedLine(0, "the vow", important=True)])
    for turn in range(1, 2 * MAX_ARCHIVED):
        older = archive(older, [ArchivedLine(turn, f"day {turn}")])
    lines = archived_lines(older)
    assert (
        len(lines) == MAX_ARCHIVED and lines[0].text == "the vow" and lines[-1].turn == 2 * MAX_ARCHIVED - 1
    )


LINES = [
    ArchivedLine(1, "Ann said that the copper kettle came from Vrel."),
    ArchivedLine(2, "Ann said that the ladder is rotten."),
    ArchivedLine(3, "Ann said that a copper coin lay on the stair."),
    *(ArchivedLine(10 + n, f"Ann said that day {n} was grey.") for n in range(20)),
]


def test_what_the_player_speaks_of_comes_back() -> None:
    assert [line.turn for line in retrieve(LINES, "What about the ladders, Ann?")] == [2]
    assert [line.turn for line in retrieve(LINES, "And the copper kettle?")] == [1, 3]


def test_what_nobody_speaks_of_does_not() -> None:
    assert retrieve(LINES, "I ask Ann how she is.") == ()
    assert retrieve(LINES, "And the copper kettle?", names=("Copper", "Old Kettle")) == ()
    assert retrieve([], "the ladder") == ()
    assert len(retrieve(LINES, "grey day")) <= RETRIEVED


@pytest.mark.parametrize(
    ("texts", "line"),
    [
        (["銅のやかんは古い。", "梯子は腐っている。", "今日は雨だった。"], "梯子はどこですか"),
        (["ฝนตกทั้งวัน", "แอนน์ซ่อนจดหมายไว้ใต้กระดาน", "กาต้มน้ำเก่ามาก"], "จดหมายอยู่ที่ไหน"),
        (["आज बारिश हुई।", "माया ने किताब छिपा दी।", "केतली पुरानी है।"], "किताब कहाँ है?"),
        (["Der Kessel ist alt.", "Die Leiter ist morsch.", "Heute regnet es."], "Wo steht die Leiter?"),
        (["Чайник старый.", "Лестница гнилая.", "Сегодня дождь."], "Где лестница?"),
    ],
    ids=["Japanese", "Thai", "Hindi", "German", "Russian"],
)
def test_a_line_in_any_script_is_found(texts: list[str], line: str) -> None:
    lines = [ArchivedLine(number, text) for number, text in enumerate(texts)]
    assert [found.turn for found in ranked(lines, line)][:1] == [1]


def test_what_a_new_summary_leaves_out_goes_to_the_chronicle_once() -> None:
    before = "They found the kettle. Bob swore to return it."
    chronicle = archive_sentences("", before, "Bob swore to return it. The lamp went out.", 12)
    assert chronicle == "12 They found the kettle."
    assert archive_sentences(chronicle, "They found the kettle.", "Nothing.", 20) == chronicle


def test_sentences_of_a_summary_keep_their_quotes_and_titles_in_any_script() -> None:
    before = "“I will. I swear,” said Mr. Hale. He went home. 「行く。」彼は去った。"
    told = [line.text for line in archived_lines(archive_sentences("", before, "Nothing.", 3))]
    assert told == ["“I will. I swear,” said Mr. Hale.", "He went home.", "「行く。」彼は去った。"]


def test_a_moment_that_gives_way_goes_to_the_chronicle() -> None:
    first, second = (Moment(turn=n, type="discovery", summary=f"the door {n} opened") for n in (3, 4))
    assert archive_moments("", [first, second], [second]) == "3! the door 3 opened"


def test_the_initial_of_a_name_ends_no_sentence_of_a_summary() -> None:
    before = "Jo read that A. Frayne lives in Room Nine. It rained."
    assert archive_sentences("", before, "It rained.", 5) == "5 Jo read that A. Frayne lives in Room Nine."
