"""Temporary markers: which places, written into the sources and taken out of them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from echolot_tui.checkout.manifest import AppModule, app_modules
from echolot_tui.checkout.mark_targets import Marker, MarkPlan
from echolot_tui.checkout.markers import temporary_markers
from echolot_tui.checkout.marking import TAG, marked, unmarked
from echolot_tui.checkout.sources import Sources
from echolot_tui.dumps.explain import own_frames
from echolot_tui.errors import EcholotError
from echolot_tui.frozen import Frozen, always
from echolot_tui.headless.dumps import explained
from echolot_tui.present.numbers import listed, plural
from echolot_tui.project.files import read_bytes, write_atomic
from echolot_tui.project.load import LoadedConfig
from echolot_tui.project.model import Instrumentation
from echolot_tui.text import visible

_NAMED: Final = 3


class Unmarked(Frozen, frozen=True, kw_only=True):
    """What was taken out of one source."""

    file: str
    lines: int
    changed: tuple[int, ...] = ()
    """Lines that carry the tag and were changed by hand; they stay."""


class Removal(Frozen, frozen=True, kw_only=True):
    """What was taken out."""

    files: tuple[Unmarked, ...] = always(())


def plan_start(sources: Sources, settings: Instrumentation, module: str | None) -> MarkPlan:
    """Markers of a cold start.

    Raises:
        EcholotError: No module builds an app, or several do and none was named.
    """
    apps = app_modules(sources)
    names = ", ".join(app.module for app in apps)
    chosen = [app for app in apps if module is None or app.module == ":" + module.strip(":")]
    if not chosen:
        if apps:
            what = f"there is no app module {module}"
            raise EcholotError(what, where=str(sources.root), todo=f"there are {names}")
        raise EcholotError(
            "no build script says that it builds an app",
            where=str(sources.root),
            todo="name the folder of the build with --root",
        )
    if len(chosen) > 1:
        raise EcholotError(
            f"{len(chosen)} modules build an app ({names})",
            where=str(sources.root),
            todo="name one with --module",
        )
    return _marker(sources, settings).starts([_readable(chosen[0])])


def plan_dump(sources: Sources, settings: Instrumentation, dump: Path) -> MarkPlan:
    """Markers for the app's own functions on the stacks of a dump's chain.

    Raises:
        EcholotError: It is no dump, or none of its frames is in the sources.
    """
    found, _ = explained(dump, sources.root, None)
    symbols = {
        frame.symbol: None
        for link in found.chain
        for frame in own_frames(link.thread)
        if frame.place is not None
    }
    if not symbols:
        raise EcholotError(
            "no frame of its chain is in the sources",
            where=str(dump),
            todo="name the checkout with --root; a minified dump needs its names back first",
        )
    return _marker(sources, settings).functions(symbols, "on the stack of the dump")


def apply(sources: Sources, plan: MarkPlan) -> None:
    """Write the markers into the sources.

    Raises:
        EcholotError: Some are there already, or a source cannot be written.
    """
    there = _with_tag(sources)
    if there:
        raise EcholotError(
            f"markers are there already ({len(there)} files)",
            where=there[0],
            todo="echolot mark --remove takes them out first",
        )
    for path in dict.fromkeys(mark.file for mark in plan.marks):
        text = _text(sources, path)
        made = marked(text, [mark for mark in plan.marks if mark.file == path])
        assert unmarked(made).text == text, path
        _write(sources, path, made)


def remove(sources: Sources) -> Removal:
    """Take every marker out that ``apply`` has put in, and nothing else.

    Raises:
        EcholotError: A source cannot be written.
    """
    files = []
    for path in _with_tag(sources):
        found = unmarked(_text(sources, path))
        if found.lines:
            _write(sources, path, found.text)
        files.append(Unmarked(file=path, lines=found.lines, changed=found.changed))
    return Removal(files=tuple(files))


def left_over(loaded: LoadedConfig) -> str | None:
    """A sentence about temporary markers the sources beside a config hold; ``None`` when they hold none."""
    sources = Sources(loaded.folder)
    names = temporary_markers(sources, loaded.config.instrumentation.temp_prefix).named
    if not names:
        return None
    ours = sum(text.count(TAG.encode()) for text in map(sources.content, sources.paths)) // 2
    told = f"echolot mark --remove takes {ours} of them out" if ours else "take them out by hand"
    shown = listed((visible(name.name, 60) for name in names), _NAMED)
    return f"the sources hold {plural(len(names), 'temporary marker')} ({shown}); {told}"


def _marker(sources: Sources, settings: Instrumentation) -> Marker:
    return Marker(sources, prefix=settings.temp_prefix, allowed=settings.allowed)


def _readable(app: AppModule) -> AppModule:
    if app.problem is not None:
        raise EcholotError(app.problem, where=app.script, todo="correct the manifest")
    return app


def _with_tag(sources: Sources) -> list[str]:
    return [path for path in sources.paths if TAG.encode() in sources.content(path)]


def _text(sources: Sources, path: str) -> str:
    """A source whose bytes come back as they were, also those that are no UTF-8."""
    return read_bytes(sources.root / path).decode("utf-8", "surrogateescape")


def _write(sources: Sources, path: str, text: str) -> None:
    target = (sources.root / path).resolve()
    mode = target.stat().st_mode
    write_atomic(target, text.encode("utf-8", "surrogateescape"))
    target.chmod(mode)
