"""Facts that need no trace: the weighted clock, recording configs, minified names."""

from __future__ import annotations

import numpy as np
import pytest

from echolot_tui.measure.environment import weigh_clock
from echolot_tui.measure.model import CpuClock
from echolot_tui.measure.sampling import DataSource, data_sources, is_app_code, is_minified

MS = 1_000_000


def weigh(
    running: list[tuple[int, int, int]], samples: list[tuple[int, int, float]], end_ns: int
) -> CpuClock | None:
    """Running as (cpu, start, end), samples as (cpu, ts, kHz)."""
    pieces = np.array([(cpu, start, end - start) for cpu, start, end in running], dtype=np.int64).reshape(
        -1, 3
    )
    ordered = sorted(samples, key=lambda sample: sample[:2])
    return weigh_clock(
        running=(pieces[:, 0], pieces[:, 1], pieces[:, 2]),
        samples=(
            np.array([sample[0] for sample in ordered], dtype=np.int64),
            np.array([sample[1] for sample in ordered], dtype=np.int64),
            np.array([sample[2] for sample in ordered], dtype=np.float64),
        ),
        end_ns=end_ns,
    )


def test_the_clock_counts_only_while_the_process_runs_on_that_processor() -> None:
    # CPU 0: 1 GHz until 50 ms, 2 GHz after. CPU 1 is fast, but nobody runs there.
    clock = weigh(
        [(0, 40 * MS, 60 * MS), (0, 90 * MS, 100 * MS)],
        [(0, 0, 1_000_000.0), (0, 50 * MS, 2_000_000.0), (1, 0, 3_000_000.0)],
        100 * MS,
    )
    # 10 ms at 1000 MHz and 20 ms at 2000 MHz.
    assert clock == CpuClock(
        mean_mhz=1666.7, min_mhz=1000.0, max_mhz=2000.0, on_cpu_ms=30.0, measured_ms=30.0
    )


def test_the_sample_before_the_window_counts_and_time_before_the_first_sample_does_not() -> None:
    clock = weigh([(0, 0, 100)], [(0, -5000, 500_000.0)], 100)
    assert clock is not None
    assert (clock.mean_mhz, clock.measured_ms) == (500.0, 0.0)
    late = weigh([(0, 0, 10 * MS), (1, 0, 10 * MS)], [(0, 4 * MS, 800_000.0)], 10 * MS)
    assert late == CpuClock(mean_mhz=800.0, min_mhz=800.0, max_mhz=800.0, on_cpu_ms=20.0, measured_ms=6.0)


def test_nothing_measured_is_no_clock() -> None:
    assert weigh([(0, 0, 10)], [(1, 0, 1.0)], 10) is None
    assert weigh([], [(0, 0, 1.0)], 10) is None
    assert weigh([(0, 0, 10)], [(0, 10, 1.0)], 10) is None
    assert weigh([(-1, 0, 10)], [(0, 0, 1.0)], 10) is None


def test_of_two_samples_at_one_moment_the_later_holds() -> None:
    clock = weigh([(0, 0, 10 * MS)], [(0, 0, 900_000.0), (0, 0, 400_000.0)], 10 * MS)
    assert clock is not None
    assert (clock.min_mhz, clock.max_mhz) == (400.0, 400.0)


def test_the_clock_equals_a_tick_by_tick_sum() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        end = 60
        samples = [
            (int(cpu), int(ts), float(rng.integers(1, 9) * 100_000))
            for cpu in range(3)
            for ts in sorted(rng.choice(np.arange(-20, 60), int(rng.integers(0, 6)), replace=False))
        ]
        running = []
        for cpu in range(3):
            cuts = sorted(int(cut) for cut in rng.choice(61, 2 * int(rng.integers(0, 4)), replace=False))
            running += [(cpu, a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=True)]
        ticks = []
        for cpu, a, b in running:
            for tick in range(a, b):
                before = [khz for c, ts, khz in samples if c == cpu and ts <= tick]
                ticks += before[-1:]
        clock = weigh(
            [(cpu, a * MS, b * MS) for cpu, a, b in running],
            [(cpu, ts * MS, khz) for cpu, ts, khz in samples],
            end * MS,
        )
        if not ticks:
            assert clock is None
            continue
        assert clock is not None
        assert clock.mean_mhz == pytest.approx(sum(ticks) / len(ticks) / 1000, abs=0.05000001)
        assert (clock.min_mhz, clock.max_mhz) == (min(ticks) / 1000, max(ticks) / 1000)
        assert (clock.measured_ms, clock.on_cpu_ms) == (len(ticks), sum(b - a for _, a, b in running))


CONFIG = """
buffers { size_kb: 1024 fill_policy: DISCARD }
data_sources {
  config {
    name: "linux.ftrace"
    ftrace_config { ftrace_events: "power/cpu_frequency" atrace_apps: "a \\"name: } quoted" }
  }
}
data_sources: {
  config {
    name: "linux.perf"
    target_buffer: 1
    perf_event_config {
      timebase { frequency: 250 timestamp_clock: PERF_CLOCK_MONOTONIC }
      callstack_sampling { kernel_frames: false }
    }
  }
}
data_sources { config { name: "track_event" track_event_config { disabled_categories: "*" } } }
duration_ms: 10000
"""


def test_a_config_names_its_sources_and_the_samplers_rate() -> None:
    assert data_sources(CONFIG) == (
        DataSource(name="linux.ftrace"),
        DataSource(name="linux.perf", frequency=250.0),
        DataSource(name="track_event"),
    )


@pytest.mark.parametrize(
    "text", ["", "}}}{", "linux.perf", 'name: "linux.perf"', 'config { "name" }', "\x00 {:"]
)
def test_text_that_is_no_config_asks_for_nothing(text: str) -> None:
    assert data_sources(text) == ()


def test_a_rate_elsewhere_is_not_the_samplers() -> None:
    other = 'a { config { name: "other" x { frequency: 9 } } } a { config { name: "linux.perf" } }'
    assert data_sources(other) == (DataSource(name="other", frequency=9.0), DataSource(name="linux.perf"))


@pytest.mark.parametrize(
    ("mapping", "own"),
    [
        ("/data/app/~~Q==/com.example.app-Zz==/base.apk", True),
        ("/data/app/~~Q==/com.example.app-Zz==/oat/arm64/base.odex", True),
        ("/data/app/~~Q==/com.example.app-Zz==/lib/arm64/libnative.so", False),
        ("/data/app/~~Q==/com.example.application-Zz==/base.apk", False),
        ("/memfd:jit-cache (deleted)", True),
        ("[anon:dalvik-jit-code-cache]", True),
        ("/memfd:jit-zygote-cache (deleted)", False),
        ("/system/framework/framework.jar", False),
    ],
)
def test_app_code_is_mapped_from_the_package_or_the_jit_cache(mapping: str, own: bool) -> None:
    assert is_app_code(mapping, "com.example.app") == own


def test_without_a_package_only_the_jit_cache_is_the_apps() -> None:
    assert not is_app_code("/data/app/-x/base.apk", "")


@pytest.mark.parametrize(
    ("method", "minified"),
    [
        ("a.b.c", True),
        ("com.example.app.a1.run", True),
        ("com.example.app.abc$1$Xy.run", True),
        ("void com.example.app.q.run(int, java.lang.String)", True),
        ("com.example.app.Main.a", False),
        ("com.example.app.abcd.run", False),
        ("com.example.app.Ab.run", False),
        ("com.example.app.abc$Inner.run", False),
        ("__start_thread", False),
        ("a::b::c", False),
    ],
)
def test_a_minified_class_has_up_to_three_small_letters_and_digits(method: str, minified: bool) -> None:
    assert is_minified(method) == minified
