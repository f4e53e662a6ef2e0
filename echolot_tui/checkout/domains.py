"""What the sources name themselves, gathered into domains of the config."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from echolot_tui.checkout.modules import Modules
from echolot_tui.checkout.sources import Sources
from echolot_tui.checkout.traced import TracedName, traced_names
from echolot_tui.frozen import Frozen, always

_FIRST_WORD: Final = re.compile(r"[A-Za-z0-9]+(?:[._#:/ -]+|(?=[A-Z]))")
_SHARED: Final = 2
"""So many names of one module with one beginning are one domain."""


class FoundDomain(Frozen, frozen=True, kw_only=True):
    """Names of one module that begin alike, or one name."""

    slice: str
    """GLOB over slice names."""
    module: str
    hint: str
    """The first call, ``file:line``."""
    calls: int
    names: tuple[str, ...]
    """GLOBs it was made of, sorted."""


class Domains(Frozen, frozen=True, kw_only=True):
    """The domains of a checkout, most calls first."""

    domains: tuple[FoundDomain, ...] = always(())
    calls: int = always(0)
    """Calls that open a section."""
    unnamed: tuple[TracedName, ...] = always(())
    """Calls whose name is not in the sources: it comes out of a variable."""
    modules: int = always(0)
    """Modules that have sources of the app."""
    traced_modules: int = always(0)
    """Modules with such a call."""


def find_domains(sources: Sources, modules: Modules, *, without: str) -> Domains:
    """Gather the names of sections.

    Args:
        sources: The checkout.
        modules: Its modules.
        without: Prefix of temporary markers.
    """
    calls = traced_names(sources, without=without)
    of_module: dict[str, list[TracedName]] = defaultdict(list)
    for call in calls:
        of_module[modules.of(call.file)].append(call)
    found = [
        _domain(glob, module, of_it)
        for module, its in sorted(of_module.items())
        for glob, of_it in sorted(_alike([call for call in its if call.name is not None]).items())
    ]
    return Domains(
        domains=tuple(sorted(found, key=lambda one: (-one.calls, one.module, one.slice))),
        calls=len(calls),
        unnamed=tuple(call for call in calls if call.name is None),
        modules=len({modules.of(path) for path in sources.paths}),
        traced_modules=len(of_module),
    )


def _alike(calls: Sequence[TracedName]) -> dict[str, list[TracedName]]:
    """Calls by the GLOB that stands for them: of a shared first word, else of the name."""
    beginnings: dict[str, set[str]] = defaultdict(set)
    for call in calls:
        beginnings[_beginning(call)].add(call.name or "")
    found: dict[str, list[TracedName]] = defaultdict(list)
    for call in calls:
        beginning = _beginning(call)
        shared = beginning and len(beginnings[beginning]) >= _SHARED
        found[f"{beginning}*" if shared else call.name or ""].append(call)
    return found


def _beginning(call: TracedName) -> str:
    word = _FIRST_WORD.match(call.name or "")
    return word[0] if word and len(word[0].rstrip("._#:/ -")) > 1 else ""


def _domain(glob: str, module: str, calls: Sequence[TracedName]) -> FoundDomain:
    first = calls[0]
    return FoundDomain(
        slice=glob,
        module=module,
        hint=f"{first.file}:{first.line}",
        calls=len(calls),
        names=tuple(sorted({call.name or "" for call in calls})),
    )
