"""Make a save from chats: every turn a commit, other versions as takes, other files as branches."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from theact_tui import yaml
from theact_tui.importing.chat import (
    UNNAMED_PLAYER,
    Chat,
    ChatNode,
    Round,
    chat_tree,
    one_story,
    with_hearers,
)
from theact_tui.importing.chat_files import documents_in
from theact_tui.importing.pack_maker import pack_of, pack_with
from theact_tui.importing.report import ImportReport, OnStep, no_steps, texts_in
from theact_tui.importing.settle_chats import named_by_card, names_player, settled
from theact_tui.importing.turn_facts import with_facts
from theact_tui.packs.listing import OUTLINE, PackEntry
from theact_tui.saves.branches import BranchNames, give_names
from theact_tui.saves.codec import GAMES, Contents
from theact_tui.saves.git_objects import MAIN, append_reflog, head_ref, now
from theact_tui.saves.history import CommitChain, message_of
from theact_tui.saves.library import Library
from theact_tui.saves.takes import TAKES
from theact_tui.saves.trees import write
from theact_tui.sentences import clip
from theact_tui.story.character_view import add_to_views, attendance, cut_view
from theact_tui.story.edits import hold
from theact_tui.story.game import Game, Pending, new_game
from theact_tui.story.names import Names
from theact_tui.story.pack import Pack, PlayerInfo
from theact_tui.story.scene import whispered
from theact_tui.story.script import Script
from theact_tui.story.speech import addressed_to, spoken
from theact_tui.story.steering import MAX_NOTE, Standing
from theact_tui.story.turn import UNCUT, Entry, Heard, Turn, reply_label
from theact_tui.text import counted, estimate_tokens, one_line, unique_slug

if TYPE_CHECKING:
    from theact_tui.saves.repository import Repository

VERBATIM_TOKENS = 2_400
"""Newest turns in the narrator's prompt, word for word."""
VERBATIM_TURNS = 4, 24
"""Fewest and most."""
VIEW_TOKENS = 1_500
"""Newest turns in a character's prompt."""
REMEMBERED, REMEMBERED_INSIDE = 24, 6
"""Newest turns that get memories when the story continues from its end, or from an earlier turn."""
STEP = 100
MOST_NAMES = 20
ORIGINAL_PART_BYTES = 8_000_000


@dataclass(frozen=True, slots=True)
class ChatPlan:
    report: ImportReport
    title: str
    pack: Pack
    player: str
    ids: Mapping[str, str]
    """Characters by their name in the chats; the narrator speaks for others."""
    chats: tuple[Chat, ...]
    """The chat to continue is first."""
    root: ChatNode
    ends: Mapping[str, ChatNode]
    note: str

    @property
    def branches(self) -> dict[ChatNode, Chat]:
        """The first chat that ends at each node; it becomes a branch."""
        branches: dict[ChatNode, Chat] = {}
        for chat in self.chats:
            branches.setdefault(self.ends[chat.source], chat)
        return branches


def plan_chats(
    chats: Sequence[Chat],
    *,
    own: Iterable[PackEntry] = (),
    into: Pack | None = None,
    player: str = "",
    title: str = "",
    also: Mapping[str, str] = MappingProxyType({}),
    counted_already: Iterable[Any] = (),
) -> ChatPlan:
    """Plan one save with all chats. Raises UsageError if they do not belong together. They are played on the pack
    `into`, on an `own` pack that has all their characters, or on a new one. `also`: further names of characters of
    `into`, with ids. Words of documents `counted_already` are not counted again.
    """
    ordered: Sequence[Chat] = sorted(
        chats, key=lambda chat: (-chat.written, -len(chat.messages), chat.source)
    )
    by_file = {name: into.name_of(id) for name, id in also.items()} if into else {}
    ordered = named_by_card(ordered, by_file)
    one_story(ordered)
    base = into or pack_with(_names_in(ordered), own)
    hero = one_line(
        player or next((chat.player for chat in ordered if chat.player != UNNAMED_PLAYER), ""), 60
    )
    is_unnamed = not hero and names_player(ordered)
    hero = hero or (base.game.player if base else PlayerInfo()).name
    ordered = [
        settled(chat, player or (chat.player if chat.player != UNNAMED_PLAYER else hero)) for chat in ordered
    ]
    names = _names_in(ordered)
    title = title or next((chat.title for chat in ordered if chat.title), "") or ", ".join(names[:3])
    title = one_line(title or titled(ordered[0].source)[0] or "A story", 80)
    pack, ids, maker = pack_of(title, names, ordered, base, also)
    ordered = tuple(with_hearers(chat, ids) for chat in ordered)
    root, ends = chat_tree(ordered, ids)
    note = clip(next((chat.note for chat in ordered if chat.note), ""), MAX_NOTE)
    plan = ChatPlan(ImportReport("chat"), title, pack, hero, ids, ordered, root, ends, note)
    report = _report(plan, names, base)
    if is_unnamed:
        maker.changed.append(
            f"The player has no name in the files, so {{{{user}}}} is “{hero}”; --player gives one."
        )
    maker.pack_texts += (base.world.setting if base else "", plan.note)
    maker.pack_texts += (text for _, text in texts_in(counted_already))
    maker.pack_texts += (text for chat in ordered for text in chat.texts())
    maker.reported_texts += (left.text for chat in ordered for left in chat.left_out)
    documents = (document for chat in ordered for document in documents_in(chat.original))
    maker.count_words(documents, {*names, *(chat.player for chat in ordered)})
    return replace(
        plan, report=report.adding(taken=maker.taken, changed=maker.changed, left_out=maker.left_out)
    )


def _names_in(chats: Iterable[Chat]) -> list[str]:
    """List the characters of chats, those who speak most first."""
    chats = [*chats]
    spoken: Counter[str] = Counter()
    for chat in chats:
        spoken.update(chat.cast)
    named = (name for chat in chats for name in chat.people)
    return list(dict.fromkeys([*(name for name, _ in spoken.most_common()), *named]))


_DATE = re.compile(r"[ -]*(\d{4}-\d{1,2}-\d{1,2}) ?@(\d\d)h ?(\d\d)m(?: ?\d+m?s)*")


def titled(source: str) -> tuple[str, str]:
    """Return the name of a chat's file without ending and date, and the date."""
    name = re.sub(r"\.(?:jsonl?|txt)\Z", "", source).removesuffix(" imported")
    date = _DATE.search(name)
    plain = _DATE.sub("", name).strip()
    return plain or ("" if date else name), f"{date[1]} {date[2]}:{date[3]}" if date else ""


def write_chats(plan: ChatPlan, library: Library, on_step: OnStep = no_steps) -> ImportReport:
    """Make the save; the report has its name. Raises SaveError, or an error of `on_step`; then nothing is left."""
    folder = library.adopt(lambda folder: _write(plan, folder, on_step))
    return replace(plan.report, save=folder.name)


# --- the report ---------------------------------------------------------------------------------------------------


def _report(plan: ChatPlan, names: Sequence[str], base: Pack | None) -> ImportReport:
    chats, nodes = plan.chats, plan.root.below()
    played_nodes = [node for node in nodes if node.is_told]
    messages, takes = sum(len(node.round) for node in played_nodes), len(nodes) - len(played_nodes)
    branches = plan.branches
    taken = [
        f"{counted(messages, 'message')} → {counted(len(played_nodes), 'turn')}",
        f"{counted(takes, 'alternative reply', 'alternative replies')} (takes)" if takes else "",
        f"{counted(len(branches), 'branch', 'branches')} from {counted(len(chats), 'file')}"
        if len(branches) > 1
        else "",
        f"Characters: {', '.join(name for name in names if name in plan.ids)}" if names else "",
        "The summary of the chat so far" if any(m.summary for chat in chats for m in chat.messages) else "",
        f"The author's note “{one_line(plan.note, 80)}”; /note changes it" if plan.note else "",
    ]
    others = [name for name in names if name not in plan.ids]
    crowd = ", ".join(
        [*others[:MOST_NAMES], *([f"and {len(others) - MOST_NAMES:,} more"] if others[MOST_NAMES:] else [])]
    )
    away = ", ".join(name for name in names if any(name in chat.away for chat in chats))
    changed = [
        f"When you continue, memories are written for the newest {REMEMBERED} turns. /remember adds the older ones.",
        "Who was there for which message is a guess, from who speaks when; /heard changes it."
        if any(message.hearers is not None for chat in chats for message in chat.messages)
        else "",
        f"It uses the pack {base.game.title}." if base else "",
        OUTLINE if plan.pack.script == Script() else "",
        f"A story has at most 7 characters; the narrator speaks for these: {crowd}." if crowd else "",
        f"Muted in the group, so away now: {away}. The files do not say since when; /heard changes it."
        if away
        else "",
    ]
    counts = Counter(left_text.sentence for chat in chats for left_text in chat.left_out)
    left = [
        left_text.sentence
        if counts[left_text.sentence] == len(chats)
        else f"{left_text.sentence} ({chat.source})"
        for chat in chats
        for left_text in chat.left_out
    ]
    twins = [(chat, branches[plan.ends[chat.source]]) for chat in chats]
    left += [f"{chat.source}: all of it is also in {twin.source}" for chat, twin in twins if chat is not twin]
    report = ImportReport("group" if len(names) > 1 else "chat", pack=plan.pack.id)
    return report.adding(taken=taken, changed=changed, left_out=left)


# --- the save -----------------------------------------------------------------------------------------------------


def _write(plan: ChatPlan, folder: Path, on_step: OnStep) -> None:
    from theact_tui.saves.repository import Repository

    _check_texts(plan.chats)
    folder.mkdir(parents=True, mode=0o700)
    repository = Repository.init(folder / ".git", MAIN)
    try:
        with repository.gathered():
            writer = _Writer(plan, repository)
            writer.write_turns(on_step)
        repository.put_all(dict(writer.take_refs()))
        titles: dict[str, str] = {}
        for end, chat in plan.branches.items():
            title = one_line(" ".join(filter(None, titled(chat.source))), 80)
            branch = unique_slug(title, {*titles, MAIN}, "branch") if titles else MAIN
            titles[branch] = title
            repository.put(head_ref(branch), writer.commits[end])
            append_reflog(repository.git, branch, writer.commits[end])
        if len(titles) > 1:
            give_names(repository, BranchNames(branches=titles))
    finally:
        repository.close()


def _check_texts(chats: Iterable[Chat]) -> None:
    """Raise ValueError or SaveError for a text that would not read back the same."""
    for text in {text for chat in chats for text in chat.texts()}:
        yaml.dump(text)


@dataclass(frozen=True, slots=True)
class _StorySoFar:
    game: Game
    commit: str
    tree: str
    sizes: Mapping[int, int] = field(default_factory=dict)
    """Estimated tokens of the newest turns by number."""
    waiting: tuple[Pending, ...] = ()
    """Memories still to be written if the story ended here."""


class _Writer:
    def __init__(self, plan: ChatPlan, repository: Repository) -> None:
        self._plan = plan
        self._repository = repository
        self._at = now()
        self._chain = CommitChain(repository)
        self.commits: dict[ChatNode, str] = {}
        self._names = Names(plan.pack.names)
        self._numbers: dict[ChatNode, int] = {plan.root: 0}
        self._newest = {*plan.ends.values()}
        parents = [plan.root, *plan.root.below()]
        self._newest.update(*(node.takes for node in parents if not self._newest.isdisjoint(node.takes)))
        self._away = {
            plan.ends[chat.source]: [plan.ids[name] for name in chat.away if name in plan.ids]
            for chat in reversed(plan.chats)
            if not plan.ends[chat.source].children
        }

    def write_turns(self, on_step: OnStep) -> None:
        begun = self._begin()
        total = counted(len(self._plan.root.below()), "turn")
        left = [(self._plan.root, begun)]
        while left:
            parent, before = left.pop()
            sibling = before
            for node in parent.children.values():
                if len(self.commits) % STEP == 0:
                    on_step(f"{len(self.commits):,} of {total}")
                sibling = self._commit_node(node, before, sibling)
                if node.children:
                    left.append((node, sibling))

    def take_refs(self) -> Iterator[tuple[str, str]]:
        used: Counter[int] = Counter()
        for parent, number in self._numbers.items():
            for node in parent.takes:
                used[number + 1] += 1
                yield f"{TAKES}{number + 1}/{used[number + 1]}", self.commits[node]

    def _begin(self) -> _StorySoFar:
        plan = self._plan
        game = new_game(
            plan.pack,
            title=plan.title,
            player=plan.player,
            seed=sum(plan.title.encode()) + len(plan.title),
            created=self._at.isoformat(timespec="seconds"),
        )
        steering = Standing(note=plan.note)
        game = replace(game, state=game.state.model_copy(update={"steering": steering}))
        contents = {**GAMES.changed_files(game), **_originals(plan)}
        tree = write(self._repository, None, contents)
        message = message_of(GAMES.word, 0, GAMES.line(game), None)
        return _StorySoFar(game, self._repository.add_commit(tree, None, message, self._at), tree)

    def _commit_node(self, node: ChatNode, before: _StorySoFar, sibling: _StorySoFar) -> _StorySoFar:
        number = before.game.state.turn + 1
        turn = self._turn(node, number, before.game.state.chapter)
        due = [Pending(agent="memory", turn=number, character=id) for id in turn.witnesses]
        if turn.is_pending:
            due = [Pending(agent="stage", turn=number)]
        waiting = tuple(work for work in (*before.waiting, *due) if work.turn > number - REMEMBERED)
        sizes = {n: size for n, size in before.sizes.items() if n >= number - VERBATIM_TURNS[1]}
        sizes[number] = round(sum(estimate_tokens(entry.text) for entry in turn.entries))
        game = self._next(node, before.game, turn, sizes, waiting)
        game = hold(game, self._away.get(node, ()), here=False).game
        # `_check_texts` read the texts once already; fields of our own export are checked in their turn
        files = GAMES.changed_files(game, sibling.game, check=bool(node.round[0].facts))
        tree = write(self._repository, sibling.tree, files)
        skip = self._chain.skip(before.commit, number)
        message = message_of(GAMES.word, number, GAMES.line(game), skip)
        commit = self._repository.add_commit(tree, before.commit, message, self._at)
        self.commits[node], self._numbers[node] = commit, number
        return _StorySoFar(game, commit, tree, sizes, waiting)

    def _next(
        self, node: ChatNode, before: Game, turn: Turn, sizes: Mapping[int, int], waiting: Iterable[Pending]
    ) -> Game:
        state, number = before.state, turn.number
        summary = next((m.summary for m in reversed(node.round) if m.summary), state.rolling_summary)
        is_newest = node in self._newest and not node.children
        forgotten = number - (REMEMBERED if is_newest else REMEMBERED_INSIDE)
        state = state.model_copy(
            update={
                "turn": number,
                "present": turn.stage.here if turn.stage else turn.witnesses or state.present,
                "views": {
                    name: cut_view(view[-VERBATIM_TURNS[1] :], sizes, VIEW_TOKENS)
                    for name, view in add_to_views(state.views, turn).items()
                },
                "rolling_summary": summary,
                "last_summarized_turn": max(state.last_summarized_turn, _summarized(sizes, number)),
                "pending": tuple(work for work in waiting if work.turn > forgotten),
                "unremembered": max(0, forgotten),
            }
        )
        return replace(before, state=state, turns={number: turn})

    def _turn(self, node: ChatNode, number: int, chapter: str) -> Turn:
        first, ids = node.round[0], self._plan.ids
        named = node.cast if first.witnesses is None else first.witnesses
        hearers = () if first.hidden else tuple(dict.fromkeys(ids[name] for name in named if name in ids))
        entries = tuple(_entries(node.round, ids))
        confidants = _confidants(node.round, self._names)
        turn = Turn(
            number=number,
            chapter=chapter,
            kind="opening" if number == 1 and first.role != "player" else "play",
            entries=entries,
            **attendance(UNCUT, {id: _heard(node.round, ids, confidants, id) for id in hearers}, entries),
            at=next((message.at for message in node.round if message.at), ""),
        )
        ids_by_name = {name: id for id, name in self._plan.pack.names.items()}
        return with_facts(turn, first.facts, {**ids_by_name, **ids}) if first.facts else turn


def _heard(round: Round, ids: Mapping[str, str], confidants: Collection[str], character: str) -> Heard:
    """Return what a character missed: messages it is no hearer of, and what only `confidants` hear and answer."""
    missed = [
        message
        for message in round
        if (message.hearers is not None and character not in [ids.get(name) for name in message.hearers])
        or (
            character not in confidants
            and (message.role != "character" or ids.get(message.name) in confidants)
        )
    ]
    replies = [message for message in round if message.role == "character" and message.name in ids]
    narrated = [message for message in round if message.role != "player" and message not in replies]
    labels = ["1"] if any(message.role == "player" for message in missed) else []
    labels += ["A"] if any(message in missed for message in narrated) else []
    labels += [reply_label(number) for number, message in enumerate(replies) if message in missed]
    return Heard(missed=tuple(labels))


def _confidants(round: Round, names: Names) -> Collection[str]:
    """Return the ids that hear every row of the player's line, of which some may begin with an arrow."""
    confidants = {*names.of}
    for line in (message.text for message in round if message.role == "player"):
        for row in (row for row in spoken(line).split("\n") if addressed_to(row)[0]):
            whisper = whispered(row, names)
            if whisper and whisper.text and whisper.hearers is not None:
                confidants &= {*whisper.hearers}
    return confidants


def _entries(round: Round, ids: Mapping[str, str]) -> Iterator[Entry]:
    for message in round:
        if message.role != "character":
            yield Entry(role=message.role, text=message.text)
        elif message.name in ids:
            yield Entry(role="character", text=message.text, character=ids[message.name])
        else:
            yield Entry(role="narrator", text=f"{message.name}: {message.text}")


def _summarized(sizes: Mapping[int, int], number: int) -> int:
    fewest, most = VERBATIM_TURNS
    room, verbatim_turns = VERBATIM_TOKENS, 0
    while verbatim_turns < min(number, most) and (
        verbatim_turns < fewest or room >= sizes.get(number - verbatim_turns, 0)
    ):
        room -= sizes.get(number - verbatim_turns, 0)
        verbatim_turns += 1
    return number - verbatim_turns


def _originals(plan: ChatPlan) -> Contents:
    files: Contents = {"imported/report.yaml": yaml.dump(plan.report.as_json())}
    for place, chat in enumerate(plan.chats, 1):
        ending = "jsonl" if chat.source.endswith(".jsonl") else "json"
        for part, data in enumerate(original_parts(chat)):
            files[f"imported/{place:03d}-{part:02d}.{ending}"] = data
    return files


def original_parts(chat: Chat) -> list[bytes]:
    data = chat.original.encode(errors="replace")
    return [data[at : at + ORIGINAL_PART_BYTES] for at in range(0, len(data), ORIGINAL_PART_BYTES)]
