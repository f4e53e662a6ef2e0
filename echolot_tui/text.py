"""Text that comes from traces: made harmless to show, and folded into name families."""

from __future__ import annotations

import re
import unicodedata

_HEX_RUN = re.compile(r"0x[0-9a-fA-F]+|[0-9]+")
_FORMATTING = re.compile(r"([`*_<>\[\]~$])")
_ENTITY = re.compile(r"&(?=#?[0-9A-Za-z]+;)")
_MENTION = re.compile(r"(?<![0-9A-Za-z])(@(?=[0-9A-Za-z])|#(?=[0-9]))")
_RUN_NUMBERS = {
    # Locks: the owner's thread and who waits beside.
    "ontention": r"(?<=\(owner tid: )\d+(?=\))|(?<= \()\d+(?=\) (?:at |waiters=))|(?<= waiters=)\d+",
    # ANRs: how long, whose window (its object's address).
    "Waited ": r"(?<=Waited )\d+(?= ?ms)",
    "timed out (": r"(?<=timed out \()[0-9a-f]{5,8}(?= )",
    "{": r"(?<=(?:Record|Window)\{)[0-9a-f]+(?= )",
    " queue ": r"(?<=queue length: )\d+|(?<=head age: )[\d.]+(?=ms)|(?<= over )[\d.]+(?=ms ago)",
    # Frames: which one, how late.
    "Choreographer#": r"(?<=#doFrame )\d+|(?<=#onVsync )\d+|(?<= resynced to )\d+|(?<= in )[\d.]+(?=ms$)",
    "DrawFrame": r"(?<=DrawFrame )\d+|(?<=DrawFrames )\d+",
    "vsync": (
        r"(?<=frameNumber=)\d+|(?<=vsyncId=)-?\d+|(?<=inputEventId=)(?:0x)?[0-9a-f]+|(?<=vsyncId: )\d+"
        r"|(?<=vsync-id=)\d+|(?<=commit )\d+|(?<=vsyncIn )[\d.]+(?=ms)"
    ),
    "composite ": r"(?<=^composite )\d+",
    " alarm in ": r"(?<= in )\d+(?=us)",
    # Input: when it happened, which one.
    "eventTimeNano=": r"(?<=eventTimeNano=)\d+|(?<= id=)0x[0-9a-f]+",
    # Buffers and their fences: counters.
    "fence ": r"(?<=fence )\d+",
    "waiting for ": r"(?<=completion )\d+$|(?<=release )\d+$|(?<=presentFence )\d+$",
    "(f:": r"(?<=\]#)\d+(?=\()|(?<=\(f:)\d+|(?<=,a:)\d+|(?<=\)frame=)\d+",
    "(BLAST Consumer)": r"(?<=\]#)\d+(?=\()|(?<=\(BLAST Consumer\))\d+|(?<=: )\d+$",
    "Texture ": r"(?<=upload\()\d+|(?<=release\()\d+",
    # What was agreed on by an object's number.
    "ransactionReady": r"(?<=ransactionReady=)\d+|(?<=Callback=)\d+|(?<= callback=)\d+",
    "addToSync ": r"(?<=token=)\d+",
    "@": r"(?<=@)(?=[0-9a-f]*\d)[0-9a-f]{6,8}(?![0-9A-Za-z.])",
    "0x": r"(?<=0x)[0-9a-fA-F]{9,16}(?![0-9A-Za-z])",
    # Steps of a profiler, workers of a build.
    "ProfilerStep#": r"(?<=ProfilerStep#)\d+",
    "Worker #": r"(?<=Worker #)\d+(?= )",
}
"""What a name holds, and where in it stand numbers that are others in every run."""

_RUN_PATTERNS = tuple((holds, re.compile(pattern)) for holds, pattern in _RUN_NUMBERS.items())
_DIGIT = re.compile(r"[0-9]")
_OWNER = re.compile(r"(?<=contention with owner ).+?(?= \(\d+\) (?:at |waiters=))")
"""Which thread of a pool held a lock: chance, as its number is."""
_BINDER = re.compile(r"(?<=inder:)[0-9]+_[0-9A-F]+")
_ELLIPSIS = "…"
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def visible(text: str, limit: int | None = None) -> str:
    r"""Return ``text`` with every control, format and unassigned character made visible.

    Newlines become ``\\n``, escape becomes ``\\x1b``, direction overrides become ``\\u202e``; nothing
    that is left can move a cursor, end a table cell or start an escape sequence. Markup is not
    parsed anywhere, so brackets stay.

    Args:
        text: Any text, also with lone surrogates from undecodable bytes.
        limit: Cut to this many characters, the last being an ellipsis.
    """
    if limit is not None and len(text) > limit * 8:
        text = text[: limit * 8]
    shown = text if text.isascii() and text.isprintable() else "".join(map(_visible_char, text))
    if limit is not None and len(shown) > limit:
        return shown[: max(limit - 1, 0)] + _ELLIPSIS
    return shown


def _visible_char(char: str) -> str:
    if char == "\n":
        return "\\n"
    if char == "\t":
        return "\\t"
    if char == "\r":
        return "\\r"
    if unicodedata.category(char) not in _INVISIBLE_CATEGORIES:
        return char
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def storable(text: str) -> str:
    r"""Return ``text`` as UTF-8 can carry it.

    A file name or an argument that is no UTF-8 reaches us as lone surrogates, which neither JSON nor SQLite
    can hold; they become an escape in words, ``\\udcff``.
    """
    return text.encode("utf-8", "backslashreplace").decode()


def family(name: str) -> str:
    """Fold a name into its family: ``0x…`` becomes ``0x#``, every other run of digits ``#``."""
    return _HEX_RUN.sub(lambda run: "0x#" if run[0].startswith("0x") else "#", name)


def without_ids(name: str) -> str:
    """Fold the numbers the system writes into a name that are others in every run; other digits stay.

    Threads' numbers, frames' and buffers' counters, objects' addresses, waiting times: ``Lock contention on a
    monitor lock (owner tid: 4020)`` ends in ``(owner tid: #)``, ``Choreographer#doFrame 82552`` is
    ``Choreographer#doFrame #``. Only kinds of names that are known to hold such a number are touched.
    """
    if _DIGIT.search(name):
        name = _OWNER.sub(lambda owner: family(_BINDER.sub("#_#", owner[0])), name)
        for holds, pattern in _RUN_PATTERNS:
            if holds in name:
                name = pattern.sub("#", name)
    return name


def escape_cell(text: str) -> str:
    """Return ``text`` visible and safe inside one cell of a Markdown table.

    Nothing in it formats, ends the cell, becomes another character, or calls a person or an issue of
    the page it is shown on (``@name``, ``#12``): an empty comment keeps those apart.
    """
    escaped = visible(text).replace("\\", "\\\\").replace("|", "\\|")
    escaped = _FORMATTING.sub(r"\\\1", _ENTITY.sub("&amp;", escaped))
    return _MENTION.sub(r"\1<!-- -->", escaped)
