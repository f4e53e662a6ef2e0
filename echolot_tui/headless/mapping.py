"""The R8 mapping the config names: told to the engine, and asked for the frames of lock waits."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from echolot_tui.engine.deobfuscation import deobfuscation_trace
from echolot_tui.errors import EcholotError
from echolot_tui.headless.diagnostics import talk
from echolot_tui.measure.spec import code_hash
from echolot_tui.project.files import write_atomic
from echolot_tui.project.r8_mapping import map_id, read_classes
from echolot_tui.project.retrace import Retracer
from echolot_tui.report.retraced import BuildMapping, lock_classes

if TYPE_CHECKING:
    from echolot_tui.engine.model import EngineChoice
    from echolot_tui.headless.setup import Project
    from echolot_tui.measure.spec import MeasureSpec
    from echolot_tui.report.model import AllRows

_KEPT: Final = 4
"""Mappings whose packets are kept: a few builds are looked at in turn."""


def mapping_file(project: Project) -> Path | None:
    """Where the config says the mapping is; ``None`` when it names none. It need not be there.

    Raises:
        EcholotError: There is no package whose names it would give back.
    """
    if project.loaded is None or project.loaded.config.project.mapping is None:
        return None
    if not project.loaded.config.project.package:
        raise EcholotError(
            "project.mapping needs project.package",
            where=project.loaded.place(("project", "mapping")),
            todo="name the application id",
        )
    return project.loaded.folder / project.loaded.config.project.mapping


def found_mapping(project: Project) -> Path | None:
    """The mapping, when it is there."""
    path = mapping_file(project)
    return path if path is not None and path.is_file() else None


def with_names(project: Project, choice: EngineChoice) -> EngineChoice:
    """The engine, told the mapping's names; as it is when there is no mapping.

    The packet is made once a mapping and kept with the measurements.

    Raises:
        EcholotError: The mapping cannot be read, a line of it is wrong, or the packet cannot be kept.
    """
    path = mapping_file(project)
    if path is None or project.layout is None:
        return choice
    if not path.is_file():
        talk.warn(f"{path} is not there; minified names stay as they are")
        return choice
    assert project.loaded is not None
    package = project.loaded.config.project.package or ""
    with _opened(path) as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()
    asked = " ".join((code_hash(Path(__file__).parents[1]), content, package))
    key = hashlib.sha256(asked.encode()).hexdigest()
    kept = project.layout.cache / "mappings" / f"{key[:32]}.packet.gz"
    if not kept.is_file():
        talk.progress(f"reading {path.name}")
        with _opened(path) as file:
            packet = deobfuscation_trace(read_classes(file, where=str(path)), package)
        write_atomic(kept, gzip.compress(packet, compresslevel=1, mtime=0))
        _drop_oldest(kept.parent)
    return replace(choice, names=kept)


def spec_with_names(spec: MeasureSpec, choice: EngineChoice) -> MeasureSpec:
    """What is asked, with what the engine is told: other names are another measurement."""
    return replace(spec, names=choice.names.name) if choice.names else spec


def build_mapping(project: Project, rows: AllRows) -> BuildMapping | None:
    """The mapping, for the frames of lock waits in some rows; ``None`` when there is none.

    Raises:
        EcholotError: The mapping cannot be read.
    """
    path = found_mapping(project)
    if path is None:
        return None
    with _opened(path) as file:
        named = map_id(file)
    wanted = lock_classes(rows)
    if not wanted:
        return BuildMapping(Retracer.of(()), named)
    return BuildMapping(retracer_of(path, wanted), named)


def retracer_of(path: Path, wanted: frozenset[str]) -> Retracer:
    """The names in a mapping; of the classes whose recorded names are wanted the methods too.

    Raises:
        EcholotError: It cannot be read, or a line of it is wrong.
    """
    with _opened(path) as file:
        return Retracer.of(read_classes(file, where=str(path), wanted=wanted))


@contextmanager
def _opened(path: Path) -> Iterator[BufferedReader]:
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise EcholotError(f"cannot be read ({error.strerror or error})", where=str(path)) from error


def _drop_oldest(folder: Path) -> None:
    aged = []
    for packet in folder.glob("*.packet.gz"):
        with suppress(FileNotFoundError):  # another process dropped it meanwhile
            aged.append((packet.stat().st_mtime_ns, packet))
    for _, packet in sorted(aged, reverse=True)[_KEPT:]:
        packet.unlink(missing_ok=True)
