"""Twenty moments of the four packs: of each a page and a reply, put as the program puts them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from tests.support.storyteller_games import Table
from theact_tui.agents.character import CHARACTER
from theact_tui.agents.narrator import NARRATOR
from theact_tui.engine.agent_runner import AgentRunner, PreparedCall
from theact_tui.engine.bus import Bus
from theact_tui.models.discovery import is_small
from theact_tui.models.model_for_agent import Offline
from theact_tui.packs.listing import shipped_folder
from theact_tui.packs.loader import load_pack
from theact_tui.parsing import ReplyContext
from theact_tui.story.agent_views import narrator_view
from theact_tui.story.character_view import apply_turn, viewpoint_of
from theact_tui.story.game import Game, Spoken
from theact_tui.story.pack import Pack
from theact_tui.story.perception import perceive
from theact_tui.story.scene import scene_of
from theact_tui.story.steering import Steering
from theact_tui.story.turn import Entry, Ruling, StageForm, Turn
from theact_tui.story.views import NarratorView, Viewpoint, without_secrets
from theact_tui.storyteller import Storyteller


@dataclass(frozen=True)
class Scene:
    """A line of the player after others, told by the offline storyteller; `page` is what the reply answers, if not its."""

    id: str
    pack: str
    line: str
    answers: str
    before: tuple[str, ...] = ()
    chapter: str = ""
    ruling: str = ""
    german: tuple[tuple[str, str, str], ...] = ()
    """Turns in German instead of those before: the line, the page, and a reply of who answers."""
    page: str = ""


ISLAND, NINE, SALT, PIT = "lost-island", "guest-in-nine", "salt-road", "horsell-pit"
SCENES = (
    Scene("island opening", ISLAND, "I get up and look along the beach.", "maya"),
    Scene("island question", ISLAND, "“Maya, how bad is it? Be honest,” I ask.", "maya", ("",)),
    Scene("island move", ISLAND, "I walk along the beach to the wreck with Joaquin.", "joaquin", ("", "I sit up.")),
    Scene(
        "island whisper", ISLAND,
        "I lean close to Maya and whisper: “He knew where the water was. Don't drink it.”", "maya", ("", "I sit up."),
    ),
    Scene(
        "island danger", ISLAND, "I wade into the surf and pull at the receiver before the nose sinks.", "maya",
        ("", "I take stock with Maya and Joaquin."), ruling="Failure: it goes wrong, and it costs something",
    ),
    Scene(
        "island after a beat", ISLAND, "I sit down next to Maya and drink.", "maya",
        ("", "I take stock of what we have with both of them.", "I watch the tide come in."),
    ),
    Scene(
        "island chapter", ISLAND, "I follow Joaquin into the trees.", "joaquin", ("", "I watch the light."),
        chapter="02-the-discovery",
    ),
    Scene("nine opening", NINE, "", "dorothy"),
    Scene("nine question", NINE, "“Who is still staying here?” I ask.", "teddy", ("",)),
    Scene("nine move", NINE, "I go down to the kitchen and knock on the open door.", "ines", ("", "I take the keys.")),
    Scene(
        "nine secret", NINE, "“Why is that pocket of yours sewn shut?” I ask Dorothy.", "dorothy",
        ("", "I take the keys and count them."),
    ),
    Scene("nine silence", NINE, "", "teddy", ("", "I sit down at the bar.")),
    Scene("salt opening", SALT, "I heave the first sack onto Bishop.", "imke"),
    Scene(
        "salt danger", SALT, "I wade in and haul Bishop out by the bridle.", "imke", ("", "I walk behind Imke."),
        ruling="Success: it works",
    ),
    Scene("salt question", SALT, "“Whose rope was it?” I ask Sir Odo.", "odo", ("", "I greet Sir Odo.", "I walk on.")),
    Scene("pit opening", PIT, "I walk to the edge of the pit and look down.", "ogilvy"),
    Scene("pit question", PIT, "“What did you signal with, Mr Ogilvy?” I ask.", "ogilvy", ("", "I look down.")),
    Scene(
        "pit whisper", PIT, "I draw Henderson aside and whisper: “Did London believe a word of it?”", "henderson",
        ("", "I look down.", "I wait for Henderson."),
    ),
    Scene(
        "german question", ISLAND, "„Wie lange reicht das Wasser?“, frage ich Maya.", "maya",
        german=((
            "Ich setze mich auf.",
            "Der Sand unter dir ist noch kalt. Draußen auf dem Riff liegt das Flugzeug, die Nase im Wasser, und jede "
            "Welle hebt den linken Flügel ein wenig an. Maya kniet neben einem Koffer und zählt Flaschen.",
            "„Vier Flaschen“, sage ich und klopfe mit dem Bleistift auf den Koffer. „Ich habe zweimal gezählt.“",
        ),),
        page="Maya dreht die Flasche in der Hand, bis das Etikett zur Sonne zeigt. Der Wind trägt den Geruch von Kerosin "
        "heran. Hinter dir kommt Pater Joaquin barfuß den Strand entlang, einen vollen Eimer am Arm.",
    ),
    Scene(
        "german move", NINE, "Ich gehe mit Dorothy die Treppe hinauf.", "dorothy",
        german=((
            "Ich stelle meinen Koffer ab.",
            "Die Halle riecht nach Bohnerwachs und kaltem Rauch. Hinter dem Tresen hängen vierzig Haken, und an einem fehlt "
            "der Schlüssel. Dorothy Vane streicht den Teppich glatt, auf dem du stehst.",
            "„Der Teppich war vor Ihnen da“, sagt sie und zieht ihn gerade.",
        ),),
        page="Die Treppe knarrt auf jeder dritten Stufe. Dorothy geht voraus, die Schlüssel in der Faust, damit sie nicht "
        "klingeln. Auf dem Absatz brennt eine einzige Lampe; unter einer Tür am Ende des Ganges liegt ein Streifen Licht.",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Moment:
    """A page or a reply to be told: all that its prompt is made from."""

    id: str
    pack: Pack
    game: Game
    line: str
    page: str
    """What was told before a reply."""
    view: NarratorView | Viewpoint

    @property
    def agent(self) -> Literal["narrator", "character"]:
        return "narrator" if isinstance(self.view, NarratorView) else "character"

    @property
    def speaker(self) -> str:
        """The id of who replies; "" for a page."""
        return "" if isinstance(self.view, NarratorView) else self.view.id

    @property
    def key(self) -> str:
        return f"character:{self.speaker}" if self.speaker else "narrator"

    @property
    def context(self) -> ReplyContext:
        if isinstance(self.view, NarratorView):
            return NARRATOR.context(self.view)
        return CHARACTER.context(self.view)

    @property
    def grammar(self) -> str:
        if isinstance(self.view, NarratorView):
            return NARRATOR.grammar(self.view, "")
        return CHARACTER.grammar(self.view, "")

    def call(self) -> PreparedCall[NarratorView] | PreparedCall[Viewpoint]:
        """The call as the program prepares it, for a window of 8,192 tokens."""
        runner = AgentRunner(Offline(Storyteller(self.pack, 1)), Bus(), pack=self.pack)
        if isinstance(self.view, NarratorView):
            return runner.prepare(NARRATOR, self.view)
        return runner.prepare(CHARACTER, self.view, self.key)


def moments(model: str) -> Iterator[Moment]:
    """All moments, a page and then its reply, as they are put to a model of this name."""
    small = is_small(model)  # its pages are held by a grammar: nobody speaks on them
    for scene in SCENES:
        for moment in _moments(scene, people_speak=not small):
            yield replace(moment, view=_without_secrets(moment.view)) if small else moment


def _without_secrets(view: NarratorView | Viewpoint) -> NarratorView | Viewpoint:
    """Withhold what a turn withholds from a model that tells it."""
    if isinstance(view, NarratorView):
        return replace(view, truth="", cast=without_secrets(view.cast))
    is_shut = view.gate == "shut"
    return replace(view, card=view.card.model_copy(update={"secret": ""})) if is_shut else view


def _moments(scene: Scene, people_speak: bool) -> Iterator[Moment]:
    pack = load_pack(shipped_folder() / scene.pack)
    table = Table(pack, player=pack.game.player.name)
    table.game = replace(table.game, info=table.game.info.model_copy(update={"player": pack.game.player}))
    for line in scene.before:
        table.play(line)
    game = table.game
    for line, page, reply in scene.german:
        game = _told(game, line, page, reply, scene.answers)
    if scene.german:
        game = game.with_state(steering=Steering(language="German"))
    kind = "play" if game.state.turn else "opening"
    if scene.chapter:
        cast = tuple(dict.fromkeys((scene.answers, *pack.chapters[scene.chapter].opening_cast)))
        game = game.with_state(chapter=scene.chapter, beats_hit=(), transition=True, present=cast)
        kind = "transition"
    if scene.answers not in game.state.present:
        game = game.with_state(present=(*game.state.present, scene.answers))
    ruling = Ruling(resolution=scene.ruling, roll=9, difficulty=12, risk=scene.line) if scene.ruling else None
    told = narrator_view(game, kind, scene.line, ruling, 1, people_speak=people_speak)
    yield Moment(f"{scene.id}: page", pack, game, scene.line, "", told)
    page = scene.page or table.teller.answer("narrator", replace(told, earlier=tuple(table.turns)))
    staged = scene_of(game, scene.line)
    form = StageForm.model_validate({"here": list(game.state.present), "answer": [scene.answers]})
    perception = perceive(staged, page, form)
    entries = [Entry(role="player", text=scene.line)] if scene.line else []
    entries.append(Entry(role="narrator", text=page))
    view = viewpoint_of(game, scene.answers, entries, game.state.present, perception=perception)
    view = replace(view, is_brief=not people_speak)
    yield Moment(f"{scene.id}: reply", pack, game, scene.line, page, view)


def _told(game: Game, line: str, page: str, reply: str, speaker: str) -> Game:
    """The game after a turn of these texts, which all who are there perceive."""
    here = tuple(dict.fromkeys((*game.state.present, speaker)))
    entries = (
        Entry(role="player", text=line),
        Entry(role="narrator", text=page),
        Entry(role="character", character=speaker, text=reply),
    )
    form = StageForm.model_validate({"here": list(here), "answer": [speaker]})
    perception = perceive(scene_of(game, line), page, form)
    turn = Turn(
        number=game.state.turn + 1, chapter=game.state.chapter, kind="play", entries=entries, witnesses=here,
        stage=perception.stage,
    )  # fmt: skip
    return apply_turn(game, Spoken(parent="", branch="main", turn=turn, present=here))
