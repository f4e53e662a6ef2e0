"""What a report says about the machine while the runs were recorded, sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterator

from echolot_tui.measure.model import DeviceFacts
from echolot_tui.present.numbers import listed, plural, share, tenths, whole
from echolot_tui.present.spans import Span
from echolot_tui.present.statement import Statement, fact, strong, warning
from echolot_tui.report.model import ComposeNamesReport, EnvironmentReport, Report, SamplingReport
from echolot_tui.text import visible

_MINIFIED_SHARE = 0.1
"""Below this part of minified methods the sampled names read well enough."""

_MISSING_WORDS = {"cpu": "CPU clock", "thermal": "temperature", "memory": "memory"}


def environment_statements(report: Report) -> Iterator[Statement]:
    """Device, clock, temperature, memory, sampler, composable names, health of the recordings."""
    yield from _device(report)
    yield from _state(report.environment)
    if isinstance(report.environment.sampling, SamplingReport):
        yield from _sampling(report.environment.sampling, mapped=report.retrace is not None)
    if isinstance(report.environment.compose_names, ComposeNamesReport):
        yield from _compose_names(report.environment.compose_names)
    yield from _health(report)


def _device(report: Report) -> Iterator[Statement]:
    devices = list(dict.fromkeys(filter(None, (_device_words(repeat.device) for repeat in report.repeats))))
    if len(devices) == 1:
        yield fact("Device", Span(devices[0], "name"))
    elif devices:
        yield warning("The runs come from different devices or builds: ", Span(listed(devices, 4), "name"))


def _device_words(device: DeviceFacts) -> str:
    maker = device.manufacturer or ""
    model = device.model or ""
    parts = [
        model if model.lower().startswith(maker.lower()) else f"{maker} {model}".strip(),
        f"Android {device.android}" if device.android else "",
        f"kernel {device.kernel}" if device.kernel and not device.android else "",
        device.machine or "",
        plural(device.cpus, "CPU") if device.cpus else "",
        _app_words(device),
    ]
    return " · ".join(visible(part, 80) for part in parts if part)


def _app_words(device: DeviceFacts) -> str:
    """The app's version; a trace that only knows its number says so under that name."""
    if device.app_version:
        return f"app {device.app_version}"
    return "" if device.app_version_code is None else f"app version code {device.app_version_code}"


def _state(environment: EnvironmentReport) -> Iterator[Statement]:
    parts: list[str | Span] = []
    cpu, thermal, memory = environment.cpu, environment.thermal, environment.memory
    if cpu is not None:
        low, high = cpu.mean_mhz_min, cpu.mean_mhz_max
        spread = (
            f" ({whole(round(low))}..{whole(round(high))})"
            if low is not None and high is not None and low != high
            else ""
        )
        parts += ["clock ", strong(f"{cpu.mean_mhz:.0f} MHz"), spread, _partly(cpu.runs)]
        if cpu.on_cpu_ms and cpu.measured_ms is not None and cpu.measured_ms < 0.95 * cpu.on_cpu_ms:
            parts.append(f", known for {share(cpu.measured_ms, cpu.on_cpu_ms)} of its time on a CPU")
    if thermal is not None and thermal.max_celsius is not None:
        zone = f" ({visible(thermal.hottest_zone, 60)})" if thermal.hottest_zone else ""
        parts += [
            " · " if parts else "",
            f"peak {tenths(thermal.max_celsius)} °C{zone}",
            _partly(thermal.runs),
        ]
    if memory is not None and memory.available_mb_min is not None:
        parts += [
            " · " if parts else "",
            f"{memory.available_mb_min:.0f} MB free at the low point",
            _partly(memory.runs),
        ]
    if memory is not None and memory.major_faults:
        parts += [" · " if parts else "", plural(memory.major_faults, "major fault")]
    if parts:
        yield fact("Device state", *parts)
    if thermal is not None and thermal.throttled:
        by = f" ({visible(thermal.throttle_device, 60)})" if thermal.throttle_device else ""
        where = f" in {thermal.throttled_runs} runs" if thermal.throttled_runs else ""
        yield warning(f"The device throttled{by}{where}: times are longer for a reason outside the code")
    if environment.missing:
        yield fact(
            "Device state not recorded",
            ", ".join(_MISSING_WORDS.get(key, visible(key, 40)) for key in environment.missing),
        )


def _partly(runs: str | None) -> str:
    """`` in k of n runs`` where it is not all of them."""
    if runs is None:
        return ""
    seen, _, total = runs.partition("/")
    return "" if seen == total else f" in {seen} of {total} runs"


def _sampling(sampling: SamplingReport, *, mapped: bool) -> Iterator[Statement]:
    rate = f" at {whole(sampling.hz)} Hz" if sampling.hz else ""
    if not sampling.started:
        yield warning(f"A call-stack sampler{rate} was asked for and never started; rows have no stacks")
        return
    runs = _partly(sampling.runs)
    yield fact(
        "Call stacks",
        f"sampled{rate}{runs}: {plural(sampling.samples, 'sample')} of this process in the window, "
        f"{whole(sampling.with_stack)} with a stack",
    )
    if not sampling.with_stack:
        yield warning("No sample of this process carries a stack")
    names = sampling.names
    if names is not None and names.renamed:
        yield fact("Retraced", plural(names.renamed, "method name"))
    if names is not None and names.methods and names.minified >= _MINIFIED_SHARE * names.methods:
        advice = (
            ", and the R8 mapping does not have them: is it this build's?"
            if mapped
            else "; name the build's R8 mapping in project.mapping"
        )
        yield warning(f"{names.minified} of {names.methods} sampled app methods have minified names{advice}")


def _compose_names(names: ComposeNamesReport) -> Iterator[Statement]:
    if names.calls:
        yield fact("Composable names", f"{plural(names.calls, 'call')} carry one{_partly(names.runs)}")
    elif names.asked:
        yield warning("Composable names were asked for, and no call carries one")


def _health(report: Report) -> Iterator[Statement]:
    by_trace = {repeat.trace_index: repeat.health for repeat in report.repeats}
    said: dict[str, list[str]] = {}
    for trace_index, health in by_trace.items():
        for issue in health.issues:
            said.setdefault(f"{issue.name}: {issue.text}", []).append(f"{trace_index + 1}")
    for text, traces in said.items():
        yield warning(_which_runs(traces, len(by_trace)), Span(visible(text, 300)))


def _which_runs(traces: list[str], total: int) -> str:
    if len(traces) == total:
        return "Every run: " if total > 1 else ""
    return f"Run {traces[0]}: " if len(traces) == 1 else f"Runs {listed(traces)}: "
