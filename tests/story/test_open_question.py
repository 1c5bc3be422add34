"""The player's last question: at the end of the line or of a quotation, in any language."""

import pytest

from theact_tui.story.open_question import question_in


@pytest.mark.parametrize(
    ("line", "question"),
    [
        ("I nod. Who rang the bell?", "Who rang the bell?"),
        ('I take the lamp. "Ann, who rang the bell?" I wait.', "Ann, who rang the bell?"),
        ("“Go.” I turn. “Was it you? Say it!” I ask.", ""), ("“Was it you?” I ask. “Say it.”", "Was it you?"),
        ("„Woher hast du das?“ frage ich Ann.", "Woher hast du das?"),
        ("「誰が鐘を鳴らした？」と聞く。", "誰が鐘を鳴らした？"), ("→ Ann: Was it you?", "Was it you?"),
        ("I walk on. (Was it her?)", ""), ("I ask Ann who rang the bell.", ""), ("?", ""), ("", ""),
    ],
)  # fmt: skip
def test_the_last_question_of_a_line(line: str, question: str) -> None:
    assert question_in(line) == question
