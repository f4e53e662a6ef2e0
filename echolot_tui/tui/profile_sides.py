"""The traces behind two sides, as ``echolot profile`` takes them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from echolot_tui.investigate.model import Hunt
from echolot_tui.tui.store import ProfileAsk

_GLOB = "[]*?"
_ANY_OTHER = "background"


def profile_ask(
    before: Sequence[str],
    after: Sequence[str],
    *,
    names: tuple[str, str] | None = None,
    thread: str | None = None,
    folder: Path | None = None,
) -> ProfileAsk | str:
    """What to ask for, or why that cannot be.

    Args:
        before: Traces of the side before.
        after: Traces of the side after.
        names: What the sides are called.
        thread: Only this thread's samples.
        folder: Where an export goes.
    """
    first, second = _side(before), _side(after)
    if first is None or second is None:
        return "a profile needs the traces of both sides, each side's in a folder of its own"
    if first == second:
        return f"the traces of both sides lie in {first}: a profile needs a folder or a file a side"
    wanted = _thread(thread)
    flags = () if wanted is None else ("--thread", wanted)
    called = tuple(" ".join(name.replace(",", " ").split()) for name in names or ())
    return ProfileAsk(
        before=first,
        after=second,
        names=called if all(called) and len(set(called)) == len(called) else (),
        flags=flags,
        folder=None if folder is None else str(folder),
    )


def rounds_ask(
    hunt: Hunt | None, marked: Sequence[str], paths: Sequence[str], root: Path
) -> ProfileAsk | str:
    """The marked rounds of a hunt, else its last two with a report; or why not.

    Args:
        hunt: The one that is shown.
        marked: Reports that are marked.
        paths: The report of each of the hunt's rounds.
        root: What paths in the record start from.
    """
    if hunt is None:
        return "a profile needs two rounds of a hunt; echolot profile BEFORE AFTER --tui takes any files"
    known = dict(zip(paths, hunt.rounds, strict=True))
    rounds = [known[path] for path in marked if path in known] if marked else list(hunt.measured[-2:])
    if len(rounds) != 2:
        return "a profile needs two rounds: mark two with space"
    before, after = ([str(root / trace.path) for trace in each.traces] for each in rounds)
    names = (rounds[0].name, rounds[1].name)
    return profile_ask(before, after, names=names, folder=root / ".echolot" / "out")


def _side(traces: Sequence[str]) -> str | None:
    """The trace, or the folder all of them lie in."""
    if len(set(traces)) == 1:
        return traces[0]
    folders = {str(Path(trace).parent) for trace in traces}
    return folders.pop() if len(folders) == 1 else None


def _thread(told: str | None) -> str | None:
    """A row's thread as the verb takes it: detectors name a role where a name would not be one across runs.

    ``main`` means the same to both; ``background`` is any other, so nothing is left out; a number in a
    family's name may be any.
    """
    role, _, name = (told or "").partition(": ")
    if role == _ANY_OTHER:
        return _as_glob(name) if name else None
    return _as_glob(told).replace("#", "*") if told else None


def _as_glob(text: str) -> str:
    return "".join(f"[{char}]" if char in _GLOB else char for char in text)
