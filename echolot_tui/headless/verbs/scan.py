"""``echolot scan``: what to measure in a checkout, and a first config for it."""

from __future__ import annotations

import os

import click

from echolot_tui.checkout.build_scan import BuildScan, scan_build
from echolot_tui.collect.device import Attached
from echolot_tui.frozen import Frozen
from echolot_tui.headless import options, output
from echolot_tui.headless.diagnostics import talk


class ScanAnswer(Frozen, frozen=True, kw_only=True):
    """A build, the devices it can be measured on, and a first config for it."""

    scan: BuildScan
    devices: tuple[Attached, ...] | None = None
    """``None`` when nobody asked the adb server, or it did not answer."""
    draft: str
    """An ``echolot.yml`` that loads."""


@click.command("scan")
@options.root_flag
@click.option("--no-devices", is_flag=True, help="Do not ask the adb server.")
@options.json_flag
def command(*, root: str, no_devices: bool, as_json: bool) -> int:
    """Read an Android build's scripts as text and draft an echolot.yml; nothing is built or run.

    Says which variant to measure and why, which macrobenchmarks there are and which devices.
    """
    from echolot_tui.headless.checkout import sources_under  # noqa: PLC0415 - not for --help
    from echolot_tui.present.scan_text import draft_yaml, scan_lines  # noqa: PLC0415

    scan = scan_build(sources_under(root))
    devices = None if no_devices else _attached()
    draft = draft_yaml(scan)
    if as_json:
        output.write_json(ScanAnswer(scan=scan, devices=devices, draft=draft))
        return 0
    output.write_lines(scan_lines(scan, devices, output.width()))
    output.write("")
    output.write(draft)
    return 0


def _attached() -> tuple[Attached, ...] | None:
    """Devices the adb server knows; none can be told without one, which is said."""
    from echolot_tui.collect.adb import AdbServer  # noqa: PLC0415 - not for --help
    from echolot_tui.collect.runner import CollectError  # noqa: PLC0415

    try:
        return AdbServer.of(os.environ).attached()
    except CollectError as error:
        talk.note(f"no devices are told: {error.sentence}")
        return None
