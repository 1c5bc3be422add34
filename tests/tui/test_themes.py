"""Looks: every ink in every theme, readable; real absence of colour where it is asked for."""

from pathlib import Path

import pytest
from textual.color import Color
from textual.command import CommandList
from textual.screen import Screen
from textual.theme import Theme
from textual.widgets import Input

from tests.support.pilot import make_app, opens, running, until
from theact_tui.story import pack
from theact_tui.tui.direct.screen import DirectScreen
from theact_tui.tui.settings.forms import ThemeDialog
from theact_tui.tui.themes import ANSI_THEME, LIGHT_ANSI_THEME, MOODS, THEMES, VOICES, fallback_variables

COLOURED = [theme for theme in THEMES if not theme.ansi]
INKS = {
    "quiet",
    "faint",
    "line",
    "glow",
    *(f"{kind}-{n}" for kind in ("voice", "words") for n in range(1, VOICES + 1)),
    *(f"mood-{mood}" for mood in MOODS),
}


def contrast(one: str, other: str) -> float:
    """The ratio of WCAG, 1 to 21."""

    def luminance(colour: str) -> float:
        parts = [value / 255 for value in Color.parse(colour).rgb]
        linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dark + 0.05)


def shown(screen: Screen[object]) -> str:
    return "\n".join(strip.text for strip in screen._compositor.render_strips())


def own_colours(screen: Screen[object]) -> set[str]:
    """Colours that are not of the terminal's palette, with the words that have them."""
    styles = [(part.text, part.style) for strip in screen._compositor.render_strips() for part in strip]
    inks = [(text, ink) for text, style in styles if style for ink in (style.color, style.bgcolor) if ink]
    return {f"{ink.name} {text.strip()}" for text, ink in inks if ink.triplet is not None}


def named(theme: Theme) -> str:
    return theme.name


@pytest.mark.parametrize("theme", THEMES, ids=named)
def test_a_theme_has_every_ink(theme: Theme) -> None:
    assert set(theme.variables) >= INKS
    assert set(fallback_variables(theme.dark)) >= INKS


@pytest.mark.parametrize("theme", COLOURED, ids=named)
def test_what_is_read_can_be_read_on_the_page_in_a_box_and_under_a_cursor(theme: Theme) -> None:
    grounds = (theme.background, theme.surface, theme.panel, theme.variables["glow"])
    named = ("foreground", "primary", "success", "warning", "error")
    text = {name: getattr(theme, name) for name in named}
    inks = {n: theme.variables[n] for n in INKS if n.startswith(("quiet", "faint", "voice", "words"))}
    for name, ink in {**text, **inks}.items():
        for ground in grounds:
            assert contrast(ground or "", ink) >= 4.5, (name, ground)
    assert contrast(theme.background or "", theme.foreground or "") >= 7
    for mood in MOODS:
        assert contrast(theme.background or "", theme.variables[f"mood-{mood}"]) >= 4.5, mood


def test_there_are_light_and_dark_ones_with_a_tint_for_every_mood_of_a_story() -> None:
    assert {theme.dark for theme in COLOURED} == {True, False}
    assert len(COLOURED) >= 4
    assert MOODS == pack.MOODS


async def test_every_theme_can_be_worn_and_notes_can_be_read_in_the_looks_of_textual_too(
    tmp_path: Path,
) -> None:
    app = make_app(tmp_path)
    async with running(app, (80, 24)) as pilot:
        for app.theme in [*(theme.name for theme in THEMES), "nord", "ansi-dark", "textual-light"]:
            await pilot.pause()
        variables = app.get_css_variables()
        for ink in ("quiet", "faint", *(f"voice-{n}" for n in range(1, VOICES + 1))):
            assert contrast(variables["background"], variables[ink]) >= 4.5, ink


@pytest.mark.parametrize(("wanted", "worn"), [("paper", ANSI_THEME), ("ansi-light", "ansi-light")])
async def test_no_color_means_no_colour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: str, worn: str
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = make_app(tmp_path, theme=wanted)
    async with running(app):
        assert app.theme == worn
        screen = app.screen
        colours = {
            segment.style.color.name
            for strip in screen._compositor.render_strips()
            for segment in strip
            if segment.style and segment.style.color
        }
        assert colours <= {"default"}
        assert all(app.available_themes[name].ansi for name in ThemeDialog(app)._rows)


@pytest.mark.parametrize(
    ("term", "wanted", "worn"),
    [
        ("linux", "lamplight", ANSI_THEME),
        ("xterm", "paper", LIGHT_ANSI_THEME),
        ("xterm", "ansi-dark", ANSI_THEME),
    ],
)
async def test_below_256_colours_the_terminal_s_own_are_worn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, term: str, wanted: str, worn: str
) -> None:
    monkeypatch.setenv("TERM", term)
    monkeypatch.delenv("COLORTERM")
    app = make_app(tmp_path, theme=wanted)
    async with running(app):
        assert app.theme == worn


async def test_a_chapter_is_directed_in_the_terminal_s_colours_alone(tmp_path: Path) -> None:
    themes = [theme.name for theme in THEMES if theme.ansi]
    app = make_app(tmp_path, theme=themes[0])

    async def has_only_the_terminal_s() -> bool:
        inks: set[str] = set()
        for app.theme in themes:
            await pilot.pause()
            inks |= own_colours(app.screen)
        return not inks

    async with running(app, (100, 30)) as pilot:
        await opens(pilot, DirectScreen, "e")
        assert await has_only_the_terminal_s()
        await pilot.press("f9", "y")
        await until(pilot, lambda: "What happens?" in shown(app.screen))
        await pilot.press(*"words", "shift+left")
        assert await has_only_the_terminal_s()
        for key in ("f9", "f2"):
            await pilot.press(key)
            await pilot.pause()
            assert await has_only_the_terminal_s(), key


@pytest.mark.parametrize("theme", [theme.name for theme in THEMES if theme.ansi])
async def test_cursors_are_seen_in_the_terminal_s_colours(tmp_path: Path, theme: str) -> None:
    app = make_app(tmp_path, theme=theme)
    async with running(app, (80, 24)) as pilot:
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.focused, Input))
        for part in ("input--cursor", "input--selection"):
            style = app.screen.query_one(Input).get_component_rich_style(part)
            assert style.reverse and style.color == style.bgcolor, part
        await pilot.press("escape", "ctrl+p")
        await until(pilot, lambda: bool(app.screen.query(CommandList)))
        marked = app.screen.query_one(CommandList).get_component_rich_style("option-list--option-highlighted")
        assert marked.underline
