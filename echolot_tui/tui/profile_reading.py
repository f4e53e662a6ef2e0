"""A differential profile as its screen needs it."""

from __future__ import annotations

import asyncio

from echolot_tui.present.profile_screen import ProfileTree
from echolot_tui.profiles.model import Node, ProfileDiff
from echolot_tui.tui.decoding import decode_in_pieces


async def read_tree(printed: bytes) -> ProfileTree:
    """What ``echolot profile --json`` printed, in the order it is shown.

    Raises:
        EcholotError: It is not what this program writes.
    """
    profile = await decode_in_pieces(
        printed, ProfileDiff, field="nodes", item=Node, what="comparison of the profiles"
    )
    return await asyncio.to_thread(ProfileTree, profile)
