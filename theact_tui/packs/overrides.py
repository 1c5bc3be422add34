"""Prompt templates a pack brings along: `prompts/<agent>.txt` (S2)."""

from __future__ import annotations

import re

from theact_tui.packs.draft import Draft
from theact_tui.packs.findings import did_you_mean, quoted

_BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


def check_overrides(draft: Draft) -> None:
    """Adds a finding for each unknown agent, unknown placeholder, stray brace and required placeholder missing.

    A placeholder is a bare name: conversions and format widths could do harm, and count as unknown.
    """
    if not draft.prompts:
        return
    from theact_tui.agents.prompts import PLACEHOLDERS, REQUIRED, TEMPLATES

    for agent, text in draft.prompts.items():
        file = f"prompts/{agent}.txt"
        if agent not in TEMPLATES:
            draft.error(file, (), f"there is no agent {quoted(agent)}{did_you_mean(agent, TEMPLATES)}")
            continue
        used = set()
        for brace in _BRACES.finditer(text):
            used.add(brace[1])
            if message := _fault(brace, PLACEHOLDERS[agent]):
                draft.error_at(file, text.count("\n", 0, brace.start()) + 1, message)
        for name in sorted(REQUIRED.get(agent, frozenset()) - used):
            draft.error(file, (), f"the placeholder '{{{name}}}' is missing")


def _fault(brace: re.Match[str], known: frozenset[str]) -> str:
    if brace[0] in ("{{", "}}") or brace[1] in known:
        return ""
    if brace[1] is None:
        return f"a brace stands alone; write {brace[0] * 2} for one that is meant"
    return f"unknown placeholder {quoted(brace[0])}{did_you_mean(brace[1], sorted(known))}"
