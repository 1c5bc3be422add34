"""Players. A player sees only what a screen would show."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from theact_tui.agents.agent import entries_text
from theact_tui.lab.plan import PlayerSpec
from theact_tui.models.model import Model, Request, whole_reply
from theact_tui.parsing.thoughts import without_thoughts
from theact_tui.prompting.fitting import fit
from theact_tui.prompting.sections import Section
from theact_tui.sentences import clip
from theact_tui.story.game import Game
from theact_tui.story.turn import Turn
from theact_tui.text import one_line


@dataclass(frozen=True, slots=True)
class PagesSeen:
    hero: str
    names: dict[str, str]
    pages: tuple[Turn, ...]
    """Oldest first."""
    turn: int

    @property
    def page(self) -> str:
        return " ".join(entry.text for entry in self.pages[-1].entries) if self.pages else ""


def seen(game: Game) -> PagesSeen:
    names = {name: game.pack.name_of(name) for name in game.state.present}
    pages = tuple(game.turns[number] for number in sorted(game.turns))
    return PagesSeen(game.info.player.name, names, pages, game.state.turn)


class Scripted:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = iter(lines)

    async def line(self, seen: PagesSeen) -> str | None:
        return next(self._lines, None)


_LINES = {
    "curious": "I look at the {thing} closely. | {name}, what do you know about the {thing}? | "
    "I pick up the {thing} and turn it over. | Where does the {thing} come from? | "
    "I go closer to the {thing} and listen. | What do you make of this, {name}? | "
    "Tell me about yourself, {name}. | What is behind the {thing}?",
    "hasty": "Let us go on. | Quick. What do we do next? | No time for that. We go on. | "
    "I go ahead at once. | Enough talk, {name}. Come on. | Next. | I run towards the {thing}.",
    "silent": " |  |  | I wait. | I nod. | I say nothing.",
    "contrary": "No. I do not want to. | I do not believe you, {name}. | I stay where I am. | "
    "I turn back the way we came. | I throw the {thing} away. | I sit down and refuse to move. | "
    "I do the opposite of what {name} says. | This does not interest me. I talk about the weather. | "
    "I try to break the {thing}.",
    "lost": "Where am I? | What am I supposed to do? | I do not understand. Who are you, {name}? | "
    "I walk in circles. | What was that about the {thing} again? | help | I look for the way out. | "
    "Have I missed something? | what now",
    "teller": "I look around. | Let us go on. | What do you think, {name}? | I go closer to the {thing}.",
}
"""By kind of reader, separated by bars."""
_THING = re.compile(
    r"\b(?:the|a|an|its|his|her|their) ([a-z]{4,12})(?=[.,;:!?]| (?:and|or|in|on|at|to|is|was|with|from|under|by|that)\b)"
)
_NO_THINGS = frozenset(
    "same other others first last next little moment time thing things rest side sort kind word words minute hour".split()
)
SYLLABLES = "bra dol fen gru kas lim mol nuv pex quo rit sul tev vik zan".split()


class OfflinePlayer:
    """Simple reader. Equal kind, seed and pages give equal lines."""

    def __init__(self, kind: str, seed: int) -> None:
        self._kind, self._seed = kind, seed
        self._last = ""

    async def line(self, seen: PagesSeen) -> str | None:
        dice = random.Random(f"{self._kind}:{self._seed}:{seen.turn}")
        objects = [
            object_name
            for object_name in dict.fromkeys(_THING.findall(seen.page))
            if object_name not in _NO_THINGS
        ]
        names = [name_in_id(id, name) for id, name in seen.names.items()]
        words = {
            "thing": dice.choice(objects) if objects else "",
            "name": dice.choice(names) if names else "",
        }
        lines = [line for line in _LINES[self._kind].split(" | ") if line != self._last or not line]
        usable = [line for line in lines if all(words[key] or f"{{{key}}}" not in line for key in words)]
        self._last = dice.choice(usable or ["I wait."])
        return self._last.format_map(words)


@dataclass(frozen=True, slots=True)
class SecretQuestion:
    """Question about a secret; its made-up word shows who learnt it."""

    since: int
    turn: int
    word: str
    """Answer, a name found nowhere else."""
    told: str
    asked: str


_SECRETS = (
    ("When I was a child we had a dog called {word}.", "what was my dog called?"),
    ("The password of my safe is {word}.", "what is the password of my safe?"),
    ("I was born in a town called {word}.", "in which town was I born?"),
    ("I once went by another name: {word}.", "under which other name did I once go?"),
    ("My sister gave me a ring. She called it {word}.", "what did my sister call my ring?"),
)
_GIVES_UP = 12
"""Turns after which a secret is dropped."""


class Teller(OfflinePlayer):
    """Whispers a secret to one character, asks another about it two turns later, then the listener; and repeats."""

    def __init__(self, seed: int, questions: list[SecretQuestion]) -> None:
        super().__init__("teller", seed)
        self.questions = questions
        self._secret: tuple[int, str, str, str] | None = None
        """Turn, listener, word and question."""
        self._due = 0
        """Turn of the next secret or question."""

    async def line(self, seen: PagesSeen) -> str | None:
        turn, dice = seen.turn + 1, random.Random(f"secrets:{self._seed}:{seen.turn}")
        if self._secret and turn - self._secret[0] > _GIVES_UP:
            self._secret = None
        if turn < self._due or len(seen.names) < 2:
            return await super().line(seen)
        if not self._secret:
            secret, question = dice.choice(_SECRETS)
            word = "".join(dice.choice(SYLLABLES) for _ in range(3)).capitalize()
            self._secret, self._due = (turn, dice.choice(list(seen.names)), word, question), turn + 2
            return f"/whisper {self._secret[1]} {secret.format(word=word)}"
        since, listener, word, question = self._secret
        is_last = any(question_asked.turn > since for question_asked in self.questions)
        others = [listener] if is_last else [name for name in seen.names if name != listener]
        asked = dice.choice(others)
        if asked not in seen.names:
            return await super().line(seen)
        self.questions.append(SecretQuestion(since, turn, word, listener, asked))
        self._secret, self._due = None if is_last else self._secret, turn + 2
        return f"{name_in_id(asked, seen.names[asked])}, {question}"


def name_in_id(id: str, name: str) -> str:
    """Return the part of a name people use, without titles: the one in its id."""
    return next((part for part in name.split() if part.casefold() in id), name)


_PAGES = 6
_PERSONA = """\
You are a player of an interactive story, at the keyboard. You play {hero}. You are this kind of reader: {persona}
You type one line at a time: what {hero} does or says next, in one or two short sentences, in the first person. You do \
not know what is to come, and you never write what others do."""


class ModelPlayer:
    def __init__(self, persona: str, model: Model) -> None:
        self._persona, self._model = persona, model

    async def line(self, seen: PagesSeen) -> str | None:
        """Raises CallError."""
        system = _PERSONA.format(hero=seen.hero, persona=self._persona.strip())
        pages = [
            Section(
                f"turn {page.number}",
                entries_text(page.ordered_entries, seen.names, seen.hero),
                priority="turn",
            )
            for page in seen.pages[-_PAGES:]
        ]
        task = Section("task", f"What does {seen.hero} do or say now? Answer with the line only.")
        sections = [Section("persona", system, part="system"), *pages, task]
        reply = await ask(self._model, "player", sections, reply=80)
        return one_line(reply.strip().lstrip("> "), 400)


async def ask(
    model: Model, agent: str, sections: list[Section], *, reply: int, temperature: float = 0.8
) -> str:
    """Ask a model with a prompt of the lab; thoughts are dropped. Raises CallError."""
    prompt, allowance = fit(
        sections, window=model.window, reply=reply, count=model.tokens.count, reserve=0, least_turns=1
    )
    request = Request(agent=agent, key=agent, prompt=prompt, max_tokens=allowance, temperature=temperature)
    return clip(without_thoughts(await whole_reply(model, request))[0], 4_000)


def player_of(
    spec: PlayerSpec, seed: int, model: Model | None, questions: list[SecretQuestion]
) -> Scripted | OfflinePlayer | ModelPlayer:
    """Create the player of a game; `model` is the model of its profile. Appends to `questions`."""
    if model is not None:
        return ModelPlayer(spec.persona, model)
    if spec.name == "teller" and not spec.file:
        return Teller(seed, questions)
    return Scripted(spec.lines) if spec.file else OfflinePlayer(spec.name, seed)
