"""Packs: the folders of YAML that define a game (S2). Finding, loading, checking and starting them."""

from theact_tui.packs.findings import Finding
from theact_tui.packs.library import PackEntry, find_packs, pack_folder, shipped_folder
from theact_tui.packs.load import check_pack, load_pack
from theact_tui.packs.scaffold import new_pack

__all__ = [
    "Finding",
    "PackEntry",
    "check_pack",
    "find_packs",
    "load_pack",
    "new_pack",
    "pack_folder",
    "shipped_folder",
]
