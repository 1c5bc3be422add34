"""The offline storyteller in direct mode (D7): who answers for which agent. All are pure functions of a view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from theact_tui.models.storyteller.direct_actor import act
from theact_tui.models.storyteller.direct_lock import lock
from theact_tui.models.storyteller.direct_notes import note
from theact_tui.models.storyteller.direct_prose import write

DIRECT: Mapping[str, Callable[[Any], str]] = {"lock": lock, "actor": act, "delta": note, "chapter": write}
"""What answers for each agent of direct mode: from its view alone to its raw reply."""
