"""Scripted comings, goings, whispers and sleeps: nobody knows what was told while they were not there, nobody forgets
what was told while they were.

Words in capitals are traced. Each case ends with a turn in which everybody is there and answers, so that each has a
prompt with all it knows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.fake_model import Scripted, chapter, narration, small_pack, stage
from theact_tui.models.base import Request
from theact_tui.story.hearing import BELIEVED
from theact_tui.story.pack import Character, Pack
from theact_tui.tui.inspector.direction import heard_text

CAST = ("maya", "joaquin", "hen")
ALL = " ".join(CAST)


@dataclass(frozen=True)
class T:
    """A turn: the player's line, what the narrator tells, who is there at its end, who answers, who sleeps."""

    line: str
    told: str
    present: str | None = ALL
    answers: str = ""
    asleep: str = ""
    heard_by: str = ""


@dataclass(frozen=True)
class Case:
    name: str
    turns: tuple[T, ...]
    knows: dict[str, str] = field(default_factory=dict)
    """By character, the traced words it must have."""
    never: dict[str, str] = field(default_factory=dict)
    start: str = ALL
    """Who is there before the first turn."""


BACK = T("We go on.", "Maya Chen, Father Joaquin and Henderson stand around you.", ALL, ALL)

CASES = (
    # --- who goes -------------------------------------------------------------------------------------------------
    Case("an exit in the last paragraph", (
        T("I lift the BOX.", "Joaquin wraps the box, ALFA.\n\nJoaquin walks off into the palms.", "maya hen"),
    ), {"joaquin": "BOX ALFA", "maya": "BOX ALFA", "hen": "BOX ALFA"}),
    Case("an exit in the first paragraph", (
        T("I point, BRAVO.", "Joaquin nods at CEDAR and goes for water.\n\nMaya waits. The box is DELTA.", "maya hen"),
    ), {"joaquin": "BRAVO CEDAR", "maya": "BRAVO CEDAR DELTA"}, {"joaquin": "DELTA"}),
    Case("an exit in the middle of a page of one paragraph", (
        T("Go, ECHO.", "Henderson spits FOXTROT. He is gone. Maya leans in, GOLF.", "maya joaquin"),
    ), {"hen": "ECHO FOXTROT", "maya": "GOLF"}, {"hen": "GOLF"}),
    Case("replies after an exit", (
        T("Well?", "Henderson leaves HOTEL behind.\n\nMaya watches.", "maya joaquin", "maya"),
    ), {"hen": "HOTEL", "joaquin": "SAIDmaya1"}, {"hen": "SAIDmaya1"}),
    Case("an exit that the page does not tell of", (
        T("Off with you, INDIA.", "Rain on JULIET all day.", "maya joaquin"),
    ), {"hen": "INDIA", "maya": "INDIA JULIET"}, {"hen": "JULIET"}),
    Case("one who is talked about after leaving", (
        T("KILO.", 'Joaquin goes.\n\n"Joaquin has a secret," says Maya, "it is LIMA."', "maya hen"),
    ), {"joaquin": "KILO", "hen": "LIMA"}, {"joaquin": "LIMA"}),
    Case("things of one who has left", (
        T("MIKE.", "Joaquin goes for good.\n\nJoaquin's bag holds NOVEMBER.", "maya hen"),
    ), {"joaquin": "MIKE", "maya": "NOVEMBER"}, {"joaquin": "NOVEMBER"}),
    Case("two leave at different places", (
        T("OSCAR.", "Joaquin goes at PAPA.\n\nHenderson stays for QUEBEC, then follows.\n\nROMEO is yours.", "maya"),
    ), {"joaquin": "OSCAR PAPA", "hen": "OSCAR PAPA QUEBEC", "maya": "ROMEO"},
        {"joaquin": "QUEBEC ROMEO", "hen": "ROMEO"}),
    Case("the turns of an absence", (
        T("SIERRA.", "Joaquin walks away.", "maya hen"), T("TANGO.", "UNIFORM glows.", "maya hen", "maya"),
        T("VICTOR.", "Joaquin comes back with WHISKEY.", ALL),
    ), {"joaquin": "SIERRA WHISKEY", "maya": "SIERRA TANGO UNIFORM VICTOR WHISKEY"},
        {"joaquin": "TANGO UNIFORM SAIDmaya2 VICTOR"}),
    Case("one who goes and comes back in one turn", (
        T("XRAY.", "Joaquin goes. Joaquin returns with YANKEE.\n\nZULU.", ALL),
    ), {"joaquin": "XRAY YANKEE ZULU"}),
    Case("one who leaves with a word", (
        T("AMBER.", "Henderson takes BASALT and goes.", "maya joaquin", "hen"),
    ), {"hen": "AMBER BASALT SAIDhen1", "maya": "SAIDhen1"}),
    Case("all leave but one", (
        T("COBALT.", "Henderson and Joaquin go at DUNE.\n\nMaya shows you EMBER.", "maya", "maya"),
    ), {"hen": "COBALT DUNE", "joaquin": "COBALT DUNE", "maya": "EMBER SAIDmaya1"},
        {"hen": "EMBER SAIDmaya1", "joaquin": "EMBER SAIDmaya1"}),
    # --- who comes ------------------------------------------------------------------------------------------------
    Case("an arrival in the last paragraph", (
        T("FLINT.", "Maya talks of GRANITE.\n\nHenderson climbs up with HEMATITE.", "maya hen"),
    ), {"hen": "HEMATITE", "maya": "FLINT GRANITE HEMATITE"}, {"hen": "FLINT GRANITE"}, start="maya"),
    Case("an arrival in the middle of a page of one paragraph", (
        T("IRON.", "Maya hides JASPER. Henderson climbs up. He sees KAOLIN.", "maya hen"),
    ), {"hen": "KAOLIN"}, {"hen": "IRON JASPER"}, start="maya"),
    Case("a line about one who comes later", (
        T("I tell Henderson, when he comes, nothing at all about the LAPIS.", "MARBLE.\n\nHenderson comes.", "maya hen"),
    ), {"maya": "LAPIS MARBLE"}, {"hen": "LAPIS MARBLE"}, start="maya"),
    Case("one who is called and comes", (
        T("I call out to Henderson: bring the NICKEL!", "ONYX.\n\nHenderson comes with PYRITE.", "maya hen"),
    ), {"hen": "NICKEL PYRITE"}, {"hen": "ONYX"}, start="maya"),
    Case("one who is called after something else", (
        T("I give Maya the QUARTZ. I call Henderson: the ROPE!", "Henderson comes with RUBY.", "maya hen"),
    ), {"hen": "ROPE RUBY", "maya": "QUARTZ"}, {"hen": "QUARTZ"}, start="maya"),
    Case("one who is found", (
        T("JADE.", "KELPIE lies here. Somebody kneels by LARCH. He looks up. It is Henderson.", "maya hen"),
    ), {"hen": "LARCH"}, {"hen": "JADE KELPIE"}, start="maya"),
    Case("one who is told to go and named to answer", (
        T("Go up, MOSS.", "Maya goes up the path.\n\nNETTLES.", "joaquin", "joaquin maya"),
    ), {"maya": "MOSS", "joaquin": "NETTLES SAIDjoaquin1"}, {"maya": "NETTLES SAIDjoaquin1", "joaquin": "SAIDmaya1"},
        start="maya joaquin"),
    Case("one who is not called", (
        T("I do not call Henderson, he has no SILVER.", "Henderson comes with TOPAZ.", "maya hen"),
    ), {"hen": "TOPAZ"}, {"hen": "SILVER"}, start="maya"),
    Case("one who is spoken of before coming", (
        T("UMBER.", '"Henderson has the VERDITE," says Maya.\n\nHenderson comes with ZINC.', "maya hen"),
    ), {"hen": "ZINC"}, {"hen": "UMBER VERDITE"}, start="maya"),
    Case("one who looks in and goes again", (
        T("OPAL.", "PEARL.\n\nHenderson has come in. He sees the ROD and walks off into the rain.\n\nSALT.", "maya"),
    ), {"hen": "ROD", "maya": "OPAL PEARL ROD SALT"}, {"hen": "OPAL PEARL SALT"}, start="maya"),
    Case("one who is only spoken of", (
        T("TEAK.", "Henderson went off into ULEX. Maya has come for VELVET.", "maya"),
    ), {"maya": "TEAK ULEX VELVET"}, {"hen": "TEAK ULEX VELVET"}, start="maya"),
    Case("an arrival hears the replies", (
        T("ACORN.", "BIRCH.\n\nHenderson comes.", "maya hen", "maya hen"),
    ), {"hen": "SAIDmaya1 SAIDhen1"}, {"hen": "ACORN BIRCH"}, start="maya"),
    Case("an arrival that the page does not tell of", (
        T("CLOVER.", "DAISY all over.", "maya hen", "maya"),
    ), {"hen": "SAIDmaya1", "maya": "CLOVER DAISY"}, {"hen": "CLOVER DAISY"}, start="maya"),
    Case("one comes as another goes", (
        T("ELM.", "Joaquin goes at FERN.\n\nGORSE.\n\nHenderson comes with HAZEL.", "maya hen"),
    ), {"joaquin": "ELM FERN", "hen": "HAZEL", "maya": "ELM FERN GORSE HAZEL"},
        {"joaquin": "GORSE HAZEL", "hen": "ELM FERN GORSE"}, start="maya joaquin"),
    Case("an answer asked of one who is elsewhere", (
        T("IVY.", "JUNIPER for you and Maya.", "maya", "maya joaquin"),
    ), {"maya": "IVY JUNIPER"}, {"joaquin": "IVY JUNIPER SAIDmaya1", "maya": "SAIDjoaquin1"}, start="maya"),
    Case("an answer asked of one whom nobody brought in", (
        T("KELP.", "LAUREL for you and Maya.", None, "maya joaquin"),
    ), {"maya": "KELP LAUREL"}, {"joaquin": "KELP LAUREL SAIDmaya1"}, start="maya"),
    Case("one who comes by answering", (
        T("MAPLE.", "NETTLE.\n\nJoaquin steps out of OAK.", None, "joaquin"),
    ), {"joaquin": "OAK SAIDjoaquin1"}, {"joaquin": "MAPLE NETTLE"}, start="maya"),
    Case("nobody says who is there", (
        T("PINE.", "QUINCE.", None, "maya"),
    ), {"maya": "PINE QUINCE", "joaquin": "PINE QUINCE SAIDmaya1", "hen": "PINE QUINCE SAIDmaya1"}),
    # --- the player goes from some to others -----------------------------------------------------------------------
    Case("asked about those who stayed behind", (
        T("AGATE. I leave, and pass BAUXITE. I ask Henderson if Joaquin hid BERYL.", "Henderson: CORAL.", "hen", "hen"),
    ), {"hen": "BERYL CORAL", "maya": "AGATE", "joaquin": "AGATE"},
        {"hen": "AGATE", **dict.fromkeys(("maya", "joaquin"), "BAUXITE BERYL CORAL SAIDhen1")}, start="maya joaquin"),
    Case("said to whoever is found, and not to those to whom it was said before", (
        T('I tell Maya about DOLOMITE. I walk over to the wreck. "Is it EMERY?"', "Henderson hums FLUOR.", "hen", "hen"),
    ), {"hen": "EMERY FLUOR", "maya": "DOLOMITE", "joaquin": "DOLOMITE"},
        {"hen": "DOLOMITE", **dict.fromkeys(("maya", "joaquin"), "EMERY FLUOR SAIDhen1")}, start="maya joaquin"),
    Case("a last word before going", (
        T('"Good night, GYPSUM," I say, and walk out.', "You leave Maya with HALITE.\n\nHenderson waits.", "hen", "hen"),
    ), {"maya": "GYPSUM HALITE", "joaquin": "GYPSUM"},
        {"hen": "GYPSUM HALITE", **dict.fromkeys(("maya", "joaquin"), "SAIDhen1")}, start="maya joaquin"),
    Case("asked on the way, with one of two", (
        T("I nod at Joaquin, INDIGO. I walk off to the IVORY. I ask Maya about JASPER.", "LAVA.", "maya", "maya"),
    ), {"maya": "INDIGO JASPER LAVA", "joaquin": "INDIGO IVORY"}, {"joaquin": "JASPER LAVA SAIDmaya1"}, start="maya joaquin"),
    Case("asked at the window, by one who then leaves", (
        T("I go over to the window and ask Joaquin for MICA. I go on about NACRE.", "Joaquin goes.", "maya", "maya"),
    ), dict.fromkeys(("maya", "joaquin"), "MICA NACRE"), start="maya joaquin"),
    # --- whispers and asides --------------------------------------------------------------------------------------
    Case("a whisper", (
        T("I whisper to Maya: the REED is yours.", "SEDGE.", ALL, "maya"),
    ), {"maya": "REED SEDGE SAIDmaya1", "joaquin": "SEDGE"}, dict.fromkeys(("joaquin", "hen"), "REED SAIDmaya1")),
    Case("a whisper that the page repeats", (
        T("I lean over. I whisper to Maya: Is the RUSTY KEY in the OVEN?",
            'You lean over, SMOKE. "Is the rusty KEY in the OVEN?" you whisper. Maya nods. TAR. "In the OVEN?"', ALL, "maya"),
    ), {"maya": "KEY OVEN SMOKE", "joaquin": "SMOKE nods TAR"}, dict.fromkeys(("joaquin", "hen"), "KEY OVEN")),
    Case("a whisper answered by another as well", (
        T("I whisper to Maya: ROOT.", "SEED.", ALL, "maya hen"),
    ), {"joaquin": "SEED SAIDhen1", "maya": "SAIDhen1"}, {"joaquin": "SAIDmaya1", "hen": "ROOT SAIDmaya1"}),
    Case("a whisper in an ear named before", (
        T("I sit down by Maya and whisper in her ear: ASTER.", "BROOM.", ALL, "maya"),
    ), {"maya": "ASTER BROOM SAIDmaya1"}, dict.fromkeys(("joaquin", "hen"), "ASTER SAIDmaya1")),
    Case("words for all before a whisper", (
        T('"We go, CRESS." I turn to Maya and whisper to her: "Not DILL."', "ENDIVE."),
    ), {"joaquin": "CRESS ENDIVE", "maya": "CRESS DILL"}, dict.fromkeys(("joaquin", "hen"), "DILL")),
    Case("what was whispered stands before the word that says so", (
        T("I have the FENNEL. I whisper it to Maya.", "GARLIC."),
    ), {"maya": "FENNEL", "joaquin": "GARLIC"}, dict.fromkeys(("joaquin", "hen"), "FENNEL")),
    Case("words for all after a whisper", (
        T('I whisper to Maya: "HEMP." Then aloud, to Joaquin: "Bring IRIS!"', "JASMINE.", ALL, "maya"),
    ), {"maya": "HEMP IRIS", "joaquin": "IRIS JASMINE"}, dict.fromkeys(("joaquin", "hen"), "HEMP SAIDmaya1")),
    Case("words for when somebody has gone", (
        T('"Go and look, HOPS." When he is out of sight I ask: "Is it INDIGO?"', "Joaquin goes.\n\nRain.", "maya hen"),
    ), {"joaquin": "HOPS", "maya": "HOPS INDIGO"}, {"joaquin": "INDIGO"}),
    Case("words for when somebody sleeps", (
        T('I tuck Joaquin up, HUSK, and wait till he snores. "Is it JADE?"', "Joaquin sleeps.", ALL, "maya", "joaquin"),
    ), {"joaquin": "HUSK", "maya": "HUSK JADE"}, {"joaquin": "JADE"}),
    Case("a whisper in an ear", (
        T('"THYME," I whisper into Father Joaquin\'s ear.', "VETCH."),
    ), {"joaquin": "THYME VETCH", "maya": "VETCH"}, {"maya": "THYME", "hen": "THYME"}),
    Case("a whisper to two", (
        T("I whisper to Maya and Henderson that the WILLOW is hollow.", "YARROW."),
    ), {"maya": "WILLOW", "hen": "WILLOW", "joaquin": "YARROW"}, {"joaquin": "WILLOW"}),
    Case("quietly, so that one cannot hear", (
        T("I ask the priest quietly, so that Maya can't hear: is it ADDER?", "BADGER.", "maya joaquin"),
    ), {"joaquin": "ADDER BADGER", "maya": "BADGER"}, {"maya": "ADDER"}, start="maya joaquin"),
    Case("out of somebody's hearing", (
        T("Out of Henderson's hearing I speak of CRANE.", "DINGO."),
    ), {"maya": "CRANE", "joaquin": "CRANE", "hen": "DINGO"}, {"hen": "CRANE"}),
    Case("a whisper to one who is not there", (
        T("I whisper to Henderson: EGRET.", "FERRET.", "maya joaquin"),
    ), {"maya": "FERRET", "joaquin": "FERRET"}, {"maya": "EGRET", "joaquin": "EGRET", "hen": "EGRET FERRET"},
        start="maya joaquin"),
    Case("talk of a whisper", (
        T("I tell Joaquin of the whisper to Maya, GECKO.", "HERON."),
    ), {"joaquin": "GECKO HERON", "maya": "GECKO HERON"}),
    Case("a whisper as somebody leaves and another comes", (
        T("I whisper to Joaquin: IBEX.", "Joaquin goes at JACKAL.\n\nHenderson comes with KESTREL.", "maya hen"),
    ), {"joaquin": "IBEX JACKAL", "maya": "JACKAL KESTREL", "hen": "KESTREL"},
        {"maya": "IBEX", "hen": "IBEX JACKAL", "joaquin": "KESTREL"}, start="maya joaquin"),
    Case("an aside", (
        T("I'm a nurse (that's a lie, LEMUR), I say to MARTEN.", "NEWT."),
    ), dict.fromkeys(CAST, "MARTEN NEWT"), dict.fromkeys(CAST, "LEMUR")),
    Case("an aside in an aside, and one without an end", (
        T("OTTER (PUMA (QUAIL) RAVEN) and (STOAT", "TAPIR.", ALL, ALL),
    ), dict.fromkeys(CAST, "OTTER TAPIR"), dict.fromkeys(CAST, "PUMA QUAIL RAVEN STOAT")),
    Case("a line that is all aside", (
        T("(I trust nobody, VIPER.)", "WALRUS.", ALL, "maya"),
    ), dict.fromkeys(CAST, "WALRUS"), dict.fromkeys(CAST, "VIPER")),
    # --- what the narrator says that only some hear ----------------------------------------------------------------
    Case("drawn behind the cart, in German", (
        T("Ich ziehe Maya hinter den Karren: SCHUH.", "Maya zeigt dir TINTE.", ALL, "maya", heard_by="maya"),
    ), {"maya": "SCHUH TINTE SAIDmaya1"}, dict.fromkeys(("joaquin", "hen"), "SCHUH TINTE SAIDmaya1")),
    Case("behind somebody's back", (
        T("While Henderson looks away I hand Maya the STAMP.", "Maya hides the TWINE.", ALL, heard_by="maya joaquin"),
    ), dict.fromkeys(("maya", "joaquin"), "STAMP TWINE"), {"hen": "STAMP TWINE"}),
    Case("two who hear, of whom one does not answer", (
        T("Vamos, ABEDUL.", "BREZO para tres.", ALL, "maya", heard_by="maya hen"),
    ), dict.fromkeys(("maya", "hen"), "ABEDUL BREZO SAIDmaya1"), {"joaquin": "ABEDUL BREZO SAIDmaya1"}),
    Case("one who answers has heard it", (
        T("CAOBA.", "DALIA.", ALL, "hen", heard_by="maya"),
    ), dict.fromkeys(("maya", "hen"), "CAOBA DALIA SAIDhen1"), {"joaquin": "CAOBA DALIA SAIDhen1"}),
    Case("one who is spoken to has heard it", (
        T("“Siehst du die EIBE, Joaquin?”", "FLIEDER.", ALL, "maya", heard_by="maya"),
    ), dict.fromkeys(("maya", "joaquin"), "EIBE FLIEDER SAIDmaya1"), {"hen": "EIBE FLIEDER SAIDmaya1"}),
    Case("one who is whispered to has heard it", (
        T("I whisper to Joaquin: ENEBRO.", "FRESNO.", ALL, "", heard_by="maya"),
    ), {"joaquin": "ENEBRO FRESNO", "maya": "FRESNO"}, {"maya": "ENEBRO", "hen": "ENEBRO FRESNO"}),
    Case("a whisper to one of those who hear", (
        T("I whisper to Maya: GINKGO.", "HOLLY.", ALL, "maya", heard_by="maya joaquin"),
    ), {"maya": "GINKGO HOLLY SAIDmaya1", "joaquin": "HOLLY"}, {"joaquin": "GINKGO SAIDmaya1", "hen": "GINKGO HOLLY"}),
    Case("one who is spoken to aloud before a whisper that only another hears", (
        T("I thank Joaquin for the LIMES. I whisper to Maya: MANGO.", "NUTMEG.", ALL, "maya", heard_by="maya"),
    ), {"maya": "LIMES MANGO NUTMEG", "joaquin": "LIMES"}, {"joaquin": "MANGO", "hen": "LIMES MANGO NUTMEG"}),
    Case("a narrator that always names only who answers", (
        *(T(f"ROSE{n}.", f"TULSI{n}.", ALL, "maya", heard_by="maya") for n in range(5)),
    ), dict.fromkeys(("joaquin", "hen"), "ROSE3 TULSI3 ROSE4 TULSI4"),
        dict.fromkeys(("joaquin", "hen"), "ROSE0 TULSI0 ROSE2 TULSI2")),
    Case("a whisper to one who has long been the only one to hear", (
        *(T(f"SORREL{n}.", "Rain.", ALL, "maya", heard_by="maya") for n in range(4)),
        T("I whisper to Maya: TANSY.", "UMBEL.", ALL, "maya", heard_by="maya"),
    ), {"maya": "TANSY UMBEL"}, dict.fromkeys(("joaquin", "hen"), "TANSY UMBEL")),
    Case("a deed before walking off in one sentence", (
        T("I snatch the IMPALA out of the fire and run down to the boat.", "Henderson sits in it, IBEX.", "hen", "hen"),
    ), {"maya": "IMPALA", "hen": "IBEX"}, {"maya": "IBEX", "hen": "IMPALA"}, start="maya"),
    Case("what one who was alone says to somebody without a name", (
        T('I knock at the LLAMA. "Sir, is that a ZEBRA?"', "Joaquin turns round, ACORN.", "joaquin", "joaquin"),
    ), {"joaquin": "ZEBRA ACORN"}, {"joaquin": "LLAMA"}, start=""),
    Case("all who stay hear it", (
        T("INK.", "Henderson goes at JETTY.\n\nKAYAK.", "maya joaquin", "", heard_by="maya joaquin"),
    ), {"hen": "INK JETTY", "maya": "INK JETTY KAYAK"}, {"hen": "KAYAK"}),
    Case("one goes before it is told, another stays unaware", (
        T("LOTUS.", "Henderson goes.\n\nMYRTLE.", "maya joaquin", "maya", heard_by="maya"),
    ), {"maya": "LOTUS MYRTLE"}, dict.fromkeys(("joaquin", "hen"), "LOTUS MYRTLE SAIDmaya1")),
    Case("one comes and does not hear it", (
        T("NARD.", "OLEANDER.\n\nHenderson comes with PALM.", ALL, "maya", heard_by="maya"),
    ), {"maya": "NARD OLEANDER PALM"}, dict.fromkeys(("joaquin", "hen"), "NARD OLEANDER PALM SAIDmaya1"),
        start="maya joaquin"),
    Case("nobody known is said to hear it", (
        T("QUINOA.", "RAPS.", ALL, "maya", heard_by="nobody gulls"),
    ), dict.fromkeys(CAST, "QUINOA RAPS SAIDmaya1")),
    Case("one who is not there is said to hear it", (
        T("SAGE.", "TULIP.", "maya joaquin", "maya", heard_by="hen"),
    ), dict.fromkeys(("maya", "joaquin"), "SAGE TULIP SAIDmaya1"), {"hen": "SAGE TULIP SAIDmaya1"}, start="maya joaquin"),
    Case("one falls asleep where only another hears", (
        T("URCHIN.", "VIOLET.", ALL, "maya", "joaquin", "maya"),
    ), {"maya": "URCHIN VIOLET"}, dict.fromkeys(("joaquin", "hen"), "URCHIN VIOLET SAIDmaya1")),
    # --- sleeps ---------------------------------------------------------------------------------------------------
    Case("one who falls asleep", (
        T("ANVIL.", "Maya says BELLOWS and falls asleep.\n\nJoaquin confesses CHISEL.", ALL, "joaquin", "maya"),
    ), {"maya": "ANVIL BELLOWS", "joaquin": "CHISEL", "hen": "CHISEL SAIDjoaquin1"}, {"maya": "CHISEL SAIDjoaquin1"}),
    Case("a secret over a sleeping head", (
        T("Good night.", "Maya sleeps.", ALL, "", "maya"),
        T("DRILL.", "Over Maya, Joaquin owns up to FORGE.", ALL, "joaquin", "maya"),
        T("HAMMER.", "IRONS cool.\n\nMaya wakes to the smell of LATHE.", ALL, "hen"),
    ), {"joaquin": "DRILL FORGE HAMMER IRONS LATHE", "maya": "LATHE SAIDhen3"},
        {"maya": "DRILL FORGE SAIDjoaquin2 HAMMER IRONS"}),
    Case("one who is shaken awake", (
        T("Good night.", "Maya sleeps.", ALL, "", "maya"),
        T('I hide the OAR. I shake Maya awake. "Up, PADDLE!"', "Rain. Maya sits up.", ALL, "maya"),
    ), {"maya": "PADDLE SAIDmaya2", "joaquin": "OAR PADDLE"}, {"maya": "OAR"}),
    Case("one who sleeps and answers is awake", (
        T("MALLET.", "NAIL on nail.", ALL, "maya", "maya"),
    ), {"maya": "MALLET NAIL SAIDmaya1"}),
)  # fmt: skip


def pack_of(case: Case) -> Pack:
    pack = small_pack()
    cast = {
        "maya": Character(name="Maya Chen", role="engineer", personality="Dry."),
        "joaquin": Character(name="Father Joaquin", role="barefoot priest", personality="Mild."),
        "hen": Character(name="Henderson", role="reporter", personality="Loud."),
    }
    one = chapter("one", "two", characters=CAST, present=tuple(case.start.split()))
    two = chapter("two", characters=CAST)
    game = pack.game.model_copy(update={"characters": CAST})
    return pack.model_copy(update={"game": game, "characters": cast, "chapters": {"one": one, "two": two}})


class Playing(Scripted):
    """Tells the turns of a case."""

    now: T = BACK
    number = 0

    def play(self, ask: Request) -> str:
        if ask.agent == "character":
            return f"So be it, SAID{ask.key.partition(':')[2]}{self.number}."
        here = None if self.now.present is None else ", ".join(self.now.present.split())
        told = narration(self.now.told, ", ".join(self.now.answers.split()), present=here)
        for name, ids in (("asleep", self.now.asleep), ("heard_by", self.now.heard_by)):
            if ids:
                told = told.replace("\nmood:", f"\n{name}: [{', '.join(ids.split())}]\nmood:")
        return told


async def breaks_of(case: Case, home: Path) -> list[str]:
    """What somebody knows that was not there, or forgot that was."""
    model = Playing(window=8192)
    model.answers |= {"narrator": model.play, "character": model.play}
    made = await stage(home, model, pack_of(case))
    for model.number, model.now in enumerate((*case.turns, BACK), 1):
        await made.turn(model.now.line)
    await made.session.close()
    found = []
    for name in CAST:
        sent = {key: " ".join(model.prompts(key)) for key in (f"character:{name}", f"memory:{name}")}
        words = {key: set(re.findall(r"\w+", text)) for key, text in sent.items()}
        found += [
            f"{name} knows {w}"
            for w in case.never.get(name, "").split()
            if any(w in s for s in words.values())
        ]
        found += [
            f"{name} lacks {w}"
            for w in case.knows.get(name, "").split()
            if not all(w in s for s in words.values())
        ]
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_nobody_knows_or_forgets_what_they_should_not(case: Case, tmp_path: Path) -> None:
    assert await breaks_of(case, tmp_path) == []


def test_there_are_forty() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 40


async def test_who_sleeps_stays_on_stage_and_the_narrator_is_told(tmp_path: Path) -> None:
    good_night = T("Good night.", "Maya sleeps, and Henderson at home.", "joaquin", "", "maya hen")
    case = Case("sleep", (good_night,), start="maya joaquin")
    model = Playing(window=8192)
    model.now = case.turns[0]
    model.answers |= {"narrator": model.play, "character": model.play}
    made = await stage(tmp_path, model, pack_of(case))
    await made.turn("Good night.")
    assert made.session.game.state.present == ("maya", "joaquin")
    await made.turn("Hush.")
    assert "On stage: Maya Chen (asleep), Father Joaquin" in model.prompts("narrator")[-1]
    await made.session.close()


async def test_the_inspector_says_that_the_narrator_was_not_believed(tmp_path: Path) -> None:
    apart = T("Hello.", "Rain.", ALL, "maya", heard_by="maya")
    case = Case("apart", (apart,))
    model = Playing(window=8192)
    model.now = apart
    model.answers |= {"narrator": model.play, "character": model.play}
    made = await stage(tmp_path, model, pack_of(case))
    for _ in range(BELIEVED + 2):
        await made.turn(apart.line)
    told = [
        heard_text(turn, "hen") for _, turn in sorted(made.session.game.turns.items()) if turn.player_text
    ]
    assert told[-3:] == [
        "nothing: on stage, but the narrator left them out",
        *["all of it (the narrator left them out too many times in a row)"] * 2,
    ]
    await made.session.close()


async def test_who_stood_by_unaware_stays_on_stage_and_is_told_of_a_gap(tmp_path: Path) -> None:
    apart = T("I draw Maya behind the cart.", "Maya shows you INK.", ALL, "maya", heard_by="maya")
    case = Case("apart", (apart,), start=ALL)
    model = Playing(window=8192)
    model.answers |= {"narrator": model.play, "character": model.play}
    made = await stage(tmp_path, model, pack_of(case))
    for model.now in (T("Hello.", "Rain."), apart, BACK):
        await made.turn(model.now.line)
    turn = made.session.game.turns[2]
    assert (turn.witnesses, turn.unaware) == (("maya",), ("joaquin", "hen"))
    assert heard_text(turn, "hen") == "nothing: on stage, but the narrator left them out"
    assert heard_text(turn, "maya") == "all of it"
    assert "Father Joaquin and Henderson did not hear it" in model.prompts("character:maya")[0]
    told = model.prompts("narrator")[-1]
    assert "On stage: Maya Chen, Father Joaquin (knows nothing of the last page), Henderson (knows" in told
    gap = "(Henderson was not with Alex for a while and does not know what happened there.)"
    assert gap in model.prompts("character:hen")[-1] and gap not in model.prompts("character:maya")[-1]
    await made.session.close()
