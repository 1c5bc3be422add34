"""Asking before a story is sent to a server outside this network."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from textual.app import App
from textual.content import Content

from theact_tui.text import one_line
from theact_tui.tui.open_stories import AppServices
from theact_tui.tui.widgets.dialogs import ChoiceDialog, DialogChoice, ListDialog

Done = TypeVar("Done")
AGREE, OFFLINE = "a", "o"
SENT = """\
{names} is not on this computer or network. With every turn the program would send there what you write, the story so \
far, its world and people with their secrets, and what they remember. Nothing else leaves this computer, and a key goes \
only to the server it belongs to."""


def consent_dialog(hosts: Sequence[str], *, offline: bool) -> ChoiceDialog:
    """Asks for each server by name; returns `AGREE`, `OFFLINE` or nothing."""
    names = " and ".join(one_line(host, 80) for host in hosts)
    choices = [DialogChoice(AGREE, "agree", "you can withdraw this in the settings")]
    if offline:
        does = "use the offline storyteller this time; nothing is sent"
        choices.append(DialogChoice(OFFLINE, "play offline", does))
    return ChoiceDialog(f"Send your story to {names}?", SENT.format(names=names), *choices)


async def with_consent(
    app: App[Any],
    services: AppServices,
    open: Callable[[AppServices], Awaitable[Done]],
    *,
    offline: bool = False,
) -> Done | None:
    """Ask first which of several models tells, and if a story leaves this network. None if refused."""
    from theact_tui.models.consent import ConsentNeeded

    if names := await services.models_to_choose():
        rows = {name: Content(one_line(name, 80)) for name in names}
        note = "None is loaded. The one you choose is loaded by the first call, which takes a while."
        if not (chosen := await app.push_screen_wait(ListDialog("Which model?", rows, note=note))):
            return None
        services = replace(services, options=replace(services.options, model=chosen))
    try:
        return await open(services)
    except ConsentNeeded as error:
        hosts = error.hosts
    answer = await app.push_screen_wait(consent_dialog(hosts, offline=offline))
    if answer == AGREE:
        await services.allow(hosts)
        return await open(services)
    return await open(services.offline()) if answer == OFFLINE else None
