"""What the status line says while something is being written. Pure."""

from __future__ import annotations

from theact_tui.engine.commands import COMMANDS, is_command


def command_hint(text: str) -> str:
    """What a command that is being written takes and does, or those it may become; nothing for other text."""
    name, spaced, _ = text.partition(" ")
    if not is_command(text) or "\n" in text:
        return ""
    likely = [known for known in COMMANDS.values() if f"/{known.name}".startswith(name.lower())]
    meant = [known for known in likely if f"/{known.name}" == name.lower()] or ([] if spaced else likely)
    if len(meant) == 1:
        return f"{meant[0].usage}   {meant[0].help}"
    return "  ".join(f"/{known.name}" for known in meant) or "There is no such command; /help lists them."
