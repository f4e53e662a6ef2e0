"""When two frames of two builds are the same code: the label a frame is known by.

What differs from run to run without being other code (addresses, numbers of generated classes, hashes of
symbols and bundles, clones the compiler made) is folded; the file the code is in is part of the label.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from echolot_tui.profiles.stacks import NO_STACK, Frame

UNKNOWN: Final = "[unknown]"

_FOLDED: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r" <0x[0-9a-fA-F]+>$"), ""),  # the address beside a kernel symbol
    (re.compile(r"::h[0-9a-f]{16}$"), ""),  # Rust's symbol hash
    (re.compile(r"(\.(isra|constprop|part|cold|llvm|lto_priv|clone)(\.\d+)*)+$"), ""),  # compilers' clones
    (re.compile(r"\$\$Lambda(\$\d+)?(/(0x[0-9a-fA-F]+|\d+))?(?=\W|$)"), "$$Lambda"),
    (re.compile(r"(LambdaForm\$\w+)/(0x[0-9a-fA-F]+|\d+)"), r"\1"),
    (
        re.compile(r"((?:SyntheticLambda|GeneratedMethodAccessor|GeneratedConstructorAccessor|\$Proxy))\d+"),
        r"\1#",
    ),
    (re.compile(r"(lambda\$\w*?\$)\d+"), r"\1#"),
    (re.compile(r"\$[0-9a-f]{32}$"), ""),  # what makes a local name unique to a translation unit
    (re.compile(r"0x[0-9a-fA-F]+"), "0x#"),
    (re.compile(r"(?<=[.\-_])(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}(?=\.|$)"), "#"),  # hashed bundles
    (re.compile(r"_\[[jikc01]\]$"), ""),  # how collapsed stacks mark the kind of a frame
)
_TEMPORARY: Final = re.compile(r"(?<=^TemporaryFile-)\w{6}$")
_ADDRESS: Final = re.compile(r"(0x)?(?=[^g-zG-Z]*\d)[0-9a-fA-F]{6,}|\S*\[\+[0-9a-fA-F]+\]")
_BRACKETED: Final = re.compile(r"\[(?P<module>[^\]]*)\]")
_UNKNOWN_NAMES: Final = frozenset(
    {"", "[unknown]", "unknown", "??", "<unknown>", "(unknown)", "[unresolved]"}
)


class Label(NamedTuple):
    """What a frame is known by."""

    text: str
    resolved: bool
    folded: bool
    """Something was folded: the name as recorded differs from run to run."""


def label_of(frame: Frame, *, modules: bool = True) -> Label:
    """The label of one frame.

    Args:
        frame: As recorded.
        modules: Whether the file is part of it. Without, two functions of one name in two files are one.
    """
    module = _base_name(frame.module)
    raw = frame.name.strip()
    if raw == NO_STACK:
        return Label(NO_STACK, resolved=False, folded=False)
    bracketed = _BRACKETED.fullmatch(raw)
    if raw in _UNKNOWN_NAMES or _ADDRESS.fullmatch(raw) or bracketed:
        named = module or (_base_name(bracketed["module"]) if bracketed else "")
        return Label(f"[{named}]" if named else UNKNOWN, resolved=False, folded=False)
    name = raw
    for pattern, instead in _FOLDED:
        name = pattern.sub(instead, name)
    name = name or raw
    text = f"{name} [{module}]" if modules and module else name
    return Label(text, resolved=True, folded=name != raw)


def bare(label: str) -> str:
    """A label without its file."""
    name, bracket, _ = label.rpartition(" [")
    return name if bracket else label


def same_words(one: Sequence[str], other: Sequence[str]) -> float:
    """Share of names two lists have in common, 0 to 1; nothing against nothing has nothing in common."""
    first, second = set(one), set(other)
    return len(first & second) / len(first | second) if first | second else 0.0


def _base_name(module: str) -> str:
    base = module.replace("\\", "/").rstrip("/").rpartition("/")[2].removesuffix(" (deleted)")
    base = _TEMPORARY.sub("#", base.removeprefix("[").removesuffix("]"))
    for pattern, instead in _FOLDED[-3:-1]:
        base = pattern.sub(instead, base)
    return base
