"""A folder of runs as they lie there while others look on, and a server of it."""

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

from stend.cli import main
from stend.store import writer
from tests.waits import PATIENCE_S


def whole_and_cut(top: Path) -> Path:
    """`whole`, which came to its end, and `cut`, of which half was written when its process went."""
    asked = ["run", "latency", "--target", "sim:small", "--quick", "--seed", "7", "--into"]
    assert main([*asked, str(top / "whole")]) == 0
    shutil.copytree(top / "whole", top / "cut")
    lines = (top / "cut/events.jsonl").read_bytes().splitlines(keepends=True)
    (top / "cut/events.jsonl").write_bytes(b"".join(lines[: len(lines) // 2]))
    return top


def elsewhere(top: Path) -> Path:
    """A copy of `cut` that another host writes."""
    folder = shutil.copytree(top / "cut", top / "far")
    owner = json.loads((folder / writer.OWNER).read_text().partition("\n")[0])
    host = owner["host"] | dict.fromkeys(("name", "board", "machine"), "another")
    (folder / writer.OWNER).write_text(json.dumps(owner | {"host": host, "released": False}))
    return folder


class Served:
    """A server of a folder, and how it is asked."""

    def __init__(self, top: Path, *more: str) -> None:
        command = [sys.executable, "-m", "stend", "serve", str(top), *more]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        self.port = int(self.address.rpartition(":")[2].partition("/")[0])
        self.token = self.address.rpartition("=")[2]

    def end(self) -> int:
        """Wait for its end."""
        code = self.process.wait(PATIENCE_S)
        if self.process.stdout:
            self.process.stdout.close()
        return code

    def ask(self, path: str, *, method: str = "GET", token: str | None = None, **headers: str) -> tuple[int, str]:
        link = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        told = {"authorization": f"Bearer {self.token if token is None else token}"} if token != "" else {}
        try:
            link.request(method, path, headers=told | {k.replace("_", "-"): v for k, v in headers.items()})
            answer = link.getresponse()
            return answer.status, answer.read().decode()
        finally:
            link.close()

    def stream(self, path: str, last: str = "") -> Iterator[tuple[str, dict[str, object]]]:
        """Messages with their marks."""
        link = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        own = {"last-event-id": last} if last else {}
        link.request("GET", path, headers={"authorization": f"Bearer {self.token}"} | own)
        answer = link.getresponse()
        assert answer.status == 200
        mark = ""
        try:
            while line := answer.readline().decode():
                if line.startswith("id: "):
                    mark = line[4:].strip()
                if line.startswith("data: "):
                    yield mark, json.loads(line[6:])
        finally:
            link.close()


@contextmanager
def serving(top: Path, *more: str) -> Iterator[Served]:
    """A server of a folder, told to end as by Ctrl-C."""
    served = Served(top, *more)
    yield served
    served.process.send_signal(signal.SIGINT)
    assert served.end() in (0, 130)
