"""Texts that repeat themselves because they want to, and loops as small models fall into them; all written for this."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

REFRAINS: dict[str, str] = {
    "three pigs": (
        "The wolf came to the house of straw and knocked. “Little pig, little pig, let me come in.” “Not by the hair of my "
        "chin.” So he huffed and he puffed and he blew the house in. The wolf came to the house of sticks and knocked. "
        "“Little pig, little pig, let me come in.” “Not by the hair of my chin.” So he huffed and he puffed and he blew the "
        "house in. The wolf came to the house of bricks and knocked. “Little pig, little pig, let me come in.” “Not by the "
        "hair of my chin.” So he huffed and he puffed, and the house stood where it was."
    ),
    "three bowls": (
        "She tasted the porridge from the first bowl. “This porridge is too hot,” she said. She tasted the porridge from "
        "the second bowl. “This porridge is too cold,” she said. She tasted the porridge from the third bowl. “This "
        "porridge is just right,” she said, and she ate it all up and looked about for a chair."
    ),
    "saints": (
        "The old women went down the list without looking up. Saint Anna, pray for us. Saint Bruno, pray for us. Saint "
        "Clara, pray for us. Saint Denis, pray for us. Saint Elmo, pray for us. Saint Florian, pray for us. Saint Gertrude, "
        "pray for us. Saint Hubert, pray for us. Then the candle went out, and nobody lit it again."
    ),
    "mercy": (
        "For the ones on the reef, have mercy. For the ones in the boat, have mercy. For the one who held the lamp, have "
        "mercy. For those who saw it and rowed on, have mercy. For the pilot, who knew, have mercy. And for me, who tell "
        "it, and was dry, have mercy."
    ),
    "remembering": (
        "I remember the stair and the smell of tar. I remember my mother counting the boats. I remember the winter the pump "
        "froze. I remember that nobody cried. I remember a red glove on the ice, and how small it looked, and how I did "
        "not pick it up. I remember the spring, too."
    ),
    "three gates": (
        "The first gate was bronze. The guard lifted his lamp, looked long into her face, and let her pass without a word. "
        "The second gate was silver. The guard lifted his lamp, looked long into her face, and let her pass without a word. "
        "The third gate was gold. The guard lifted his lamp, looked long into her face, and did not step aside."
    ),
    "bottles": (
        "They sang it down the whole valley. Ten green bottles standing on the wall, and if one green bottle should take a "
        "little fall, there'd be nine green bottles standing on the wall. Nine green bottles standing on the wall, and if "
        "one green bottle should take a little fall, there'd be eight green bottles standing on the wall. Eight green "
        "bottles standing on the wall, and there the driver stopped the van and said that he would walk."
    ),
    "chorus between verses": (
        "Haul away, my lads, haul away to the east, the wind is a widow, the moon is a priest.\nOld Tom went over at "
        "Falmouth Light.\nHaul away, my lads, haul away to the east, the wind is a widow, the moon is a priest.\nYoung Ned "
        "took his place that very same night.\nHaul away, my lads, haul away to the east, the wind is a widow, the moon is "
        "a priest.\nAnd nobody asked if the rope was sound.\nHaul away, my lads, haul away to the east, the wind is a "
        "widow, the moon is a priest."
    ),
    "ticking": (
        "Tick. Tock. Tick. Tock. Tick. Tock. The clock has all night. Tick. Tock. You have until it strikes. Tick. Tock. "
        "Tick. And there it is."
    ),
    "shouting": (
        "“No. No, no, no, no, no. No!” He beat on the door with both hands. “No! No, no, no, no!” Then, quietly: “No.”"
    ),
    "mayday": (
        "“Mayday, mayday, mayday. This is the trawler Annie Grey, Annie Grey, Annie Grey. Mayday, Annie Grey. We are taking "
        "water aft.” Hiss. “Mayday, mayday, mayday. This is the trawler Annie Grey. Does anybody hear me?” Hiss, and a "
        "woman's voice, far off, that counts."
    ),
    "chant": (
        "The tin is warm. It's just food. Somebody outside is calling a name that was mine. "
        + "It's just food. " * 11
        + "Then the lamp goes out, and I can hear that nobody is calling."
    ),
    "stay away": "On every door the same two words in chalk: STAY AWAY. STAY AWAY. STAY AWAY. On yours there is a third.",
    "roll call": (
        "“Abbott.” “Here.” “Barnes.” “Here.” “Corrigan.” “Here.” “Dunn.” “Here.” “Ellis.” Nothing. “Ellis.” The sergeant "
        "did not look up. “Fenn.” “Here.” “Gale.” “Here.” “Harker.” “Here.” “Ives.” “Here.” He closed the book."
    ),
    "ledger": (
        "The page says: 3 March, two barrels of salt, paid. 4 March, one barrel of tar, paid. 5 March, six coils of rope, "
        "owed. 6 March, two barrels of salt, paid. 7 March, nothing. 8 March, one lamp, paid. 9 March, one lamp, paid. "
        "10 March, one lamp. The last is in another hand."
    ),
    "pack list": (
        "You lay it all out on the blanket:\n- one torch, with a battery\n- one torch, without a battery\n- one knife, "
        "blunt\n- one knife, yours\n- two tins of peaches\n- two tins without labels\n- a rope of ten metres\n- a rope of "
        "two metres that was one of twelve\n- nothing to open a tin with, but the knife that is blunt."
    ),
    "steps of a recipe": (
        "1. Rinse the rice in cold water until the water is clear.\n2. Soak the rice in cold water for half an hour.\n3. "
        "Drain the rice in a sieve until it no longer drips.\n4. Steam the rice over a low fire until it is done.\n5. Leave "
        "the rice under a cloth until somebody comes home.\n6. Nobody comes home. Eat the rice."
    ),
    "house that was built": (
        "This is the house that Jack built. This is the malt that lay in the house that Jack built. This is the rat that "
        "ate the malt that lay in the house that Jack built. This is the cat that killed the rat that ate the malt that lay "
        "in the house that Jack built. This is the dog that worried the cat that killed the rat that ate the malt."
    ),
    "days": (
        "Day 1. We walked until dark and saw nobody. Day 2. We walked until noon; Ilse's boot is gone. Day 3. We did not "
        "walk. Day 4. We walked until dark, and there was a light that was not a star. Day 5. The light has not moved, and "
        "neither have we. Day 6. It has moved."
    ),
    "what she wants": (
        "She wanted a house with a door that closed. She wanted a door with a key that was hers. She wanted a key that "
        "nobody had a second one of. She wanted, to be honest, not to be asked what she wanted."
    ),
    "ping-pong": (
        "“You first.” “No, you.” “You first.” “No, you.” “You were nearer.” “You were older.” “You first, then.” “No, you.” "
        "The door, which had been listening, opened by itself."
    ),
    "knocking": (
        "Knock. Knock. Knock. You hold your breath. Knock. Knock. Knock. It is lower now, at the height of a child. Knock. "
        "Knock. It is at the height of the floor."
    ),
    "blessing of the boats": (
        "Bless the boat that goes out. Bless the boat that comes back. Bless the boat that goes out and does not come back, "
        "and the one who waits for it, and the one who has stopped. Bless the nets, the knots, the needle. Bless the boy "
        "who is sick over the side and thinks that nobody sees."
    ),
    "spell": "“By ash, by oak, by thorn,” she says. “By ash, by oak, by thorn.” And the third time the thorn answers.",
    "letters": (
        "Dear Tom, the roof leaks. Yours, Ada.\n\nDear Ada, put a pot under it. Yours, Tom.\n\nDear Tom, there is no pot. "
        "Yours, Ada.\n\nDear Ada, then put something else under it. Yours, Tom.\n\nDear Tom, I have put your brother under "
        "it. Yours, Ada.\n\nDear Ada, good. Yours, Tom."
    ),
    "german counting": (
        "Eins, sagt der Fährmann, das ist der Wind. Zwei, sagt der Fährmann, das ist das Kind. Drei, sagt der Fährmann, und "
        "zieht das Tau ein. Vier, sagt der Fährmann, das wirst du sein. Du fragst ihn, was fünf ist, aber er rudert schon, "
        "und er rudert nicht zu dem Ufer, an dem du stehst."
    ),
    "japanese refrain": (
        "雨が降る。屋根に降る。道に降る。誰もいない駅に降る。雨が降る。窓に降る。傘に降る。傘を忘れた人に降る。"
        "雨が降る。そして、夜が来ると、雨は急に歌うのをやめる。あなたは戸口に立って、次の一滴を待っている。"
    ),
    "facts as a form": (
        '{"facts": [{"who": "Ann", "fact": "Ann lent Sam her key."}, {"who": "Bob", "fact": "Bob lent Sam his coat."}, '
        '{"who": "Cy", "fact": "Cy saw the light on the ridge."}, {"who": "Ann", "fact": "Ann has not slept for two '
        'days."}, {"who": "Bob", "fact": "Bob knows the name of the ship."}]}'
    ),
    "beats as a form": (
        '{"beats": ["The tide rises at the wrong hour", "The receiver is saved from the nose of the plane", "Water is '
        'found too easily", "The receiver speaks three letters", "A light on the ridge blinks the same letters", "Nobody '
        'answers the light", "The light goes out"]}'
    ),
    "cast as a form": (
        "characters:\n  - name: Ada Pike\n    role: keeper of the light\n    wants: to be relieved\n  - name: Ned Pike\n    "
        "role: her brother, a pilot\n    wants: to be forgiven\n  - name: Tom Orr\n    role: the man from the board\n    "
        "wants: to be home by dark\n  - name: The Drowned\n    role: they do not say\n    wants: the lamp"
    ),
    "crowd": (
        "“Fire!” somebody says. “Fire!” says the man with the tray. “Fire!” say the two at the window, who have not looked. "
        "“Fire!” says the whole of the upper tier, and gets up. Only the singer, who can see it, goes on singing: it is the "
        "end of the act, and it is her fire."
    ),
}  # fmt: skip
"""Refrains, lists and litanies by name. None of them goes round without end, and none may be cut."""

ROUNDS: dict[str, str] = {
    "locations": 'A place called "Frozen". The moment they discovered it, the snow had already begun to fall on the roof.',
    "waiting": "You wait and listen to the sea, and the sea goes on and on against the stones below the house.",
    "short": "The rain falls on the roof. You wait.",
    "counting": '{"id": "maya", "fact": "Maya counts what is left on the beach."}, ',
    "window": (
        "The wind pulls at the shutter as if it had something to say. Ada does not turn round. “You came back,” she says, "
        "and her hands go on with the rope. You do not know what to answer, and for once nobody seems to need one."
    ),
    "paragraphs": (
        "The lamp burns low, and the shadows on the wall lean towards the door.\n\n“Do you hear it?” Ned asks. His voice is "
        "hardly more than breath.\n\nYou listen. Below the floor something heavy is being moved, very slowly, from one end "
        "of the cellar to the other.\n\n“It is only the water,” you say, and neither of you believes it.\n\nHe nods, and "
        "takes your sleeve, and does not let go of it.\n\n"
    ),
    "list": "- Ask about the map\n- Ask about the key\n- Ask about the man with the lantern\n- Look at the map again\n",
    "german": (
        "Der Regen hört nicht auf, und du stehst noch immer unter dem Dach und wartest auf das Licht im Fenster gegenüber."
    ),
    "japanese": (
        "雨はまだ降っている。あなたは軒下に立って、向かいの窓に灯りがつくのを待っている。"
        "誰も来ない。遠くで犬が鳴いている。夜は長く、道は暗い。"
    ),
    "thought": (
        "Maybe the cave is the answer, maybe the ridge is, and I wonder whether Maya knows which. But first I need to think "
        "about what she saw. "
    ),
}  # fmt: skip
"""One round of a loop by name."""
LEADS = (
    "",
    "You come to the end of the pier, where the boards are new. Nobody has told you why. ",
    "The road bends twice before the house. At the second bend there is a shoe, and at the gate there is the other. You "
    "put them side by side on the step and knock. Somebody laughs inside, and then the key turns, and then for a long "
    "while nothing else happens at all. ",
)
"""What may stand before a loop."""
_WORDS = (
    "salt lamp river borrowed sister under never quickly glass hollow Tuesday feather against morning copper whisper "
    "between garden heavy seven orchard letter slowly ashes window corner honest thunder paper velvet"
).split()
_UNIT = re.compile(r"[^\W\d_\u2e80-\U0003ffff]+|[\u3041-\u9fff]")


@dataclass(frozen=True, slots=True)
class LoopText:
    """A text that loops: `text[:start]` is told before the loop, and `text[:second]` up to the end of its first round."""

    name: str
    text: str
    start: int
    second: int
    share: float
    """Of the words of a round that were changed."""


def changed(text: str, share: float, chance: random.Random) -> str:
    """`text` with this share of its words replaced by others."""
    kana = "雪石風声鳥花火山川心手目"

    def other(word: re.Match[str]) -> str:
        if chance.random() >= share:
            return word[0]
        return chance.choice(kana if word[0] > "\u3000" else _WORDS)

    return _UNIT.sub(other, text)


def loops(rounds: int = 12, seed: int = 28) -> Iterator[LoopText]:
    """Loops in which 0, 5, 10 and 20% of the words of each round are changed, in two manners: against the first round,
    and against the one before."""
    chance = random.Random(seed)
    for name, one in ROUNDS.items():
        for lead in LEADS:
            for share in (0.0, 0.05, 0.1, 0.2):
                for drifts in (False, True):
                    base = one if one[-1:].isspace() or name == "japanese" else f"{one} "
                    told = [base]
                    for _ in range(rounds * max(1, 120 // len(base))):
                        told.append(changed(told[-1] if drifts else base, share, chance))
                    manner = "drifts" if drifts else "varies"
                    label = f"{name}, {share:.0%} {manner}, after {len(lead)}"
                    yield LoopText(label, lead + "".join(told), len(lead), len(lead) + len(base), share)
