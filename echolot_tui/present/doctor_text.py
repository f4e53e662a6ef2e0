"""The self-check in words: everything, or three lines and what failed."""

from __future__ import annotations

from collections.abc import Iterator

from echolot_tui.present.numbers import plural
from echolot_tui.present.spans import Line, Role, Span, line
from echolot_tui.selfcheck.model import Check, Doctor, State

_ROLES: dict[State, Role] = {"ok": "ok", "failed": "error", "skip": "muted"}
_WORDS: dict[State, str] = {"ok": "ok", "failed": "FAILS", "skip": "skip"}


def doctor_lines(doctor: Doctor) -> list[Line]:
    """Versions, every check under its group, the verdict."""
    lines = [*_versions(doctor)]
    width = max(len(check.id) for check in doctor.checks)
    for group in dict.fromkeys(check.group for check in doctor.checks):
        lines += [(), line(Span(group, "heading"))]
        for check in doctor.checks:
            if check.group == group:
                lines += _check(check, width)
    return [*lines, (), _verdict(doctor)]


def quiet_lines(doctor: Doctor) -> list[Line]:
    """Three lines: what computes, what was skipped, the verdict; then each failure and its fix."""
    skipped = ", ".join(check.id for check in doctor.of("skip")) or "nothing"
    lines = [_one_line(doctor), line(Span("skipped   ", "muted"), skipped), _verdict(doctor)]
    for check in doctor.failures:
        lines += _check(check, len(check.id))
    return lines


def _one_line(doctor: Doctor) -> Line:
    versions = doctor.versions
    engine = _engine(doctor)
    parts = (f"echolot {versions.echolot}", engine, f"python {versions.python}", versions.platform)
    return line(Span("computes  ", "muted"), " · ".join(parts))


def _versions(doctor: Doctor) -> Iterator[Line]:
    yield _one_line(doctor)
    packages = " · ".join(f"{name} {version}" for name, version in doctor.versions.packages.items())
    yield line(Span("packages  ", "muted"), packages)


def _engine(doctor: Doctor) -> str:
    engine = doctor.engine
    return f"{engine.kind} {engine.version} ({engine.sha256[:12]})" if engine else "no engine"


def _check(check: Check, width: int) -> Iterator[Line]:
    word = _WORDS[check.state]
    yield line(Span(f"{word:<6}", _ROLES[check.state]), f"{check.id:<{width}}  ", Span(check.text, "muted"))
    if check.todo:
        yield line(Span(f"{'':<6}{'':<{width}}  "), Span(f"→ {check.todo}", "strong"))


def _verdict(doctor: Doctor) -> Line:
    ok, skipped, failed = (len(doctor.of(state)) for state in ("ok", "skip", "failed"))
    counts = f"{plural(len(doctor.checks), 'check')}: {ok} ok, {skipped} skipped, {failed} failed"
    wrong = {check.group for check in doctor.failures}
    if wrong & {"engine", "self-check"}:
        return line(Span("verdict   ", "muted"), Span(f"{counts}; do not trust numbers from here", "error"))
    meaning = "the numbers are right, correct what fails" if wrong else "this machine computes correctly"
    return line(Span("verdict   ", "muted"), Span(f"{counts}; {meaning}", "warning" if wrong else "ok"))
