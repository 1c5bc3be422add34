"""Turns of phrase by which a player's sentence is told to be a deed, a wish, a state or something said."""

from __future__ import annotations

import re

from theact_tui.story.script import ActionKind

FILLER = re.compile(
    r"^(?:(?:and|then|so|now|next|first|finally|ok|okay|well|just|again|also)\b[,:]?\s+)+", re.I
)
PRONOUNS = {
    "i": "you", "i'm": "you're", "im": "you're", "i've": "you've", "ive": "you've", "i'll": "you'll",
    "i'd": "you'd", "me": "you", "my": "your", "mine": "yours", "myself": "yourself", "we": "you", "us": "you",
    "our": "your", "ours": "yours", "ourselves": "yourselves", "we're": "you're", "we'll": "you'll",
    "we've": "you've",
}  # fmt: skip
QUESTION = frozenset(
    "what where who whom whose why how which am is are was were does did has do can could will shall".split()
)
SUBJECTS = frozenset("i you we they i he she it that this there the these those anyone somebody not".split())
WANTS = (
    r"(?:'ll|will|shall|want\s+to|would\s+like\s+to|'d\s+like\s+to|wanna|gonna|'m\s+gonna|(?:am|'m)\s+going\s+to"
    r"|(?:am|'m)\s+about\s+to|decide\s+to|need\s+to|have\s+to|must|should|choose\s+to|start\s+to|begin\s+to"
    r"|start|begin|intend\s+to|plan\s+to|get\s+ready\s+to|would|do)"
)
INTENT = re.compile(rf"^i\s*{WANTS}\s+(?P<adverb>\w+ly\s+|just\s+|now\s+|also\s+)?(?P<verb>[\w'-]+)", re.I)
DOING = re.compile(r"^(?:i\s+am|i'm|im|i\s+was)\s+(?P<adverb>\w+ly\s+)?(?P<verb>[\w-]+ing)\b", re.I)
STATES = frozenset(
    """think believe know guess hope remember agree disagree promise suggest want love like hate wonder need wish am
    was have had doubt mean understand trust see hear dont don't cant can't cannot can could would didn't didnt
    die should may might won't wouldn't couldn't shouldn't never suppose fear swear feel mustn't haven't""".split()
)
STATE_OR_DEED = re.compile(
    r"^(?:think|wonder|hear|see)\s+(?:about|of|back|over|through|if|whether|to)\b|^have\s+a\b"
    r"|^feel\s+(?:the|my|for|around|along|under|behind|inside|his|her)\b|^(?:agree|promise|trust|swear)\s+to\b",
    re.I,
)
SUBORDINATE = re.compile(
    r"^(?:(?:with|using|from|in|on|at|without|for|to|\w+ly)\b[^.]*?[,\s]"
    r"|(?:when|while|as|if|after|before|once|because|since)\b[^.]*?,\s+)i\s+(?P<verb>[\w'-]+)",
    re.I,
)
ATTEMPT = re.compile(r"^(?:can|could|may)\s+(?:i|we)\s+(?:please\s+)?(?P<rest>(?P<verb>\w+)\b[^?]*)", re.I)
WISH = re.compile(
    r"i\s*(?:want|would like|'d like|need|wish)\s+to\s+(?:go home|leave\W*$|leave here|get out of here|know|understand"
    r"|believe|live|die|be|have|talk|speak)\b",
    re.I,
)
"""What is said rather than done."""
ASKED_LEAVE = re.compile(
    r"(?:(?:come|go) (?:back|home|now|with)|come|leave|return|stay|rest|sleep|wait|trust|think|remember|decide|help"
    r"|have|keep|go$)\b|.*\byou\b",
    re.I,
)
"""After "can I": what is asked of others rather than tried."""
TO_ME = re.compile(r"^\w+(?:\s+(?:to|at|with|for))?\s+(?:me|us)\b", re.I)
SEEN_CLOSER: tuple[tuple[str, ActionKind], ...] = (
    (r"turn (?:on|off|the|it)\b", "other"),
    (r"stop \w", "other"),
    (r"go to (?:sleep|bed)\b", "wait"),
    (r"(?:say|do) nothing\b", "wait"),
    (r"get (?:up|dressed|ready|undressed)\b", "other"),
    (r"get (?:in|out|on|off|down|away|back|to|closer|inside|outside|into|across)\b", "go"),
    (r"(?:take|hold|grab|catch|get|lift|carry|save) (?:her|him|them|his|their)\b", "other"),
    (r"(?:take|have) a (?:look|peek|glance)\b", "look"),
    (r"(?:take|have) a (?:walk|stroll|step|swim)\b", "go"),
    (r"(?:take|have) a (?:rest|nap|break|breath|seat)\b", "wait"),
    (r"(?:make|light|build|put out) ", "other"),
)
"""Turns of phrase whose verb says little about the kind of action."""
SOMEBODY = re.compile(r"you (?:\w+ly )?[a-z]+ (?:hold of |on to |the )?[A-ZÀ-Þ]")
"""What is taken is a person."""
CALLS = re.compile(
    r"^(?:help|thanks|cheers|greetings|come (?:on|here|back|along)|calm down|shut up|hang on|hold on"
    r"|stop (?:it|that)|watch out|look out|go away|wait (?:up|a minute|a moment|a second)|look here)$",
    re.I,
)
THE = frozenset(
    """take get grab examine open close use inspect drop light read push pull climb enter search attack hit kick touch
    break lift unlock lock raise lower turn press burn steal catch fix repair wash pick eat drink use cut check search
    give throw put""".split()
)
BARE = frozenset(
    """around up down in out back away on off over under through forward home here there everything nothing something
    anything everyone nobody someone somebody him her it them him himself this that these those all both one two
    three left right north south east west inside outside upstairs downstairs again cover shelter aim heart notes
    note stock turns courage me us you mine hers his theirs both more some none water food dinner lunch breakfast tea
    coffee lots""".split()
)
BETWEEN = frozenset("on with to in into at from onto over under off".split())
"""What stands between two things in a hurried order: `use axe on coconut`."""
OWN = frozenset("pockets pocket hands hand shoes boots jacket coat bag eyes hair face clothes watch".split())
"""Things that are the player's own, when nothing else is said."""
SAID_TO_YOU = re.compile(
    r"(?:look|sound|smell|feel|taste) (?!at|around|for|up|down|in|out|into|over|behind|under|through|back|to|closer|like)"
    r"|\w+ first\b",
    re.I,
)
"""After "you": what is said to somebody rather than done, such as "you look tired"."""
IDLE_ADVERBS = frozenset("probably really actually maybe just also definitely simply".split())
VERB_AND_OBJECT = re.compile(
    r"([A-Za-z]{3,}) (?:the|an?|my|his|her|their|with|into|onto|it|him|them|up|down|around|through|over|under|towards)\b",
    re.I,
)
NO_VERBS = frozenset(
    """yes not maybe because but and for nor yet although though nothing everything something all both only even just
    still then well oh ah what where who why how which whose there here these those this that they his her their
    our your more less better perhaps never always sorry thanks god damn hell wow from about like one two three good bad
    until unless since while when before after with without under over into onto through half such than rather quite
    come hopefully except except neither either""".split()
)
"""Words that may stand before an article without being verbs."""
GREETING = re.compile(
    r"^(?:(?:hello|hi|hey|good (?:morning|day|evening)|excuse me|sorry|please|well|so|but|and|ok|okay|wait)[,.!]?\s+)+",
    re.I,
)
"""What may come before a question."""
COMMON_WORDS = frozenset(
    """a about after again all also am an and any anybody anyone anything are as at away back bad be because been before
    being better but bye bloody can child children could day dead did do does doing done damn don door down else even
    ever every everybody everyone everything eat fast favorite favourite feel few fine find first food for friend from
    fun fuck fucking funny get give go god going good goodbye got great had happen happened has hate have he hell hello
    help her here hey hi him his home hope how idiot idiots if in into is it its just keep kill know lady last later
    leave let like little long look lot love man many matter maybe me mean mind money more morning most much must my
    name need never new next nice night no nobody none not nothing now of off oh ok old on once one only or other our
    out over own people person place please probably promise quick quiet ready really right run said same say see
    shall she should show shut sir so some somebody someone something soon sorry stay still stop story stupid such sure
    take talk tell than thank thanks that the their them then there they thing things think this those time to today
    together told tomorrow too true trust try two under understand until up us very wait want was water way we well went
    were what when where which who why will wish with without woman word work world would wow wrong year years yes yet
    you your yours yourself m s t re ve ll d""".split()
)
"""Everyday words, so that a language can be told from another one."""
