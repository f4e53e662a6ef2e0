"""``profile.json``: written the same way every time, read back."""

from __future__ import annotations

import msgspec

from echolot_tui.profiles.model import SCHEMA, ProfileDiff
from echolot_tui.profiles.stacks import ProfileError
from echolot_tui.report.codec import encode_json


def encode_profile(profile: ProfileDiff) -> bytes:
    """UTF-8, indented by 2, keys in the model's order, no line end at its end."""
    return msgspec.json.format(encode_json(profile), indent=2)


def decode_profile(raw: bytes, *, where: str) -> ProfileDiff:
    """Read a ``profile.json``.

    Args:
        raw: The file's bytes.
        where: The file, for messages.

    Raises:
        ProfileError: Not JSON, another kind of file, or of another schema.
    """
    todo = "compare the profiles again"
    try:
        profile = msgspec.json.decode(raw, type=ProfileDiff)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ProfileError(f"is no profile of this program: {error}", where=where, todo=todo) from error
    if profile.schema != SCHEMA:
        raise ProfileError(
            f"has schema {profile.schema}, this program reads {SCHEMA}", where=where, todo=todo
        )
    return profile
