"""A server among many who never read, and runs whose onlookers are killed."""

import resource
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from stend import store
from stend.cli import main
from tests import test_serve
from tests.forks import Run
from tests.going import Served
from tests.waits import PATIENCE_S, wait_for

runs, served = test_serve.runs, test_serve.served


def test_pages_that_never_read_take_the_server_from_nobody(served: Served) -> None:
    """A thousand of them; those who come too late are asked to come back, and whoever leaves makes room."""
    request = f"GET /events/whole HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {served.token}\r\n\r\n".encode()
    links = []
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(soft, 4096), hard), hard))
    try:
        for _ in range(1000):
            link = socket.create_connection(("127.0.0.1", served.port), PATIENCE_S)
            link.sendall(request)
            links.append(link)
        assert served.ask("/api/run/whole")[0] == 200
        assert served.ask("/events/whole")[0] == 503
    finally:
        for link in links:
            link.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    wait_for(lambda: next(served.stream("/events/whole"), None))


@pytest.mark.slow
def test_a_kill_of_who_looks_on_touches_neither_the_run_nor_the_others(tmp_path: Path, warm: None) -> None:
    top, folder = tmp_path / "runs", tmp_path / "runs/going"
    top.mkdir()
    stend = [sys.executable, "-m", "stend"]
    asked = ["run", "latency", "--target", "sim:small?pace=5", "--quick", "--seed", "7", "--into", str(folder)]
    run = Run(asked, tmp_path / "said")
    try:
        wait_for((folder / "events.jsonl").exists)
        first, watch = Served(top), subprocess.Popen([*stend, "watch", str(folder)], stdout=subprocess.PIPE, text=True)
        pages = first.stream("/events/going")
        assert next(pages)
        first.process.kill()
        first.end()
        assert list(pages) == []
        second = Served(top)
        _, told = next(second.stream("/events/going"))  # of all there is: a busy host may have ended the run by now
        assert told["now"]["state"] in ("running", "ended")  # type: ignore[index]
        second.process.kill()
        second.end()
        watch.kill()
        watch.communicate()
        assert run.wait(PATIENCE_S) == 0
    finally:
        run.kill()
    assert store.load(folder).ended
    assert main(["verify", str(folder)]) == 0
