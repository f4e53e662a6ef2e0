"""What a trace says about the machine, the app's build and the time of recording."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from echolot_tui.engine.model import TraceSession
from echolot_tui.frozen import Cell
from echolot_tui.measure.model import DeviceFacts
from echolot_tui.measure.sql import substitute

_FINGERPRINT: Final = re.compile(
    r"(?P<brand>[^/:\s]+)/(?P<product>[^/:\s]+)/(?P<device>[^/:\s]+):(?P<release>[^/:\s]+)/\S+"
)
"""Android's build fingerprint: ``brand/product/device:release/id/incremental:type/keys``."""

_VERSION_CODE: Final = "SELECT MAX(version_code) FROM package_list WHERE package_name = $package"


def device_facts(session: TraceSession, *, package: str) -> DeviceFacts:
    """Model, system and app build, as far as the trace has them.

    Args:
        session: The trace.
        package: Application id; a process's part after a colon is left away.
    """
    rows = session.query("SELECT name, COALESCE(str_value, int_value) FROM metadata ORDER BY id DESC")
    known = {str(name): value for name, value in rows.tuples()}
    fingerprint = _FINGERPRINT.fullmatch(str(known.get("android_build_fingerprint")))
    cpus = session.query("SELECT COUNT(*) FROM cpu").scalar()
    version_code = _app_version_code(session, package.partition(":")[0])
    return DeviceFacts(
        model=fingerprint["device"] if fingerprint else None,
        manufacturer=_text(known.get("android_device_manufacturer"))
        or (fingerprint["brand"] if fingerprint else None),
        fingerprint=fingerprint[0] if fingerprint else None,
        android=fingerprint["release"] if fingerprint else None,
        sdk=_whole(known.get("android_sdk_version")),
        kernel=_text(known.get("system_release")),
        machine=_text(known.get("system_machine")),
        cpus=_whole(cpus) or None,
        app_version_code=version_code,
    )


def recorded_at(session: TraceSession) -> str | None:
    """Wall-clock time of the trace's first moment, UTC ISO with milliseconds; ``None`` without a clock."""
    realtime_ns = session.query("SELECT TO_REALTIME(start_ts) FROM trace_bounds").scalar()
    if not isinstance(realtime_ns, int):
        return None
    moment = datetime.fromtimestamp(realtime_ns // 1_000_000 / 1000, tz=UTC)
    return moment.isoformat(timespec="milliseconds")


def _app_version_code(session: TraceSession, package: str) -> int | None:
    return _whole(session.query(substitute(_VERSION_CODE, {"package": package})).scalar()) or None


def _text(value: Cell) -> str | None:
    return value if isinstance(value, str) and value else None


def _whole(value: Cell) -> int | None:
    return value if isinstance(value, int) else None
