"""What the platform says about a start: its launch, ANRs, frames, temperatures, memory."""

from __future__ import annotations

from echolot_tui.generate import kernel, packets
from echolot_tui.generate.cast import NAMES
from echolot_tui.generate.frames import Frame, Jank, Severity, add_frame
from echolot_tui.generate.world import APP, MS, OTHER, PACKAGE, SYSTEM_SERVER, World

ANR_SUBJECT = "Input dispatching timed out (com.example.app/com.example.app.MainActivity, Waited 5001ms)"
ANR_ID = "6e1b3c1c-3f6a-4c56-9d0e-5a1f0c2b7d11"
OTHER_ANR_ID = "0d8a44b2-9a51-4f0e-8f67-1b2c3d4e5f60"

TEMPERATURES = ((-50, "BIG", 52_000), (100, "skin", 41_200), (300, "BIG", 46_800), (600, "skin", 43_000))
"""Milliseconds from the window's start, zone, thousandths of a degree; the hottest lies outside."""
COOLING = ((-80, 0), (350, 1), (500, 0))
COOLING_DEVICE = "cpufreq-cpu4"
MEMORY = ((-50, 1_400_000, 980), (200, 1_600_000, 1_000), (450, 1_512_000, 1_037), (700, 1_580_000, 1_041))
"""Milliseconds from the window's start, available kB, major faults since boot; the least lies outside."""

FRAME_MS = 16.67

LATE = {
    3: (Jank.APP_DEADLINE_MISSED, 12.0),
    6: (Jank.APP_DEADLINE_MISSED, 10.0),
    9: (Jank.APP_DEADLINE_MISSED, 6.0),
    12: (Jank.APP_DEADLINE_MISSED, 5.0),
    15: (Jank.APP_DEADLINE_MISSED, 3.9),
    18: (Jank.SF_CPU_DEADLINE_MISSED, 20.0),
    21: (Jank.SF_CPU_DEADLINE_MISSED, 25.0),
    24: (Jank.BUFFER_STUFFING, 3.0),
    27: (Jank.BUFFER_STUFFING, 2.0),
    30: (Jank.BUFFER_STUFFING, 1.0),
}
"""By number of the frame: the platform's reason, and how many milliseconds late."""
FRAMES = 36


def launch(world: World, number: int, launched: int, shown: int) -> None:
    """The window manager's record of a cold start of the app."""
    name = f"launchingActivity#{number}"
    done = f"{name}:completed-cold:{PACKAGE}"
    world.builder.async_slice(SYSTEM_SERVER, launched, shown, name)
    world.builder.slice(SYSTEM_SERVER, SYSTEM_SERVER, shown + MS, shown + MS, done)


def anrs(world: World, ts: int) -> None:
    """One ANR of the app and one of another."""
    other = "Broadcast of Intent { act=com.example.other.SYNC }"
    for pid, error, subject in ((APP, ANR_ID, ANR_SUBJECT), (OTHER, OTHER_ANR_ID, other)):
        world.builder.counter(SYSTEM_SERVER, ts, f"ErrorId:{NAMES[pid][0]} {pid}#{error}", 1)
        world.builder.counter(SYSTEM_SERVER, ts, f"Subject(for ErrorId {error}):{subject}", 1)


def gauges(world: World, start: int) -> None:
    """Temperatures, throttling and memory around a window that starts at ``start``."""
    for at, zone, degrees in TEMPERATURES:
        world.builder.event(0, start + at * MS, kernel.temperature(zone, degrees))
    for at, level in COOLING:
        world.builder.event(0, start + at * MS, kernel.cooling(COOLING_DEVICE, level))
    for at, available, faults in MEMORY:
        packets.memory(world.builder, start + at * MS, available_kb=available, major_faults=faults)


def frames(world: World, number: int, start: int) -> list[Frame]:
    """Frames of the app and of another one; the overrun decides, not the tag alone."""
    drawn = []
    for index in range(FRAMES):
        token = 10_000 * number + 2 * index
        due_from = start + round((2 + FRAME_MS * index) * MS)
        jank, late_ms = LATE.get(index, (Jank.NONE, 0.0))
        late_ns = world.stage.pace.ns("frames", late_ms) if late_ms else 0
        drawn.append(_frame(APP, token, due_from, jank, late_ns))
        if index % 4 == 0:
            drawn.append(_frame(OTHER, token + 1, due_from, Jank.APP_DEADLINE_MISSED, 30 * MS))
    for frame in drawn:
        add_frame(world.builder, frame)
    return drawn


def _frame(pid: int, token: int, due_from: int, jank: Jank, late_ns: int) -> Frame:
    due = due_from + round(FRAME_MS * MS)
    return Frame(
        pid=pid,
        token=token,
        layer=f"TX - {NAMES[pid][0]}/{NAMES[pid][0]}.MainActivity#77",
        due_from=due_from,
        due=due,
        started=due_from + MS,
        presented=due + late_ns if late_ns else due - 4 * MS,
        jank=jank,
        severity=Severity.NONE if jank is Jank.NONE else Severity.FULL,
    )
