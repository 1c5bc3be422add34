"""The player's last question, as long as nobody has answered it."""

import re

from theact_tui.sentences import QUOTATION_MARKS, asks, quotation_spans, sentences
from theact_tui.story.speech import addressed_to
from theact_tui.story.value import Value


class OpenQuestion(Value):
    text: str
    turn: int
    asked: str = ""
    """Id of who was asked; "" for nobody in particular."""


def question_in(line: str) -> str:
    """Return the last question, at the end of the line or of a quotation; "" if there is none."""
    text = addressed_to(line)[1]
    quotations = quotation_spans(text)
    ends_in_quotation = bool(quotations) and not text[quotations[-1][1] :].strip()
    quoted = [text[start:end].strip(f"{QUOTATION_MARKS} \n") for start, end in reversed(quotations)]
    places = quoted if ends_in_quotation else [text, *quoted]
    return next((sentences(place)[-1] for place in places if asks(place) and re.search(r"\w", place)), "")
