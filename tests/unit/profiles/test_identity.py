"""What a frame is known by."""

from __future__ import annotations

import pytest

from echolot_tui.profiles.identity import label_of
from echolot_tui.profiles.stacks import NO_STACK, Frame


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Foo$$Lambda$14/0x0000000800066840.run", "Foo$$Lambda$231/0x00000008000c1040.run"),
        ("Foo$$Lambda/0x0000000800066840.run", "Foo$$Lambda/0x00000008000c1040.run"),
        ("sun.reflect.GeneratedMethodAccessor12.invoke", "sun.reflect.GeneratedMethodAccessor7.invoke"),
        ("com.sun.proxy.$Proxy12.close", "com.sun.proxy.$Proxy8.close"),
        ("Feed$$ExternalSyntheticLambda0.run", "Feed$$ExternalSyntheticLambda3.run"),
        ("core::slice::sort::h0123456789abcdef", "core::slice::sort::hfedcba9876543210"),
        ("parse.isra.0", "parse"),
        ("parse.constprop.1.cold", "parse"),
        ("kthread <0xffffffff947f0719>", "kthread"),
        ("main.3f9a2b1c44.js", "main.77aa01b2ff.js"),
        ("jump_0x7f33a", "jump_0x81bb2"),
        ("read_[k]", "read"),
    ],
)
def test_what_differs_from_run_to_run_is_folded(one: str, other: str) -> None:
    assert label_of(Frame(one)).text == label_of(Frame(other)).text
    assert label_of(Frame(one)).folded


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("worker1", "worker2"),
        ("ns::facade", "ns::defaced"),
        ("Foo$1.run", "Foo$2.run"),
        ("Foo$$LambdaTable.run", "Foo$$Lambda.run"),
        ("Sha256.update", "Sha512.update"),
        ("decode_v2", "decode_v3"),
        ("deadbeef_check", "feedface_check"),
    ],
)
def test_other_code_keeps_another_name(one: str, other: str) -> None:
    assert label_of(Frame(one)).text != label_of(Frame(other)).text
    assert label_of(Frame(one)) == (one, True, False)


@pytest.mark.parametrize("name", ["", "[unknown]", "??", "0x7f3300aa", "7f33aa00bb", "libgame.so[+25c44]"])
def test_a_frame_without_a_name_is_known_by_its_file_alone(name: str) -> None:
    assert label_of(Frame(name, "/system/lib64/libgame.so")) == ("[libgame.so]", False, False)


def test_the_file_tells_two_functions_of_one_name_apart() -> None:
    one, other = Frame("init", "/usr/lib/liba.so"), Frame("init", "/opt/lib/libb.so")
    assert label_of(one).text == "init [liba.so]"
    assert label_of(one).text != label_of(other).text
    assert label_of(one, modules=False).text == label_of(other, modules=False).text == "init"


def test_where_a_file_is_installed_does_not_matter() -> None:
    one, other = (Frame("f", f"/data/app/~~{mark}==/com.example-1/base.apk") for mark in ("Zk3r", "Qp9x"))
    assert label_of(one) == label_of(other)


def test_a_missing_stack_is_unresolved() -> None:
    assert label_of(Frame(NO_STACK)) == (NO_STACK, False, False)
