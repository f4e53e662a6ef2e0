"""The flame graph: one layout for both sides, harmless names, usable without its script."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from echolot_tui.present.flame_svg import WIDTH, boxes, colour, flame_svg
from profiles_by_hand import diff

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "</script><script>alert(1)</script>",
    "]]><svg onload=alert(1)>",
    "a & b < c > d \"quoted\" 'single'",
    "\x1b]0;title\x07bell",
    "line\nbreak\ttab",
    "\u202eoverride\u2066",
    "lone \ud800 surrogate",
    "noncharacter \ufffe \uffff",
    "x" * 10_000,
    "[/][red]markup",
    "{{7*7}} ${injection} `tick`",
]


def graph(names: list[str]) -> str:
    stacks = {f"main;{name.replace(';', ',')}": 100.0 + 10 * at for at, name in enumerate(names)}
    return flame_svg(diff(stacks, {stack: 2 * samples for stack, samples in stacks.items()}), title=names[0])


def test_hostile_names_are_harmless_and_verbatim() -> None:
    text = graph(HOSTILE)
    root = ET.fromstring(text)
    assert {element.tag for element in root.iter()} <= {
        SVG + name for name in ("svg", "title", "style", "rect", "text", "g", "script")
    }
    assert sum(element.tag == SVG + "script" for element in root.iter()) == 1
    assert not any(key.startswith("on") for element in root.iter() for key in element.attrib)
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", text)
    assert "</script><script>" not in text
    titles = [element.text or "" for element in root.iter(SVG + "title")]
    assert any("</script><script>alert(1)</script>" in title for title in titles)
    assert any("\\x1b]0,title\\x07bell" in title for title in titles)


def test_the_scripts_data_is_the_layout() -> None:
    profile = diff({"main;a": 300.0, "main;b": 700.0}, {"main;a": 700.0, "main;c": 300.0})
    script = next(ET.fromstring(flame_svg(profile)).iter(SVG + "script")).text or ""
    data = json.loads(script[len("const DATA=") : script.index("};") + 1])
    named = {data["names"][row[4]]: row for row in data["rows"]}
    assert set(named) == {"(all)", "main", "a", "b", "c"}
    assert named["a"][2:4] == [0.0, 50.0]
    assert named["b"][2:4] == [50.0, 35.0]
    assert named["c"][2:4] == [85.0, 15.0]
    assert (named["a"][5], named["a"][6], named["a"][7]) == (30.0, 70.0, 40.0)


def test_callees_lie_inside_their_caller_on_the_union() -> None:
    stacks = {f"m;a{at};b{bt};c{at * bt}": 20.0 + at * bt for at in range(5) for bt in range(4)}
    other = {f"m;a{at};b{bt};c{at + bt}": 30.0 + at for at in range(3, 8) for bt in range(4)}
    placed = boxes(diff(stacks, other))
    for box in placed[1:]:
        above = placed[box.node.parent or 0]
        assert box.left >= above.left - 1e-6
        assert box.left + box.width <= above.left + above.width + 0.02
    rows: dict[int, list[tuple[float, float]]] = {}
    for box in placed:
        rows.setdefault(box.node.depth, []).append((box.left, box.left + box.width))
    for row in rows.values():
        row.sort()
        assert all(first[1] <= second[0] + 0.02 for first, second in pairwise(row))


def test_what_is_gone_and_what_is_new_keep_a_place() -> None:
    text = flame_svg(
        diff({"main;gone": 500.0, "main;stays": 500.0}, {"main;new": 500.0, "main;stays": 500.0})
    )
    for name in ("gone -50.00", "new +50.00", "stays +0.00"):
        assert name in text


def test_colours_grow_with_the_move_and_are_capped() -> None:
    assert colour("quiet", 3.0) == "#dcdcdc"
    assert colour("unresolved", 3.0) == "#f4f4f4"
    assert colour("grew", 5.0) == colour("grew", 50.0) == "rgb(235,0,0)"
    assert colour("shrank", -5.0) == "rgb(0,0,235)"
    faint, strong = (int(colour("grew", size).split(",")[1]) for size in (1.0, 4.0))
    assert faint > strong


@pytest.mark.parametrize("after", [{"main;a": 1200.0, "main;b": 1200.0}])
def test_totals_and_preconditions_stand_on_the_graph(after: dict[str, float]) -> None:
    text = flame_svg(diff({"main;a": 1000.0, "main;b": 1000.0}, after))
    assert "2000 → 2400 samples (+20.0 %)" in text
    assert "event source" in text
    assert "Under 10 samples" in text


def test_twenty_thousand_frames_make_a_small_page() -> None:
    stacks = {f"main;a{at // 400};b{at // 20};c{at}": 10.0 + at % 7 for at in range(19_000)}
    text = flame_svg(diff(stacks, stacks))
    shapes = sum(element.tag == SVG + "g" for element in ET.fromstring(text).iter())
    assert shapes <= 4 * WIDTH
    assert len(text) < 4_000_000
