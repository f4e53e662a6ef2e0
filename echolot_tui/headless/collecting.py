"""What the verb ``collect`` and the process it starts both need: which sets, and how each is recorded."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace
from platformdirs import user_state_path

from echolot_tui.collect.files import CollectFiles
from echolot_tui.collect.model import Arm, CollectOrder, SetRecord, UntilSettled
from echolot_tui.collect.modes import runner_for, suffix_of
from echolot_tui.collect.recipe import recipe
from echolot_tui.collect.runner import BatchRunner, CollectError, Runner
from echolot_tui.collect.settle import check_looks
from echolot_tui.collect.trust import Trust
from echolot_tui.headless.clock import now
from echolot_tui.headless.setup import Flags, Project
from echolot_tui.project.layout import Layout

PROCESS = "echolot_tui.headless.collect_process"


def files_of(project: Project) -> CollectFiles:
    """Where the project's collects leave their files.

    Raises:
        CollectError: There is no project here.
    """
    if project.layout is None:
        raise CollectError(
            "there is no echolot.yml here or above",
            todo="write one with a runner section, or name it with -c",
        )
    return CollectFiles(layout=Layout(root=project.layout.root.resolve()))


def trust() -> Trust:
    """The commands this person has confirmed on this machine."""
    return Trust(user_state_path("echolot") / "confirmed-commands")


def new_identity() -> str:
    """Of a collect: when it began, and something nobody else has."""
    return f"{datetime.now(UTC).strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}"


def new_sets(order: CollectOrder, project: Project, files: CollectFiles) -> tuple[SetRecord, ...]:
    """The sets an order asks for, with nothing recorded; their folders are still those of no round."""
    settings = order.settings
    arms: Sequence[Arm | None] = order.arms or (None,)
    return tuple(
        SetRecord(
            collect=order.collect,
            scenario=project.scenario.name,
            arm=arm.name if arm else None,
            mode=settings.mode,
            folder="",
            newest=None if arm else (order.out or str(files.layout.traces)),
            suffix=suffix_of(settings),
            recipe=recipe(settings, order.arms),
            command=arm.command if arm else settings.command,
            until=order.until,
            seed=order.seed,
            iterations=None if settings.mode == "gradle" else settings.iterations,
            started_at=now(),
        )
        for arm in arms
    )


def resumed_order(order: CollectOrder, sets: Sequence[SetRecord]) -> CollectOrder:
    """The order with what the sets were begun with: their arms, seed, stopping rule and number of runs.

    Raises:
        CollectError: There is nothing to resume, or it would not be the same set any more.
    """
    if not sets:
        raise CollectError(
            f'no set of scenario "{order.scenario}" was begun here', todo="record one without --resume"
        )
    if sets[0].mode == "gradle":
        raise CollectError(
            "a gradle task records its runs all at once, so there is nothing to resume",
            todo="record a new set without --resume",
        )
    arms = tuple(Arm(name=each.arm, command=each.command or "") for each in sets if each.arm is not None)
    if any(each.recipe != recipe(order.settings, arms) for each in sets):
        raise CollectError(
            "the runner's settings changed since this set was begun, so its runs would not be of one kind",
            todo="record a new set without --resume",
        )
    until = sets[0].until
    iterations = until.first if until else order.runs or sets[0].iterations or order.settings.iterations
    return replace(
        order,
        collect=sets[0].collect,
        arms=arms,
        seed=sets[0].seed,
        until=until,
        settings=replace(order.settings, iterations=iterations),
    )


def runners_of(
    order: CollectOrder, sets: Sequence[SetRecord], project: Project, files: CollectFiles
) -> list[Runner | BatchRunner]:
    """One runner a set.

    Raises:
        CollectError: The settings do not allow a run.
    """
    assert project.loaded is not None
    return [
        runner_for(
            order.settings,
            command=each.command if each.arm is not None else None,
            package=project.scenario.package,
            folder=Path(order.project),
            state=files.logs,
            env=os.environ,
            temp_prefix=project.loaded.config.instrumentation.temp_prefix,
        )
        for each in sets
    ]


def flags_of(order: CollectOrder) -> Flags:
    """The flags of every other verb, as this order has them."""
    return Flags(
        config=order.config,
        local=order.local,
        scenario=order.scenario,
        tp_binary=order.tp_binary,
        jobs=1,
    )


def until_of(most: int | None, against: str | None, first: int) -> UntilSettled:
    """The stopping rule somebody asked for.

    Raises:
        CollectError: Fewer runs at most than to begin with.
    """
    until = UntilSettled(first=first, most=4 * first if most is None else most, against=against)
    check_looks(first, until.most)
    return until
