"""One recorded frame back to the source: class, method and line as they were before R8. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Self

from echolot_tui.frozen import Frozen
from echolot_tui.project.r8_mapping import MappedClass, MappedMethod, chains

NAMES_TOLD: Final = 4
"""Original methods of one minified name that are told apart by ``|``; of more none is told."""

_TYPE: Final = re.compile(r"[^\s,\[\]]+")


class OriginalFrame(Frozen, frozen=True, kw_only=True):
    """A call as the source has it."""

    owner: str
    """Class."""
    method: str
    """Several, joined by ``|``, where the mapping leaves open which."""
    parameters: str | None = None
    """Types separated by commas; ``None`` when not known."""
    returns: str | None = None
    file: str | None = None
    """Name of the source file, where the mapping tells it."""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Retracer:
    """The classes of a mapping, ready to be asked.

    Attributes:
        names: Original name of every class, by its minified name.
        files: Source file of the classes that have one, by original name.
        calls: Per class and method, both minified, its inline chains.
    """

    names: Mapping[str, str]
    files: Mapping[str, str]
    calls: Mapping[tuple[str, str], list[tuple[MappedMethod, ...]]]

    @classmethod
    def of(cls, classes: Iterable[MappedClass]) -> Self:
        """Take in what :func:`~echolot_tui.project.r8_mapping.read_classes` yields.

        With ``wanted`` given there, frames of other classes keep their methods' names.
        """
        names: dict[str, str] = {}
        files: dict[str, str] = {}
        calls: dict[tuple[str, str], list[tuple[MappedMethod, ...]]] = {}
        for mapped in classes:
            names[mapped.minified] = mapped.original
            if mapped.file is not None:
                files[mapped.original] = mapped.file
            for chain in chains(mapped):
                calls.setdefault((mapped.minified, chain[-1].minified), []).append(chain)
        return cls(names, files, calls)

    def knows(self, owner: str) -> bool:
        """Whether the mapping holds a class of this recorded name."""
        return owner in self.names

    def types(self, recorded: str) -> str:
        """Recorded type names, separated by commas or not, with the classes' original names."""
        return _TYPE.sub(lambda one: self.names.get(one[0], one[0]), recorded)

    def frames(
        self, owner: str, method: str, line: int | None = None, *, parameters: str | None = None
    ) -> tuple[OriginalFrame, ...]:
        """The calls one recorded frame stands for, innermost first: what was inlined, then its caller.

        Args:
            owner: Class as recorded.
            method: Method as recorded.
            line: As recorded; ``None``, or a number below 1, when there is none.
            parameters: Types as recorded, separated by commas; they tell overloads apart.

        Returns:
            Nothing when the mapping has no such class, method or line: it is another build's, or the
            frame is not R8's.
        """
        found = self.calls.get((owner, method), [])
        if line is not None and line > 0:
            ranged = [chain for chain in found if _covers(chain[0], line)]
            found = ranged or [chain for chain in found if chain[0].first is None]
        else:
            line = None
        found = self._of_overload(found, parameters)
        outer = list(dict.fromkeys((chain[-1].owner, chain[-1].name) for chain in found))
        if not found:
            return ()
        if len(found) == 1 and line is not None:
            return tuple(self._original(one, one.source_line(line)) for one in found[0])
        if len(outer) == 1:
            return (self._any_of([chain[-1] for chain in found]),)
        named = common_name(outer)
        if named is None:
            return ()
        return (OriginalFrame(owner=named[0], method=named[1], file=self.files.get(named[0])),)

    def _of_overload(
        self, found: list[tuple[MappedMethod, ...]], parameters: str | None
    ) -> list[tuple[MappedMethod, ...]]:
        """Those whose outermost method takes these types; all where none does, as R8 changes types too."""
        if parameters is None or len(found) < 2:
            return found
        wanted = _plain(self.types(parameters))
        return [chain for chain in found if _plain(chain[-1].parameters) == wanted] or found

    def _original(self, method: MappedMethod, line: int | None) -> OriginalFrame:
        return OriginalFrame(
            owner=method.owner,
            method=method.name,
            parameters=method.parameters,
            returns=method.returns,
            file=self.files.get(method.owner),
            line=line,
        )

    def _any_of(self, methods: list[MappedMethod]) -> OriginalFrame:
        """A method several entries stand for, with what they agree on."""
        frame = self._original(methods[0], None)
        if len({(one.parameters, one.returns) for one in methods}) == 1:
            return frame
        return OriginalFrame(owner=frame.owner, method=frame.method, file=frame.file)


def common_name(methods: list[tuple[str, str]]) -> tuple[str, str] | None:
    """Class and method of several originals of one minified method: ``load|parse`` of one class.

    Args:
        methods: Class and method of each, different ones.

    Returns:
        ``None`` when they are of several classes, or too many to tell.
    """
    owners = {owner for owner, _ in methods}
    names = sorted({name for _, name in methods})
    return (owners.pop(), "|".join(names)) if len(owners) == 1 and len(names) <= NAMES_TOLD else None


def _covers(method: MappedMethod, line: int) -> bool:
    return method.first is not None and method.last is not None and method.first <= line <= method.last


def _plain(parameters: str) -> str:
    return parameters.replace(" ", "")
