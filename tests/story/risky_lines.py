"""Sixty lines of players, labelled by whether something in them can fail and would cost something."""

RISKY = {
    "English": (
        "I stab him.", "I jump!", "I leap across the gap before the tide takes the stair.",
        "While nobody looks I slip one of the silver forks inside my coat.",
        "I climb down the well rope, hand over hand.", "I lie to Dorothy that I was in bed by ten.",
        '"Die!" I stab him.', '"I was in bed by ten," I tell her, and hope that she does not ask the maid.',
        "I grab the lamp and run for it.", '"Hold this." I pick the lock with her hairpin.',
        "I force the door. Is it locked?", "I swim out to the wreck.",
    ),
    "German": (
        "Ich steche zu.", "Ich springe!", "Ich klettere am Seil in den Brunnen hinunter.",
        "Ich nehme der Wirtin unbemerkt den Schlüssel aus der Schürze.",
        "Ich lüge Jörg an: „Ich war die ganze Nacht zu Hause.“", "„Stirb!“ Ich steche zu.",
        "Ich halte das Pferd auf, bevor es in den Graben geht.",
    ),
    "Japanese": (
        "刺す。", "飛び降りる！", "縄を伝って井戸の底まで降りる。", "誰も見ていないすきに銀のフォークを懐に入れる。",
        "「死ね！」と刺す。",
    ),
}  # fmt: skip
HARMLESS = {
    "English": (
        "ok", "Yes.", "...", "continue", "Who is there?",
        '"Why is there one more place laid than there are people?" I ask.', '"Where were you last night?"',
        '"Good morning," I say.', '"You count things because you are scared," I tell Maya.',
        '"What happened to the people who went nineteen years ago? I want a plain answer."',
        "Is the bell cracked, or was it always like that?", '"Thank you, Imke."', "I look along the reef.",
        "I ask Teddy how long he has played here.", "I sit down beside the mule and wait for the others.",
    ),
    "German": (
        "ja", "Weiter.", "Woher kommt das Geräusch?", "„Wer hat die Glocke geläutet?“", "„Guten Morgen“, sage ich.",
        "„Woher weißt du das?“ frage ich Jörg.", "„Ich warte hier auf dich. Lass dir Zeit.“",
        "Ich setze mich ans Feuer.", "Ich frage Imke nach dem Weg.", "Gibt es hier etwas zu essen?",
    ),
    "Japanese": (
        "誰がいるの？", "「ここはどこ？」", "「おはよう」", "「鐘を鳴らしたのは誰？」と聞く。",
        "「ありがとう、はるか」と言う。", "鍵はどこにあるのですか？", "待つ。", "海を眺める。",
        "「今日はここで休もう。みんな疲れている。」", "はるかに道を聞く。", "灯台の話を聞きたいと頼む。",
    ),
}  # fmt: skip
