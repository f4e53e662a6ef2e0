"""The command line: a group whose verbs are imported when they are called."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from pathlib import Path
from typing import Any

import click

from echolot_tui import __version__
from echolot_tui.errors import REFUSED, EcholotError
from echolot_tui.headless.diagnostics import talk
from echolot_tui.headless.handover import Screens, root_flags, screens_of
from echolot_tui.headless.options import with_engine_flag
from echolot_tui.headless.output import prepare_streams

PIPE_CLOSED = 141
INTERRUPTED = 130
CRASHED = 1

VERBS = {
    "analyze": "Measure traces and write their report.",
    "anr": "Why the main thread did not answer, from a thread dump.",
    "calibrate": "Derive thresholds from healthy runs.",
    "ci": "One step of the GitHub action.",
    "collect": "Record a set of traces, in a process of its own.",
    "compare": "Compare two sets of traces or reports.",
    "demo": "Write a project with a planted change and compare its two rounds.",
    "doctor": "Check this machine: engine, folders, config, known answers.",
    "domains": "What the sources name themselves, as a section of the config.",
    "explain": "The detectors: what each asks, its parameters, what it needs.",
    "history": "Levels over commits: what moved, where, and is it real.",
    "hunt": "Open, show and close investigations.",
    "mark": "First temporary sections for an app: propose, put in, take out.",
    "names": "A process's slice names, and what the detectors see of them.",
    "note": "Write something down about a hunt or a round.",
    "open": "Open a trace in Perfetto's own UI, at a row's slice.",
    "probe": "What is in a trace: processes, threads, candidates for anchors.",
    "profile": "Compare two sets of profiles: which functions grew.",
    "report": "Read a report: overview, one detector, window, markers.",
    "round": "The rounds of a hunt: list, show, label.",
    "scan": "An Android build: what to measure, and a first config for it.",
    "schema": "Print the JSON Schema of a file echolot reads or writes.",
    "status": "Where the project stands and what to do next.",
    "watch": "Follow a folder another tool fills; report and comparison live.",
}


class LazyGroup(click.Group):
    """Imports a verb's module only when that verb is called, so that the others stay fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Names in the order of the help page."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The verb's command."""
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f"echolot_tui.headless.verbs.{cmd_name}")
        command: click.Command = module.command
        return with_engine_flag(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the verbs without importing them."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest verb when there is none of that name."""
        from echolot_tui.project.validate import did_you_mean  # noqa: PLC0415 - only for a typing error

        if args and args[0] not in VERBS and not args[0].startswith("-"):
            raise click.UsageError(f'there is no verb "{args[0]}"; {did_you_mean(args[0], VERBS)}', ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--headless", is_flag=True, help="Print the result; never open the screens.")
@click.option(
    "--tp-binary", metavar="PATH", help="Use this native trace_processor_shell; also after the verb."
)
@click.option("-V", "--version", is_flag=True, help="Print versions of echolot, its engine and Python.")
@click.pass_context
def root(ctx: click.Context, *, headless: bool, tp_binary: str | None, version: bool) -> None:
    """Where did the time go between two sets of Perfetto traces, and is the difference real?

    Results go to stdout, everything else to stderr. Exit code 0: done, whatever moved; 2: refused;
    1: a check failed.
    """
    ctx.ensure_object(dict)
    ctx.obj |= {"tp_binary": tp_binary, "headless": headless}
    if version:
        from echolot_tui.headless.versions import version_line  # noqa: PLC0415 - reads package metadata

        click.echo(version_line(__version__))
        ctx.exit()
    if ctx.invoked_subcommand is None:
        ctx.exit(_home(ctx))


def _home(ctx: click.Context) -> int:
    """The app in a terminal that can show it; else where the project stands, or without one the help page."""
    is_looked_at = sys.stdout.isatty() and not ctx.obj["headless"]
    screens = screens_of(ctx.obj, wanted=is_looked_at)
    if screens is None:
        return _standing(ctx)
    from echolot_tui.present.opening import Opening  # noqa: PLC0415 - not for --help

    return screens.open(Opening(root_flags=root_flags(ctx.obj)))


def _standing(ctx: click.Context) -> int:
    from echolot_tui.project.layout import find_config  # noqa: PLC0415 - not for --help

    if find_config(Path.cwd()) is None:
        click.echo(ctx.get_help())
        return 0
    status = root.get_command(ctx, "status")
    assert status is not None
    with status.make_context("status", [], parent=ctx) as asked:
        code: int = status.invoke(asked)
    return code


def run(argv: list[str] | None = None, *, screens: Screens | None = None) -> None:
    """Run the command line and leave with its exit code.

    Args:
        argv: Its arguments; the process's own when not given.
        screens: The full-screen app, for who asks for it.
    """
    prepare_streams()
    sys.exit(_exit_code(argv, screens))


def _exit_code(argv: list[str] | None, screens: Screens | None = None) -> int:  # noqa: PLR0911 - one line a way to end
    try:
        result = root.main(args=argv, prog_name="echolot", standalone_mode=False, obj={"screens": screens})
        sys.stdout.flush()
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.ClickException as error:
        talk.done()
        error.show()
        return REFUSED
    except (click.Abort, KeyboardInterrupt):
        talk.warn("interrupted; nothing half-written is left")
        return INTERRUPTED
    except (BrokenPipeError, SystemExit) as leave:
        # click itself leaves in two cases: with 0 once it has completed a line for the shell, with 1 when
        # the reader is gone
        if isinstance(leave, SystemExit) and not leave.code:
            return 0
        _silence_stdout()
        return PIPE_CLOSED
    except EcholotError as error:
        talk.error(error)
        return error.exit_code
    except (OSError, UnicodeEncodeError) as error:
        talk.error(_from_outside(error))
        return REFUSED
    except Exception as error:  # noqa: BLE001 - the last resort: a sentence for the person, the traceback for us
        talk.error(_crash(error))
        return CRASHED
    return result if isinstance(result, int) else 0


def _from_outside(error: OSError | UnicodeEncodeError) -> EcholotError:
    """What the system refused, or a name it gave that no file of ours can hold."""
    if isinstance(error, UnicodeEncodeError):
        around = error.object[max(error.start - 30, 0) : error.start + 30]
        return EcholotError(f"“{around}” is not UTF-8", todo="write it, or name the file, in UTF-8")
    if error.filename is None:
        _silence_stdout()  # it is the result that could not be written
    return EcholotError(error.strerror or str(error), where=str(error.filename or "the output"))


def _silence_stdout() -> None:
    """Python flushes stdout once more at exit; give it somewhere to go."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _crash(error: Exception) -> EcholotError:
    from platformdirs import user_log_path  # noqa: PLC0415 - only after a crash

    lines = "".join(traceback.format_exception(error))
    where: Any = user_log_path("echolot")
    path = Path(where) / "crash.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"echolot {__version__}\n{sys.argv}\n{lines}", encoding="utf-8")
    except OSError:
        return EcholotError(f"this is a bug in echolot ({lines.strip().splitlines()[-1]})")
    return EcholotError(
        f"this is a bug in echolot ({type(error).__name__})", todo=f"report it with the file {path}"
    )
