"""The labelled scenes of the hearing bench can be read, and their labels fit their text."""

from pathlib import Path
from random import Random

import pytest

from tests.support.hearing.game import decided, decided_by_form, forgetful, right_form
from tests.support.hearing.pieces import pieces_of, right_marks
from tests.support.hearing.scenes import Scene, SceneError, load_scenes
from tests.support.hearing.score import Figures, Reading, reading_of_marks, score, total
from theact_tui.story.turn import StageForm

SCENE = """
- id: jetty
  kinds: [whisper]
  player: Sam
  cast: {ann: Ann Lee, bob: Bob}
  before: [ann, bob]
  line: '"Bob," I say. I whisper to Ann: "He lies."'
  page: |-
    Ann nods.

    Bob coils the rope.
  missed: {bob: ['"He lies."']}
  here: [ann, bob]
  answer: [ann]
"""


def _right_reading(scene: Scene) -> Reading:
    return reading_of_marks(scene, right_marks(scene, pieces_of(scene)))


def _scenes(folder: Path, text: str) -> list[Scene]:
    (folder / "scenes.yaml").write_text(text)
    return load_scenes(folder)


def test_a_label_becomes_the_place_of_its_text(tmp_path: Path) -> None:
    (scene,) = _scenes(tmp_path, SCENE)
    assert scene.missed == {"bob": {"line": [(scene.line.index('"He'), len(scene.line))]}}


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("['\"He lies.\"']", "['\"She lies.\"']", "0 times"),
        ("['\"He lies.\"']", "['Ann']", "2 times"),
        ("{bob: [", "{joe: [", "not in the cast"),
        ("before: [ann, bob]", "before: [bob]", "ann was not there before and has no label"),
        ("here: [ann, bob]", "here: [bob]", "may answer who is not there"),
    ],
)
def test_a_scene_that_contradicts_itself_is_refused(tmp_path: Path, old: str, new: str, why: str) -> None:
    with pytest.raises(SceneError, match=why):
        _scenes(tmp_path, SCENE.replace(old, new))


def test_marks_of_pieces_can_say_what_the_labels_say() -> None:
    scenes = load_scenes()
    assert len(scenes) >= 66
    figures = total(score(scene, _right_reading(scene)) for scene in scenes)
    assert figures.leaked == 0
    assert figures.lost <= 0.04 * figures.rest


def test_by_a_right_form_the_program_leaks_nothing_and_withholds_little() -> None:
    figures = total(score(scene, decided(scene, _right_reading(scene))) for scene in load_scenes())
    assert figures.leaked == 0
    assert figures.lost <= 0.015 * figures.rest
    assert figures.here_right >= figures.scenes - 1
    assert figures.answer_allowed >= figures.scenes - 1


def test_a_form_that_forgets_a_tenth_gives_away_and_withholds_little() -> None:
    scenes, figures = load_scenes(), list[Figures]()
    for chance in map(Random, range(3)):
        forms = (forgetful(right_form(scene), 0.1, chance) for scene in scenes)
        readings = (
            decided_by_form(scene, StageForm.model_validate(form))
            for scene, form in zip(scenes, forms, strict=True)
        )
        figures.append(total(map(score, scenes, readings)))
    of_all = total(figures)
    assert of_all.leaked <= 0.05 * of_all.to_keep
    assert of_all.lost <= 0.06 * of_all.rest


def test_a_right_form_lists_what_a_visitor_took_in_although_everybody_did(tmp_path: Path) -> None:
    page = "Ann nods.\n\n    Cy brings the post and goes.\n\n    Bob coils the rope."
    text = SCENE.replace("Ann nods.\n\n    Bob coils the rope.", page)
    text = text.replace("bob: Bob}", "bob: Bob, cy: Cy}")
    text = text.replace("missed: {", "missed: {cy: [line, Ann nods., Bob coils the rope.], ")
    (scene,) = _scenes(tmp_path, text)
    assert right_form(scene)["only"]["B"] == ["ann", "bob", "cy"]
    assert score(scene, decided(scene, _right_reading(scene))).lost == 0


def test_what_the_program_takes_away_by_itself_is_nearly_half() -> None:
    scenes = load_scenes()
    unmarked = (Reading({}, scene.here, scene.sleeping) for scene in scenes)
    figures = total(map(score, scenes, map(decided, scenes, unmarked)))
    assert figures.leaked <= 0.55 * figures.to_keep


def test_without_marks_everything_leaks() -> None:
    figures = total(score(scene, Reading({})) for scene in load_scenes())
    assert figures.leaked == figures.to_keep > 0
    assert figures.lost == 0
