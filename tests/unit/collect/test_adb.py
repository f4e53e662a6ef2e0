from __future__ import annotations

import socket
import stat
import threading
import time

import pytest

from adb_server import SERIAL, TRACE_PATH, AdbServerScript, Cut, Reply, Silence
from echolot_tui.collect.adb import AdbDevice, AdbServer, server_address
from echolot_tui.collect.adb_wire import AdbError, AdbLostError, AdbRefusedError, NoServerError, Wire
from echolot_tui.collect.runner import CollectError


@pytest.fixture
def server():
    script = AdbServerScript()
    yield script
    script.close()


@pytest.fixture
def device(server):
    return AdbServer(server.address).choose(None)


def test_devices_in_the_servers_order(server):
    server.devices = [("b", "device"), ("a", "no permissions (missing udev rules?); see [http://x]")]
    attached = AdbServer(server.address).attached()
    assert [(one.serial, one.state) for one in attached] == server.devices


def test_a_shell_line_has_streams_exit_code_and_stdin(server, device):
    server.phone.on("^echo", lambda line: Reply(out="größer\n" * 50, err="oops\n", code=3))
    said = device.shell("echo x")
    assert said.out == "größer\n" * 50
    assert said.err == "oops\n"
    assert said.code == 3
    assert said.reason == "oops"


def test_stdin_longer_than_a_packet_arrives_whole(server, device):
    config = "x" * 200_000
    device.shell(f"perfetto -c - --txt --background -o {TRACE_PATH}", stdin=config.encode())
    assert server.phone.configs == [config]


def test_a_reset_in_the_middle_of_a_shell_is_no_answer(server, device):
    server.phone.on("^dumpsys", Cut)
    with pytest.raises(AdbLostError, match=f"device {SERIAL}, dumpsys power: .*broke off.*cable"):
        device.shell("dumpsys power")


def test_silence_ends_at_the_deadline(server, device):
    server.phone.on("^dumpsys", Silence)
    with pytest.raises(AdbLostError, match=r"no answer within 0\.2 s"):
        device.shell("dumpsys power", timeout_s=0.2)


def test_a_device_that_went_away(server, device):
    server.devices = []
    with pytest.raises(AdbRefusedError, match="not found"):
        device.shell("dumpsys power")


@pytest.mark.parametrize("state", ["offline", "unauthorized"])
def test_a_device_that_fell_back_to_another_state(server, device, state):
    server.devices = [(SERIAL, state)]
    with pytest.raises(
        AdbRefusedError, match=f"device {SERIAL}, dumpsys power: device {state}; check the cable"
    ):
        device.shell("dumpsys power")


def test_a_slow_device_is_waited_for(server, device):
    server.phone.on("^dumpsys", lambda line: time.sleep(0.3) or Reply(out="late\n"))
    assert device.shell("dumpsys power", timeout_s=10).out == "late\n"


def test_pull(server, device, tmp_path):
    server.phone.files[TRACE_PATH] = bytes(range(256)) * 1000
    assert device.pull(TRACE_PATH, tmp_path / "t") == 256_000
    assert (tmp_path / "t").read_bytes() == bytes(range(256)) * 1000


def test_pull_of_an_empty_file(server, device, tmp_path):
    server.phone.files[TRACE_PATH] = b""
    assert device.pull(TRACE_PATH, tmp_path / "t") == 0


def test_pull_of_nothing(device, tmp_path):
    with pytest.raises(AdbRefusedError, match="no such file"):
        device.pull(TRACE_PATH, tmp_path / "t")


def test_pull_that_vanishes(server, device, tmp_path):
    server.phone.files[TRACE_PATH] = b"x" * 20_000
    server.phone.pull = "cut"
    with pytest.raises(AdbLostError, match=rf"device {SERIAL}, pull of .*broke off.*--resume"):
        device.pull(TRACE_PATH, tmp_path / "t")


def test_pull_that_ends_politely_too_early(server, device, tmp_path):
    server.phone.files[TRACE_PATH] = b"x" * 20_000
    server.phone.pull = "short"
    with pytest.raises(AdbLostError, match="only 10000 of 20000 bytes arrived"):
        device.pull(TRACE_PATH, tmp_path / "t")


def test_pull_refused_by_the_device(server, device, tmp_path):
    server.phone.files[TRACE_PATH] = b"x"
    server.phone.pull = "refused"
    with pytest.raises(AdbRefusedError, match="Permission denied"):
        device.pull(TRACE_PATH, tmp_path / "t")


def test_pull_onto_a_full_disk(server, device, tmp_path):
    full = tmp_path / "full"
    full.symlink_to("/dev/full")
    server.phone.files[TRACE_PATH] = b"x" * 20_000
    with pytest.raises(CollectError, match=r"No space left on device.*free space"):
        device.pull(TRACE_PATH, full)


def test_an_old_device_is_refused(server):
    server.features = "cmd,stat_v2"
    with pytest.raises(CollectError, match="Android 10 or newer"):
        AdbServer(server.address).choose(None)


def test_without_a_server_and_without_adb():
    with pytest.raises(NoServerError, match="install Android's platform-tools"):
        AdbServer(_free_address()).attached()


def test_the_server_is_started_once(tmp_path):
    address = _free_address()
    adb = tmp_path / "adb"
    adb.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/args\n')
    adb.chmod(adb.stat().st_mode | stat.S_IXUSR)
    with pytest.raises(NoServerError):
        AdbServer(address, str(adb)).attached()
    assert (tmp_path / "args").read_text() == f"-P {address[1]} start-server\n"


def test_a_server_that_cannot_be_started(tmp_path):
    adb = tmp_path / "adb"
    adb.write_text("#!/bin/sh\necho 'could not install *smartsocket* listener' >&2\nexit 1\n")
    adb.chmod(adb.stat().st_mode | stat.S_IXUSR)
    with pytest.raises(AdbError, match="smartsocket"):
        AdbServer(_free_address(), str(adb)).attached()


def test_something_else_listens_there():
    with socket.create_server(("127.0.0.1", 0)) as listener, Wire(listener.getsockname(), 5.0) as wire:
        other, _ = listener.accept()
        with other:
            other.sendall(b"HTTP/1.1 400 Bad Request\r\n")
            with pytest.raises(AdbError, match="not adb's protocol"):
                wire.request("host:devices")


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n", b"", b"OKAYzzzz", b"FAIL0004gone"])
def test_a_server_that_answers_no_question_says_where_and_what_helps(answer):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        asked = []

        def answer_once():
            other, _ = listener.accept()
            with other:
                asked.append(other.recv(100))
                other.sendall(answer)

        thread = threading.Thread(target=answer_once)
        thread.start()
        host, port = listener.getsockname()
        with pytest.raises(AdbError, match=rf"^adb server at {host}:{port}: .*; adb kill-server"):
            AdbServer((host, port)).attached()
        thread.join()
        assert asked == [b"000chost:devices"]


@pytest.mark.parametrize(
    ("environ", "address"),
    [
        ({}, ("127.0.0.1", 5037)),
        ({"ANDROID_ADB_SERVER_PORT": "5038"}, ("127.0.0.1", 5038)),
        ({"ANDROID_ADB_SERVER_ADDRESS": "10.0.0.2"}, ("10.0.0.2", 5037)),
        ({"ADB_SERVER_SOCKET": "tcp:host:5039", "ANDROID_ADB_SERVER_PORT": "1"}, ("host", 5039)),
        ({"ADB_SERVER_SOCKET": "tcp:5040"}, ("127.0.0.1", 5040)),
    ],
)
def test_where_the_server_is(environ, address):
    assert server_address(environ) == address


@pytest.mark.parametrize(
    "environ", [{"ANDROID_ADB_SERVER_PORT": "x"}, {"ADB_SERVER_SOCKET": "localfilesystem:/x"}]
)
def test_what_is_no_address(environ):
    with pytest.raises(CollectError, match="expected"):
        server_address(environ)


def test_a_device_is_named_by_serial(server):
    assert isinstance(AdbServer(server.address).choose(SERIAL), AdbDevice)


def _free_address():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host, port = listener.getsockname()
        return host, port
