"""A differential profile as its screen needs it, and its files; called by the bridge, in a thread."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import asdict

from echolot_tui.present.flame_svg import flame_svg
from echolot_tui.present.profile_markdown import profile_markdown
from echolot_tui.present.profile_screen import ProfileTree
from echolot_tui.profiles.codec import encode_profile
from echolot_tui.profiles.model import Node, ProfileDiff
from echolot_tui.profiles.stacks import ProfileError
from echolot_tui.project.files import write_atomic

_PAGE: Final = "profile.md"
_MODEL: Final = "profile.json"
_FLAME: Final = "flame.svg"
_PIECE: Final = 250
"""Nodes decoded between two moments in which another thread may run."""


class _Undecoded(ProfileDiff, frozen=True, kw_only=True):
    """A profile whose nodes are still bytes."""

    nodes: tuple[msgspec.Raw, ...]  # type: ignore[assignment]


def read_tree(printed: bytes) -> ProfileTree:
    """What ``echolot profile --json`` printed, in the order it is shown.

    The nodes are decoded a few at a time: one call for all of them would keep the keyboard's thread waiting.

    Raises:
        ProfileError: It is not what this program writes.
    """
    try:
        outer = msgspec.json.decode(printed, type=_Undecoded)
        nodes: list[Node] = []
        for start in range(0, len(outer.nodes), _PIECE):
            nodes += [msgspec.json.decode(one, type=Node) for one in outer.nodes[start : start + _PIECE]]
    except msgspec.DecodeError as error:
        raise ProfileError(f"the comparison of the profiles cannot be read: {error}") from error
    return ProfileTree(ProfileDiff(**{**asdict(outer), "nodes": tuple(nodes)}))


def write_profile(profile: ProfileDiff, folder: Path) -> list[str]:
    """Write the page, the flame graph unless the sides do not compare, and the model last.

    Returns:
        The files' names.
    """
    flame = None if profile.refused else _FLAME
    contents = {_PAGE: profile_markdown(profile, flame=flame).encode()}
    if flame is not None:
        contents[flame] = flame_svg(profile).encode()
    contents[_MODEL] = encode_profile(profile)
    for name, content in contents.items():
        write_atomic(folder / name, content)
    return list(contents)
