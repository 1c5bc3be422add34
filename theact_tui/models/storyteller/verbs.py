"""English verbs as players use them: which kind of action each one is, and their forms.

Small on purpose: what is not listed is taken for something the player says.
"""

from __future__ import annotations

import re

from theact_tui.story.script import ActionKind

_KINDS: dict[ActionKind, str] = {
    "look": """look examine inspect study watch search observe read see stare peer glance check scan survey explore
        investigate notice find listen hear smell sniff taste gaze spy view count measure consider regard
        face compare recognise recognize spot seek identify scout""",
    "go": """go walk run climb enter leave return follow step move head cross descend ascend swim crawl jump leap
        creep sneak hurry approach turn back come flee escape march wander row sail ride dive wade hike
        travel continue proceed retreat advance slip dash rush stumble circle lead scramble duck stroll limp
        race squeeze""",
    "talk": """ask tell say speak talk whisper shout call answer reply explain persuade convince greet beg promise
        thank apologise apologize warn suggest lie question yell scream mention joke confess admit argue
        sing pray demand order comfort reassure bargain barter haggle bribe flatter tease insult debate
        negotiate introduce invite announce chat insist propose plead mutter murmur agree disagree nod wave
        smile laugh cry curse hail address inform interview describe recite""",
    "take": """take grab get pick collect gather steal carry lift catch keep pocket fetch borrow hold seize snatch
        accept retrieve save receive claim scoop""",
    "fight": """attack hit fight kill strike punch kick stab shoot slash swing charge shove threaten defend block
        parry wrestle tackle murder slap drown smash destroy break slay hack bite strangle ambush bash cut
        push throw hurl aim fire""",
    "wait": """wait rest sleep stay pause linger hesitate remain relax breathe doze nap stop sit kneel lie""",
    "other": """open close use light put set give hand show make build tie pull dig drink eat drop turn touch press
        ring knock try start begin help free unlock lock pour fill empty wash clean cook mix write draw
        paint mark play dance wear remove change twist shake raise lower point place plant cover uncover fix
        repair mend burn extinguish feed hug kiss embrace stroke pet treat bandage heal bind wrap cast lean
        think remember decide refuse let hang attach connect switch adjust test solve follow bury offer
        share split move sharpen scratch signal tap wipe feel grip tear rip bend work join trust choose
        finish send pass lay prop prepare do practise practice perform sort rub polish toss roll clear blow
        load unload unpack pack trade sell buy pay trace crack force pry drag shift unroll fold unfold
        spread dry warm trap guard bring distract insert screw unscrew plug replace rig brace secure fasten
        tighten loosen ignore reach haul shut flip strip swap slide stand rise crouch hide sigh groan shrug
        grin frown blink yawn gasp sob weep tremble shiver sneeze faint bow spit whistle clap knit sew stack
        pile sweep shovel scrape carve hunt fish drive steer board land mount dismount bet gamble deal glue
        hoist heave wedge nail weave spin stab bleed shed sink wring pluck gather pet lick chew swallow spill""",
}
KIND_OF: dict[str, ActionKind] = {
    verb: kind for kind in reversed(list(_KINDS)) for verb in _KINDS[kind].split()
}
"""The kind of action of every known verb, in its base form."""

_IRREGULAR = """be was, go went, run ran, leave left, come came, flee fled, swim swam, ride rode, dive dived,
    stand stood, rise rose, sit sat, kneel knelt, creep crept, hide hid, lie lay, slip slipped, see saw, hear heard,
    read read, tell told, say said, speak spoke, sing sang, take took, get got, steal stole, catch caught, keep kept,
    hold held, fight fought, hit hit, strike struck, shoot shot, swing swung, slay slew, bite bit, cut cut,
    throw threw, sleep slept, light lit, put put, set set, give gave, make made, build built, dig dug, drink drank,
    eat ate, ring rang, begin began, write wrote, draw drew, wear wore, shake shook, feed fed, cast cast,
    think thought, let let, hang hung, feel felt, tear tore, bend bent, choose chose, send sent, lay laid, do did,
    have had, split split, break broke, lead led, bind bound, find found, know knew, blow blew, sell sold, buy bought,
    pay paid, spread spread, bring brought, seek sought, leap leapt, slide slid, shut shut, stick stuck, lose lost,
    understand understood, forget forgot, bury buried, forgive forgave, mean meant, lend lent, offer offered,
    bleed bled, fall fell, grow grew, freeze froze, shine shone, burst burst, shed shed, sink sank,
    wring wrung, spin spun, weave wove,
    enter entered, gather gathered, whisper whispered, wander wandered, answer answered, remember remembered,
    consider considered, cover covered, uncover uncovered, murmur murmured, mutter muttered, listen listened,
    visit visited, admit admitted, prefer preferred, regret regretted, hammer hammered, open opened, am was,
    are were, is was, has had, does did, can could, will would, must had to"""
MORE_VERBS = frozenset(
    """add mean seem become appear belong happen matter lower crack slip flicker drift rain snap drip sway tilt creak roar
    bark hiss flash glow echo hum spill fade settle rattle shudder scatter loom lurch spark smoke rush want need hope love
    hate fear trust distrust own owe live allow miss watch stare strain gape lean""".split()
)
"""Verbs in their base form that things do, and feelings; no action of a player's."""
PAST: dict[str, str] = dict(pair.split(" ", 1) for pair in re.split(r",\s+", _IRREGULAR.strip()))
"""Past forms that no rule makes, by base form."""
_BASE = {past: base for base, past in PAST.items() if base in KIND_OF} | {
    "lying": "lie", "lies": "lie", "tying": "tie", "ties": "tie", "lit": "light", "leaned": "lean", "lay": "lie",
    "left": "leave", "read": "read",
}  # fmt: skip


def past(verb: str) -> str:
    """The past form of a base form: `grab` becomes `grabbed`."""
    if verb in PAST:
        return PAST[verb]
    if verb.endswith("e"):
        return verb + "d"
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ied"
    if re.fullmatch(r"(?:[^aeiou]*|.*qu)[aeiou][^aeiouwxy]", verb):
        return verb + verb[-1] + "ed"
    return verb + "ed"


def plain_form(verb: str) -> str:
    """The base form of a third person present form: `watches` becomes `watch`."""
    special = {"is": "are", "has": "have", "does": "do", "goes": "go", "was": "were"}
    if verb in special:
        return special[verb]
    if re.search(r"[^aeiou]ies$", verb):
        return verb[:-3] + "y"
    if re.search(r"(?:ss|ch|sh|x|zz)es$", verb):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb


def base(word: str) -> str | None:
    """The known verb of which `word` is a form (`looks`, `looked`, `looking`), or None."""
    for candidate in _bases(word):
        if candidate in KIND_OF:
            return candidate
    return None


def _bases(word: str) -> list[str]:
    made = [word, _BASE.get(word, word)]
    if word.endswith("s"):
        made.append(plain_form(word))
    for ending in ("ed", "ing"):
        if word.endswith(ending) and len(word) >= len(ending) + 2:
            stem = word.removesuffix(ending)
            made += [stem, stem + "e", stem[:-1] if stem[-1] == stem[-2] else stem]
            if ending == "ed" and stem.endswith("i"):
                made.append(stem[:-1] + "y")
    return made
