"""The fields of each agent's structured reply, and the names that small models give them, in several languages.

Those of direct mode are in `fields_direct`.
"""

from __future__ import annotations

from theact_tui.models.reading.fields_direct import DELTA, LOCK
from theact_tui.models.reading.shapes import Field, Shape

MOODS = ("tense", "calm", "urgent", "mysterious", "humorous", "dramatic", "melancholic")
MOMENTS = (
    "combat_victory",
    "combat_defeat",
    "critical_success",
    "critical_failure",
    "discovery",
    "achievement",
    "turning_point",
)

NARRATOR = Shape(
    fields=(
        Field(
            "narration",
            "prose",
            "叙述 旁白 叙事 场景 剧情 повествование рассказ сцена narrative narrations narrator narration_text "
            "narrative_text story scene story_text scene_text prose "
            "narate naration the_narration scene_description scene_narration story_narration next_scene "
            "narrador narracion historia relato escena erzahlung erzaehlung erzahler erzaehler geschichte szene "
            "erzahltext narrateur recit histoire narrazione narracao narrativa narracion_texto",
            weak="text content description response output reply message answer body paragraph texto texte "
            "inhalt",
        ),
        Field(
            "responding_characters",
            "ids",
            "回应角色 响应角色 回应的角色 回复角色 角色 "
            "personajes_respondientes personajes_que_reaccionan персонажи отвечающие "
            "отвечающие_персонажи responding_character responding responders responder responds respond "
            "respondents respondent "
            "replies "
            "responding_chars responding_ids responding_npcs characters_responding characters_to_respond "
            "characters_who_respond character_responses who_responds who_respond next_characters next_speakers "
            "responding_characters_ids responding_character_ids characters_responding_ids "
            "responding_characters_list "
            "speakers speaker next_speaker characters character character_ids reacting_characters reactions "
            "response_characters response_order responding_order personajes personajes_que_responden "
            "personajes_responden personajes_respondiendo responden quien_responde quienes_responden "
            "antwortende_charaktere antwortende_figuren antwortende_personen antwortende charaktere figuren "
            "wer_antwortet "
            "reagierende_charaktere reagierende_figuren personnages personnages_qui_repondent "
            "personnages_repondants "
            "personnages_repondant repondants qui_repond personaggi personaggi_che_rispondono personagens "
            "personagens_que_respondem",
        ),
        Field(
            "mood",
            "choice",
            "情绪 氛围 心情 气氛 estado_animo estado_anímico ambientacion настроение moods tone atmosphere scene_mood "
            "scene_tone emotion emotional_tone feeling the_mood overall_mood "
            "vibe "
            "animo estado_de_animo humor tono ambiente stimmung laune atmosphare atmosphaere ambiance humeur "
            "umore ton",
            choices=MOODS,
        ),
        Field(
            "present",
            "ids",
            "在场 在场角色 присутствуют present_characters characters_present characters_in_scene in_scene on_stage "
            "who_is_present "
            "currently_present "
            "presence presentes personajes_presentes presente anwesend anwesende anwesende_charaktere presents "
            "personnages_presents",
            optional=True,
        ),
    ),
    needed=("narration",),
)

PROGRESS = Shape(
    fields=(
        Field(
            "chapter_complete",
            "flag",
            "章节完成 章节是否完成 本章完成 completado capitulo_finalizado capitulo_concluido глава_завершена complete "
            "completed is_complete chapter_completed chapter_is_complete chapter_done done finished "
            "is_chapter_complete chapter_finished completion chapter_completion chapter_complete_status "
            "completion_status "
            "is_the_chapter_complete chaptercomplete chapter_over capitulo_completo capitulo_completado "
            "capitulo_terminado completo completado kapitel_abgeschlossen kapitel_fertig kapitel_beendet "
            "kapitel_vollstandig abgeschlossen chapitre_termine chapitre_complet chapitre_acheve termine "
            "capitolo_completo capitulo_concluido",
            weak="chapter status answer result chapter_status chapter_state",
        ),
        Field(
            "reason",
            "line",
            "原因 理由 justificacion explicación причина reasons reasoning rationale explanation why because "
            "justification reason_why razon motivo "
            "explicacion "
            "grund begrundung begruendung raison explication motif motivazione razao",
            weak="comment note",
        ),
        Field(
            "new_beats",
            "beats",
            "新节拍 新情节点 新情节 新节点 "
            "nuevos_eventos nuevos_beat hitos_nuevos beats_nuevos nuevos_momentos новые_биты "
            "beats new_beat newbeats beats_hit new_beats_hit newly_hit_beats newly_hit hit_beats beats_completed "
            "completed_beats beats_met met_beats beats_reached beats_achieved new_plot_points plot_points "
            "plot_points_hit "
            "beat beat_updates nuevos_beats nuevos_puntos puntos_nuevos puntos_cumplidos nuevos_hitos neue_beats "
            "neue_punkte neue_handlungspunkte erreichte_beats nouveaux_beats nouveaux_points points_atteints "
            "nuovi_beat novos_beats",
        ),
    ),
    needed=("chapter_complete",),
)

_OLD = (
    "from before original previous old_fact old_text old_value was existing existing_fact find target replace "
    "outdated old_version current current_fact original_fact previous_fact fact_to_update alt alte altes viejo "
    "vieja "
    "antiguo antigua antes anterior de von vorher ancien ancienne avant vecchio antigo index number id "
    "fact_number "
    "fact_id nr fact key"
)
_NEW = (
    "to after updated replacement new_fact new_text new_value now with revised becomes change_to new_version "
    "updated_fact replace_with replaced_by current_version neu neue neues nuevo nueva despues a zu nach nachher "
    "nouveau nouvelle apres nuovo novo text value update content"
)

MEMORY = Shape(
    fields=(
        Field(
            "summary",
            "prose",
            "摘要 总结 概要 resumen_de_memoria резюме сводка updated_summary new_summary memory_summary summaries "
            "overview understanding current_understanding "
            "resumen "
            "resumen_actualizado zusammenfassung resume sommaire synthese riassunto resumo",
        ),
        Field(
            "add",
            "texts",
            "添加 新增 增加 nuevos agrega añade anade добавить adds additions addition added adding add_facts "
            "add_fact added_facts new_facts new_fact facts_to_add "
            "facts_added to_add new_key_facts new_memories agregar anadir agregados nuevos_hechos hechos_nuevos "
            "hinzufugen hinzufuegen hinzugefugt neue_fakten neue_tatsachen ajouter ajouts ajout nouveaux_faits "
            "aggiungere aggiunte adicionar key_facts facts",
        ),
        Field(
            "remove",
            "facts",
            "删除 移除 elimina eliminados удалить removes removals removal removed remove_facts remove_fact "
            "removed_facts facts_to_remove "
            "facts_removed "
            "to_remove delete deletes deleted deletions delete_facts forget drop discard eliminar quitar borrar "
            "remover "
            "entfernen loschen loeschen entfernt streichen supprimer retirer enlever suppressions rimuovere",
        ),
        Field(
            "update",
            "pairs",
            "更新 修改 actualiza actualizados обновить updates updating updated update_facts update_fact "
            "updated_facts facts_to_update facts_updated "
            "to_update "
            "changes changed change modify modified modifications edits edit replace replacements revise "
            "revisions "
            "actualizar actualizaciones actualizacion cambiar cambios modificar aktualisieren aktualisierungen "
            "aktualisierung andern aendern anderungen mettre_a_jour mise_a_jour mises_a_jour modifier "
            "aggiornare atualizar",
            parts=(Field("old", "line", _OLD), Field("new", "line", _NEW)),
        ),
    ),
    needed=("summary", "add", "remove", "update"),
)

KEEPER = Shape(
    fields=(
        Field(
            "resolution",
            "line",
            "结果 裁决 判定 исход resolutions resolve resolved outcome ruling decision verdict result "
            "action_resolution action_result "
            "result_of_action action_outcome resolucion resultado desenlace auflosung aufloesung ergebnis "
            "ausgang "
            "entscheidung resultat issue risoluzione resolucao",
        ),
        Field(
            "moment_type",
            "choice",
            "时刻类型 类型 momenttype type_of_moment moment_kind moment_category kind category moment event_type type "
            "tipo "
            "tipo_de_momento tipo_momento typ moment_typ momenttyp art type_de_moment type_moment "
            "tipo_di_momento",
            choices=MOMENTS,
        ),
        Field(
            "moment_summary",
            "line",
            "时刻摘要 时刻描述 resumen_de_momento moment_description moment_desc moment_text summary_of_moment summary "
            "description resumen "
            "resumen_del_momento "
            "resumen_momento descripcion zusammenfassung moment_zusammenfassung beschreibung resume "
            "resume_du_moment",
        ),
        Field(
            "moment_significance",
            "number",
            "重要性 relevancia significancia_momento importancia_momento importancia_del_momento significance "
            "moment_importance importance moment_weight weight score moment_score "
            "significance_score "
            "significancia importancia significancia_del_momento bedeutung wichtigkeit moment_bedeutung "
            "signifikanz "
            "importance_du_moment",
        ),
    ),
    needed=("resolution",),
)
MOMENT = Shape(fields=KEEPER.fields, needed=("resolution", "moment_type"))

SHAPES: dict[str, Shape] = {
    "narrator": NARRATOR,
    "progress": PROGRESS,
    "memory": MEMORY,
    "keeper": KEEPER,
    "moment": MOMENT,
    "lock": LOCK,
    "delta": DELTA,
}
PLAIN = ("character", "actor", "summary", "recap", "epilogue", "merge", "cell", "chapter")
AGENTS = (*SHAPES, *PLAIN)
