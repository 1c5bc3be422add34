import asyncio
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from theact_tui.agents.author import TROUBLE
from theact_tui.authoring.draft import with_fields
from theact_tui.engine.agent_runner import AgentRunner
from theact_tui.engine.bus import Bus
from theact_tui.errors import CallError, TurnError, UsageError
from theact_tui.importing.pack_file import PackPlan
from theact_tui.importing.report import ImportReport
from theact_tui.models.base import Models
from theact_tui.packs.files import WORLD, character_file
from theact_tui.packs.library import pack_folder
from theact_tui.packs.loader import load_pack
from theact_tui.parsing.forms import TroubleReply
from theact_tui.story.pack import Pack
from theact_tui.story.views import AuthorView
from theact_tui.text import clean, one_line

MAX_LETTERS = 500


@dataclass(frozen=True, slots=True)
class Trouble:
    """Proposal for one character of a pack; an empty text changes nothing."""

    pack: str
    character: str
    name: str
    want: str
    secret: str
    trouble: str
    """Conflict of the whole pack."""

    def texts(self) -> dict[str, str]:
        labelled = {
            f"{self.name} wants": self.want,
            f"{self.name} hides": self.secret,
            "Conflict": self.trouble,
        }
        return {label: text for label, text in labelled.items() if text}


async def propose_trouble(
    packs: Path, id: str, models: Models, refused: Collection[str] = ()
) -> Trouble | None:
    """Propose for the first imported character without want and secret that is not `refused`. Closes `models`.
    Raises UsageError without a model, and TurnError if it wrote nothing usable.
    """
    try:
        folder = await asyncio.to_thread(pack_folder, packs, id)
        pack = await asyncio.to_thread(load_pack, folder)
        lacking = (candidate for candidate in _lacking(pack, folder) if candidate not in refused)
        if folder.parent != packs or (character := next(lacking, None)) is None:
            return None
        if models.for_agent("author").provider == "storyteller":
            raise UsageError(
                "A conflict needs a model. Connect one in the settings, or name one with --model."
            )
        await models.probe()
        return await _proposed(AgentRunner(models, Bus()), pack, id, character)
    finally:
        await models.close()


def use_trouble(packs: Path, trouble: Trouble) -> ImportReport:
    folder = pack_folder(packs, trouble.pack)
    person = {"want": trouble.want, "secret": trouble.secret}
    changes = {character_file(trouble.character): person, WORLD: {"truth": trouble.trouble}}
    contents = {}
    for file, fields in changes.items():
        if filled := {name: text for name, text in fields.items() if text}:
            contents[file] = with_fields((folder / file).read_text("utf-8"), filled).encode()
    report = ImportReport("card", pack=trouble.pack).adding(
        changed=[f"{label}: {text}" for label, text in trouble.texts().items()]
    )
    return PackPlan(packs, trouble.pack, folder, contents, report).write()


def _lacking(pack: Pack, folder: Path) -> Iterator[str]:
    for id, person in pack.characters.items():
        if not (person.want or person.secret) and (folder / "imported" / f"{id}.json").is_file():
            yield id


async def _proposed(runner: AgentRunner, pack: Pack, id: str, character: str) -> Trouble:
    person = pack.characters[character]
    kind = "aims" if pack.world.truth else "trouble"
    view = AuthorView(kind=kind, plan=_story_so_far(pack, character), words={"name": person.name})
    try:
        reply: TroubleReply = (await runner.ask(TROUBLE, view, key="author:trouble")).reply
    except CallError as error:
        raise TurnError(f"No conflict was proposed for {person.name}: {error.message}") from error
    want, secret, trouble = map(_line, (reply.want, reply.secret, reply.trouble))
    if not (want and secret) or (kind == "trouble" and not trouble):
        raise TurnError(f"No conflict was proposed for {person.name}: the model gave no usable text.")
    grows = [_line(step) for step in reply.grows] if trouble else []
    return Trouble(id, character, person.name, want, secret, " ".join(filter(None, [trouble, *grows])))


def _story_so_far(pack: Pack, character: str) -> str:
    page = next(iter(pack.first_chapter.openings), "")
    others = [f"{person.name}: {person.want}" for person in pack.characters.values() if person.want]
    person = pack.characters[character]
    parts = {
        "THE PLACE": pack.world.setting,
        "WHAT IS GOING WRONG": pack.world.truth,
        "THE FIRST PAGE": page,
        "WHAT OTHERS WANT": "\n".join(others),
        f"ABOUT {person.name}": person.personality,
    }
    return "\n\n".join(f"{heading}\n{text.strip()}" for heading, text in parts.items() if text.strip())


def _line(text: str) -> str:
    return one_line(clean(text), MAX_LETTERS)
