"""R8's mapping as the engine takes it: one packet of the trace, ``DeobfuscationMapping``.

The engine then tells the original names of sampled frames of the package's code, in
``stack_profile_frame.deobfuscated_name``. It looks up class and method only: a sample's frame has no line.
Fields: https://android.googlesource.com/platform/external/perfetto, protos/perfetto/trace/profiling/
deobfuscation.proto.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from echolot_tui.engine import wire
from echolot_tui.project.r8_mapping import MappedClass, chains
from echolot_tui.project.retrace import common_name

_TRACE_PACKET, _DEOBFUSCATION_MAPPING = 1, 64
_PACKAGE_NAME, _CLASSES = 1, 3
_METHODS: Final = 4
_OBFUSCATED, _DEOBFUSCATED = 1, 2

Original = tuple[str, str]
"""Class and method."""


def deobfuscation_trace(classes: Iterable[MappedClass], package: str) -> bytes:
    """A serialized trace of that one packet, to be put in front of another trace's bytes.

    Args:
        classes: The mapping's.
        package: Application id: whose code has these names.
    """
    mapping = [wire.bytes_field(_PACKAGE_NAME, package.encode())]
    for mapped in classes:
        for original, methods in _by_original_class(mapped).items():
            mapping.append(wire.bytes_field(_CLASSES, _class(mapped.minified, original, methods)))
    packet = wire.bytes_field(_DEOBFUSCATION_MAPPING, b"".join(mapping))
    return wire.bytes_field(_TRACE_PACKET, packet)


def _by_original_class(mapped: MappedClass) -> dict[str, dict[str, str]]:
    """Original class to minified and original method; more than one class where R8 moved methods.

    A class that kept its name keeps only what was renamed.
    """
    found: dict[str, dict[str, str]] = {mapped.original: {}} if mapped.renamed else {}
    for minified, originals in _outermost(mapped).items():
        owner, name = common_name(originals) or (mapped.original, minified)
        if mapped.renamed or (owner, name) != (mapped.original, minified):
            found.setdefault(owner, {})[minified] = name
    return found


def _outermost(mapped: MappedClass) -> dict[str, list[Original]]:
    """The different methods each minified name stands for, what was inlined into them left out."""
    found: dict[str, dict[Original, None]] = {}
    for chain in chains(mapped):
        method = chain[-1]
        found.setdefault(method.minified, {})[method.owner, method.name] = None
    return {minified: list(originals) for minified, originals in found.items()}


def _class(minified: str, original: str, methods: dict[str, str]) -> bytes:
    return _renamed(minified, original) + b"".join(
        wire.bytes_field(_METHODS, _renamed(*pair)) for pair in methods.items()
    )


def _renamed(minified: str, original: str) -> bytes:
    return wire.bytes_field(_OBFUSCATED, minified.encode()) + wire.bytes_field(
        _DEOBFUSCATED, original.encode()
    )
