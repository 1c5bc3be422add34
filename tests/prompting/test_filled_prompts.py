"""What is sent to models, word for word."""

from tests.support.filled_prompts import FOLDER
from theact_tui.agents.prompts import TEMPLATES


def test_every_template_stands_among_the_filled_prompts() -> None:
    parts = {"system", "clerk"}
    assert TEMPLATES.keys() - parts <= {file.stem for file in FOLDER.iterdir()}
