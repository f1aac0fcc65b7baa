"""An address that no scheduler has, a port that is taken and a name that another worker has: one sentence each."""

import re
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("distributed")
pytest.importorskip("cryptography")

from stend.base.errors import BadInput
from stend.fleet import certificates, client, file, local, tasks, worker

BAD = [
    "nonsense",
    "127.0.0.1:8786",
    "tcp://a:1",
    "tls://a",
    "tls://a:b",
    "tls://a:65536",
    "tls://:1",
    "tls://a:1\n",
    "",
]


@pytest.mark.parametrize("address", BAD)
def test_an_address_that_no_scheduler_has_is_refused_by_each_action(tmp_path: Path, address: str) -> None:
    why = "is not the address of a scheduler; give tls://HOST:PORT"
    for action in (
        lambda: worker.schedule(address, tmp_path, "a", print),
        lambda: worker.work(address, tmp_path, "a", ["sim:small"], tmp_path / "home", print),
        lambda: client.connected(address or " ", tmp_path, "a").__enter__(),
    ):
        with pytest.raises(BadInput, match=why):
            action()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("address", "host", "port"), [("tls://a:0", "a", 0), ("tls://[::1]:65535", "[::1]", 65535)])
def test_an_address_has_a_host_and_a_port(address: str, host: str, port: int) -> None:
    assert file.parse_address(address) == (host, port)


def test_a_scheduler_whose_port_is_taken_states_so(tmp_path: Path) -> None:
    certificates.make(tmp_path, ["one"])
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"tls://127.0.0.1:{taken.getsockname()[1]}"
        words = [sys.executable, "-m", "stend", "fleet", "scheduler", address, "--certificates", str(tmp_path)]
        done = subprocess.run([*words, "--name", "one"], capture_output=True, text=True, timeout=60, check=False)
    why = "Address already in use; choose another address of this host or port"
    assert (done.returncode, done.stdout, done.stderr) == (5, "", f"stend: cannot listen at {address}: {why}\n")


@pytest.mark.parametrize(
    ("cause", "line"),
    [
        (
            ValueError("Unexpected response: 'name taken, me'"),
            "has a worker named me already; one of the two must stop",
        ),
        (OSError("no route"), r"cannot be reached \(no route\)"),
        (TimeoutError(), r"cannot be reached \(TimeoutError\)"),
        (None, ""),
    ],
)
def test_a_worker_that_cannot_start_states_why_and_tries_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cause: Exception | None, line: str
) -> None:
    lines, again = list[str](), list[Any]()

    async def working(*given: Any) -> None:
        raise RuntimeError("Carrier failed to start.") from cause

    monkeypatch.setattr(local, "drives", lambda targets: {})
    monkeypatch.setattr("stend.fleet.sealed.seal", lambda: None)
    monkeypatch.setattr("stend.fleet.sealed.security", lambda *given: None)
    monkeypatch.setattr(worker, "_work", working)
    monkeypatch.setattr(worker, "os", SimpleNamespace(execv=lambda *given: again.append(given)))
    monkeypatch.setattr(tasks, "HOME", tmp_path)
    monkeypatch.setattr(tasks, "DRIVES", {})
    if cause is None:
        with pytest.raises(RuntimeError, match="failed to start"):
            worker.work("tls://s:1", tmp_path, "me", [], tmp_path / "home", lines.append)
        return
    worker.work("tls://s:1", tmp_path, "me", [], tmp_path / "home", lines.append)
    assert (len(again), len(lines)) == (1, 2)
    assert re.fullmatch(f"the scheduler tls://s:1 {line}; trying again", lines[1])
