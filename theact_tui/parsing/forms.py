"""The form that each agent fills in: a model with the other names its fields go by, and the schema that a server is given."""

from dataclasses import dataclass
from functools import cache
from types import GenericAlias
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AliasChoices, ConfigDict, Field, GetJsonSchemaHandler, create_model

from theact_tui.parsing.types import ReplyContext
from theact_tui.story.base import Value
from theact_tui.story.dice import EASIEST, HARDEST
from theact_tui.story.direct.blocks import FORMS
from theact_tui.story.memory import FACT_KINDS, MAX_NEW_FACTS
from theact_tui.story.moments import MOMENT_TYPES
from theact_tui.story.pack import MOODS

FieldKind = Literal[
    "prose", "line", "flag", "number", "whole", "choice", "ids", "beats", "texts", "facts", "pairs", "noted", "object",
    "objects", "named", "marks",
]  # fmt: skip
MOST_ITEMS = 12
"""Items of a list that has no bound of its own."""
MOST_OF_AN_ITEM = 300
"""Characters of a text in a list."""
MOST_ANSWERS = 2
MOST_OF_A_PLACE = 60
MOST_REPLIES = 26
MOST_OF_WORDS = 200
"""Characters of the player's line that a reply may quote."""


@dataclass(frozen=True)
class Kind:
    """How a field is read, and how much it may hold."""

    name: FieldKind
    choices: tuple[str, ...] = ()
    least: int = 0
    """Items of a list that there must be, or the lowest number."""
    most: int = 0
    """Characters of a text, items of a list, or the highest number; 0 is any."""
    optional: bool = False
    """A reply without it is complete."""
    former: bool = False
    """No prompt asks for it any more."""
    omit: bool = False
    """The form may be filled in without it."""
    must: bool = False
    """A reply is incomplete unless it says something of everybody who is asked about."""

    def __get_pydantic_json_schema__(self, core: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(core), "kind": self}


def also(names: str = "", default: Any = None) -> Any:
    """A field that also goes by other `names`, and what it is when a reply has none of them."""
    return Field(default, validation_alias=AliasChoices(*names.split())) if names else Field(default)


Ids = tuple[str, ...] | None
_Line = Annotated[str, Kind("line", most=300)]
_Note = Annotated[str, Kind("line", most=300, optional=True)]
_Texts = Annotated[tuple[str, ...], Kind("texts")]
_Ids = Annotated[Ids, Kind("ids", optional=True)]
_Named = Annotated[tuple[dict[str, str], ...], Kind("named")]
_Named1 = Annotated[tuple[dict[str, str], ...], Kind("named", least=1)]
_Prose = Annotated[str, Kind("prose")]


class Form(Value):
    """A reply. `needed` are the fields of which one must be there; empty: any."""

    model_config = ConfigDict(populate_by_name=True)
    needed: ClassVar[tuple[str, ...]] = ()


class StageReply(Form):
    """Who missed which piece of a page, who is there and who answers. A field is None where the reply did not say it, or was
    not asked for it."""

    answer: Annotated[Ids, Kind("ids", most=MOST_ANSWERS)] = also(
        "answered_by who_answers responding_characters responders next_speakers"
    )
    """Who answers, in order, at most `MOST_ANSWERS`."""
    missed: Annotated[dict[str, str] | None, Kind("marks", must=True)] = also(
        "missed_by not_heard did_not_hear"
    )
    """By person, the labels of the pieces that the person did not perceive; "all" for every piece."""
    here: Annotated[Ids, Kind("ids", optional=True, omit=True)] = also(
        "present who_is_here at_the_end on_stage characters_present"
    )
    """Who is there at the end."""
    asleep: Annotated[Ids, Kind("ids", optional=True, omit=True)] = also("sleeping sleepers unconscious")
    """Who of them sleeps."""
    gone: Annotated[Ids, Kind("ids", optional=True, omit=True)] = also("left departed")
    """Who of those who answered the turn before left in that answer."""
    aloud: Annotated[str | None, Kind("line", most=MOST_REPLIES, optional=True, omit=True)] = also()
    """Labels of the turn before's replies that everybody present heard after all."""
    elsewhere: Annotated[bool | None, Kind("flag", optional=True, omit=True)] = also("moved player_moved")
    """The player went to another place."""
    mood: Annotated[str | None, Kind("choice", MOODS, optional=True, former=True)] = also("tone atmosphere")
    place: Annotated[str | None, Kind("line", most=MOST_OF_A_PLACE, omit=True)] = also(
        "setting location where"
    )
    """At most `MOST_OF_A_PLACE` characters."""


class ProgressReply(Form):
    """`new_beats` are beats of the chapter, word for word; `quotes` the words of the text that show each of them."""

    needed = ("chapter_complete",)
    reason: _Line = also(
        "reasoning rationale explanation why because justification justificacion razon motivo explicacion grund "
        "begrundung begruendung motif 原因 理由 причина",
        "",
    )
    new_beats: Annotated[tuple[str, ...], Kind("beats")] = also(
        "beats beats_hit new_beats_hit newly_hit_beats newly_hit hit_beats beats_completed completed_beats beats_met "
        "beats_reached nuevos_beats neue_beats nouveaux_beats plot_points new_plot_points beat nuevos_eventos "
        "nuevos_momentos nuevos_puntos neue_punkte neue_handlungspunkte erreichte_beats nouveaux_points "
        "hitos_nuevos 新节拍 新情节点 新节点 новые_биты",
        (),
    )
    quotes: Annotated[tuple[str, ...], Kind("texts", most=3, optional=True)] = also(
        "evidence proof citation citations citas zitate", ()
    )
    chapter_complete: Annotated[bool, Kind("flag")] = also(
        "complete completed is_complete chapter_done done finished chapter_finished completion completion_status "
        "chapter_over completado capitulo_completo completo capitulo_terminado capitulo_finalizado "
        "capitulo_concluido kapitel_abgeschlossen kapitel_fertig kapitel_beendet abgeschlossen chapitre_termine "
        "termine 章节完成 章节是否完成 本章完成 глава_завершена",
        False,
    )


class FactUpdate(Form):
    """`old` is a known fact word for word, or what the model wrote if no fact matches it."""

    old: _Line = also(
        "from before original previous old_fact old_value was existing existing_fact find target replace outdated "
        "old_version current original_fact previous_fact alt alte viejo antiguo antes anterior de von vorher avant "
        "ancien index number id fact_number fact_id nr fact key",
        "",
    )
    new: _Line = also(
        "to after updated replacement new_fact new_value now with revised becomes change_to new_version updated_fact "
        "replace_with replaced_by neu neue nuevo nueva despues a zu nach nachher nouveau apres text value update "
        "content",
        "",
    )


class NewFact(Form):
    """A fact as the model wrote it, and what sort of thing it is."""

    fact: _Line = also("text new_fact line statement note", "")
    kind: Annotated[str, Kind("choice", (*FACT_KINDS, "none"))] = also("type category", "")


class FactsReply(Form):
    """`summary` and `remove` were asked for once, and are only known so that nothing else is taken for them."""

    summary: Annotated[str, Kind("prose", former=True, optional=True)] = also(
        "new_summary memory_summary overview understanding resumen resumen_actualizado zusammenfassung resume "
        "riassunto resumo 摘要 总结 概要 резюме сводка",
        "",
    )
    new: Annotated[tuple[NewFact, ...], Kind("noted", most=MAX_NEW_FACTS)] = also(
        "add adds additions addition added adding add_facts added_facts new_facts new_fact facts_to_add facts_added "
        "to_add new_key_facts new_memories key_facts facts agregar anadir anade agrega nuevos_hechos nuevos "
        "hinzufugen hinzufuegen hinzugefugt neue_fakten ajouter ajouts aggiungere 添加 新增 增加 добавить",
        (),
    )
    remove: Annotated[tuple[str, ...], Kind("facts", former=True, optional=True)] = also(
        "removals removal remove_facts removed_facts facts_to_remove to_remove delete deletes deleted deletions "
        "forget drop discard eliminar elimina eliminados quitar borrar entfernen loschen loeschen entfernt "
        "supprimer retirer rimuovere 删除 移除 удалить",
        (),
    )
    changed: Annotated[tuple[FactUpdate, ...], Kind("pairs")] = also(
        "update updates updating update_facts updated_facts facts_to_update facts_updated to_update changes change modify "
        "modified modifications edits edit replace replacements revise revisions actualizar actualiza actualizados "
        "cambios modificar aktualisieren aktualisierungen andern aendern modifier mises_a_jour aggiornare 更新 修改 "
        "обновить",
        (),
    )


class ReflectionReply(Form):
    """`beliefs` are lines that begin with a name and a colon."""

    want: _Line = also("goal desire quiere will", "")
    hide: _Note = also("secret hiding oculta", "")
    beliefs: Annotated[tuple[str, ...], Kind("texts", optional=True)] = also(
        "believes thinks opinions relationships others people thoughts", ()
    )


class PageBlock(Form):
    """What the narrator was once asked for: only `narration` is read, the other fields end it."""

    needed = ("narration",)
    narration: _Prose = also(
        "narrative story scene prose narrate scene_description story_narration next_scene narrador historia relato "
        "escena erzahlung erzaehlung erzahler erzaehler geschichte szene narrateur recit histoire narrativa 叙述 旁白 "
        "повествование рассказ сцена",
        "",
    )
    responding_characters: Annotated[Ids, Kind("ids")] = also(
        "responding responders responder responds respond replies characters_responding who_responds who_answers "
        "next_speakers speakers speaker next_speaker characters character reactions response_order personajes "
        "personajes_que_responden personajes_responden quien_responde antwortende_charaktere antwortende charaktere "
        "figuren wer_antwortet personnages qui_repond personnages_qui_repondent 回应角色 角色 персонажи отвечающие"
    )
    mood: Annotated[str, Kind("choice", MOODS)] = also(
        "tone atmosphere scene_mood emotion emotional_tone feeling vibe animo estado_animo estado_de_animo tono "
        "stimmung ambiance humeur umore 情绪 氛围 настроение",
        "calm",
    )
    present: _Ids = also("present_characters characters_present in_scene on_stage anwesend presentes")
    asleep: _Ids = also("sleeping sleepers schlafend dormidos")
    heard_by: _Ids = also("hears listeners who_hears gehort_von oido_por entendu_par only only_for nur")
    setting: _Note = also("place place_and_time location ort lugar lieu", "")


_MOMENT_TYPE = (
    "moment_kind moment_category kind category moment event_type type tipo tipo_de_momento typ 时刻类型 类型"
)
_MOMENT_SUMMARY = (
    "moment_description moment_desc moment_text summary description resumen resumen_de_momento resumen_del_momento "
    "descripcion zusammenfassung beschreibung resume 时刻摘要 时刻描述"
)
_SIGNIFICANCE = (
    "significance moment_importance importance moment_weight weight score moment_score significancia importancia "
    "relevancia bedeutung wichtigkeit signifikanz rating 重要性"
)


class RiskReply(Form):
    """What is risked in the player's line, and how hard it is."""

    needed = ("risk",)
    risk: Annotated[str, Kind("line", most=200)] = also("risked risky words attempt action try", "")
    difficulty: Annotated[int | None, Kind("whole", least=EASIEST, most=HARDEST)] = also(
        "dc target hard how_hard"
    )


class FoundMoment(Form):
    """As the model wrote it; `quote` is what of the pages shows it."""

    quote: Annotated[str, Kind("line", most=200)] = also("evidence words from proof", "")
    moment_type: Annotated[str | None, Kind("choice", MOMENT_TYPES)] = also(_MOMENT_TYPE)
    moment_summary: Annotated[str, Kind("line", most=200)] = also(
        f"{_MOMENT_SUMMARY} what text moment event", ""
    )
    moment_significance: Annotated[float, Kind("number")] = also(_SIGNIFICANCE, 0.5)


class MomentsReply(Form):
    """The moments of several turns."""

    needed = ("moments",)
    moments: Annotated[tuple[FoundMoment, ...], Kind("objects", most=3)] = also(
        "moment_list events events_found significant_moments found 时刻 моменты", ()
    )


class ConceptReply(Form):
    """What a story is about, and who and what is in it."""

    needed = ("title", "characters", "chapters")
    title: _Line = also("story_title name_of_the_story name titel titulo titre", "")
    description: _Prose = also("blurb logline summary pitch synopsis premise beschreibung descripcion", "")
    tone: _Line = also("style mood tono ton", "")
    player_name: _Line = also(
        "hero_name protagonist_name hero protagonist player name_of_player main_character", ""
    )
    player_description: _Line = also("protagonist_description who_the_player_is player_role hero_role", "")
    characters: _Named1 = also(
        "cast people npcs character character_list personajes charaktere personnages", ()
    )
    chapters: _Named1 = also("acts outline chapter_list parts plot chapter kapitel capitulos chapitres", ())


class SettingReply(Form):
    """The world of a story."""

    needed = ("setting",)
    setting: _Prose = also("world place scene location background welt mundo monde", "")
    rules: _Prose = also("rules_of_the_world world_rules laws limits rule regeln reglas", "")
    truth: _Prose = also("hidden_truth secret what_is_really_going_on twist hidden wahrheit verdad", "")


class CharacterReply(Form):
    """Somebody in a story."""

    needed = ("personality",)
    personality: _Prose = also("character manner temperament traits voice description behaviour behavior", "")
    want: _Line = also("goal desire motivation aim objective wunsch deseo", "")
    secret: _Prose = also("hidden hides geheimnis", "")
    examples: _Texts = also(
        "lines dialogue sample_lines example_lines quotes says speech beispiele ejemplos", ()
    )
    relationships: _Named = also("relations bonds ties to_others beziehungen relaciones", ())


class ChapterReply(Form):
    """A chapter of a story."""

    needed = ("beats",)
    summary: _Prose = also("description what_happens synopsis overview plot zusammenfassung resumen", "")
    beats: Annotated[tuple[str, ...], Kind("texts", least=1)] = also(
        "plot_points events steps beat story_beats key_events scenes", ()
    )
    completion: _Line = also(
        "ends_when complete_when chapter_ends_when completed_when end ending completion_condition goal", ""
    )
    characters: _Texts = also("cast people who present characters_present who_is_in_it", ())
    secret_of: _Note = also("secret secret_told reveal reveals revealed whose_secret secret_revealed", "")
    at_first: Annotated[tuple[str, ...], Kind("texts", optional=True)] = ()
    opening: _Prose = also("first_page opening_scene first_paragraph intro opening_page beginning", "")


class TroubleReply(Form):
    """What drives somebody, and a trouble that grows."""

    needed = ("want", "secret")
    want: _Line = also("goal desire motivation aim wunsch deseo", "")
    secret: _Line = also("hidden hides geheimnis secreto", "")
    trouble: _Line = also("problem conflict threat danger", "")
    grows: Annotated[tuple[str, ...], Kind("texts", least=2, most=3)] = also("steps growth stages worse", ())


class LoreReply(Form):
    """Something true in a world, and the words that call for it."""

    needed = ("keys",)
    title: _Line = also("name heading topic", "")
    keys: Annotated[tuple[str, ...], Kind("texts", least=1)] = also(
        "keywords words key_words key triggers trigger_words tags", ()
    )


_NAMES = {
    "world": "setting welt mundo monde",
    "chapter": "kapitel capitulo chapitre",
    "canon_locks": "canon locks locked_canon",
    "assumptions": "assumed",
    "location_updates": "location locations",
    "major_events": "events",
    "character_actions": "actions",
    "state_changes": "state_updates states",
    "relationship_shifts": "relationships relationship_changes",
    "items_clues_discovered": "items_clues items clues discoveries",
    "unresolved_threads": "threads open_threads",
    "contradictions_or_questions": "contradictions questions open_questions",
}


def _of_direct_mode(name: str, form: dict[str, Any]) -> type[Form]:
    """The model of a form of direct mode, as models are shown it empty."""
    fields: dict[str, Any] = {}
    for key, empty in form.items():
        match empty:
            case dict():
                annotated: Any = Annotated[_of_direct_mode(key, empty), Kind("object")]
            case [dict() as item]:
                annotated = Annotated[GenericAlias(tuple, (_of_direct_mode(key, item), ...)), Kind("objects")]
            case list():
                annotated = _Texts
            case int():
                annotated = Annotated[int, Kind("whole")]
            case _:
                annotated = _Line
        fields[key] = (annotated, also(_NAMES.get(key, "")))
    return create_model(name, __base__=Form, **fields)


MODELS: dict[str, type[Form]] = {
    "stage": StageReply,
    "progress": ProgressReply,
    "memory": FactsReply,
    "reflection": ReflectionReply,
    "risk": RiskReply,
    "moment": MomentsReply,
    **{name: _of_direct_mode(name, form) for name, form in FORMS.items()},
    "author_concept": ConceptReply,
    "author_setting": SettingReply,
    "author_character": CharacterReply,
    "author_chapter": ChapterReply,
    "author_lore": LoreReply,
    "author_trouble": TroubleReply,
}
"""By the agent that fills it in."""


def json_schema(agent: str, context: ReplyContext) -> dict[str, Any] | None:
    """The schema of `agent`'s form with what may be said now: ids and beats as enums, bounds for lists and texts. A list that
    can hold nothing, and a field that is not asked for, is left out. None where prose is asked for."""
    if agent not in MODELS:
        return None
    made, offered = _whole_schema(agent), context.offered
    asked = {n: node for n, node in made["properties"].items() if offered is None or n in offered}
    return _object(asked, made.get("$defs", {}), context)


@cache
def _whole_schema(agent: str) -> dict[str, Any]:
    """The form with all its fields, of which each call's schema is made. Not to be changed."""
    return MODELS[agent].model_json_schema(by_alias=False)


def _object(fields: dict[str, Any], defs: dict[str, Any], context: ReplyContext) -> dict[str, Any]:
    narrowed = {name: _narrowed(name, node, defs, context) for name, node in fields.items()}
    properties = {name: node for name, node in narrowed.items() if node}
    return _closed(properties, [name for name in properties if not fields[name]["kind"].omit])


def _closed(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _narrowed(
    name: str, node: dict[str, Any], defs: dict[str, Any], context: ReplyContext
) -> dict[str, Any] | None:
    """A field as it may be filled in now; None for one in which nothing may be said."""
    kind: Kind = node["kind"]
    if kind.former:
        return None
    base = next((one for one in node.get("anyOf", ()) if one["type"] != "null"), node)
    held = base.get("items", base)
    item: dict[str, Any] = {"type": held.get("type")}
    if "$ref" in held:
        item = _object(defs[held["$ref"].rpartition("/")[2]]["properties"], defs, context)
    match kind.name:
        case "object":
            return item
        case "marks":
            return _by_person(context)
        case "choice":
            empty = name == "moment_type"  # what is no moment has no type
            types = ["string", "null"] if empty else "string"
            return {"type": types, "enum": [*kind.choices, None] if empty else list(kind.choices)}
        case "prose" | "line":
            return {"type": "string", **({"maxLength": kind.most} if kind.most else {})}
        case "whole" if kind.most:
            return {**item, "minimum": kind.least, "maximum": kind.most}
        case "flag" | "number" | "whole":
            return item
    known: list[Any] | None = None
    if item == {"type": "string"}:
        item["maxLength"] = MOST_OF_AN_ITEM
    match kind.name:
        case "ids":
            may = context.active_characters if context.offered is None else context.offered[name]
            item, known = {"type": "string"}, None if may is None else list(may)
        case "beats":
            item, known = {"type": "integer"}, _numbers(context.beats, context.open_beats)
        case "pairs":
            return _by_number(item["properties"]["new"], len(context.facts or ()))
        case "named":
            item = {"type": "string", "maxLength": MOST_OF_AN_ITEM}
    if known == []:
        return None
    made: dict[str, Any] = {"type": "array", "items": item}
    if known:
        made = {"type": "array", "items": {**item, "enum": known}, "uniqueItems": True}
    most = min(kind.most or MOST_ITEMS, len(known) if known else MOST_ITEMS)
    return {**made, **({"minItems": kind.least} if kind.least else {}), "maxItems": most}


def _by_number(text: dict[str, Any], count: int) -> dict[str, Any] | None:
    """An object that may hold a text for each of `count` numbered lines."""
    lines = {str(number): text for number in range(1, count + 1)}
    return _closed(lines, []) if lines else None


def _by_person(context: ReplyContext) -> dict[str, Any] | None:
    """An object that holds for each person concerned a string of labels, or "all"."""
    people = (context.offered or {}).get("missed", ())
    labels = "".join(context.labels)
    marks = (
        {"type": "string", "pattern": f"^(all|[{labels}]{{0,{len(labels)}}})$"}
        if labels
        else {"type": "string"}
    )
    return _closed(dict.fromkeys(people, marks), list(people)) if people else None


def _numbers(lines: tuple[str, ...] | None, asked: tuple[int, ...] | None) -> list[int] | None:
    """The numbers by which lines may be named; None if they are not known."""
    return None if lines is None else list(range(1, len(lines) + 1)) if asked is None else list(asked)
