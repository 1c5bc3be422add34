"""Keys of all actions: defaults, and the user's own after a check."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

from textual.binding import Binding
from textual.keys import KEY_NAME_REPLACEMENTS, key_to_character
from textual.keys import Keys as Known

from theact_tui.tui.actions import Action
from theact_tui.tui.widgets.footer import KEYS_BY_NAME, key_name
from theact_tui.tui.widgets.inputs import TextField

EVERYWHERE = "everywhere"
PLACES = (
    (EVERYWHERE, "actions", "APP_ACTIONS"),
    ("playing", "play.keys", "WRITING_ACTIONS"),
    ("playing", "play.keys", "PLAY_ACTIONS"),
    ("the cast", "play.keys", "CAST_ACTIONS"),
    ("the story so far", "play.keys", "SUMMARY_ACTIONS"),
    ("your stories", "home.keys", "LIST_ACTIONS"),
    ("your stories", "home.keys", "HOME_ACTIONS"),
    ("at a seat", "seat.keys", "SEAT_ACTIONS"),
    ("the lab", "lab.keys", "LAB_ACTIONS"),
    ("writing a pack", "write.keys", "WRITE_ACTIONS"),
    ("branches", "branches.keys", "TREE_ACTIONS"),
    ("comparing", "branches.keys", "COMPARE_ACTIONS"),
    ("the inspector", "inspector.keys", "INSPECTOR_ACTIONS"),
    ("directing", "direct.keys", "ASKING_ACTIONS"),
    ("directing", "direct.keys", "DIRECT_ACTIONS"),
    ("the number of characters", "direct.keys", "COUNT_ACTIONS"),
    ("settings", "settings.keys", "SETTINGS_ACTIONS"),
    ("models", "settings.models_keys", "MODELS_ACTIONS"),
)
"""Groups of actions, with module and tuple."""
WRITING = ("playing", "directing", "at a seat", EVERYWHERE)
"""Screens with a text box, whose own keys are taken."""
EDITING = frozenset({"space", *TextField.EDITING})
MODIFIERS = frozenset("ctrl alt shift super meta hyper".split())
ALIASES = KEYS_BY_NAME | {"return": "enter"}

Keys = Mapping[str, str]
"""By action id, several separated by commas."""


@dataclass(frozen=True, slots=True)
class Keyed:
    place: str
    act: Action


@dataclass(frozen=True, slots=True)
class Keymap:
    own: Keys
    refused: Mapping[str, str]
    """Reasons, by the text in the file."""

    @property
    def bound(self) -> dict[str, str]:
        """Return the user's keys, and the kept keys of actions that shared a changed one."""
        bindings = dict(self.own)
        acts = every_act()
        for moved in (keyed for keyed in acts if keyed.act.id in self.own):
            for other in acts:
                shared = set(keys_of(other.act)) & set(keys_of(moved.act))
                if shared and other.place == moved.place:
                    bindings.setdefault(other.act.id, other.act.binding.key)
        return bindings


def every_act() -> list[Keyed]:
    return [
        Keyed(place, act)
        for place, module, name in PLACES
        for act in getattr(import_module(f"theact_tui.tui.{module}"), name)
    ]


def keys_of(act: Action) -> list[str]:
    return act.key.split(",") if act.key else []


def checked_keys(own: Keys) -> Keymap:
    """Sort the user's keys into usable and refused; a refused one leaves the default."""
    acts = {keyed.act.id: keyed for keyed in every_act()} if own else {}
    good = {id: ",".join(map(named, keys.split(","))) for id, keys in own.items()}
    refused: dict[str, str] = {}
    while wrong := next(((id, why) for id in good if (why := _problem(id, good, acts))), None):
        id, why = wrong
        refused[id] = f"{id} = {own[id]}: {why}"
        del good[id]
    return Keymap(good, refused)


def _problem(id: str, own: Keys, acts: Mapping[str, Keyed]) -> str:
    """Say why a key is unusable, or ""."""
    if id not in acts:
        return "there is no action with this name."
    problems = (clash(key, acts[id], own) if is_key(key) else "unknown key." for key in own[id].split(","))
    return next(filter(None, problems), "")


def named(key: str) -> str:
    """Translate a key such as `^r`, `shift-F4`, `esc` to Textual's name."""
    key = key.strip()
    if len(key) == 1 and key not in ALIASES:
        return name_of_sign(key)
    key = key.replace("^", "ctrl+", 1) if key.startswith("^") else key
    *modifiers, last = key.replace("-", "+").lower().split("+")
    return "+".join([*modifiers, ALIASES.get(last, last)])


def name_of_sign(sign: str) -> str:
    name = (
        sign if sign.isalnum() else unicodedata.name(sign, sign).lower().replace("-", "_").replace(" ", "_")
    )
    return KEY_NAME_REPLACEMENTS.get(name, name)


def is_key(key: str) -> bool:
    """True if a terminal can send this key."""
    *modifiers, last = key.split("+")
    single = {named_key.value for named_key in Known} | {name_of_sign(chr(sign)) for sign in range(32, 127)}
    return set(modifiers) <= MODIFIERS and (
        len(last) == 1 or last in single or key_to_character(last) is not None
    )


def shown_key(act: Action, keys: Keys) -> str:
    return key_name(Binding(keys[act.id], act.action) if act.id in keys else act.binding)


def clash(wanted: str, at: Keyed, keys: Keys) -> str:
    """Say why `wanted` cannot be an action's key, or ""."""
    if at.place in WRITING and (len(wanted) == 1 or wanted in EDITING):
        return "That key types text there. Use a function key, or one with ctrl."
    for other in every_act():
        meets = other.place == at.place or EVERYWHERE in (other.place, at.place)
        taken = keys.get(other.act.id, other.act.key)
        if meets and other.act.action != at.act.action and wanted in taken.split(","):
            if wanted in keys_of(at.act) and wanted in keys_of(other.act):
                continue  # they share it: never both at once
            place = "everywhere" if other.place == EVERYWHERE else "there"
            return f'{shown_key(other.act, keys)} is already the key for "{other.act.label}" {place}.'
    return ""
