"""The files a differential profile is written as."""

from __future__ import annotations

from echolot_tui.present.flame_svg import flame_svg
from echolot_tui.present.profile_markdown import profile_markdown
from echolot_tui.profiles.codec import encode_profile
from echolot_tui.profiles.model import ProfileDiff

PAGE = "profile.md"
MODEL = "profile.json"
FLAME = "flame.svg"


def profile_files(profile: ProfileDiff) -> dict[str, bytes]:
    """Content by name, in the order to write: the page, the flame graph unless refused, the model last."""
    flame = None if profile.refused else FLAME
    files = {PAGE: profile_markdown(profile, flame=flame).encode()}
    if flame is not None:
        files[flame] = flame_svg(profile).encode()
    files[MODEL] = encode_profile(profile)
    return files
