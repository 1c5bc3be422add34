"""How a server is asked to go on from the assistant's last message, and a probe whether it does.

Sources: llama.cpp `tools/server/README.md`, vLLM chat completions, KoboldCpp API.
"""

from collections.abc import Mapping
from typing import Literal

from theact_tui.models.model import Request
from theact_tui.models.sampling import Server
from theact_tui.prompting.sections import SO_FAR, Prompt, Section

Way = Literal["final_message", "assistant_turn", "unmarked"]
FIELDS: Mapping[str, Mapping[str, bool]] = {
    "final_message": {"continue_final_message": True, "add_generation_prompt": False},  # one alone is refused
    "assistant_turn": {"continue_assistant_turn": True},
}
"""Request fields of a way; `unmarked` needs none, the server's template goes on by itself."""
FIELD_NAMES = frozenset(name for fields in FIELDS.values() for name in fields)
WAYS: Mapping[Server, tuple[Way, ...]] = {
    "llama.cpp": ("final_message", "unmarked"),
    "vllm": ("final_message", "unmarked"),
    "koboldcpp": ("assistant_turn", "unmarked"),
    "ollama": ("unmarked",),
    "openai": ("unmarked",),
    "auto": ("final_message", "unmarked"),
}
NOT_TAKEN = frozenset({"request", "server", "malformed", "empty", "unspoken", "thought"})
"""Failures of a probe that mean that the server does not go on this way; others say nothing about it."""

_PROBE_TOKENS = 8
"""Fewer than the begun sentence has: who writes it anew does not reach the number's second half."""
_BEGUN, _REST = "You want to hear your number from me once more, and I say it gladly. It is 5948", "17"


def probe() -> Request:
    sections = (
        Section("task", f"My number is 5948{_REST}. Tell me my number."),
        Section(SO_FAR, _BEGUN, part="assistant"),
    )
    return Request("probe", "probe", Prompt(sections, 0, 0), _PROBE_TOKENS, temperature=0.0)


def goes_on(reply: str) -> bool:
    """True if `reply`, without the begun sentence if it was repeated, ends the number that was cut in half."""
    return reply.strip().startswith(_REST)


class WithoutRepeat:
    """Takes the text so far off the beginning of a streamed reply, where it is repeated exactly."""

    def __init__(self, so_far: str) -> None:
        self._so_far, self._held = so_far, ""

    def feed(self, text: str) -> str:
        if not self._so_far:
            return text
        self._held += text
        if self._so_far.startswith(self._held) and self._held != self._so_far:
            return ""
        return self.rest()

    def rest(self) -> str:
        """Return what is held back; later text passes unchanged."""
        text, self._held = self._held.removeprefix(self._so_far), ""
        self._so_far = ""
        return text
