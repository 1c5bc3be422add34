"""Turns as blocks of text, without widgets and without markup."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from textual.content import Content
from textual.visual import Visual

from theact_tui.sentences import curly_quotes, sentence_spans
from theact_tui.story.direct.as_story import DIRECTED
from theact_tui.story.game import Game
from theact_tui.story.memory import Change, Kind, lines_of
from theact_tui.story.moments import Moment
from theact_tui.story.names import short_name
from theact_tui.story.pack import Chapter, Pack
from theact_tui.story.perception import perceived_line
from theact_tui.story.turn import FULLY_HEARD, Turn
from theact_tui.text import clean, counted, emphasized, flat, unwrapped_paragraphs
from theact_tui.tui.themes import VOICES
from theact_tui.tui.visuals import Indented, accent, faint, quiet

BAR, RULE = "▌ ", "│ "
DICE, BEAT, MOMENT, NOTE = "⚄", "✓", "✦", "!"
REMARKS = {BEAT, MOMENT, NOTE}


@dataclass(frozen=True, slots=True)
class Block:
    """Paragraph: text, mark in the margin, blank rows above."""

    text: Content
    mark: str = ""
    mark_ink: str = ".quiet"
    space: int = 1
    centred: bool = False
    bar: str = ""
    edge: str = BAR
    hang: int = 0
    """Indent of later rows: the first columns of a table."""


@dataclass(frozen=True, slots=True)
class Cast:
    names: dict[str, str]
    voices: dict[str, int]
    palette: str = "voice"
    """`voice` in stories, `slot` in directed chapters."""

    @classmethod
    def of(cls, pack: Pack) -> "Cast":
        names = {id: clean(character.name) for id, character in pack.characters.items()}
        palette = "slot" if pack.id == DIRECTED else "voice"
        return cls(names, {id: n % VOICES + 1 for n, id in enumerate(pack.game.characters)}, palette)

    def name(self, id: str) -> str:
        return self.names.get(id, clean(id))

    def voice(self, id: str) -> int:
        """1 to 7; 1 for unknown characters."""
        return self.voices.get(id, 1)

    def ink(self, id: str) -> str:
        return f".{self.palette}-{self.voice(id)}"


def met(game: Game) -> list[str]:
    """Ids of characters who were ever present."""
    ids = game.pack.characters
    return [id for id in ids if id in game.state.present or game.state.views.get(id) or _remembers(game, id)]


def _remembers(game: Game, id: str) -> bool:
    memory = game.memories.get(id)
    return memory is not None and bool(memory.summary or lines_of(memory))


def player_blocks(text: str) -> list[Block]:
    return [
        Block(_set(part, ".quiet"), mark="" if n else "›", mark_ink=".accent", space=1)
        for n, part in enumerate(unwrapped_paragraphs(text))
    ]


def hearer_blocks(turn: Turn, cast: Cast) -> list[Block]:
    """Name the hearers of the player's line, if someone present missed it."""
    line = set(turn.cuts.line_labels)
    present = turn.presence.here
    missed = {id: line & {*turn.heard.get(id, FULLY_HEARD).missed} for id in turn.witnesses if id in present}
    if turn.is_pending:
        remark = "not known yet who heard this; /heard all, or /heard and names"
        return [Block(faint(remark), space=0)] if turn.player_text else []
    if not (turn.unaware or any(missed.values())):
        return []
    whole = [id for id, labels in missed.items() if not labels]
    some = [id for id, labels in missed.items() if labels and perceived_line(turn, id)]
    hearers = " and ".join(short_name(cast.name(id)) for id in whole or some)
    much = "this" if not some else "all of this" if whole else "some of this"
    remark = f"only {hearers} heard {much}" if hearers else "nobody heard this"
    return [Block(faint(flat(remark)), space=0)]


def prose_blocks(text: str) -> list[Block]:
    return [Block(_set(part)) for part in unwrapped_paragraphs(text)]


def _set(text: str, ink: str = "") -> Content:
    pieces = (
        Content.styled(piece, "italic" if stressed else "")
        for piece, stressed in emphasized(curly_quotes(text))
    )
    return Content.assemble(*pieces).stylize_before(ink) if ink else Content.assemble(*pieces)


def name_block(name: str, voice: int) -> Block:
    return Block(Content.styled(flat(name).upper(), f".voice-{voice}"))


def words_blocks(text: str, voice: int) -> list[Block]:
    return [
        Block(_set(part, f".words-{voice}"), space=1 if n else 0)
        for n, part in enumerate(unwrapped_paragraphs(text))
    ]


def thought_block(text: str) -> Block:
    return Block(faint(flat(text)), mark="…", mark_ink=".faint")


def dice_block(roll: int, difficulty: int, resolution: str) -> Block:
    """Set a roll and its outcome, without the leading numbers."""
    ink = ".good" if roll >= difficulty else ".bad"
    parts = [(f"{roll} against {difficulty}", ink)]
    numbers = rf"\W*{roll}\b(?:\W*[a-z]*\W*{difficulty}\b)?[\s:;,.–—-]*"
    if outcome := re.sub(f"^{numbers}", "", flat(resolution), flags=re.IGNORECASE):
        parts.append((f" · {outcome}", ".quiet"))
    return Block(Content.assemble(*parts), mark=DICE, mark_ink=ink)


def beat_blocks(beats: Iterable[str]) -> list[Block]:
    return [Block(quiet(flat(beat)), BEAT, ".good", space=0 if n else 1) for n, beat in enumerate(beats)]


def moment_block(kind: str, summary: str) -> Block:
    text = f"{clean(kind).replace('_', ' ')} · {flat(summary)}"
    return Block(quiet(text), MOMENT, ".warn", space=0)


def below_prose(above: Block | None, blocks: Iterable[Block]) -> list[Block]:
    """Put remarks below prose: one blank row, then none."""
    spaced: list[Block] = []
    for block in blocks:
        close = above is not None and above.mark in REMARKS
        spaced.append(replace(block, space=0 if close else 1))
        above = spaced[-1]
    return spaced


def chapter_blocks(number: int, chapter: Chapter) -> list[Block]:
    return title_blocks(f"chapter {number}", chapter.title)


def title_blocks(over: str, title: str) -> list[Block]:
    return [
        Block(quiet(over), space=2, centred=True),
        Block(accent(flat(title)), space=0, centred=True),
        Block(faint("────"), space=0, centred=True),
    ]


def ending_blocks(turns: int) -> list[Block]:
    return [
        Block(accent("✦  the end  ✦"), space=2, centred=True),
        Block(quiet(f"told in {counted(turns, 'turn')}"), space=0, centred=True),
        Block(faint("You can keep playing. /export epub makes a book of it."), centred=True),
    ]


def note_block(text: str, ink: str = ".warn") -> Block:
    return Block(quiet(flat(text)), mark=NOTE, mark_ink=ink)


def without_repeated_end(text: str, earlier: Sequence[str]) -> str:
    """Drop the last sentences of `text` that an earlier notice has, such as a shared reason."""
    starts = (start for start, _ in sentence_spans(text)[1:])
    return next((text[:at].rstrip() for at in starts if any(text[at:] in notice for notice in earlier)), text)


def card_blocks(title: str, reason: str, advice: str) -> list[Block]:
    rows = [(clean(title), ".bad"), (flat(reason), ""), (clean(advice), ".quiet")]
    return [
        Block(Content.styled(text, ink) if ink else Content(text), space=0 if n else 1, bar=".bad")
        for n, (text, ink) in enumerate(rows)
        if text
    ]


def aside_blocks(title: str, text: str) -> list[Block]:
    rows = [
        Block(Content(row or " "), space=0, bar=".faint", hang=_last_column(row))
        for row in clean(text).split("\n")
    ]
    return [Block(quiet(clean(title)), bar=".faint"), *rows]


def _last_column(row: str) -> int:
    match = re.match(r".*(?:^| ) +(?=\S)", row)
    return match.end() if match else 0


def remark_blocks(turn: Turn, moments: Iterable[Moment]) -> list[Block]:
    blocks = beat_blocks(turn.new_beats)
    blocks.extend(
        moment_block(moment.type, moment.summary) for moment in moments if moment.turn == turn.number
    )
    notes = [
        note_block(without_repeated_end(notice, turn.notices[:n])) for n, notice in enumerate(turn.notices)
    ]
    return below_prose(None, blocks + notes)


def after_blocks(pack: Pack, turn: Turn) -> list[Block]:
    """Build the next chapter's card, or the epilogue and the end."""
    ended = pack.chapters.get(turn.completed_chapter or "")
    following = pack.chapters.get(ended.next or "") if ended else None
    if following:
        return chapter_blocks(number_of(pack, following.id), following)
    blocks: list[Block] = []
    for entry in turn.ordered_entries:
        if entry.role == "system":
            blocks += [*title_blocks("epilogue", pack.game.title), *prose_blocks(entry.text)]
    return blocks + ending_blocks(turn.number) if ended else blocks


def number_of(pack: Pack, chapter: str) -> int:
    """Number of the chapter from 1; 0 without such a chapter."""
    order = pack.game.chapters
    return order.index(chapter) + 1 if chapter in order else 0


def turn_blocks(pack: Pack, cast: Cast, turn: Turn, moments: Iterable[Moment] = ()) -> list[Block]:
    """Build a stored turn. Turn 1 opens with the first chapter's card."""
    if turn.kind == "directed":
        return directed_blocks(cast, turn)
    blocks: list[Block] = []
    chapter = pack.chapters.get(turn.chapter)
    if turn.number == 1 and chapter:
        blocks.extend(chapter_blocks(number_of(pack, chapter.id), chapter))
    for entry in turn.ordered_entries:
        match entry.role:
            case "player":
                blocks.extend([*player_blocks(entry.text), *hearer_blocks(turn, cast)])
                if (ruling := turn.ruling) and ruling.roll is not None:
                    blocks.append(dice_block(ruling.roll, ruling.difficulty or 0, ruling.resolution))
            case "narrator":
                blocks.extend(prose_blocks(entry.text))
            case "character":
                voice = cast.voice(entry.character or "")
                by = f" · {entry.by}" if entry.by else ""
                blocks.append(name_block(cast.name(entry.character or "") + by, voice))
                blocks.extend(words_blocks(entry.text, voice))
                if entry.stopped:
                    blocks.append(Block(faint("stopped here"), space=0))
            case "system":
                pass  # the epilogue, which comes after everything else
    return [*blocks, *remark_blocks(turn, moments), *after_blocks(pack, turn)]


def directed_blocks(cast: Cast, turn: Turn) -> list[Block]:
    blocks: list[Block] = []
    for entry in turn.ordered_entries:
        prose = prose_blocks(entry.text)
        if entry.role == "player":
            first, *others = prose or [Block(Content(""))]
            blocks += [replace(first, text=Content(f"{turn.number}) ") + first.text), *others]
        elif entry.role == "character" and entry.character:
            ink = cast.ink(entry.character)
            name = Content.styled(flat(cast.name(entry.character)).upper(), ink).stylize("bold")
            blocks.append(Block(name, bar=ink, edge=RULE))
            for number, block in enumerate(prose):
                blocks += [Block(Content(" "), bar=ink, edge=RULE, space=0)] if number else []
                blocks.append(replace(block, bar=ink, edge=RULE, space=0))
        else:
            blocks += [replace(block, text=block.text.stylize(".quiet")) for block in prose]
    return blocks


MARKS: dict[Kind, str] = {"added": "+", "changed": "~", "removed": "-"}
INKS: dict[Kind, str] = {"added": ".good", "changed": ".warn", "removed": ".faint"}


def changes_in_short(changes: Iterable[Change]) -> str:
    """Count changes by kind, such as `+2 ~1`."""
    counts = Counter(change.kind for change in changes)
    return " ".join(f"{mark}{counts[kind]}" for kind, mark in MARKS.items() if counts[kind])


def block_rows(blocks: Iterable[Block]) -> list[Visual]:
    rows: list[Visual] = []
    for block in blocks:
        rows += [Content("")] * block.space
        rows.append(Indented(Content.styled(f"{block.mark:<2}", block.mark_ink), block.text))
    return rows
