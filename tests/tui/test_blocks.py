"""Setting a turn: order, marks, names, and text that is only ever text."""

import pytest
from textual.content import Content

from tests.support.fake_model import small_pack
from theact_tui.story.moments import Moment
from theact_tui.story.perception import cut
from theact_tui.story.turn import Entry, Heard, Ruling, Stage, Turn
from theact_tui.text import unwrapped_paragraphs
from theact_tui.tui.blocks import Block, Cast, dice_block, remark_blocks, turn_blocks, words_blocks

PACK = small_pack()
CAST = Cast.of(PACK)


def plain(blocks: list[Block]) -> list[str]:
    return [block.text.plain for block in blocks]


def turn(number: int = 2, **more: object) -> Turn:
    entries = (
        Entry(role="narrator", text="The lamp gutters."),
        Entry(role="player", text="I run."),
        Entry(role="character", text="Wait!", character="bob"),
        Entry(role="system", text="It ended well."),
    )
    return Turn.model_validate({"number": number, "chapter": "one", "entries": entries, **more})


def test_a_turn_is_set_in_the_order_of_what_happened_and_the_player_s_words_have_a_mark() -> None:
    blocks = turn_blocks(PACK, CAST, turn())
    assert plain(blocks) == [
        "I run.", "The lamp gutters.", "BOB", "Wait!", "epilogue", PACK.game.title, "────", "It ended well.",
    ]  # fmt: skip
    assert [block.mark for block in blocks[:4]] == ["›", "", "", ""]
    assert plain(turn_blocks(PACK, CAST, turn(1)))[:2] == ["chapter 1", "One"], "the title card"


def test_a_finished_chapter_is_followed_by_the_next_card_and_the_last_by_the_end() -> None:
    assert plain(turn_blocks(PACK, CAST, turn(completed_chapter="one")))[-3:-1] == ["chapter 2", "Two"]
    last = plain(turn_blocks(PACK, CAST, turn(completed_chapter="two", new_beats=("two ends",))))
    assert last.index("two ends") < last.index("epilogue") < last.index("✦  the end  ✦")
    assert "told in 2 turns" in last


def test_dice_stand_between_the_deed_and_what_came_of_it() -> None:
    ruling = Ruling(resolution="he almost answers", roll=14, difficulty=12)
    blocks = turn_blocks(PACK, CAST, turn(ruling=ruling))
    assert plain(blocks)[:3] == ["I run.", "14 against 12 · he almost answers", "The lamp gutters."]
    assert (blocks[1].mark, blocks[1].mark_ink) == ("⚄", ".good")
    lost = turn_blocks(PACK, CAST, turn(ruling=ruling.model_copy(update={"roll": 3})))
    assert lost[1].mark_ink == ".bad"


@pytest.mark.parametrize(
    ("witnesses", "unaware", "heard", "said"),
    [
        (("ann", "bob"), (), {}, []),
        (("ann", "bob"), ("ann",), {"ann": Heard(missed=("1",))}, ["only Bob heard this"]),
        (("ann",), ("bob",), {}, ["only Ann heard this"]),
        (("ann",), ("ann", "bob"), {"ann": Heard(missed=("1",))}, ["nobody heard this"]),
    ],
)
def test_under_a_line_that_was_kept_from_somebody_stands_who_heard_it(
    witnesses: tuple[str, ...], unaware: tuple[str, ...], heard: dict[str, Heard], said: list[str]
) -> None:
    stage = Stage(here=("ann", "bob"))
    kept = turn(stage=stage, witnesses=witnesses, unaware=unaware, heard=heard, cuts=cut("I run.", "Rain."))
    assert plain(turn_blocks(PACK, CAST, kept))[1 : 1 + len(said)] == said
    assert ("heard" in " ".join(plain(turn_blocks(PACK, CAST, kept)))) is bool(said)


def test_under_a_line_of_which_it_is_not_known_who_heard_it_stands_what_decides_it() -> None:
    pending = turn(stage=Stage(here=("ann",), by="pending"), witnesses=("ann",))
    assert "/heard all" in plain(turn_blocks(PACK, CAST, pending))[1]


def test_a_kept_notice_does_not_repeat_the_reason_of_the_one_before() -> None:
    notices = ("Bob is silent. Nothing answers. Start it.", "The beats wait. Nothing answers. Start it.")
    below = plain(remark_blocks(turn(notices=notices), ()))
    assert below == ["Bob is silent. Nothing answers. Start it.", "The beats wait."]


def test_the_numbers_of_a_throw_are_said_once() -> None:
    for begun in ("14 against 12: ", "14 vs 12 — ", "14/12, ", "14: ", ""):
        assert dice_block(14, 12, f"{begun}he almost").text.plain == "14 against 12 · he almost", begun
    for whole in ("140 steps to go", "He counts to 14"):
        assert dice_block(14, 12, whole).text.plain == f"14 against 12 · {whole}"
    assert dice_block(14, 12, "14 against 12").text.plain == "14 against 12"


def test_beats_moments_and_notices_stand_below() -> None:
    moments = [
        Moment(turn=2, type="critical_success", summary="the stair holds"),
        Moment(turn=1, type="discovery", summary="x"),
    ]
    made = plain(
        turn_blocks(PACK, CAST, turn(new_beats=("one finds the stair",), notices=("Bob is late.",)), moments)
    )
    below = made.index("Wait!") + 1
    assert made[below:][:3] == ["one finds the stair", "critical success · the stair holds", "Bob is late."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One.\n\nTwo.", ["One.", "Two."]),
        ("A line that a model wrapped after some sixty characters\nand went on.",
         ["A line that a model wrapped after some sixty characters and went on."]),
        ("Roses\nare red", ["Roses\nare red"]),
        ("\n\n  \n\nOnly this.\n", ["Only this."]),
        ("", []),
    ],
)  # fmt: skip
def test_paragraphs(text: str, expected: list[str]) -> None:
    assert unwrapped_paragraphs(text) == expected


HOSTILE = [
    "[bold red]loud[/] [@click=app.quit]quit[/]",
    "\x1b]8;;http://evil.example\x07link\x1b]8;;\x07",
    "\x1b[31mred\x1b[0m",
    "\u202egnirts\u202c \u2066x\u2069",
    "[link=http://evil.example]here[/link]",
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("role", ["narrator", "player", "character", "system"])
def test_hostile_text_is_only_text(text: str, role: str) -> None:
    entry = Entry.model_validate({"role": role, "text": f"{text} end", "character": "ann"})
    blocks = turn_blocks(PACK, CAST, turn(entries=(entry,), notices=(text,), new_beats=(text,)))
    for block in blocks:
        assert not set(block.text.plain) & set("\x1b\x07\u202e\u202c\u2066\u2069")
        assert all(isinstance(span.style, str) and span.style.startswith(".") for span in block.text.spans)
    shown = "\n".join(plain(blocks))
    if text.startswith("["):
        assert shown.count(text) == 3


def test_a_hostile_name_is_only_a_name() -> None:
    pack = PACK.model_copy(
        update={
            "characters": {"ann": PACK.characters["ann"].model_copy(update={"name": "[b]Ann\x1b[2J[/b]"})}
        }
    )
    blocks = turn_blocks(
        pack, Cast.of(pack), turn(entries=(Entry(role="character", text="Hm.", character="ann"),))
    )
    assert plain(blocks) == ["[B]ANN[/B]", "Hm."]
    assert isinstance(blocks[0].text, Content)


def test_what_is_stressed_is_in_italics_and_in_the_speaker_s_colour() -> None:
    (block,) = words_blocks('*Fog.* "Ada!" 2 * 3 * 4', 2)
    assert block.text.plain == "Fog. “Ada!” 2 * 3 * 4"
    assert [(span.start, span.end, span.style) for span in block.text.spans] == [
        (0, 21, ".words-2"),
        (0, 4, "italic"),
    ]
