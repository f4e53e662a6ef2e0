"""Shipped < config < scenario < --set, and every way to get it wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from echolot_tui.measure.catalogue import BrokenDetector, Catalogue
from echolot_tui.measure.detector_file import parse_detector
from echolot_tui.measure.plan import Override, Plan, SettingError, plan
from echolot_tui.measure.spec import MeasureSpec, code_hash, spec_key

GC = """
-- @id: gc
-- @title: GC
-- @param: max_events = 15
-- @param: factor = 1.5
-- @param: name_glob = *GC
-- @gate: count >= max_events
-- @rank: total_ms
SELECT name AS location, COUNT(*) AS count FROM window_slice
WHERE name GLOB $name_glob AND dur > $factor GROUP BY name
"""
BLOCK = """
-- @id: block
-- @title: Block
-- @param: min_ms = 16
-- @gate: self_ms >= min_ms
-- @rank: self_ms
SELECT name AS location, SUM(self_dur) AS self_ms FROM window_slice GROUP BY name
"""
CATALOGUE = Catalogue(
    detectors=(
        parse_detector(BLOCK, "block.sql", shipped=True),
        parse_detector(GC, "gc.sql", shipped=True),
        parse_detector(GC.replace("@id: gc", "@id: own"), "own.sql"),
    )
)


def key_of(made: Plan) -> str:
    return spec_key(MeasureSpec(detectors=made.detectors, claimed_globs=made.claimed_globs), "engine")


def params(made: Plan, detector: str) -> dict[str, object]:
    decision = made.decision(detector)
    assert decision is not None
    return dict(decision.params)


def test_without_settings_everything_is_as_shipped() -> None:
    made = plan(CATALOGUE)
    assert params(made, "gc") == {"max_events": 15, "factor": 1.5, "name_glob": "*GC"}
    assert [decision.params_source for decision in made.decisions] == ["default"] * 3
    assert [decision.overridden for decision in made.decisions] == [None] * 3
    assert made.off_ids == ()
    assert made.notes == ()


def test_layers_win_in_order_and_are_named() -> None:
    made = plan(
        CATALOGUE,
        config={"gc": {"max_events": 1, "factor": 2}},
        scenario={"gc": {"max_events": 2}},
        overrides=[Override(detector="gc", param="max_events", text="3")],
    )
    assert params(made, "gc") == {"max_events": 3, "factor": 2.0, "name_glob": "*GC"}
    decision = made.decision("gc")
    assert decision is not None
    assert decision.params_source == "config+scenario+cli"
    assert decision.overridden == {"max_events": 15, "factor": 1.5}
    assert made.set == {"gc.max_events": 3}
    assert made.notes == ("settings tune gc; the other 2 run on shipped values",)


def test_a_scenario_alone_is_the_only_source() -> None:
    made = plan(CATALOGUE, config={"gc": None}, scenario={"gc": {"max_events": 2}})
    decision = made.decision("gc")
    assert decision is not None
    assert decision.params_source == "scenario"


def test_defaults_drop_config_and_scenario_but_not_set() -> None:
    made = plan(
        CATALOGUE,
        config={"block": False, "gc": {"max_events": 1}},
        scenario={"gc": {"factor": 9}},
        overrides=[Override(detector="gc", param="factor", text="2.5")],
        defaults=True,
    )
    assert params(made, "gc") == {"max_events": 15, "factor": 2.5, "name_glob": "*GC"}
    assert made.off_ids == ()
    assert made.defaults


@pytest.mark.parametrize(
    ("config", "scenario", "off"),
    [
        ({"gc": False}, {}, ("gc",)),
        ({"gc": False}, {"gc": None}, ("gc",)),
        ({"gc": False}, {"gc": {}}, ("gc",)),
        ({"gc": False}, {"gc": {"max_events": 1}}, ()),
        ({}, {"gc": False}, ("gc",)),
        ({"gc": {"max_events": 1}}, {"gc": False}, ("gc",)),
    ],
)
def test_turning_off_and_on(config: dict, scenario: dict, off: tuple[str, ...]) -> None:
    assert plan(CATALOGUE, config=config, scenario=scenario).off_ids == off


def test_a_file_that_is_left_out_is_named_once() -> None:
    broken = BrokenDetector(path="own/x.sql", message="own/x.sql:1: @id is missing")
    made = plan(Catalogue(detectors=CATALOGUE.detectors, broken=(broken,)))
    assert made.notes == ("a detector file is left out: own/x.sql:1: @id is missing",)


def test_set_turns_a_detector_on() -> None:
    override = Override(detector="gc", param="max_events", text="3")
    assert plan(CATALOGUE, config={"gc": False}, overrides=[override]).off_ids == ()


def test_all_off_is_refused() -> None:
    with pytest.raises(SettingError, match="every detector is turned off"):
        plan(CATALOGUE, config={"gc": False, "block": False, "own": False})


@pytest.mark.parametrize(
    ("config", "overrides", "message", "key"),
    [
        ({"gcc": False}, [], r"no detector gcc; did you mean gc\?", ("gcc",)),
        (
            {"gc": {"max_event": 1}},
            [],
            r"gc has no parameter max_event; did you mean max_events\?",
            ("gc", "max_event"),
        ),
        (
            {"gc": {"max_events": True}},
            [],
            r"gc.max_events is True; it must be a number, like 15",
            ("gc", "max_events"),
        ),
        ({"gc": {"max_events": "4"}}, [], r"is '4'; it must be a number", ("gc", "max_events")),
        ({"gc": {"max_events": float("nan")}}, [], "must be a number", ("gc", "max_events")),
        ({"gc": {"name_glob": 4}}, [], r"is 4; it must be text, like '\*GC'", ("gc", "name_glob")),
        (
            {},
            [("gc", "max_events", "many")],
            r"--set: gc.max_events is 'many'; it must be a number",
            ("gc", "max_events"),
        ),
        ({}, [("gc", "max_events", "true")], "must be a number", ("gc", "max_events")),
        ({}, [("nothing", "x", "1")], "there is block, gc, own", ("nothing",)),
    ],
)
def test_wrong_settings_name_the_nearest(
    config: dict, overrides: list[tuple[str, str, str]], message: str, key: tuple[str, ...]
) -> None:
    given = [Override(detector=detector, param=param, text=text) for detector, param, text in overrides]
    with pytest.raises(SettingError, match=message) as refused:
        plan(CATALOGUE, config=config, overrides=given)
    assert refused.value.key == key
    assert refused.value.layer == ("cli" if overrides else "config")


def test_a_wrong_name_is_refused_under_defaults_too() -> None:
    with pytest.raises(SettingError):
        plan(CATALOGUE, scenario={"gcc": False}, defaults=True)


@pytest.mark.parametrize(
    ("text", "value"), [("*GC", "*GC"), ("16", "16"), ("'a b'", "a b"), ("it's", "it's")]
)
def test_text_from_the_command_line_stays_as_typed(text: str, value: str) -> None:
    made = plan(CATALOGUE, overrides=[Override(detector="gc", param="name_glob", text=text)])
    assert params(made, "gc")["name_glob"] == value


def test_values_keep_the_kind_of_the_shipped_one() -> None:
    made = plan(CATALOGUE, config={"gc": {"max_events": 4.0, "factor": 2}})
    assert repr(params(made, "gc")["max_events"]) == "4"
    assert repr(params(made, "gc")["factor"]) == "2.0"
    assert params(plan(CATALOGUE, config={"gc": {"max_events": 4.5}}), "gc")["max_events"] == 4.5


def test_values_reach_the_query_as_sql() -> None:
    made = plan(CATALOGUE, config={"gc": {"name_glob": "it's*", "factor": -2}})
    sql = next(asked.sql for asked in made.detectors if asked.id == "gc")
    assert "GLOB 'it''s*'" in sql
    assert "dur > (-2.0)" in sql


def test_gate_parameters_and_switches_do_not_measure_again() -> None:
    plain = key_of(plan(CATALOGUE))
    assert key_of(plan(CATALOGUE, config={"gc": {"max_events": 1}})) == plain
    assert key_of(plan(CATALOGUE, config={"gc": False})) == plain
    assert key_of(plan(CATALOGUE, config={"gc": {"factor": 3}})) != plain


def test_an_own_detector_that_is_off_is_not_asked() -> None:
    assert [asked.id for asked in plan(CATALOGUE, config={"own": False}).detectors] == ["block", "gc"]


def test_claimed_names_follow_the_settings_of_shipped_detectors_even_when_off() -> None:
    made = plan(
        CATALOGUE, config={"gc": False}, overrides=[Override(detector="own", param="name_glob", text="x*")]
    )
    assert made.claimed_globs == ("*GC",)
    assert plan(CATALOGUE, config={"gc": {"name_glob": "y*"}}).claimed_globs == ("y*",)


def test_the_key_depends_on_the_engine() -> None:
    spec = MeasureSpec(process="a*")
    assert spec_key(spec, "one") != spec_key(spec, "two")
    assert spec_key(spec, "one") == spec_key(MeasureSpec(process="a*"), "one")
    assert spec_key(spec, "one") != spec_key(MeasureSpec(start="a*"), "one")


def test_the_key_depends_on_the_code_that_answers(tmp_path: Path) -> None:
    hashes = []
    for number, changed in enumerate(("", "measure/window.py", "measure/sql/states.sql", "report/build.py")):
        package = tmp_path / str(number)
        for name in ("measure/window.py", "measure/sql/states.sql", "text.py", "report/build.py"):
            (package / name).parent.mkdir(parents=True, exist_ok=True)
            (package / name).write_text("changed" if name == changed else "same")
        hashes.append(code_hash(package))
    assert len(set(hashes)) == 3
    assert hashes[0] == hashes[3]
