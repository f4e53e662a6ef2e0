"""Sections the sources open themselves: which names they have, and where."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from echolot_tui.checkout.calls import arguments, name_glob
from echolot_tui.checkout.declarations import without_comments
from echolot_tui.checkout.markers import TESTS
from echolot_tui.checkout.sources import Sources
from echolot_tui.frozen import Frozen

_NAME_AT: Final = {
    "beginSection": 0,
    "beginAsyncSection": 0,
    "forceBeginSection": 0,
    "trace": 0,
    "traceAsync": 0,
    "traceBegin": 1,
    "asyncTraceBegin": 1,
}
"""Which argument is the name. ``android.os.Trace``, ``androidx.tracing``, ``TraceCompat``."""
_CALL: Final = re.compile(rf"(?<![\w$])(?P<receiver>(?:\w+\.)*)(?P<call>{'|'.join(_NAME_AT)})\s*\(")
_DECLARED: Final = re.compile(r"\b(?:fun|void|\w+>?)\s+$")
_LIBRARY: Final = re.compile(
    rb"\bimport\s+(?:static\s+)?(?:androidx\.(?:tracing|compose\.ui\.util)\.|android\.os\.Trace|"
    rb"androidx\.core\.os\.)"
)
_WORDS: Final = (b"ection", b"race")
"""One of them is in every tracing call."""
_CONSTANT: Final = re.compile(
    r'\b(?:val|String)\s+(?P<name>[A-Za-z_]\w*)(?:\s*:\s*String)?\s*=\s*"(?P<text>(?:\\.|[^"\\$\n])*)"'
)


class TracedName(Frozen, frozen=True, kw_only=True):
    """One call that opens a section."""

    file: str
    """Relative to the checkout."""
    line: int
    name: str | None = None
    """GLOB of its names; ``None`` when the sources alone do not say any of it."""


def traced_names(sources: Sources, *, without: str) -> tuple[TracedName, ...]:
    """Every call in the sources of the app that opens a section, by file and line; tests are left out.

    Args:
        sources: The checkout.
        without: Prefix of temporary markers, which are somebody's work in progress and left out.
    """
    constants = _Constants(sources)
    found: list[TracedName] = []
    for path in sources.paths:
        content = sources.content(path)
        if TESTS.search(path) or not any(word in content for word in _WORDS):
            continue
        text = without_comments(content.decode("utf-8", "replace"))
        for at, expression in _names(text, has_library=_LIBRARY.search(content) is not None):
            name = name_glob(
                expression,
                kotlin=path.endswith(".kt"),
                constant=lambda reference, path=path, text=text: constants.text(reference, path, text),  # type: ignore[misc]
            )
            if name is None or not name.startswith(without):
                found.append(TracedName(file=path, line=text.count("\n", 0, at) + 1, name=name))
    return tuple(found)


def _names(text: str, *, has_library: bool) -> Iterator[tuple[int, str]]:
    """Where a section is opened, and the expression that names it."""
    for found in _CALL.finditer(text):
        receiver, call = found["receiver"].rstrip("."), found["call"]
        if _DECLARED.search(text, max(found.start() - 80, 0), found.start()):
            continue
        if call.startswith("trace") and call != "traceBegin":
            # a word loggers use as well: it counts where the library is imported, or as its own
            last = receiver.rpartition(".")[2]
            if not (has_library and not receiver) and last not in {"tracing", "Trace"}:
                continue
        given = arguments(text, found.end() - 1)
        if given is not None and len(given[0]) > _NAME_AT[call]:
            yield found.start("call"), given[0][_NAME_AT[call]]


class _Constants:
    """Texts of constants: of the same file first, then the only one of that name."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._all: Mapping[str, Sequence[tuple[str, str]]] | None = None

    def text(self, reference: str, path: str, here: str) -> str | None:
        """The text of a constant.

        Args:
            reference: As it is written: ``NAME``, ``Names.NAME``.
            path: The file it is written in.
            here: That file's text.
        """
        owner, _, name = reference.rpartition(".")
        own = [found["text"] for found in _CONSTANT.finditer(here) if found["name"] == name]
        if own:
            return own[0]
        candidates = self._everywhere().get(name, ())
        stem = owner.rpartition(".")[2]
        named = [text for file, text in candidates if stem and file.rpartition("/")[2].startswith(f"{stem}.")]
        texts = set(named) or {text for file, text in candidates if file != path}
        return texts.pop() if len(texts) == 1 else None

    def _everywhere(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        if self._all is None:
            known: dict[str, list[tuple[str, str]]] = defaultdict(list)
            for path in self._sources.paths:
                for found in _CONSTANT.finditer(without_comments(self._sources.text(path))):
                    known[found["name"]].append((path, found["text"]))
            self._all = known
        return self._all
