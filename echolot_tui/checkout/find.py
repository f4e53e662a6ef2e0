"""From a name in a trace to a place in the sources."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

from echolot_tui.checkout.declarations import declaration_line, names_in, only_code
from echolot_tui.checkout.names import file_names, is_minified, is_platform, package_and_class
from echolot_tui.checkout.sources import Sources
from echolot_tui.frozen import Frozen


class Frame(Frozen, frozen=True, kw_only=True):
    """A class, method or function a trace names, with the file and line where it says them."""

    symbol: str
    """Qualified, without arguments."""
    file: str | None = None
    line: int | None = None


class Spot(Frozen, frozen=True, kw_only=True):
    """A place in the sources."""

    file: str
    """Relative to the checkout."""
    line: int | None = None
    exact: bool = True
    """The package says that it is this file; otherwise it only has that name."""


class Finder(Protocol):
    """Whoever knows the sources."""

    def find(self, frame: Frame) -> Spot | None:
        """Where a frame is in the sources; ``None`` when they do not have it."""


class SourceFinder:
    """Finds frames in the sources of a checkout; each file is read at most once in a row.

    Args:
        sources: The checkout.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._code = lru_cache(maxsize=64)(lambda path: only_code(sources.text(path)))

    def find(self, frame: Frame) -> Spot | None:
        """Where a frame is.

        The package decides among files of one name. A file that only has the name, or has fewer lines than
        the frame says, is not exact; one of an unrelated package is none.
        """
        paths, exact = self._candidates(frame)
        if not paths:
            return None
        path = paths[0]
        code = self._code(path)
        if frame.line is not None:
            fits = frame.line <= code.count("\n") + 1
            return Spot(file=path, line=frame.line, exact=exact and fits)
        line = self._declared_in(path, frame.symbol)
        return Spot(file=path, line=line, exact=exact)

    def _candidates(self, frame: Frame) -> tuple[Sequence[str], bool]:
        """Files the frame may be in, the likeliest first, and whether it is certainly the first."""
        names = [frame.file] if frame.file else file_names(frame.symbol)
        named = [path for name in names for path in self._sources.by_name.get(name, ())]
        inside = [path for path in named if _is_inside(frame.symbol, self._sources.package_of(path))]
        if inside:
            return inside, len(inside) == 1
        if frame.file is None:
            holding = self._holding(frame.symbol)
            return holding, len(holding) == 1
        return [path for path in named if self._may_be(frame.symbol, path)], False

    def _holding(self, symbol: str) -> list[str]:
        """Files of the symbol's package, named otherwise, that declare its class."""
        package, outer = package_and_class(symbol)
        return [
            path
            for path in self._sources.of_package(package)
            if declaration_line(self._code(path), names_in(outer), java=path.endswith(".java")) is not None
        ]

    def _may_be(self, symbol: str, path: str) -> bool:
        """Whether a file of that name may be meant although its package is another one."""
        package = self._sources.package_of(path)
        related = symbol.split(".")[:2] == package.split(".")[:2]
        return not is_platform(symbol) and (not package or is_minified(symbol) or related)

    def _declared_in(self, path: str, symbol: str) -> int | None:
        package = self._sources.package_of(path)
        rest = symbol.removeprefix(f"{package}.") if package else symbol
        return declaration_line(self._code(path), names_in(rest), java=path.endswith(".java"))


def _is_inside(symbol: str, package: str) -> bool:
    """Whether a symbol can be declared in a file of that package."""
    if not package or not symbol.startswith(f"{package}."):
        return False
    rest = symbol[len(package) + 1 :]
    return rest[:1].isupper() or "." not in rest
