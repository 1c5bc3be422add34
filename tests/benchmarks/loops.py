"""Loops found and pages cut by mistake, on real prose of two small models and on texts of our own; prints JSON.

    python -m tests.benchmarks.loops FOLDER

FOLDER is a checkout of EQ-bench/longform-writing-bench, whose reports hold long stories of many models. 200 pages and
chapters of two of them were read and labelled by hand before the rule was written; only their ids are kept here. A page
is a run of whole paragraphs of at least 1,100 characters, numbered within its reply.
"""

from __future__ import annotations

import html
import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.looping_texts import REFRAINS, loops
from theact_tui.parsing.loops import second_round, without_loop

REPORTS = {"qwen3-8b": "qwen__qwen3-8b", "gemma-3-4b": "google__gemma-3-4b-it"}
LABELS: dict[str, dict[str, str]] = {
    "qwen3-8b": {
        "loops": "037 077 136 137 139 140 141 142",
        "nearly": "063 064",
        "told again": "025 038 051 061 062 086 088 089 090 099 100 101 102 115 116 150 151 152 153 155",
        "told once": (
            "002.02 004.01 004.06 009.04 009.05 010.07 012.05 015.02 016.04 017.04 017.05 017.06 017.07 019.02 021.05 "
            "022.03 023.05 023.07 024.08 028.00 028.02 029.03 030.00 031.05 032.05 033.04 036.04 040.03 041.05 042.02 "
            "046.00 054.04 058.00 060.01 066.02 067.00 068.01 070.06 073.01 080.04 082.03 083.06 085.03 093.09 096.01 "
            "097.01 097.08 103.07 104.03 108.02 110.02 110.06 112.03 113.01 117.03 119.02 119.05 121.06 124.05 124.06 "
            "125.06 128.09 133.00 135.01 147.02 148.03 149.00 149.06 149.09 154.04"
        ),
    },
    "gemma-3-4b": {
        "told once": (
            "000.01 001 003 004 005.01 007.02 008 009.01 010 014 015 016 017 018.00 022.01 025.01 026.00 027 029 030 "
            "033.01 035.00 037.00 039.02 040 041.00 042 044.01 045.00 045.01 046.02 048.02 049.00 050.01 050.02 "
            "051.01 052.02 053 054.03 055 056.01 063.00 065.02 067.03 068 074.00 074.01 076.00 077.01 078.01 079.00 "
            "081 082.01 083.00 083.02 085.00 085.02 086.01 087.01 088.00 089.01 090.02 092 093.01 093.02 094 097.02 "
            "099 100.02 101.02 104.01 104.02 105 107 108 110.00 111.01 112.02 113.02 116.00 118 120 121.00 125.02 "
            "130.00 131 133 134.00 134.04 135.00 135.01 136.03 137.00 137.02 143.02 144 146 149.00 151.00 152.00"
        ),
    },
}
"""Of each model the ids by label. `loops`: rounds on rounds to the end of the chapter. `nearly`: two rounds and most of a
third. `told again`: whole paragraphs come back, once or in another order. `told once`: neither. `137.04` is a page of reply
137, `137` all of it."""
_REPLY = re.compile(r'class="response-content">\s*<strong>Model Output:</strong><br>(.*?)</div>', re.DOTALL)


def replies(report: Path) -> list[str]:
    """The replies of a report, as text."""
    found = _REPLY.findall(report.read_text(encoding="utf-8"))
    return [html.unescape(re.sub(r"<br\s*/?>", "\n", each)).strip() for each in found]


def pages(reply: str) -> Iterator[str]:
    """A reply in pages."""
    page: list[str] = []
    for paragraph in filter(None, map(str.strip, re.split(r"\n\s*\n", reply))):
        page.append(paragraph)
        if sum(map(len, page)) >= 1_100:
            yield "\n\n".join(page)
            page = []


def labelled(folder: Path) -> dict[str, Any]:
    """What of the labelled texts is cut, by label, and all ids that are."""
    counts: dict[str, list[int]] = {}
    cut: list[str] = []
    slowest = 0.0
    for model, report in REPORTS.items():
        told = replies(folder / "results" / f"{report}_longform_report.html")
        for label, ids in LABELS[model].items():
            count = counts.setdefault(label, [0, 0])
            for id in ids.split():
                number, _, page = id.partition(".")
                reply = told[int(number)]
                text = list(pages(reply))[int(page)] if page else reply
                began = time.process_time()
                found = second_round(text)
                slowest = max(slowest, time.process_time() - began)
                count[0] += found is not None
                count[1] += 1
                if found is not None:
                    cut.append(f"{model} {id}")
    return {
        "cut_of": {label: f"{n} of {total}" for label, (n, total) in counts.items()},
        "cut": cut,
        "slowest_ms": round(1000 * slowest, 1),
    }


def own() -> dict[str, Any]:
    """What of our own texts is cut."""
    shares: dict[str, list[int]] = {}
    for loop in loops():
        count = shares.setdefault(f"{loop.share:.0%}", [0, 0])
        count[0] += second_round(loop.text) is not None
        count[1] += 1
    stay = [name for name, text in REFRAINS.items() if second_round(text) is not None]
    return {
        "loops_cut_by_share_of_changed_words": {
            share: f"{n} of {total}" for share, (n, total) in shares.items()
        },
        "refrains_cut": stay,
        "refrains": len(REFRAINS),
    }


def unlabelled(folder: Path) -> dict[str, Any]:
    """Every reply of every model, most of which nobody read: how many are cut, and what is left of them."""
    cut, told, left = 0, 0, []
    for report in sorted((folder / "results").glob("*_longform_report.html")):
        for reply in replies(report):
            told += 1
            if second_round(reply) is not None:
                cut += 1
                left.append(len(without_loop(reply, prose=True)) / len(reply))
    return {"replies": told, "cut": cut, "kept_of_them": round(sum(left) / len(left), 2) if left else None}


if __name__ == "__main__":
    where = Path(sys.argv[1])
    print(json.dumps({"labelled": labelled(where), "own": own(), "all_models": unlabelled(where)}, indent=2))
