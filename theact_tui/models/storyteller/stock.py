"""Neutral prose for what a pack's script leaves out. It fits any world: no period, no machine, no weather of its own."""

from __future__ import annotations

from theact_tui.story.script import ActionKind

ECHOES: dict[ActionKind, tuple[str, ...]] = {
    "look": (
        "{Act}. It takes a moment before the details come forward.",
        "{Act}, and you take your time over it.",
        "{Act}. What you see first is not what matters; that comes a little later.",
    ),
    "go": (
        "{Act}. The ground is not quite what it seemed from where you stood.",
        "{Act}, and what you left behind is soon out of sight.",
        "{Act}. It is further than it looked.",
    ),
    "talk": (
        "{Act}.",
        "{Act}. The words stay in the air for a moment.",
        "{Act}. It sounds louder than you meant it to.",
    ),
    "take": (
        "{Act}. It is not quite what you expected, or you are more tired than you thought.",
        "{Act}, and nobody stops you.",
        "{Act}. Your hands know what to do before you have decided.",
    ),
    "fight": (
        "{Act}. For a breath there is nothing but the rush of blood in your ears.",
        "{Act}, and there is no taking it back.",
        "{Act}. It is over faster than you could tell it.",
    ),
    "wait": (
        "{Act}. Time passes, not much of it.",
        "{Act}, and the world goes on without asking you.",
        "{Act}. Sometimes that is all there is to do.",
    ),
    "other": (
        "{Act}. It takes as long as it takes.",
        "{Act}, and for the moment nothing else is asked of you.",
        "{Act}. That much is done, and it stays done.",
    ),
}
"""By kind of action."""

BRAWL = (
    "It never comes to that. A hand on your sleeve, a step back, a long look, and the moment has passed; but it was "
    "seen, and it will be remembered.",
    "It ends before it begins: there is a short, breathless tangle of arms, and then distance again, and a silence "
    "that has something new in it.",
)
"""Told when the player goes for one of the cast."""
NOT_HERE = ("if {name} were here.", "but {name} is somewhere else.")
"""After `You would ...,`: told of a deed meant for somebody who is not there."""
AWAY = ("But {name} is not here to hear it.", "There is no answer; {name} is somewhere else.")

SUCCESS: dict[str, tuple[str, ...]] = {
    "go": (
        "You get there, out of breath and in one piece.",
        "Foot by foot it goes, and then the worst of it is behind you.",
    ),
    "fight": (
        "It goes your way: the first move was yours, and so is the last.",
        "You are quicker than you had any right to be, and it is enough.",
    ),
    "talk": (
        "And it works; you can see the words arrive.",
        "You find the right tone at the right moment, and something gives.",
    ),
    "other": (
        "It works, and more smoothly than you dared hope.",
        "It holds. It was a near thing, but it holds.",
        "Your luck and your hands agree for once, and it is done.",
    ),
}
FAILURE: dict[str, tuple[str, ...]] = {
    "go": (
        "You get halfway and no further, and have to come back the way you went.",
        "Your foot finds nothing where something should be, and you end where you began, with a new bruise.",
    ),
    "fight": (
        "It goes wrong from the first moment, and you come out of it bruised and empty-handed.",
        "You are a heartbeat too late, and you pay for it.",
    ),
    "talk": (
        "It does not work. The words come out wrong, and you can see them fall short.",
        "You might as well have said nothing; if anything, you have made it harder.",
    ),
    "other": (
        "It does not work. You feel it slip at the very moment when it counts.",
        "It goes wrong, not badly, but wrong, and you are left with scraped hands and nothing to show.",
        "Luck is elsewhere. You get halfway, no further, and have to let it go.",
    ),
}
TRIUMPH = ("It could not have gone better if you had practised it for a year.",)
DISASTER = ("It could hardly have gone worse, and you will feel it for a while.",)

QUIET = (
    "For a while nothing follows from it. The light moves a hand's breadth. Somewhere a small sound begins, goes on "
    "just long enough to be noticed, and stops. You have the feeling that this place is waiting, not for you in "
    "particular, but you are the one who is here.",
    "It leads to nothing yet, and still it was not for nothing: you know a little better now where you stand, how "
    "far it is to the next thing that matters, and who would come if you called. That is more than you knew a short "
    "while ago. What comes next is not far off.",
    "You stop and let things settle. Breath, heartbeat, the creak of something under its own weight. What you did "
    "just now has changed little that can be seen, but a thing begun has its own pull, and you can feel the next "
    "step ahead of you like a stair in the dark.",
    "A pause comes, of the kind that is not rest. Everyone has something to do with their hands. Nobody says what "
    "all of you are thinking, that it cannot stay like this, and that whatever is coming would be better met "
    "standing up. The moment stretches, thin and clear.",
    "You go over it again in your mind, what you have seen and in what order, and it still does not add up; one "
    "piece is missing, and it is the piece in the middle. All the same you are surer now than you were. Some things "
    "are only found by going on.",
    "Small things hold your attention: a scratch at the height of a hand, a smell that does not belong, the way the "
    "shadows lie. None of it is an answer. Together they are something like a question, and it seems to be put to "
    "you. You turn it over and keep it for later.",
    "There is a moment in every story when it could still go either way, and you have the odd certainty that this "
    "is one. Then it is past. Nothing has happened, and everything is a little nearer than before. You shift your "
    "weight and listen.",
)
"""Told when nothing else is left for a turn without a beat."""

AFTER = (
    "The great thing is over, and the world has not noticed that it should stop. There is washing to be done, there is "
    "the question of supper. You stand about in it like a guest who has stayed on and begins to be useful. Nobody asks "
    "anything of you. It takes some getting used to.",
    "You go back over the old ground, for no reason that you could give. Here it was, and here. It is smaller than you "
    "remember, as places are. Something you dropped at the time still lies where you dropped it. You leave it there.",
    "Somebody wants to hear it told from the beginning. You tell it, and notice that you tell it well, and that it is "
    "already not quite how it was. The parts that hurt have grown handles. You put it down carefully when you are done.",
    "An evening without a task. The light goes slowly, and nobody hurries to replace it. What there was to say has been "
    "said, most of it, and the rest keeps. It is quiet in the way of a house in which everyone is at home.",
)
"""Told when the player goes on after the end."""

LEADS = (
    "You do not have to wait long.",
    "And then the day takes its turn.",
    "What comes next comes quickly.",
    "There is no telling afterwards how it began.",
    "It is now that it happens.",
    "One thing leads to another, as things do.",
    "You feel it before you see it.",
    "Then everything moves on at once.",
)
CLOSES = (
    "You stand in the middle of it, and for a moment nobody says anything. It is done, it cannot be taken back, and "
    "the question is what you make of it now.",
    "It changes more than it seems to at first. You can tell by the silence afterwards, and by the way your own "
    "thoughts have started to run ahead of you.",
    "You take it in piece by piece. Some of it you had half expected. The rest will need time, and time is what you "
    "may not have.",
    "Nothing about it is loud. But you know, as one sometimes does, that there will be a before and an after, and "
    "that this was the line between them.",
    "When it is over you are still where you were, and yet not quite in the same place. The way ahead is a little "
    "plainer. The way back is not.",
    "You let out the breath you were holding. There is more to come, that much is clear, and it will not wait until "
    "you are ready.",
)

UNKNOWING = (
    "That I cannot tell you.",
    "I have no answer to that. Not yet.",
    "Ask me something easier.",
    "I wish I knew.",
    "Not now. Ask me again when there is time.",
    "You ask me too much.",
    "I would tell you if I could.",
    "Who could say?",
)
"""In front of a line that does not answer the question it was asked."""
GESTURES = (
    "{name} says it in a low voice, and to you.",
    "{name} nods, more to the thought than to you.",
    "It is not much, but {name} means it.",
    "{name} looks at you a moment longer before turning away.",
    "With that {name} leaves it be.",
)
IN_MANNER = "{name} has a way of talking that you have come to know: {manner}."
MODEST = (
    "I heard you. Go on; I am with you.",
    "Let us see where this leads before we say more about it.",
    "We have come this far. I do not mean to turn round now.",
    "You do what you think is right. I will say so when I think it is wrong.",
    "Give me a moment. I want to be sure of what I saw.",
    "One step after the other. That is how I have always done it.",
    "I have my own thoughts about this. They can wait.",
)
RECALL = ("I have not forgotten it.", "I keep coming back to one thing.", "There is something I remember.")
NOTHING_YET = "There is little enough to remember so far. Ask me again when we have more behind us."
REPEATED = ("I told you what I know about that.", "You have had my answer to that.")

FEELING: dict[str, tuple[str, ...]] = {
    "tense": ("{name} is on guard.", "{name} does not like the look of this."),
    "calm": ("{name} is calm, for now.", "For the moment {name} is at ease."),
    "urgent": ("{name} feels that there is no time to lose.", "{name} wants to act before it is too late."),
    "mysterious": ("{name} cannot explain it all yet.", "{name} has more questions than before."),
    "humorous": ("{name} can still laugh about it.", "It has done {name} good to laugh."),
    "dramatic": ("{name} feels that much has changed.", "{name} will not forget this."),
    "melancholic": ("{name} is sad about it, and does not say so.", "It has left {name} quiet."),
}
"""The last sentence of a memory summary, by the mood of what was just lived through."""

INTERRUPTED = (
    "{name} has begun to say something, and stops.",
    "Whatever {name} was about to answer, it is not said now.",
    "It would take {name} a moment to answer, and there is no moment.",
    "There is the beginning of an answer from {name}, and no more than the beginning.",
    "{name} would answer; but other things are louder just now.",
    "Nothing comes of it yet, though {name} has heard it well enough.",
    "{name} will have to owe you that one.",
)
"""Told when a scene comes before somebody can answer the player."""
INTERRUPTED_ALL = (
    "But nobody gets as far as an answer.",
    "The answer has to wait.",
    "It is a good question, and it has come at a bad moment.",
    "Nobody answers; something else has the floor.",
    "It will have to be asked again.",
    "For the moment there is no one with a hand free to answer.",
)
CARRIED = (
    "You carry the question along with you; its time will come.",
    "It is a question that keeps, and for now it has to.",
    "There is no answer yet. You take it with you.",
    "That is for later; the hour has other plans.",
)
"""Told when a question comes at the end of a chapter."""
OWED = (
    "You asked me something, before.",
    "I owe you an answer.",
    "To come back to what you asked.",
    "You had a question. I have not forgotten it.",
)
"""What somebody says who can answer at last."""
LACKING = {
    "the": "You look about for the {thing}. There is none here, or none that shows itself.",
    "the+": "You look about for the {thing}. There are none here, or none that show themselves.",
    "your": "You reach for your {thing}, and remember that it is nowhere about you.",
    "your+": "You reach for your {thing}, and remember that they are nowhere about you.",
    "a": "You would want a {thing} for that, and there is none to be had here.",
    "a+": "You would want {thing} for that, and there are none to be had here.",
}
"""Told when the player takes hold of something that this world does not have, by article; with + for several."""
