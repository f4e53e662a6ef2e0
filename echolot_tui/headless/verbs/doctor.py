"""``echolot doctor``: does this machine compute correctly."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from echolot_tui.headless import options, output
from echolot_tui.headless.diagnostics import talk
from echolot_tui.headless.setup import Flags


@click.command("doctor")
@options.config_flags
@click.option("-q", "--quiet", is_flag=True, help="Three lines, and what fails.")
@click.option("--native", is_flag=True, help="Fetch the native engine the perfetto package pins; check it.")
@options.jobs_flag
@options.json_flag
@click.pass_obj
def command(
    obj: dict[str, Any], /, *, quiet: bool, native: bool, as_json: bool, jobs: int | None, **given: Any
) -> int:
    """Check engine, folders, config and devices, and compute known answers from generated traces.

    Exit code 0: all passed, what is not there is skipped; 1: something fails; 2: no engine to be had.
    Every failure names its fix. Nothing is written but the compiled engine.
    """
    from echolot_tui.headless.self_check import examine_machine  # noqa: PLC0415 - not for --help
    from echolot_tui.present.doctor_text import doctor_lines, quiet_lines  # noqa: PLC0415

    flags = Flags(tp_binary=obj["tp_binary"], jobs=jobs, **given)
    if native:
        flags = _with_native(flags)
    found = examine_machine(flags, None if obj["headless"] else obj.get("screens"))
    if as_json:
        output.write_json(found)
    else:
        output.write_lines(quiet_lines(found) if quiet else doctor_lines(found))
    return found.exit_code


def _with_native(flags: Flags) -> Flags:
    from platformdirs import user_cache_path  # noqa: PLC0415 - not for --help

    from echolot_tui.selfcheck.native import fetch_native  # noqa: PLC0415

    path = fetch_native(user_cache_path("echolot") / "native", talk.note)
    talk.note(f"use it with --tp-binary {path}, or in the config as toolchain.tp_binary")
    return replace(flags, tp_binary=str(path))
