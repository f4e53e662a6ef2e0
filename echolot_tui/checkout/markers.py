"""Temporary markers in the sources: names of sections somebody put in to take out again."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Final

from echolot_tui.checkout.declarations import without_comments
from echolot_tui.checkout.sources import Sources
from echolot_tui.frozen import Frozen

TESTS: Final = re.compile(r"(?:^|/)src/(?:test|androidTest)[A-Za-z]*/")
"""Source sets that are not in the app."""


class TemporaryMarker(Frozen, frozen=True, kw_only=True):
    """One marker's name, as far as the sources have it as fixed text."""

    name: str
    continues: bool = False
    """More text is put behind it when the app runs."""
    files: tuple[str, ...] = ()
    """Where it is, relative to the checkout, sorted."""

    def makes(self, name: str) -> bool:
        """Whether a section of this name may come from here."""
        return name.startswith(self.name) if self.continues else name == self.name


class TemporaryMarkers(Frozen, frozen=True, kw_only=True):
    """The temporary markers a checkout has."""

    prefix: str
    markers: tuple[TemporaryMarker, ...] = ()
    """Sorted by name. The bare prefix, which a helper may put before any name, is among them."""

    @property
    def named(self) -> tuple[TemporaryMarker, ...]:
        """Markers with a name of their own."""
        return tuple(marker for marker in self.markers if marker.name != self.prefix)

    def make(self, name: str) -> bool:
        """Whether some text of the sources may make a section of this name."""
        return any(marker.makes(name) for marker in self.markers)


def temporary_markers(sources: Sources, prefix: str) -> TemporaryMarkers:
    """The markers in the sources of the app; tests and comments are left out.

    Args:
        sources: The checkout.
        prefix: What every temporary marker's name begins with.
    """
    opening = f'"{prefix}'.encode()
    literal = re.compile(rf'"({re.escape(prefix)}[^"\\$\n]*)(?:([\\$])|"(\s*\+)?)')
    found: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for path in sources.paths:
        content = sources.content(path)
        if opening not in content or TESTS.search(path):
            continue
        text = without_comments(content.decode("utf-8", "replace"))
        for name, template, concatenated in sorted({one.groups("") for one in literal.finditer(text)}):
            found[name, name == prefix or bool(template or concatenated)].append(path)
    markers = (
        TemporaryMarker(name=name, continues=continues, files=tuple(dict.fromkeys(paths)))
        for (name, continues), paths in sorted(found.items())
    )
    return TemporaryMarkers(prefix=prefix, markers=tuple(markers))
