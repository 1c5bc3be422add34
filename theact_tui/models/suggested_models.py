"""Models that are suggested to somebody who has none, by the memory of this computer.

Sizes, licences and pages are those their makers give; they could not be checked from inside the program.
"""

import os
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class SuggestedModel:
    title: str
    gigabytes: float
    """Of the file with weights of about four bits."""
    licence: str
    page: str
    llama: str
    """Name for llama.cpp: repository and quantisation."""
    ollama: str

    def name_for(self, kind: str) -> str:
        return self.ollama if kind == "ollama" else self.llama


_SUGGESTED: Final = (
    SuggestedModel(
        "Qwen3 4B Instruct 2507", 2.5, "Apache-2.0", "https://huggingface.co/Qwen/Qwen3-4B-Instruct-2507",
        "unsloth/Qwen3-4B-Instruct-2507-GGUF:Q4_K_M", "qwen3:4b-instruct",
    ),
    SuggestedModel(
        "Ministral 3 8B Instruct", 5.2, "Apache-2.0", "https://huggingface.co/mistralai/Ministral-3-8B-Instruct-2512",
        "mistralai/Ministral-3-8B-Instruct-2512-GGUF:Q4_K_M", "ministral-3:8b",
    ),
    SuggestedModel(
        "Mistral Nemo Instruct 12B", 7.1, "Apache-2.0", "https://huggingface.co/mistralai/Mistral-Nemo-Instruct-2407",
        "bartowski/Mistral-Nemo-Instruct-2407-GGUF:Q4_K_M", "mistral-nemo:12b",
    ),
    SuggestedModel(
        "Mistral Small 3.2 24B Instruct", 14.3, "Apache-2.0",
        "https://huggingface.co/mistralai/Mistral-Small-3.2-24B-Instruct-2506",
        "unsloth/Mistral-Small-3.2-24B-Instruct-2506-GGUF:Q4_K_M", "mistral-small3.2:24b",
    ),
)  # fmt: skip
_OF_MEMORY = 0.35
"""Share of the memory that weights may take: without a graphics card, larger ones are too slow to play."""


def suggested(memory: int) -> tuple[SuggestedModel, ...]:
    """Return the three largest that fit into `memory` bytes, or the three smallest."""
    fitting = [one for one in _SUGGESTED if one.gigabytes * 1e9 <= memory * _OF_MEMORY] if memory else []
    return tuple(fitting[-3:]) if len(fitting) > 2 else _SUGGESTED[:3]


def memory_of_this_computer() -> int:
    """Return bytes; 0 if unknown, as on Windows. The memory of a graphics card is not found."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 0
