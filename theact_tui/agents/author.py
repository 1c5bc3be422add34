"""Author agents: talk, concept, setting, character, chapter, lore; shortening."""

import json

from theact_tui.agents.agent import Agent, Templates
from theact_tui.agents.prompts import AUTHOR_FORMS, AUTHOR_TEMPLATES, fill_text
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.sections import Section
from theact_tui.story.views import AuthorView

_REPLY_TOKENS = {"concept": 600, "setting": 450, "character": 400, "chapter": 600, "lore": 150}


def task_text(view: AuthorView) -> str:
    """Write the task of an author agent, with the form of its answer."""
    parts = [fill_text(AUTHOR_TEMPLATES[view.kind], **view.words)]
    if view.change:
        parts.append(fill_text(AUTHOR_TEMPLATES["change"], last=view.last, change=view.change))
    elif view.problems:
        problems = "\n".join(f"- {problem}" for problem in view.problems)
        parts.append(fill_text(AUTHOR_TEMPLATES["repair"], last=view.last, problems=problems))
    if view.kind in AUTHOR_FORMS:
        parts.append(f"Answer with one JSON object of this form:\n{_form(view)}")
    return "\n\n".join(parts)


def _form(view: AuthorView) -> str:
    form = AUTHOR_FORMS[view.kind]
    alone = view.kind == "character" and not view.words.get("others")
    asked = {
        name: fill_text(shown, **view.words)
        if isinstance(shown, str)
        else [fill_text(item, **view.words) for item in shown]
        for name, shown in form.items()
        if not (alone and name == "relationships")
    }
    return json.dumps(asked, indent=1, ensure_ascii=False)


def _sections(view: AuthorView, templates: Templates) -> list[Section]:
    match view.kind:
        case "short" | "lore":
            text = f"ABOUT {view.words['name']}\n{view.plan}"
            plan = Section("plan", text, source="the draft", priority="pages")
        case _:
            plan = Section("plan", f"THE PLAN SO FAR\n{view.plan}", source="the draft", priority="pages")
    return [
        Section("rules", AUTHOR_TEMPLATES["author"], source="prompts", part="system"),
        plan,
        Section("task", task_text(view), source="prompts"),
    ]


def _talk_sections(view: AuthorView, templates: Templates) -> list[Section]:
    return [
        Section("rules", AUTHOR_TEMPLATES["talker"], source="prompts", part="system"),
        Section("talk", view.plan, source="the draft", priority="pages"),
        Section("task", AUTHOR_TEMPLATES[view.kind], source="prompts"),
    ]


SHORT: Agent[AuthorView] = Agent("author", "summary", 300, 0.3, _sections)
AUTHORS: dict[str, Agent[AuthorView]] = {
    kind: Agent(
        "author",
        f"author_{kind}",
        tokens,
        0.8,
        _sections,
        context=lambda view: ReplyContext(prompt_example=_form(view)),
    )
    for kind, tokens in _REPLY_TOKENS.items()
}
"""By kind of part."""
TALK: Agent[AuthorView] = Agent("author", "summary", 200, 0.9, _talk_sections)
