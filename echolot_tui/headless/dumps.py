"""A thread dump, its checkout and its mapping, brought together."""

from __future__ import annotations

from pathlib import Path

from echolot_tui.checkout.find import SourceFinder
from echolot_tui.checkout.sources import Sources
from echolot_tui.dumps.explain import classes_of, explain
from echolot_tui.dumps.model import Anr
from echolot_tui.dumps.parse import read_dump
from echolot_tui.headless.mapping import retracer_of
from echolot_tui.project.files import read_bytes


def explained(dump: Path, root: Path, mapping: Path | None) -> tuple[Anr, bool]:
    """What a dump says, and whether the checkout holds sources to point into.

    Raises:
        EcholotError: The dump or the mapping cannot be read, or it is no dump.
    """
    read = read_dump(read_bytes(dump).decode("utf-8", "replace"), where=str(dump))
    retracer = retracer_of(mapping, classes_of(read)) if mapping is not None else None
    sources = Sources(root)
    finder = SourceFinder(sources) if sources.paths else None
    return explain(read, finder=finder, retracer=retracer, where=str(dump)), finder is not None
