"""Who perceives what of a turn: scenes as they are played, in three languages, with what a model says in the form."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theact_tui.story.names import Names
from theact_tui.story.perception import heard_of_turn, heard_parts, line_heard, perceive, unaware
from theact_tui.story.turn import Entry, Stage, StageForm, Turn
from theact_tui.story.viewpoints import attendance
from theact_tui.story.who_hears_and_answers import Scene, decide, written

LATIN = {"dorothy": "Dorothy Vane", "teddy": "Teddy Lusk", "ines": "Ines Marrow"}
NAMES = {
    "en": LATIN,
    "de": LATIN,
    "ja": {"dorothy": "ドロシー・ヴェイン", "teddy": "テディ・ラスク", "ines": "イネス・マロウ"},
}
ALL = ("dorothy", "teddy", "ines")


@dataclass(frozen=True)
class Case:
    """A turn in one language: what is typed, told, said of it and answered; and what each may and may not hold of it.
    Words of the text stand for the whole."""

    what: str
    language: str
    line: str
    page: str
    form: StageForm
    knows: dict[str, str]
    not_knows: dict[str, str] = field(default_factory=dict)
    replies: dict[str, str] = field(default_factory=dict)
    here: tuple[str, ...] = ALL
    asleep: tuple[str, ...] = ()
    answered: tuple[str, ...] = ()
    ends: tuple[str, ...] | None = None
    """Who is there at its end; None: all who were before."""
    gone: str = ""
    """Who perceives nothing at all."""

    def scene(self) -> Scene:
        return Scene(
            line=self.line,
            names=Names(NAMES[self.language]),
            here=self.here,
            stayed=self.here,
            asleep=self.asleep,
            answered=self.answered,
        )


def form(**said: object) -> StageForm:
    return StageForm.model_validate(said)


CASES = [
    # --- a whisper, to which two are said to answer -------------------------------------------------------------------
    Case("a whisper that two answer", "en",
        'I lean across to Teddy and whisper, "My mother scrubbed these floors in 1950. Not a word to Dorothy."',
        "You lean across. Teddy goes still, his tray at an angle.\n\nDorothy counts spoons at the sideboard.",
        form(here=ALL, because="lean across to Teddy and whisper", heard_by=("teddy",), answer=("teddy", "dorothy")),
        {"teddy": "scrubbed", "dorothy": "tray spoons swallows", "ines": "tray"},
        {"dorothy": "scrubbed 1950 Sworn", "ines": "scrubbed Sworn"},
        {"teddy": 'Teddy swallows. "Sworn," he says.'}),
    Case("a whisper that two answer", "de",
        "Ich beuge mich zu Teddy und flüstere: „Meine Mutter hat hier 1950 geputzt. Kein Wort zu Dorothy.“",
        "Du beugst dich vor. Teddy hält das Tablett schief.\n\nDorothy zählt am Büfett die Löffel.",
        form(here=ALL, because="beuge mich zu Teddy und flüstere", heard_by=("teddy",), answer=("teddy", "dorothy")),
        {"teddy": "geputzt", "dorothy": "Tablett Löffel schluckt", "ines": "Tablett"},
        {"dorothy": "geputzt 1950 Versprochen", "ines": "geputzt Versprochen"},
        {"teddy": "Teddy schluckt. „Versprochen“, sagt er."}),
    Case("a whisper that two answer", "ja",
        "私はテディの耳元に寄り、そっと言う。「母は昔この宿で床を磨いていた。ドロシーには黙っていて」",
        "あなたは身を寄せる。テディの盆が傾く。\n\nドロシーは食器棚で匙を数えている。",
        form(here=ALL, because="テディの耳元に寄り", heard_by=("teddy",), answer=("teddy", "dorothy")),
        {"teddy": "磨いて", "dorothy": "盆 匙 頷く", "ines": "盆"},
        {"dorothy": "磨いて 約束", "ines": "磨いて 約束"},
        {"teddy": "テディは頷く。「約束する」"}),
    # --- the page tells a whisper again --------------------------------------------------------------------------------
    Case("a whisper that the page repeats", "en",
        'I bend to Ines\'s ear: "The ledger is under the piano stool."',
        "You bend down to Ines and tell her that the ledger is under the piano stool. Dorothy looks up from her knitting.",
        form(here=ALL, because="bend to Ines's ear", heard_by=("ines",), answer=("ines",)),
        {"ines": "ledger", "dorothy": "knitting", "teddy": "knitting"}, {"dorothy": "ledger", "teddy": "ledger piano"}),
    Case("a whisper that the page repeats", "de",
        "Ganz leise zu Ines: „Das Kassenbuch liegt unter dem Klavierhocker.“",
        "„Das Kassenbuch unter dem Klavierhocker“, wiederholt Ines leise. Dorothy blickt von ihrem Strickzeug auf.",
        form(here=ALL, because="Ganz leise zu Ines", heard_by=("ines",), answer=("ines",)),
        {"ines": "Kassenbuch", "dorothy": "Strickzeug"}, {"dorothy": "Kassenbuch", "teddy": "Kassenbuch"}),
    Case("a whisper that the page repeats", "ja",
        "イネスにだけ聞こえるように言う。「帳簿は鍵盤の椅子の下だ」",
        "帳簿は鍵盤の椅子の下だと、あなたはイネスに告げる。ドロシーが編み物から顔を上げる。",
        form(here=ALL, because="イネスにだけ聞こえるように", heard_by=("ines",), answer=("ines",)),
        {"ines": "帳簿", "dorothy": "編み物"}, {"dorothy": "帳簿", "teddy": "帳簿"}),
    # --- told over a sleeper ---------------------------------------------------------------------------------------------
    Case("a secret over one who has just dropped off", "en",
        "Dorothy has nodded off by the fire, so I tell Teddy about the christening bracelet in the wall.",
        "The fire settles. Dorothy breathes evenly, chin on her chest. Teddy puts down coal.\n\nThe clock strikes nine.",
        form(here=ALL, asleep=("dorothy",), heard_by=(), because="", answer=("teddy",), place="the bar, after nine"),
        {"teddy": "bracelet nine Blimey", "dorothy": "settles", "ines": "bracelet"}, {"dorothy": "bracelet nine Blimey"},
        {"teddy": '"Blimey," says Teddy.'}),
    Case("a secret over one who has just dropped off", "de",
        "Dorothy ist am Kamin eingenickt, also erzähle ich Teddy von dem Taufarmband in der Wand.",
        "Das Feuer sinkt zusammen. Dorothy atmet ruhig. Teddy stellt die Kohlen ab.\n\nDie Uhr schlägt neun.",
        form(here=ALL, asleep=("dorothy",), heard_by=(), because="", answer=("teddy",)),
        {"teddy": "Taufarmband neun", "dorothy": "Feuer"}, {"dorothy": "Taufarmband neun Donnerwetter"},
        {"teddy": "„Donnerwetter“, sagt Teddy."}),
    Case("a secret over one who has just dropped off", "ja",
        "ドロシーは暖炉のそばで眠ったので、テディに壁の中の腕輪のことを話す。",
        "火が崩れる。ドロシーの寝息は静かだ。\n\n時計が九時を打つ。",
        form(here=ALL, asleep=("dorothy",), heard_by=(), because="", answer=("teddy",)),
        {"teddy": "腕輪 九時", "dorothy": "火"}, {"dorothy": "腕輪 九時 驚いた"},
        {"teddy": "「驚いた」とテディ。"}),
    # --- woken and asked ---------------------------------------------------------------------------------------------------
    Case("woken and asked", "en",
        'I shake out my coat. "Wake up, Dorothy. You told me the room was a linen cupboard. Which is it?"',
        "Rain on the glass.\n\nDorothy Vane opens her eyes and finds you there.",
        form(here=ALL, asleep=(), answer=("dorothy",)),
        {"dorothy": "linen Which opens", "teddy": "coat linen Rain"}, {"dorothy": "coat Rain"},
        {"dorothy": '"A cupboard," says Dorothy.'}, asleep=("dorothy",)),
    Case("woken and asked", "de",
        "Ich lege den Mantel ab. „Dorothy, wachen Sie auf! Eine Wäschekammer, sagten Sie. Was stimmt nun?“",
        "Regen am Fenster.\n\nDorothy schlägt die Augen auf.",
        form(here=ALL, asleep=(), answer=("dorothy",)),
        {"dorothy": "Wäschekammer stimmt Augen"}, {"dorothy": "Mantel Regen"}, asleep=("dorothy",)),
    Case("woken and asked", "ja",
        "外套を脱ぐ。「ドロシーさん、起きてください。あの部屋は納戸だと言いましたね。本当ですか」",
        "窓に雨。\n\nドロシーが目を開ける。",
        form(here=ALL, asleep=(), answer=("dorothy",)),
        {"dorothy": "納戸 本当 目"}, {"dorothy": "外套 雨"}, asleep=("dorothy",)),
    Case("woken by a touch, not by name", "en",
        'I talk to Ines of the will. Then I touch the old woman\'s shoulder: "Which is it?"',
        "Ines frowns.\n\nDorothy stirs and looks at you.",
        form(here=ALL, asleep=(), answer=("dorothy",)),
        {"dorothy": "Which stirs"}, {"dorothy": "will frowns"}, asleep=("dorothy",)),
    # --- a model that names who answers as those who hear --------------------------------------------------------------
    Case("words for everybody, from habit", "en",
        'I say to everybody, "It was my mother. Dorothy hid her in Room Nine."',
        "Nobody moves. Dorothy lays down the scissors.",
        form(here=ALL, because="", heard_by=("dorothy",), answer=("dorothy",)),
        dict.fromkeys(ALL, "mother scissors")),
    Case("words for everybody, from habit", "de",
        "Ich sage laut in die Runde: „Es war meine Mutter. Dorothy hat sie versteckt.“",
        "Niemand rührt sich. Dorothy legt die Schere hin.",
        form(here=ALL, because="weil Dorothy antwortet", heard_by=("dorothy",), answer=("dorothy",)),
        dict.fromkeys(ALL, "Mutter Schere")),
    Case("words for everybody, from habit", "ja",
        "皆の前で言う。「母だった。ドロシーが匿ったのだ」", "誰も動かない。ドロシーが鋏を置く。",
        form(here=ALL, because="匿ったのだ", heard_by=("dorothy",), answer=("dorothy",)),
        dict.fromkeys(ALL, "母 鋏")),
    Case("the whole line as the cause", "en",
        "I ask Dorothy for the salt.", "Dorothy slides it over.",
        form(here=ALL, because="I ask Dorothy for the salt", heard_by=("dorothy",), answer=("dorothy",)),
        dict.fromkeys(ALL, "salt slides")),
    # --- comes and goes on one page ----------------------------------------------------------------------------------
    Case("backs in and out", "en",
        "I show Dorothy the photograph of the harbour.",
        "Dorothy holds it to the lamp.\n\nTeddy backs in, humming, lifts the tray from the chair, and is out again.\n\n"
        '"That is the old quay," she says.',
        form(here=("dorothy",), passed=("teddy",), heard_by=(), because="", answer=("dorothy",)),
        {"dorothy": "photograph humming quay", "teddy": "humming"}, {"teddy": "photograph quay mine"},
        {"dorothy": '"It is mine," says Dorothy.'}, here=("dorothy",), gone="ines"),
    Case("backs in and out", "de",
        "Ich zeige Dorothy die Fotografie vom Hafen.",
        "Dorothy hält sie ans Licht.\n\nTeddy schiebt sich summend herein, nimmt das Tablett und ist wieder draußen.\n\n"
        "„Das ist der alte Kai“, sagt sie.",
        form(here=("dorothy",), passed=("teddy",), answer=("dorothy",)),
        {"dorothy": "Fotografie Kai", "teddy": "summend"}, {"teddy": "Fotografie Kai"}, here=("dorothy",), gone="ines"),
    Case("backs in and out", "ja",
        "ドロシーに港の写真を見せる。",
        "ドロシーは灯りにかざす。\n\nテディが鼻歌まじりに入り、盆を取ってまた出ていく。\n\n「古い波止場ね」",
        form(here=("dorothy",), passed=("teddy",), answer=("dorothy",)),
        {"dorothy": "写真 波止場", "teddy": "鼻歌"}, {"teddy": "写真 波止場"}, here=("dorothy",), gone="ines"),
    # --- arrives, and must see what lies there ------------------------------------------------------------------------
    Case("arrives at a pit", "en",
        '"It came down like a coal scuttle," I tell Teddy.',
        '"Like a scuttle," you say again. In the pit lies the cylinder, grey and ticking, wide as a cart.\n\n'
        'Over the rim comes Ines, hat in hand. "Is it hot?"',
        form(here=("teddy", "ines"), answer=("ines",)),
        {"ines": "cylinder ticking rim hot", "teddy": "scuttle cylinder"}, {"ines": "scuttle"}, here=("teddy",)),
    Case("arrives at a pit", "de",
        "„Wie ein Kohleneimer kam es herunter“, sage ich zu Teddy.",
        "„Wie ein Eimer“, wiederholst du. In der Grube liegt der Zylinder, grau und tickend.\n\n"
        "Über den Rand kommt Ines, den Hut in der Hand. „Ist er heiß?“",
        form(here=("teddy", "ines"), answer=("ines",)),
        {"ines": "Zylinder Rand heiß"}, {"ines": "Eimer Kohleneimer"}, here=("teddy",)),
    Case("arrives at a pit", "ja",
        "「石炭入れみたいに落ちてきた」とテディに言う。",
        "「石炭入れだ」とあなたは繰り返す。穴の底に灰色の円筒が横たわり、時を刻む。\n\n縁を越えてイネスが来る。「熱いの？」",
        form(here=("teddy", "ines"), answer=("ines",)),
        {"ines": "円筒 縁 熱い"}, {"ines": "石炭"}, here=("teddy",)),
    # --- two on the landing, one stays behind -----------------------------------------------------------------------------
    Case("two on the landing", "en",
        'I take Teddy out on the landing. "You promised me something the first hour. Did you keep it?"',
        "Out there the gas is low. Teddy shuts the door behind you both.",
        form(moved=True, here=("teddy",), because="take Teddy out on the landing", heard_by=("teddy",), answer=("teddy",)),
        {"teddy": "promised gas kept"}, {}, {"teddy": '"I kept it," says Teddy.'}, ends=("teddy",), gone="dorothy ines"),
    Case("two on the landing", "de",
        "Ich nehme Teddy mit auf den Treppenabsatz. „Du hast mir etwas versprochen. Hast du es gehalten?“",
        "Draußen brennt das Gas niedrig. Teddy zieht die Tür zu.",
        form(moved=True, here=("teddy",), because="nehme Teddy mit", heard_by=("teddy",), answer=("teddy",)),
        {"teddy": "versprochen Gas"}, {}, {"teddy": "„Ja“, sagt Teddy."}, ends=("teddy",), gone="dorothy ines"),
    Case("two on the landing", "ja",
        "テディを踊り場へ連れ出す。「最初の晩に約束したね。守ったのか」",
        "外では灯が暗い。テディが戸を閉める。",
        form(moved=True, here=("teddy",), because="踊り場へ連れ出す", heard_by=("teddy",), answer=("teddy",)),
        {"teddy": "約束 灯"}, {}, {"teddy": "「守った」とテディ。"}, ends=("teddy",), gone="dorothy ines"),
    Case("the words that keep it reach into what is said", "en",
        'I whisper to Ines: "Who was the man coiling rope?"', "A gull screams.",
        form(here=ALL, because='I whisper to Ines: "Who was the man', heard_by=("ines",), answer=("ines",)),
        {"ines": "coiling"}, {"teddy": "coiling", "dorothy": "coiling"}),
    Case("unseen", "en",
        "I turn my back and write a name on the sheet, unseen.", "The pen scratches. Teddy hums.",
        form(here=ALL, because="unseen", heard_by=("nobody",), answer=("teddy",)),
        {"teddy": "hums", "dorothy": "hums"}, {"teddy": "sheet", "dorothy": "sheet", "ines": "sheet"}),
    # --- the place changes, and one is left behind though the form has her there ----------------------------------------
    Case("left in the kitchen", "en",
        'I nod to Ines and go up the back stairs. "Is that supper for Room Nine, Teddy?"',
        "The stairs are steep and smell of soap.\n\nTeddy stands on the turn with a covered tray.",
        form(moved=True, here=("teddy", "ines"), answer=("teddy",)),
        {"teddy": "supper stands soap", "ines": "nod"}, {"ines": "supper soap tray", "teddy": "nod"},
        {"teddy": '"It is," says Teddy.'}, here=("ines",), ends=("teddy",), gone="dorothy"),
    Case("left in the kitchen", "de",
        "Ich nicke Ines zu und steige die Hintertreppe hinauf. „Ist das für Zimmer neun, Teddy?“",
        "Die Stiege riecht nach Seife.\n\nTeddy steht am Absatz mit einem Tablett.",
        form(moved=True, here=("teddy", "ines"), answer=("teddy",)),
        {"teddy": "Zimmer Seife Tablett", "ines": "nicke"}, {"ines": "Zimmer Seife Tablett"}, here=("ines",),
        ends=("teddy",), gone="dorothy"),
    Case("left in the kitchen", "ja",
        "イネスに会釈して裏階段を上る。「九号室の夕食かい、テディ？」",
        "階段は石鹸の匂いがする。\n\nテディが盆を持って立っている。",
        form(moved=True, here=("teddy", "ines"), answer=("teddy",)),
        {"teddy": "夕食 石鹸 盆", "ines": "会釈"}, {"ines": "夕食 石鹸 盆"}, here=("ines",), ends=("teddy",), gone="dorothy"),
    # --- who left in an answer ---------------------------------------------------------------------------------------------
    Case("left in their own answer", "en",
        '"She lied about the cupboard," I tell Teddy.',
        "The stairs creak overhead, then nothing. Teddy rubs his neck.",
        form(gone=("dorothy",), here=("teddy", "ines"), answer=("teddy",)),
        {"teddy": "lied creak", "ines": "lied"}, {}, {"teddy": '"She did," says Teddy.'},
        answered=("dorothy",), ends=("teddy", "ines"), gone="dorothy"),
    Case("left in their own answer", "de",
        "„Das mit der Kammer war gelogen“, sage ich zu Teddy.",
        "Oben knarrt eine Diele. Teddy reibt sich den Nacken.",
        form(gone=("dorothy",), here=("teddy", "ines"), answer=("teddy",)),
        {"teddy": "gelogen Diele"}, {}, answered=("dorothy",), ends=("teddy", "ines"), gone="dorothy"),
    Case("left in their own answer", "ja",
        "「納戸の話は嘘だ」とテディに言う。",
        "上で床板が鳴る。テディは首をさする。",
        form(gone=("dorothy",), here=("teddy", "ines"), answer=("teddy",)),
        {"teddy": "嘘 床板"}, {}, answered=("dorothy",), ends=("teddy", "ines"), gone="dorothy"),
    Case("left in their own answer, and is seen once more", "en",
        '"She lied about the cupboard," I tell Teddy.',
        "Teddy shows you the bracelet.\n\nThe bell rings.\n\nDorothy puts her head in, takes the lamp and goes up.",
        form(gone=("dorothy",), here=("teddy", "ines"), answer=("teddy",)),
        {"teddy": "lied bracelet lamp", "dorothy": "bell lamp"}, {"dorothy": "lied bracelet"},
        answered=("dorothy",), ends=("teddy", "ines")),
    Case("left behind, and told of", "en",
        'I tell Ines to wait and go down to Teddy. "Ines lied," I say. "Ask her, Teddy."',
        "Teddy puts down the coal.",
        form(moved=True, here=("teddy",), answer=("teddy",)),
        {"teddy": "lied", "ines": "wait"}, {"ines": "lied Ask"}, here=("ines",), ends=("teddy",)),
    # --- said to those who stay, and then on to somebody else ---------------------------------------------------------------
    Case("asked, and gone", "en",
        '"Four forks and three of you. Who is the fourth?" I ask, and push through the service door.',
        "Teddy sits down at the piano, and the door swings shut on him.\n\nDorothy comes after you.\n\nInes kneels in gravy.",
        form(moved=True, here=("dorothy", "ines"), answer=("ines",)),
        {"teddy": "fourth piano", "dorothy": "fourth gravy", "ines": "gravy"}, {"ines": "fourth", "teddy": "gravy"},
        here=("dorothy", "teddy"), ends=("dorothy", "ines")),
    Case("a word to one, and after another", "en",
        'I close the book. "You have my word on it," I tell Dorothy, and I go after Teddy up the back stairs.',
        "Dorothy and Ines stay in the hall.\n\nOn the landing Teddy stands with both trays.",
        form(moved=True, here=("teddy",), answer=("teddy",)),
        {"dorothy": "word stay", "ines": "word", "teddy": "trays"}, {"teddy": "word", "ines": "trays"},
        here=("dorothy", "ines"), ends=("teddy",)),
    Case("a word to one, and after another", "ja",
        "「約束する」とドロシーに言い、裏階段を上る。「夕食かい、テディ？」",
        "ドロシーは広間に残る。\n\n踊り場にテディが盆を持って立つ。",
        form(moved=True, here=("teddy",), answer=("teddy",)),
        {"dorothy": "約束 広間", "teddy": "夕食 盆"}, {"teddy": "約束", "dorothy": "夕食"},
        here=("dorothy", "ines"), ends=("teddy",)),
    Case("said, and gone alone", "en",
        'I hand Dorothy her cloth. Then I say, "I am off to bed," and instead of that I climb to the second floor.',
        "The door swings to behind you on Teddy and Ines, and on Dorothy.\n\nNobody comes after you up there.",
        form(moved=True, here=()),
        {"dorothy": "cloth bed door", "teddy": "bed", "ines": "bed"}, {"dorothy": "climb", "ines": "climb"}, ends=()),
    Case("left with a word", "en",
        'I leave them with "Half past nine outside the door, then," and go down to the kitchen to find Ines. Whose is it?',
        "Behind you Teddy bolts the door, and Dorothy sighs.\n\nInes is scouring a pan.",
        form(moved=True, here=("ines",), answer=("ines",)),
        {"dorothy": "nine", "teddy": "nine", "ines": "Whose pan"}, {"ines": "nine", "teddy": "Whose"},
        here=("dorothy", "teddy"), ends=("ines",)),
    Case("said before one is left", "en",
        'I hold up my palm. "Paid in salt." Then I leave Ines with Dorothy and go after Teddy.',
        "Ines and Dorothy stay.\n\nTeddy sits in the hall.",
        form(moved=True, here=("teddy",), answer=("teddy",)),
        {"ines": "salt", "dorothy": "salt", "teddy": "hall"}, {"teddy": "salt"},
        here=("dorothy", "ines"), ends=("teddy",)),
    Case("asked where several are met", "en",
        "I go back down and ask Dorothy straight out: is he in?", "Dorothy sorts coins. Ines warms her feet. Teddy leans.",
        form(moved=True, here=ALL, answer=("dorothy", "teddy")),
        {"dorothy": "straight", "teddy": "straight", "ines": "straight"}, {}, here=(), ends=ALL),
    Case("done before all, and gone", "en",
        "I take back my lie and weigh nine sacks. I promise Dorothy the honest one. Then I go to Teddy; Ines is to stay.",
        "Ines stays with Dorothy.\n\nTeddy sits in the lane.",
        form(moved=True, here=("teddy",), answer=("teddy",)),
        {"dorothy": "lie sacks honest", "ines": "lie sacks honest", "teddy": "lane"}, {"teddy": "lie honest"},
        here=("dorothy", "ines"), ends=("teddy",)),
    Case("aloud, and then low", "en",
        'I hand Dorothy my knife. "Open it. I shall not count him." Then I lean over and whisper in Ines\'s ear: "Go."',
        "The lamp hisses.",
        form(here=ALL, because="whisper in Ines's ear", heard_by=("ines",), answer=("ines",)),
        {"dorothy": "knife Open count", "teddy": "knife count", "ines": "knife Go"}, {"dorothy": "Go", "teddy": "Go"}),
    Case("what is whispered comes first", "en",
        '"He was never there. I asked." I lean to Ines, so that she alone hears it.', "The lamp hisses.",
        form(here=ALL, because="so that she alone hears it", heard_by=("ines",), answer=("ines",)),
        {"ines": "never asked"}, {"dorothy": "never asked", "teddy": "never asked"}),
    Case("whispered after it was told", "en",
        '"The key is in the well. Take it tonight." My lips are at her ear.', "Rain.",
        form(here=ALL, because="My lips are at her ear", heard_by=("ines",), answer=("ines",)),
        {"ines": "well"}, {"dorothy": "well tonight", "teddy": "well tonight"}),
    Case("not low, though the form says that nobody heard", "en",
        '"Where does the road go?" I ask Teddy.', "Rain.",
        form(here=ALL, because="I ask Teddy", heard_by=("nobody",), answer=("teddy",)),
        {"teddy": "road", "ines": "road"}, {}),
    Case("told of who was left behind", "en",
        'I go to Teddy. "The plan is set." Ines never knew.', "Teddy nods.",
        form(moved=True, here=("teddy",), answer=("teddy",)),
        {"teddy": "plan"}, {"ines": "plan", "dorothy": "plan"}, here=("dorothy", "ines"), ends=("teddy",)),
    # --- leaves on the page, and what is said low after it ----------------------------------------------------------------
    Case("goes for coal", "en",
        '"More coal, Teddy?" I ask aloud. Then, low, to Ines: "Did he take the key?"',
        "Teddy takes the scuttle and shoulders out through the door.\n\nInes shakes her head. Dorothy turns a page.",
        form(here=("dorothy", "ines"), because="low, to Ines", heard_by=("ines",), answer=("ines",)),
        {"ines": "coal key head", "teddy": "coal shoulders", "dorothy": "shoulders shakes page"},
        {"dorothy": "key No", "teddy": "key shakes No"}, {"ines": 'Ines folds her hands. "No, not he."'},
        ends=("dorothy", "ines")),
    # --- the line says itself whom it is for -----------------------------------------------------------------------------
    Case("an arrow in front", "de",
        "→ Ines: Vertraust du ihm?", "Der Wind steht still. Ines hebt die Brauen.",
        form(here=ALL, answer=("teddy",)),
        {"ines": "Vertraust Nein", "teddy": "Wind hebt schüttelt"}, {"teddy": "Vertraust Nein", "dorothy": "Vertraust Nein"},
        {"ines": "Ines schüttelt den Kopf. „Nein.“"}),
    Case("an arrow for all", "en",
        "→ all: It was me.", "Silence.", form(here=ALL, because="It was", heard_by=("ines",), answer=("ines",)),
        dict.fromkeys(ALL, "me. Silence")),
    Case("a thought in parentheses", "en",
        "(I do not trust her an inch.)", "Rain. Dorothy pours the tea.", form(here=ALL, answer=("dorothy",)),
        dict.fromkeys(ALL, "Rain tea Sugar"), dict.fromkeys(ALL, "trust inch"), {"dorothy": '"Sugar?" asks Dorothy.'}),
    Case("who falls asleep where a page ends saw it all", "en",
        'I sit down on the stairs. "Sleep a little."',
        "The stairs are warm, and stars come out.\n\nInes lies down on her apron and sleeps. A kettle rattles.",
        form(here=("ines",), asleep=("ines",), answer=()),
        {"ines": "stairs stars apron kettle"}, {"ines": "little"}, here=("ines",)),
]  # fmt: skip


def known(case: Case) -> tuple[Stage, dict[str, str]]:
    """The stage of a turn, and what each takes in of it as one text."""
    scene = case.scene()
    stage = decide(scene, case.page, case.form)
    entries = [Entry(role="player", text=case.line), Entry(role="narrator", text=case.page)]
    entries += [Entry(role="character", character=id, text=text) for id, text in case.replies.items()]
    heard = perceive(scene, case.page, stage)
    parts = {
        id: " ".join(entry.text for entry in heard_parts(entries, id, part)) for id, part in heard.items()
    }
    return stage, {id: text for id, text in parts.items() if text}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.what} ({case.language})")
def test_each_one_knows_what_they_could_perceive_and_no_more(case: Case) -> None:
    stage, parts = known(case)
    for id, words in case.knows.items():
        for word in words.split():
            assert word in parts[id], f"{id} does not know {word}: {parts.get(id)}"
    for id, words in case.not_knows.items():
        for word in words.split():
            assert word not in parts.get(id, ""), f"{id} knows {word}: {parts[id]}"
    assert not parts.keys() & set(case.gone.split())
    assert set(stage.here) == set({*case.here, *stage.arrived} if case.ends is None else case.ends)
    if case.replies:
        assert stage.answer == tuple(case.replies)


def test_whom_a_new_chapter_brings_hears_the_line_from_where_it_names_them_and_who_walks_up_does_not() -> (
    None
):
    line, page = 'I sit down. "Where is the ledger?" I ask Teddy.', "Teddy looks up. Ines comes in with tea."
    scene = Scene(line=line, names=Names(LATIN), here=("dorothy", "teddy"), stayed=("dorothy",))
    heard = perceive(scene, page, decide(scene, page, form(here=ALL, answer=["teddy"])))
    assert line_heard(line, heard["teddy"]) == '"Where is the ledger?" I ask Teddy.'
    assert line_heard(line, heard["ines"]) == ""


def test_who_is_there_and_did_not_hear_is_unaware() -> None:
    case = CASES[0]
    assert unaware(case.scene(), decide(case.scene(), case.page, case.form)) == ("dorothy", "ines")
    slept = replace(case.scene(), asleep=("ines",))
    assert unaware(slept, decide(slept, case.page, case.form)) == ("dorothy",)


# --- checks of the form, one by one ------------------------------------------------------------------------------------

SCENE = Scene(
    names=Names(LATIN), here=("dorothy", "teddy"), stayed=("dorothy", "teddy"), place="the bar", mood="tense"
)


@pytest.mark.parametrize(
    ("page", "said", "here"),
    [
        ("Ines comes in.", ALL, ALL),
        ('"Ines is at sea," says Teddy.', ALL, ("dorothy", "teddy")),
        ("Rain, and nobody.", ALL, ALL),
        ("Teddy coughs.", ("teddy",), ("teddy",)),
        ("Teddy coughs.", ("nobody", "teddy", "teddy"), ("teddy",)),
        ("Teddy coughs.", None, ("dorothy", "teddy")),
    ],
)
def test_who_is_new_must_be_named_where_the_page_names_anybody(
    page: str, said: tuple[str, ...] | None, here: tuple[str, ...]
) -> None:
    assert decide(SCENE, page, StageForm(here=said)).here == here


def test_who_is_called_may_come_without_being_named_on_the_page() -> None:
    scene = replace(SCENE, line='"Ines, come down!"')
    assert decide(scene, "Teddy coughs.", StageForm(here=ALL)).arrived == ("ines",)
    scene = replace(SCENE, line='"Do not tell Ines."')
    assert decide(scene, "Teddy coughs.", StageForm(here=ALL)).arrived == ()


def test_whom_the_page_of_another_place_does_not_name_is_not_there() -> None:
    both = StageForm(moved=True, here=("dorothy", "teddy"))
    assert decide(SCENE, "Teddy coughs.", both).left == ("dorothy",)
    assert decide(SCENE, "The sea.", both).left == ()
    held = replace(SCENE, held={"dorothy": True, "teddy": False})
    assert decide(held, "Teddy coughs.", both).here == ("dorothy",)


def test_what_the_player_fixed_holds_and_is_not_asked_for() -> None:
    scene = replace(
        SCENE, held={"ines": False, "teddy": True}, hushed=("dorothy",), answered=("dorothy",), line="Hm."
    )
    assert scene.offered == {
        "moved": (), "here": ("dorothy",), "asleep": ("dorothy", "teddy"), "gone": ("dorothy",),
        "answer": ("teddy",), "mood": (), "place": (), "because": (), "heard_by": ("dorothy", "teddy", "nobody"),
    }  # fmt: skip
    stage = decide(scene, "Ines comes in.", StageForm(here=ALL, answer=ALL))
    assert (stage.here, stage.answer) == (("dorothy", "teddy"), ("teddy",))
    asked = replace(scene, asked=("dorothy",), line="→ Teddy: Hm.")
    assert not {"answer", "because", "heard_by"} & asked.offered.keys()
    assert decide(asked, "Rain.", StageForm(answer=("teddy",))).answer == ("dorothy",)


def test_of_one_person_only_what_can_be_unknown_is_asked_for() -> None:
    alone = Scene(names=Names({"ann": "Ann"}), here=("ann",), stayed=("ann",), answered=("ann",), line="Hm.")
    assert list(alone.offered) == ["here", "asleep", "answer", "mood", "place"]


def test_whose_act_the_next_beat_is_answers_first_unless_somebody_else_is_called() -> None:
    scene = replace(SCENE, owner="dorothy")
    answers = StageForm(answer=("teddy",))
    assert decide(scene, "Rain.", answers).answer == ("dorothy", "teddy")
    called = replace(scene, line="Teddy, is it time?")
    assert decide(called, "Rain.", answers).answer == ("teddy",)
    asleep = StageForm(answer=("teddy",), asleep=("dorothy",))
    assert decide(scene, "Rain.", asleep).answer == ("teddy",)
    assert decide(scene, "Rain.", answers, scripted=True).answer == ("teddy",)


@pytest.mark.parametrize(
    ("line", "answered", "answer"),
    [
        ('"Teddy, is it time?" I look at Dorothy.', ("dorothy",), ("teddy",)),
        ("I look at Dorothy.", ("teddy",), ("teddy",)),
        ("I wait.", ("teddy",), ("teddy",)),
        ("I wait.", (), ()),
        ("→ Teddy: now?", ("dorothy",), ("teddy",)),
    ],
)
def test_without_a_form_all_goes_on_as_before(
    line: str, answered: tuple[str, ...], answer: tuple[str, ...]
) -> None:
    scene = replace(SCENE, line=line, answered=answered)
    stage = decide(scene, "Ines comes in.", None)
    assert (stage.here, stage.answer, stage.mood, stage.place, stage.by) == (
        SCENE.here, answer, "tense", "the bar", "fallback",
    )  # fmt: skip


def test_a_page_of_the_author_is_heard_by_all_who_are_on_it() -> None:
    stage = written(SCENE, ("teddy", "ines"))
    assert stage.answer == ("teddy",)
    assert perceive(SCENE, "A page.", stage).keys() == {"dorothy", "teddy"}


# --- for any text and any form ------------------------------------------------------------------------------------------

IDS = st.lists(st.sampled_from([*ALL, "", "nobody", "Dorothy Vane"]), max_size=5).map(tuple)
PROSE = st.lists(
    st.sampled_from(
        ["Dorothy", "Teddy Lusk", "Ines", "the", "lamp", '"', "“", "”", "'", "—", "\n", "\n\n", ".", "!", ",", " ",
         "「", "」", "(", ")", "*", "…", "→", ":", "Ines!", "«", "雨", "walks"]
    ),
    max_size=40,
).map(" ".join)  # fmt: skip
TEXTS = st.one_of(PROSE, st.text(max_size=80))
FORMS = st.builds(
    StageForm,
    moved=st.none() | st.booleans(),
    mood=st.none() | st.text(max_size=5),
    place=st.none() | st.text(max_size=80),
    because=st.none() | TEXTS,
    **dict.fromkeys(("here", "asleep", "passed", "gone", "heard_by", "answer"), st.none() | IDS),
)
STAGES = st.lists(st.sampled_from(ALL), unique=True).map(lambda ids: tuple(id for id in ALL if id in ids))


@settings(max_examples=100)
@given(
    line=TEXTS,
    page=TEXTS,
    said=st.none() | FORMS,
    here=STAGES,
    asleep=STAGES,
    held=st.dictionaries(st.sampled_from(ALL), st.booleans()),
)
def test_any_form_of_any_page_gives_facts_that_fit_together_and_can_be_stored(
    line: str,
    page: str,
    said: StageForm | None,
    here: tuple[str, ...],
    asleep: tuple[str, ...],
    held: dict[str, bool],
) -> None:
    scene = Scene(
        line=line, names=Names(LATIN), here=here, stayed=here, asleep=tuple(id for id in asleep if id in here),
        answered=here, held=held, owner="teddy",
    )  # fmt: skip
    stage = decide(scene, page, said)
    assert set(stage.asleep) <= set(stage.here) and not {*stage.answer} & {*stage.asleep}
    assert set(stage.answer) <= set(stage.here)
    assert not {*stage.here} & {*stage.left, *stage.passed}
    assert len(stage.place) <= 60
    heard = perceive(scene, page, stage)
    entries = (
        Entry(role="narrator", text=page), Entry(role="player", text=line),
        *(Entry(role="character", character=id, text=page) for id in stage.answer),
    )  # fmt: skip
    turn = Turn(number=1, chapter="one", entries=entries, stage=stage, **attendance(heard, entries))
    again = Turn.model_validate_json(turn.model_dump_json())
    assert again == turn
    told = heard_of_turn(again, ALL)
    assert {id for id in ALL if told[id]["entries"]} == set(again.witnesses)


KEPT = ("quince", "marjoram", "saffron", "tamarind", "cardamom")


@settings(max_examples=100)
@given(
    st.lists(st.sampled_from(KEPT), min_size=1, unique=True),
    st.sampled_from([
        '→ Teddy: {}', 'I lean to Teddy and whisper, "{}."', '"Teddy," I whisper, "{}."', "Leise zu Teddy: „{}.“",
        "テディに「{}」", 'I say to Teddy under my breath: «{}»', '"Dorothy, the salt!" Then, to Teddy, low: "{}."',
    ]),
    PROSE,
    STAGES, STAGES, st.booleans(),
)  # fmt: skip
def test_no_word_of_a_kept_line_reaches_who_did_not_hear_it(
    words: list[str], line: str, page: str, here: tuple[str, ...], ends: tuple[str, ...], moved: bool
) -> None:
    names = Names({**LATIN, "teddy": "テディ" if "テ" in line else "Teddy Lusk"})
    said = " ".join(words)
    scene = Scene(line=line.format(said), names=names, here=here, stayed=here)
    because = {"I lean": "lean to Teddy and whisper", '"Teddy': "I whisper", "Leise": "Leise zu Teddy", "テ": "テディに",
               "I say": "under my breath", '"Dor': "low"}  # fmt: skip
    cause = next((words for begins, words in because.items() if line.startswith(begins)), "")
    stage = decide(
        scene, page, StageForm(moved=moved, here=ends, because=cause, heard_by=("teddy",), answer=ends)
    )
    told = f'{page} "{said}," you say.' if len(words) > 1 else page
    entries = [Entry(role="player", text=scene.line), Entry(role="narrator", text=told)]
    entries += [Entry(role="character", character=id, text=f'Yes. "{said}?"') for id in stage.answer]
    if stage.hearers is None:
        assert "teddy" not in here or len(here) < 2
        return
    for id, heard in perceive(scene, told, stage).items():
        text = " ".join(entry.text for entry in heard_parts(entries, id, heard))
        assert id in stage.hearers or not any(word in text for word in words)


LETTERS = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "абцдефгхийклмнопярстувьжызАБЦДЕФГХИЙКЛМНОПЯРСТУВЬЖЫЗ",
)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.language == "en"], ids=lambda case: case.what
)
def test_no_word_of_a_language_decides_anything(case: Case) -> None:
    """The same turn in words that nobody knows: all but the names is written in other letters."""

    def other(text: str) -> str:
        return re.sub(
            r"[^\W\d_]+", lambda word: word[0] if word[0] in KNOWN else word[0].translate(LETTERS), text
        )

    scene = case.scene()
    stage = decide(scene, case.page, case.form)
    strange = replace(scene, line=other(case.line))
    because = None if case.form.because is None else other(case.form.because)
    there = decide(strange, other(case.page), case.form.model_copy(update={"because": because}))
    assert there.model_copy(update={"place": stage.place}) == stage
    assert perceive(strange, other(case.page), there) == perceive(scene, case.page, stage)


KNOWN = {word for name in LATIN.values() for word in name.split()} | {"all"}


@pytest.mark.parametrize(
    "sign", ["“", "‘", "'", '"', "“\n", "‘a\n", "Teddy ", "“Teddy” ", "Teddy.\n\n"], ids=repr
)
def test_the_work_grows_as_line_and_page_do(sign: str) -> None:
    def seconds(length: int) -> float:
        text = (sign * length)[:length]
        scene = Scene(line=text, names=Names(LATIN), here=ALL, stayed=ALL, asleep=(), answered=())
        began = time.process_time()
        perceive(scene, text, decide(scene, text, form(here=["teddy"], passed=["ines"], answer=["teddy"])))
        return time.process_time() - began

    assert seconds(12_000) < 8 * seconds(3_000) + 0.1


def test_a_whisper_to_one_who_was_taken_for_away_is_kept_from_who_was_there() -> None:
    line = 'I put my lips to Teddy\'s ear: "He built this." Aloud I say: "What now?"'
    page = "Teddy Lusk does not move. Dorothy Vane takes the cap off the lamp."
    scene = replace(SCENE, line=line, here=("dorothy",), stayed=("dorothy",))
    assert "teddy" in scene.offered["heard_by"]
    asked = StageForm(here=("dorothy", "teddy"), because="my lips to Teddy's ear", heard_by=("teddy",))
    stage = decide(scene, page, asked)
    heard = perceive(scene, page, stage)
    assert stage.hearers == ("teddy",)
    assert line_heard(line, heard["teddy"]) == line and not line_heard(line, heard["dorothy"])
