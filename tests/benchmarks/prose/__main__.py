"""Have a model tell twenty pages and twenty replies, and count slips. Prints JSON; README.md says what is counted.

    python -m tests.benchmarks.prose --base-url http://127.0.0.1:8080/v1 --model NAME --rows FILE [--draws 2]
    python -m tests.benchmarks.prose --rows FILE [--messages FILE] [--show]

Answers are added to `--rows` at once, and a run that was stopped goes on where it ended. With `--messages` the messages of
another version are sent or counted, as `--render FILE` of that version wrote them.
"""

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.benchmarks.prose.moments import Moment, moments
from tests.benchmarks.prose.slips import shown, slips, slop_in, unknown_words
from tests.benchmarks.prose.telling import Rendering, Row, read_rows, rendered, tell
from tests.benchmarks.server_options import add_server_options
from theact_tui.prompting.sections import Message


def figures(
    rows: list[Row],
    by_id: dict[str, Moment],
    messages: Mapping[str, Sequence[Message]],
    known: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    """Counts by agent, of one model."""
    counted: dict[str, Any] = {}
    for agent in ("narrator", "character"):
        own = [row for row in rows if by_id[row.moment].agent == agent]
        found = [slips(by_id[row.moment], row, messages[row.moment]) for row in own]
        texts = [shown(by_id[row.moment], row) for row in own]
        counted[agent] = {
            "told": len(own),
            "without a slip": sum(not one for one in found),
            "slips": dict(Counter(name for one in found for name in one).most_common()),
            "words": round(sum(len(text.split()) for text in texts) / max(1, len(own))),
            "slop": sum(map(slop_in, texts)),
            "unknown words": [
                word
                for row, text in zip(own, texts, strict=True)
                if known and not by_id[row.moment].game.language
                for word in unknown_words(text, messages[row.moment], known)
            ],
            "tokens written": round(sum(row.tokens for row in own) / max(1, len(own))),
        }
    return counted


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_server_options(parser)
    parser.add_argument("--rows", type=Path, default=Path("prose.jsonl"), help="where answers are kept")
    parser.add_argument("--messages", type=Path, help="messages of another version")
    parser.add_argument("--render", type=Path, help="write the messages of this version here, and ask nobody")
    parser.add_argument("--draws", type=int, default=1, help="how often each is told")
    parser.add_argument(
        "--sampling", default="", help='such as "dry_multiplier = 0"; use another --rows for each'
    )
    parser.add_argument(
        "--words", type=Path, help="a list of words, to name those in neither it nor the prompt"
    )
    parser.add_argument("--show", action="store_true", help="print the texts with their slips as well")
    options = parser.parse_args()
    told = list(moments(options.model))
    by_id = {one.id: one for one in told}
    asked = rendered(told)
    if options.messages:
        asked = Rendering(**json.loads(options.messages.read_text("utf-8")))
    if options.render:
        options.render.write_text(json.dumps(asdict(asked), ensure_ascii=False, indent=1), "utf-8")
        return
    if options.base_url:
        tell(
            told,
            asked,
            base_url=options.base_url,
            model=options.model,
            draws=options.draws,
            file=options.rows,
            sampling=options.sampling,
        )
    wording, results, messages = asked.wording, dict[str, Any](), asked.messages
    rows = [row for row in read_rows(options.rows) if row.wording == wording]
    listed = options.words.read_text("utf-8").casefold().split() if options.words else ()
    for model in sorted({row.model for row in rows}):
        results[model] = figures(
            [row for row in rows if row.model == model], by_id, messages, frozenset(listed)
        )
    for row in rows if options.show else ():
        found = slips(by_id[row.moment], row, messages[row.moment])
        print(f"# {row.model}, {row.moment}: {', '.join(found) or 'no slip'}\n{row.text}\n")
    print(json.dumps({"wording": wording, "models": results}, indent=2))


if __name__ == "__main__":
    main()
