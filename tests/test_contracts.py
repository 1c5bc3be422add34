"""How contracts are written down."""

from tests.support.contracts import shape_of


def test_a_shape_has_a_line_for_each_value_with_all_its_types() -> None:
    beats = [{"hit": True, "by": {}}, {"hit": None, "by": {"maya": 2}}]
    assert [*shape_of({"turn": 1, "beats": beats, "heard": {}})] == [
        "turn: integer",
        "beats[].hit: boolean | null",
        "beats[].by.*: integer",
        "heard: {}",
    ]
