"""A native engine to choose: the build the perfetto package pins, fetched once."""

from __future__ import annotations

import hashlib
import platform
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Final

from echolot_tui.errors import EcholotError
from echolot_tui.project.files import write_atomic
from echolot_tui.selfcheck.ports import Say

_TIMEOUT_S: Final = 60.0
_BY_HAND: Final = "download a trace_processor_shell elsewhere and name it with --tp-binary"


def fetch_native(folder: Path, say: Say) -> Path:
    """The pinned ``trace_processor_shell`` of this platform, from ``folder`` or downloaded into it.

    Its SHA-256 is compared each time, also of a file that is already there.

    Raises:
        EcholotError: There is none for this platform, no way to it, or it is another file.
    """
    entry = _entry(sys.platform, platform.machine().lower())
    path = folder / f"trace_processor_shell-{entry['sha256'][:16]}"
    if path.is_file() and _sha256(path.read_bytes()) == entry["sha256"]:
        return path
    say(f"fetching {entry['url']}")
    content = _download(entry["url"])
    if _sha256(content) != entry["sha256"]:
        raise EcholotError(
            f"is not the pinned build (SHA-256 {_sha256(content)[:12]}…, not {entry['sha256'][:12]}…)",
            where=entry["url"],
            todo=f"nothing was kept; try again, or {_BY_HAND}",
        )
    write_atomic(path, content)
    path.chmod(0o755)
    return path


def _entry(system: str, machine: str) -> dict[str, str]:
    from perfetto.prebuilts.manifests.trace_processor_shell import (  # noqa: PLC0415 - only to fetch
        TRACE_PROCESSOR_SHELL_MANIFEST,
    )

    manifest: list[dict[str, Any]] = TRACE_PROCESSOR_SHELL_MANIFEST
    for entry in manifest:
        if entry.get("platform") == system and machine in entry.get("machine", []) and entry.get("url"):
            return entry
    raise EcholotError(
        f"the perfetto package pins no native engine for {system} on {machine}",
        todo="the embedded engine needs none; or build one and name it with --tp-binary",
    )


def _download(url: str) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT_S) as answer:  # noqa: S310 - from the package's manifest
            content: bytes = answer.read()
            return content
    except (OSError, urllib.error.URLError) as error:
        reason = getattr(error, "reason", None) or error
        raise EcholotError(
            f"cannot be fetched ({reason})",
            where=url,
            todo=f"the embedded engine needs no network; for a native one, {_BY_HAND}",
        ) from error


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
