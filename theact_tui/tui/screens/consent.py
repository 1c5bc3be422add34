"""The question before a story leaves this network (S8.1): it names the servers and says what is sent to them."""

from __future__ import annotations

from collections.abc import Sequence

from theact_tui.text import one_line
from theact_tui.tui.screens.picking import Choice, Pick

AGREE, OFFLINE = "a", "o"
SENT = """\
{names} is not on this computer or network. With every turn the program would send there what you write, the story so \
far, its world and people with their secrets, and what they remember. Nothing else leaves this computer, and a key goes \
only to the server it belongs to."""


def consent(hosts: Sequence[str], *, offline: bool) -> Pick:
    """Asks once for each server by name; the answer is `AGREE`, `OFFLINE` (if that is offered) or nothing."""
    names = " and ".join(one_line(host, 80) for host in hosts)
    choices = [Choice(AGREE, "agree", "and do not ask again for it; the settings take it back")]
    if offline:
        choices.append(Choice(OFFLINE, "play offline", "the storyteller tells it this time; nothing is sent"))
    return Pick(f"Send your story to {names}?", SENT.format(names=names), *choices)
