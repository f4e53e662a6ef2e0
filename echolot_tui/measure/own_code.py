"""Which methods and composables are the app's own: its package, else what the checkout holds.

What the checkout was asked is kept with its answers, so that a stored measurement is used again only while
the checkout still says the same: a file nobody asked for changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Final

from echolot_tui.checkout.names import (
    is_minified,
    is_platform,
    is_system,
    package_and_class,
    package_of_function,
)
from echolot_tui.checkout.sources import Sources
from echolot_tui.measure.sampling import is_app_code

COMPOSABLE: Final = re.compile(r"(?P<symbol>.*) \((?P<file>[A-Za-z].*\.kt):[0-9].*\)", re.DOTALL)
"""What Compose's tracing calls a section: a function, and its place in the source."""

_QUESTIONS: Final[Mapping[str, Callable[[Sources, str], bool]]] = {
    "sources": lambda sources, _: bool(sources.paths),
    "package": lambda sources, package: sources.declares(package),
    "file": lambda sources, path: sources.has(*_folder_and_name(path)),
}


class OwnCode:
    """Tells the app's own code from everybody else's.

    Args:
        sources: The checkout; ``None`` where there is none.
    """

    def __init__(self, sources: Sources | None = None) -> None:
        self._sources = sources
        self.asked: dict[str, bool] = {}
        """Every question to the checkout, and its answer."""

    def has_composable(self, name: str, package: str) -> bool:
        """Whether a section is one of the app's own composables.

        Its function begins with the app's package, or the checkout has its file in its package. Where neither
        is known, everything but the platform's is the app's.

        Args:
            name: Of the section.
            package: Application id; may be empty.
        """
        found = COMPOSABLE.fullmatch(name)
        if found is None:
            return False
        symbol = found["symbol"]
        if package and symbol.startswith(f"{package}."):
            return True
        folder = package_of_function(symbol).replace(".", "/")
        if self._says(f"file {folder}/{found['file']}"):
            return True
        return not package and not is_platform(symbol) and not self._says("sources")

    def has_method(self, method: str, mapping: str, package: str) -> bool:
        """Whether a sampled method is the app's own.

        It begins with the app's package, or the checkout declares its package; the system's never is. Where
        there are no sources, and of a minified class, the file decides: the app's code is its own, except
        what is called like the platform's.

        Args:
            method: Qualified.
            mapping: Path of the file it was mapped from.
            package: Application id; may be empty.
        """
        if package and method.startswith(f"{package}."):
            return True
        if is_system(method):
            return False
        if is_minified(method) or not self._says("sources"):
            return is_app_code(mapping, package) and not is_platform(method)
        declared, _ = package_and_class(method)
        return bool(declared) and self._says(f"package {declared}")

    def _says(self, question: str) -> bool:
        if question not in self.asked:
            self.asked[question] = answer(question, self._sources)
        return self.asked[question]


def answer(question: str, sources: Sources | None) -> bool:
    """What a checkout says to a question as ``OwnCode.asked`` keeps it; without a checkout always no."""
    kind, _, about = question.partition(" ")
    ask = _QUESTIONS.get(kind)
    return sources is not None and ask is not None and ask(sources, about)


def _folder_and_name(path: str) -> tuple[str, str]:
    pure = PurePosixPath(path)
    return str(pure.parent), pure.name
