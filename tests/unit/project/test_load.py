"""echolot.yml: what loads, and the sentence each mistake gets."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from echolot_tui.errors import ConfigError
from echolot_tui.headless.verbs.schema import schema_of
from echolot_tui.project.layout import find_config
from echolot_tui.project.load import load_config
from echolot_tui.project.model import Config, Domain, Runner, Threads
from echolot_tui.project.scenario import Scenario, engine_binary, resolve_scenario

FULL = """\
project:
  package: com.example.app
  process: "com.example.app*"
  mapping: build/mapping.txt
  source_root: app/src
scenario:
  name: coldStart
  start: {name: "bindApplication", _source: confirmed_by_user, _evidence: seen once}
  end: "reportFullyDrawn*"
  budget_ms: 1500
detectors:
  frame_jank: false
  main_thread_block: {min_slice_ms: 20}
  binder_txn:
runner:
  mode: command
  iterations: 7
  command: ./run.sh
  sampling: 200
  cooldown: {max_c: 38, sensor: skin}
instrumentation: {temp_prefix: TMP_}
domains:
  - {slice: "Feed*", module: feed}
toolchain: {tp_binary: tools/tp}
loop: {max_rounds: 4, on_exhausted: ask}
threads: {own: [io], ignore: []}
_note: free
"""


def write(folder: Path, text: str, name: str = "echolot.yml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_every_key_of_a_full_config_is_read(tmp_path: Path) -> None:
    loaded = load_config(write(tmp_path, FULL))
    assert loaded.warnings == ()
    assert loaded.config.runner.cooldown is not None
    assert loaded.config.runner.cooldown.timeout_s == 600
    assert loaded.config.runner.sampling == 200
    scenario = resolve_scenario(loaded)
    assert (scenario.name, scenario.start, scenario.end) == (
        "coldStart",
        "bindApplication",
        "reportFullyDrawn*",
    )
    assert scenario.process == "com.example.app*"
    assert scenario.detectors == {
        "frame_jank": False,
        "main_thread_block": {"min_slice_ms": 20},
        "binder_txn": None,
    }
    assert engine_binary(loaded) == tmp_path / "tools/tp"


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n"])
def test_an_empty_file_is_a_config_of_defaults(tmp_path: Path, text: str) -> None:
    loaded = load_config(write(tmp_path, text))
    assert loaded.config == Config()
    assert resolve_scenario(loaded).name == "run"


def test_local_is_laid_over_key_by_key_and_is_not_in_the_hash(tmp_path: Path) -> None:
    path = write(tmp_path, "runner: {iterations: 3, atrace_categories: [am, wm]}\n")
    alone = load_config(path)
    write(tmp_path, "runner: {device: emulator-5554, atrace_categories: [gfx]}\n", "local.yml")
    both = load_config(path)
    assert (both.config.runner.iterations, both.config.runner.device) == (3, "emulator-5554")
    assert both.config.runner.atrace_categories == ("gfx",)
    assert both.sha == alone.sha == hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    assert both.local == tmp_path / "local.yml"


def test_a_named_local_file_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"other.yml: not found"):
        load_config(write(tmp_path, ""), tmp_path / "other.yml")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: [1\n", r"does not parse: line 2, column 1"),
        ("- a\n", "must be a mapping of keys to values"),
        ("runner:\n  iterations: five\n", r'line 2, runner.iterations: is "five", expected a whole number'),
        (
            "runner:\n  iterations: 0\n",
            r"line 2, runner.iterations: is 0, expected a whole number of at least 1",
        ),
        ("runner:\n  mode: gradel\n", r'line 2, runner.mode: .*not allowed; did you mean "gradle"\?'),
        (
            "runner: {cooldown: {sensor: gpu}}\n",
            r'runner.cooldown: needs the key "max_c"|needs the key "max_c"',
        ),
        ("scenario: {detectors: {}}\n", "thresholds of a single scenario live at top level"),
        ("scenario: {name: a}\nscenarios: {b: }\n", "line 1, scenario: stands beside scenarios"),
        ("scenario: {name: a b}\n", "cannot name files"),
        ("scenario: {start: {_source: me}}\n", 'needs the key "name"'),
        (
            "scenarios: {a: {name: b}}\n",
            "scenarios.a.name: is not allowed in a scenario; the name is the key",
        ),
        ("scenarios:\n  a:\n    strat: x\n", r'line 3, scenarios.a.strat: .*did you mean "start"\?'),
        (
            "scenarios:\n  a:\n    runner: {iterations: x}\n",
            r"line 3, scenarios.a.runner.iterations: is \"x\"",
        ),
        ("detectors: {anr: true}\n", "detectors.anr: is true; write false"),
        (
            "detectors:\n  anr_risk: {max_gap_ms: .nan}\n",
            r"line 2, detectors.anr_risk.max_gap_ms: is nan; write a",
        ),
        (
            "compare:\n  pinned: [a]\n  floor_pct: .inf\n",
            "line 3, compare.floor_pct: is inf; write a finite number",
        ),
        ("detectors: [anr]\n", "must be a mapping of detectors"),
        ("project: {mapping: 3}\n", "project.mapping: is 3, expected text"),
        ("scenarios:\n  a:\n    runner: 5\n", "line 3, scenarios.a.runner: is 5, expected a mapping"),
        ("scenario: {runner: [x]}\n", r"line 1, scenario.runner: is \['x'\], expected a mapping"),
        (
            "detectors:\n  anr_risk:\n    max_gap_ms:\n",
            "line 3, detectors.anr_risk.max_gap_ms: is nothing, exp",
        ),
        (
            "scenarios:\n  a:\n    detectors: {io_wait: {min_io_wait_ms: [3]}}\n",
            r"line 3, scenarios.a.detectors.io_wait.min_io_wait_ms: is \[3\], expected a number or text",
        ),
        ("scenario: {start: {1: 2}}\n", 'line 1, scenario.start: needs the key "name"'),
        (
            "instrumentation: {temp_prefix: ''}\n",
            'instrumentation.temp_prefix: is "", expected text that is not empty',
        ),
        ("domains:\n- slice: ''\n", 'line 2, domains.0.slice: is "", expected text that is not empty'),
        ("a: 1\nb: \x07\n", "does not parse: line 2, column 4: found a control character; remove it"),
        ("a: 1\nb: !!int x\n", "does not parse: line 2, column 4: found a value that is none"),
        ("a: 1\nb: !x y\n", "does not parse: line 2, column 4: could not determine a constructor"),
        ("a: {b\n", "does not parse: line 2, column 1"),
    ],
)
def test_a_mistake_names_file_line_key_and_what_is_allowed(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence) as caught:
        load_config(write(tmp_path, text))
    assert "echolot.yml" in caught.value.sentence
    assert "\n" not in caught.value.sentence


def test_a_mistake_in_the_overlay_names_the_overlay(tmp_path: Path) -> None:
    path = write(tmp_path, "runner: {iterations: 3}\n")
    write(tmp_path, "\nrunner:\n  iterations: x\n", "local.yml")
    with pytest.raises(ConfigError, match=r"local.yml line 3, runner.iterations"):
        load_config(path)


def test_unknown_and_doubled_keys_are_warnings_with_the_nearest_name(tmp_path: Path) -> None:
    loaded = load_config(write(tmp_path, "detectros: {}\nrunner:\n  iteration: 3\nloop: {}\nloop: {}\n"))
    assert len(loaded.warnings) == 3
    assert any(
        'line 1, detectros: is not a known key and is ignored; did you mean "detectors"' in w
        for w in loaded.warnings
    )
    assert any("line 3, runner.iteration" in w for w in loaded.warnings)
    assert any("loop: stands twice" in w for w in loaded.warnings)


def test_keys_of_a_scenarios_runner_are_looked_at_too(tmp_path: Path) -> None:
    (warning,) = load_config(write(tmp_path, "scenario:\n  runner: {iteration: 3}\n")).warnings
    assert "line 2, scenario.runner.iteration: is not a known key" in warning
    (warning,) = load_config(write(tmp_path, "scenarios:\n  a:\n    runner: {mod: host}\n")).warnings
    assert "line 3, scenarios.a.runner.mod: is not a known key" in warning


def test_keys_are_text_as_they_are_written(tmp_path: Path) -> None:
    loaded = load_config(write(tmp_path, "on: 1\n2: 3\nscenarios: {1.10: , 007: , on: }\n"))
    assert list(loaded.config.scenarios or {}) == ["1.10", "007", "on"]
    assert [warning.partition(": is not")[0].rpartition(", ")[2] for warning in loaded.warnings] == [
        "on",
        "2",
    ]


def test_a_name_that_looks_like_a_date_is_a_name(tmp_path: Path) -> None:
    assert (
        resolve_scenario(load_config(write(tmp_path, "scenario: {start: 2024-13-45}\n"))).start
        == "2024-13-45"
    )


def test_a_key_that_says_nothing_has_its_default(tmp_path: Path) -> None:
    text = "runner: {iterations: , mode: , device: , cooldown: }\nthreads: {own: }\ndomains: [{slice: a}]\n"
    scenario = "scenario: {name: , window: , start: {name: }, runner: {iterations: }}\n"
    loaded = load_config(write(tmp_path, text + scenario))
    assert loaded.warnings == ()
    config = loaded.config
    assert (config.runner, config.threads, config.domains) == (Runner(), Threads(), (Domain(slice="a"),))
    assert resolve_scenario(loaded) == Scenario(name="run")


def test_keys_that_begin_with_an_underscore_are_free_everywhere(tmp_path: Path) -> None:
    note = "_source: confirmed_by_user, _note: [1]"
    text = f"detectors: {{{note}, anr_risk: {{max_gap_ms: 3, {note}}}}}\nrunner: {{{note}}}\n"
    loaded = load_config(
        write(tmp_path, f"{text}scenarios: {{{note}, a: {{{note}, detectors: {{{note}}}}}}}\n")
    )
    assert loaded.warnings == ()
    assert resolve_scenario(loaded).detectors == {"anr_risk": {"max_gap_ms": 3}}
    assert list(loaded.config.scenarios or {}) == ["a"]
    jsonschema.validate(yaml.safe_load((tmp_path / "echolot.yml").read_text()), schema_of("config"))


def test_aliases_that_multiply_each_other_end(tmp_path: Path) -> None:
    lines = ["_0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"_{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(ConfigError, match="its aliases make more than 100000 values"):
        load_config(write(tmp_path, "\n".join(lines)))


def test_names_in_a_place_cannot_write_to_the_terminal(tmp_path: Path) -> None:
    (warning,) = load_config(write(tmp_path, '"\\e[31m": 1\n')).warnings
    assert r"line 1, \x1b[31m: is not a known key" in warning


def test_a_key_in_each_of_two_doubled_mappings_stands_once(tmp_path: Path) -> None:
    loaded = load_config(write(tmp_path, "loop: {max_rounds: 1}\nloop: {max_rounds: 2}\n"))
    assert [warning.partition("line 2, ")[2] for warning in loaded.warnings] == [
        "loop: stands twice; the last one counts"
    ]


def test_a_loaded_config_says_where_its_keys_stand(tmp_path: Path) -> None:
    path = write(tmp_path, "detectors:\n  anr: {a: 1}\n  gc: {b: 2}\n")
    write(tmp_path, "\ndetectors: {gc: {b: 3}}\n", "local.yml")
    place = load_config(path).place
    assert place(("detectors", "anr", "a")) == f"{path} line 2, detectors.anr.a"
    assert place(("detectors", "gc", "b")) == f"{tmp_path / 'local.yml'} line 2, detectors.gc.b"
    assert place(("detectors", "anr", "absent")) == f"{path} line 2, detectors.anr.absent"
    assert place(("runner",)) == f"{path}, runner"


def test_not_utf8_and_a_folder(tmp_path: Path) -> None:
    bad = tmp_path / "echolot.yml"
    bad.write_bytes(b"a: \xff\n")
    with pytest.raises(ConfigError, match="is not UTF-8"):
        load_config(bad)
    with pytest.raises(ConfigError, match="is not a file"):
        load_config(tmp_path)


@pytest.mark.parametrize("name", ["echolot.yml", "local.yml"])
def test_what_has_a_configs_name_and_is_no_file_is_refused(tmp_path: Path, name: str) -> None:
    if name == "local.yml":
        write(tmp_path, "")
    (tmp_path / name).mkdir()
    found = find_config(tmp_path)
    assert found == tmp_path / "echolot.yml"
    with pytest.raises(ConfigError, match=rf"{name}: is not a file"):
        load_config(found)
    (tmp_path / name).rmdir()
    (tmp_path / name).symlink_to(tmp_path / "nowhere")
    assert find_config(tmp_path) == found
    with pytest.raises(ConfigError, match=rf"{name}: not found"):
        load_config(found)


def test_an_alias_that_points_at_its_own_mapping_ends(tmp_path: Path) -> None:
    loaded = load_config(write(tmp_path, "_x: &a {self: *a}\n"))
    assert loaded.warnings == ()


SEVERAL = """\
project: {package: com.example.app}
runner: {iterations: 5, cooldown: {max_c: 40, sensor: skin}, atrace_categories: [am]}
detectors: {anr: false, main_thread_block: {min_slice_ms: 20}}
scenarios:
  cold: {start: bindApplication, detectors: {main_thread_block: {min_slice_ms: 9}, anr: }}
  feed.scroll:
    runner: {cooldown: {max_c: 35}, atrace_categories: [gfx, view]}
    window: each
  whole:
"""


def test_scenarios_overlay_the_top_level(tmp_path: Path) -> None:
    loaded = load_config(write(tmp_path, SEVERAL))
    first = resolve_scenario(loaded)
    assert (first.name, first.several) == ("cold", True)
    assert first.own_detectors == {"main_thread_block": {"min_slice_ms": 9}, "anr": None}
    feed = resolve_scenario(loaded, "feed.scroll")
    assert feed.runner.cooldown is not None
    assert (feed.runner.cooldown.max_c, feed.runner.cooldown.sensor) == (35, "skin")
    assert feed.runner.atrace_categories == ("gfx", "view")
    assert feed.window == "each"
    whole = resolve_scenario(loaded, "whole")
    assert (whole.start, whole.end) == (None, None)
    with pytest.raises(ConfigError, match=r'no scenario "colt".*did you mean "cold"'):
        resolve_scenario(loaded, "colt")


def test_a_scenarios_runner_is_checked_over_the_top_level_one(tmp_path: Path) -> None:
    text = "runner: {cooldown: {max_c: 40}}\nscenarios: {a: {runner: {cooldown: {sensor: gpu}}}}\n"
    cooldown = resolve_scenario(load_config(write(tmp_path, text))).runner.cooldown
    assert cooldown is not None
    assert (cooldown.max_c, cooldown.sensor) == (40, "gpu")
    with pytest.raises(ConfigError, match=r"line 2, runner.iterations: is 0"):
        load_config(write(tmp_path, "scenarios: {a: {runner: {device: x}}}\nrunner: {iterations: 0}\n"))


def test_a_single_scenario_accepts_only_its_own_name(tmp_path: Path) -> None:
    loaded = load_config(write(tmp_path, "scenario: {name: a, start: '  '}\n"))
    assert resolve_scenario(loaded, "a").start is None
    with pytest.raises(ConfigError, match='its only one is "a"'):
        resolve_scenario(loaded, "b")


def test_a_bare_engine_name_is_a_command_unless_the_file_is_there(tmp_path: Path) -> None:
    loaded = load_config(write(tmp_path, "tp_binary: trace_processor_shell\n"))
    assert engine_binary(loaded) == Path("trace_processor_shell")
    (tmp_path / "trace_processor_shell").touch()
    assert engine_binary(loaded) == tmp_path / "trace_processor_shell"


def test_the_published_schema_accepts_what_loads() -> None:
    for text in (FULL, SEVERAL):
        jsonschema.validate(json.loads(json.dumps(yaml.safe_load(text))), schema_of("config"))


@pytest.mark.parametrize(
    "text",
    [
        "runner: {iterations: x}",
        "detectors: {anr: true}",
        "detectors: {anr_risk: {max_gap_ms: soon}}",
        "detectors: {anr_risk: {max_gap: 3}}",
        "detectors: {mine: 3}",
        "scenarios: {a: {detectors: {gc_pressure: {name_glob: 3}}}}",
    ],
)
def test_the_published_schema_refuses_what_does_not(text: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(text), schema_of("config"))


def test_the_published_schema_leaves_a_projects_own_detectors_alone() -> None:
    jsonschema.validate(yaml.safe_load("detectors: {mine: {bar_ms: 3}, other: false}"), schema_of("config"))


def test_the_published_schema_says_what_keys_mean() -> None:
    blocks = schema_of("config")["$defs"]
    assert blocks["Anchor"]["properties"]["_source"]["description"].startswith("Who chose it")
    silent = [
        f"{block}.{key}"
        for block, schema in blocks.items()
        for key, field in schema["properties"].items()
        if "description" not in field and "$ref" not in field
    ]
    assert silent == ["Config.scenario", "Config.domains"], "those say it in the block they hold"
