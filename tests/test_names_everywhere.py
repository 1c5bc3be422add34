"""A name means the same person in a command, a whisper, a form and to the offline storyteller."""

import pytest

from tests.support.fake_model import small_pack
from theact_tui.engine.commands import character_and_text, character_ids
from theact_tui.parsing.name_matching import ids_in
from theact_tui.story.game import Game, SaveInfo, State
from theact_tui.story.names import Names
from theact_tui.story.pack import Character
from theact_tui.story.scene import whispered
from theact_tui.story.speech import line_cuts
from theact_tui.storyteller.player_input import whispered_to

PEOPLE = {
    "ann": "Ann Lee", "bob": "Bob", "odo": "Sir Odo Tarn", "maria": "Maria de la Cruz", "ludwig": "Ludwig von Trapp",
    "keeper": "The Keeper", "orlova": "Анна Орлова", "dorothy": "ドロシー・ヴェイン", "misaki": "美咲", "kulap": "กุหลาบ แก้ว",
}  # fmt: skip
TYPED = {
    "ann": ["Ann Lee", "ann lee", "Ann", "Lee", "ANN LEE", "Ann Lee's", "Miss Lee"],
    "odo": ["Sir Odo Tarn", "Odo", "Sir Odo", "Odo Tarn", "tarn"],
    "maria": ["Maria de la Cruz", "Maria", "Cruz", "maria de la cruz", "María"],
    "ludwig": ["Ludwig von Trapp", "Ludwig", "von Trapp"],
    "keeper": ["The Keeper", "the keeper", "Keeper"],
    "orlova": ["Анна Орлова", "Анна", "анна"],
    "dorothy": ["ドロシー・ヴェイン", "ドロシー"],
    "misaki": ["美咲"],
    "kulap": ["กุหลาบ แก้ว", "กุหลาบ"],
}
SENTENCES = {
    "abbreviation": "Dr. Vane has it, z. B. at St. Mary's.", "quotation": '"Go. Now," he said. "Or not."',
    "brackets": "It is ash [all. Of it].", "ellipsis": "Well... it is ash.", "Japanese": "丸太は灰だ。もう遅い。",
    "Thai": "ท่อนไม้เป็นเถ้าถ่าน", "Russian": "Бревно сгорело, т. е. его нет.",
}  # fmt: skip


def game() -> Game:
    pack = small_pack()
    cast = {id: Character(name=name, role="sailor", personality="calm") for id, name in PEOPLE.items()}
    chapters = {id: one.model_copy(update={"characters": tuple(cast)}) for id, one in pack.chapters.items()}
    pack = pack.model_copy(update={"characters": cast, "chapters": chapters})
    info = SaveInfo(id="test", title="Test", pack=pack.id, seed=1, player=pack.game.player)
    return Game(info=info, pack=pack, state=State(chapter=next(iter(chapters)), present=tuple(cast)))


@pytest.mark.parametrize(("typed", "id"), [(typed, id) for id, names in TYPED.items() for typed in names])
def test_a_name_means_the_same_person_everywhere(typed: str, id: str) -> None:
    assert character_and_text(game(), f"{typed} the log is ash") == (id, "the log is ash")
    assert character_ids(game(), f"{typed}, Bob") == character_ids(game(), f"{typed} Bob") == [id, "bob"]
    whisper = whispered(f"→ {typed}: the log is ash", Names(PEOPLE))
    assert whisper and whisper.hearers == (id,)
    assert ids_in(typed, PEOPLE) == ([id], [])
    assert whispered_to(f'I whisper to {typed}: "The log is ash."', PEOPLE) == [id]


@pytest.mark.parametrize(
    ("line", "id", "text"),
    [
        ("Ann Lee, the log is ash", "ann", "the log is ash"),
        ("Ann Lee: the log", "ann", "the log"),
        ("Ann the log", "ann", "the log"),
        ("ann of the log", "ann", "of the log"),
        ("Bob Lee is there", "bob", "Lee is there"),
        ("ドロシー丸太は灰だ", "dorothy", "丸太は灰だ"),
    ],
)
def test_a_text_begins_behind_the_longest_name(line: str, id: str, text: str) -> None:
    assert character_and_text(game(), line) == (id, text)


@pytest.mark.parametrize("nobody", ["the others", "Zoe", "of", "Lee Bob Tarn", "→"])
def test_other_words_name_nobody(nobody: str) -> None:
    assert Names(PEOPLE).meant(nobody) == ()


def test_a_name_of_two_people_is_neither() -> None:
    people = Names({"ann": "Ann", "lee": "Ann Lee", "rosa": "Rosa Vane", "hugo": "Hugo Vane"})
    assert people.meant("Ann") == ("ann",)
    assert people.meant("Vane") == ("rosa", "hugo")
    assert people.listed("Ann Lee Ann") == [("Ann Lee", ("lee",)), ("Ann", ("ann",))]


@pytest.mark.parametrize("text", SENTENCES.values(), ids=SENTENCES)
@pytest.mark.parametrize(
    "name", ["Ann Lee", "Maria de la Cruz", "Анна Орлова", "ドロシー・ヴェイン", "กุหลาบ แก้ว"]
)
def test_a_text_behind_a_name_arrives_whole(name: str, text: str) -> None:
    (id,) = (id for id, whole in PEOPLE.items() if whole == name)
    assert character_and_text(game(), f"{name} {text}") == (id, text)
    whisper = whispered(f"→ {name}: {text}", Names(PEOPLE))
    assert whisper and whisper.hearers == (id,) and "".join(whisper.text.split()) in "".join(text.split())
    line = f"→ {name}: {text}"
    assert "".join("".join(line[start:end] for start, end in line_cuts(line)).split()) == "".join(
        whisper.text.split()
    )
