"""Names of composables in the trace: the app's own Perfetto SDK, switched on for the length of a set.

The switch is a broadcast that ``androidx.tracing:tracing-perfetto`` answers; its actions, extras and result
codes are those of the library's handshake protocol.
"""

from __future__ import annotations

import re
from typing import Final

from echolot_tui.collect.device import Device, Said
from echolot_tui.collect.held import Held
from echolot_tui.collect.runner import CollectError
from echolot_tui.text import visible

_RECEIVER: Final = "androidx.tracing.perfetto.TracingReceiver"
_ACTION: Final = "androidx.tracing.perfetto.action."
_ANSWER: Final = re.compile(
    r"Broadcast completed: result=(?P<code>-?\d+)(?:, data=\"(?P<data>.*)\")?", re.DOTALL
)

_WHAT: Final = "composable names"
_SUCCESS: Final = 1
_ALREADY_ON: Final = 2
_WHY_NOT: Final = {
    0: "the app has no receiver for it; add androidx.tracing:tracing-perfetto and "
    "androidx.compose.runtime:runtime-tracing to this build",
    11: "the app lacks the native library; add androidx.tracing:tracing-perfetto-binary to this build",
    12: "the app's tracing-perfetto and tracing-perfetto-binary are of different versions; use one version",
    13: "the app's copy of the native library is damaged; install it again",
}


def names_on(device: Device, package: str, held: Held) -> None:
    """Switch names on for every start of the app until the set is over.

    The app is stopped before and after: the protocol asks for it.

    Raises:
        CollectError: The app does not take part, with what its build lacks.
    """
    if not held.has(_WHAT):  # a build installed anew needs it again, and is put back once
        held.changed(_WHAT, _line(package, "DISABLE_TRACING_COLD_START"))
    _check(device.shell(_line(package, "ENABLE_TRACING_COLD_START", "--es persistent true")), package)


def _line(package: str, action: str, extras: str = "") -> str:
    """The broadcast, between two stops of the app; without the flag a stopped app hears nothing."""
    stop = f"am force-stop {package}"
    broadcast = (
        f"am broadcast --include-stopped-packages -a {_ACTION}{action} {extras} -n {package}/{_RECEIVER}"
    )
    return f"{stop}; {broadcast}; {stop}"


def _check(said: Said, package: str) -> None:
    answer = _ANSWER.search(said.out)
    code = int(answer["code"]) if answer else None
    if said.code == 0 and code in (_SUCCESS, _ALREADY_ON):
        return
    told = f" ({visible(answer['data'], 200)})" if answer and answer["data"] else ""
    raise CollectError(
        f"{package} did not switch composable names on{told or f' ({said.reason})'}",
        where="runner.compose_names",
        todo=_WHY_NOT.get(code if code is not None else 0, "set it to false, or see the message"),
    )
