"""One trace is handed to Perfetto's viewer, that one only, and the server is gone afterwards."""

from __future__ import annotations

import socket
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from echolot_tui.errors import EcholotError
from echolot_tui.tui.perfetto import PORT, serve


@pytest.fixture
def free_port() -> None:
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", PORT)) == 0:
            pytest.skip(f"port {PORT} is taken on this machine")


def test_the_trace_can_be_fetched_once_by_the_viewer(tmp_path: Path, free_port: None) -> None:
    trace = tmp_path / "a b#1.pftrace"
    trace.write_bytes(b"trace" * 1000)
    said, told = [], threading.Event()

    def hear(text: str) -> None:
        said.append(text)
        told.set()

    address = serve(trace, hear)
    url = address.partition("?url=")[2]
    assert address.startswith("https://ui.perfetto.dev/#!/?url=http://127.0.0.1:9001/")
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(url.replace("a%20b", "other"), timeout=5)
    with urllib.request.urlopen(url, timeout=5) as answer:
        assert answer.read() == trace.read_bytes()
        assert answer.headers["Access-Control-Allow-Origin"] == "https://ui.perfetto.dev"
    assert told.wait(5)
    assert said == ["a b#1.pftrace was handed to Perfetto's viewer"]
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", PORT)) != 0


def test_a_taken_port_is_said(tmp_path: Path, free_port: None) -> None:
    trace = tmp_path / "a.pftrace"
    trace.write_bytes(b"x")
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", PORT))
        holder.listen()
        with pytest.raises(EcholotError, match=r"port 9001.* is taken"):
            serve(trace, print)


def test_a_trace_that_is_gone_is_said(tmp_path: Path) -> None:
    with pytest.raises(EcholotError, match="not there any more"):
        serve(tmp_path / "gone", print)
