from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from echolot_tui.compare.match import UNNAMED, identity_columns, is_pinned, pair_rows
from echolot_tui.report.model import Row
from reports_by_hand import detector, row

PREFIX = "AGENTTMP_"


def rows(*names: str | None, **fields: str) -> list[Row]:
    return [row(name, [20.0], **fields) for name in names]


def told(pairs):
    return [
        (
            None if pair.before is None else pair.before.location,
            None if pair.after is None else pair.after.location,
            pair.matched_by,
        )
        for pair in pairs
    ]


def test_exact_names_pair_first_and_in_the_order_of_before():
    pairs = pair_rows(rows("b", "a"), rows("a", "b"), ["location"], PREFIX)
    assert told(pairs) == [("b", "b", "exact"), ("a", "a", "exact")]


def test_an_exact_name_is_not_given_away_to_its_family():
    pairs = pair_rows(rows("io_0"), rows("io_3", "io_0"), ["location"], PREFIX)
    assert told(pairs) == [("io_0", "io_0", "exact"), (None, "io_3", "exact")]


def test_one_row_of_a_family_on_each_side_pairs_and_shows_the_folded_name():
    pairs = pair_rows(rows("arch_disk_io_0"), rows("arch_disk_io_3"), ["location"], PREFIX)
    assert told(pairs) == [("arch_disk_io_0", "arch_disk_io_3", "family")]
    assert pairs[0].location == "arch_disk_io_#"


def test_hexadecimal_and_digits_fold_alike():
    pairs = pair_rows(rows("job 0xdeadBEEF 7"), rows("job 0x1 12"), ["location"], PREFIX)
    assert [pair.location for pair in pairs] == ["job 0x# #"]


def test_an_ambiguous_family_stays_apart():
    pairs = pair_rows(rows("w-1", "w-2"), rows("w-3", "w-4", "w-5"), ["location"], PREFIX)
    assert {pair.matched_by for pair in pairs} == {"exact"}
    assert told(pairs) == [
        ("w-1", None, "exact"),
        ("w-2", None, "exact"),
        (None, "w-3", "exact"),
        (None, "w-4", "exact"),
        (None, "w-5", "exact"),
    ]
    assert told(pair_rows(rows("w-1"), rows("w-3", "w-4"), ["location"], PREFIX))[0] == (
        "w-1",
        None,
        "exact",
    )


def test_temporary_markers_keep_their_digits():
    before, after = rows("AGENTTMP_fill_v4"), rows("AGENTTMP_fill_v6")
    assert len(pair_rows(before, after, ["location"], PREFIX)) == 2
    assert len(pair_rows(before, after, ["location"], "OTHER_")) == 1
    assert len(pair_rows(before, after, ["location"], "")) == 1


def test_every_identity_column_counts_and_any_of_them_may_fold():
    before = [row("draw", [20.0], detail="pool-1"), row("draw", [30.0], detail="main")]
    after = [row("draw", [20.0], detail="pool-9"), row("draw", [31.0], detail="main")]
    pairs = pair_rows(before, after, ["location", "detail"], PREFIX)
    assert [(pair.matched_by, pair.detail) for pair in pairs] == [("exact", "main"), ("family", "pool-#")]


def test_equal_names_pair_one_to_one():
    pairs = pair_rows(rows("a", "a", "a"), rows("a", "a"), ["location"], PREFIX)
    assert told(pairs) == [("a", "a", "exact"), ("a", "a", "exact"), ("a", None, "exact")]


def test_columns_of_a_users_detector_name_rows_too():
    before = [row("x", [20.0], extra={"queue": "a"}), row("x", [21.0], extra={"queue": "b"})]
    pairs = pair_rows(before, before[::-1], ["location", "queue"], PREFIX)
    assert [(pair.detail, pair.before is pair.after) for pair in pairs] == [("a", True), ("b", True)]


def test_a_nameless_row_has_a_place_to_stand():
    pairs = pair_rows(rows(None), rows(None), ["location"], PREFIX)
    assert [pair.location for pair in pairs] == [UNNAMED]


def test_identity_is_what_both_sides_declare_in_the_order_of_before():
    before = detector("d", identity=("thread", "location", "detail"))
    after = detector("d", identity=("location", "thread"))
    assert identity_columns(before, after) == ("thread", "location")
    assert identity_columns(before, detector("d", identity=("detail",))) == ("detail",)
    assert identity_columns(detector("d", identity=("thread",)), detector("d")) == ("location",)
    assert identity_columns(None, after) == ("location", "thread")
    assert identity_columns(None, None) == ("location",)


def test_a_pin_is_a_name_or_a_glob_with_case():
    assert is_pinned("a[1]", ["a[1]"])
    assert is_pinned("TeamRepository.loadAll", ["Team*"])
    assert not is_pinned("teamRepository", ["Team*"])
    assert not is_pinned("x", [])


names = st.lists(st.sampled_from(["a", "w-1", "w-2", "w-33", "0x1f", "0x2e", "AGENTTMP_1", "AGENTTMP_2"]))


@given(names, names)
def test_no_row_is_lost_doubled_or_paired_differently_the_other_way_round(old, new):
    pairs = pair_rows(rows(*old), rows(*new), ["location"], PREFIX)
    assert sorted(p.before.location for p in pairs if p.before) == sorted(old)
    assert sorted(p.after.location for p in pairs if p.after) == sorted(new)
    back = pair_rows(rows(*new), rows(*old), ["location"], PREFIX)
    assert sorted(map(str, told(pairs))) == sorted(str((b, a, how)) for a, b, how in told(back))
