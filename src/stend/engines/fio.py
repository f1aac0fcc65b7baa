"""Real load: one fio process per workload, its cumulative documents differenced into Counts."""

import contextlib
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from stend.definition import Workload
from stend.engines._fio_job import command, sections
from stend.engines._fio_json import Documents, Totals, busy_cpu_s, difference
from stend.errors import Missing, StepFailed
from stend.record import Counts

SILENCE_S = 30.0
"""How long fio may say nothing before it counts as hanging."""
LEAVE_S = 5.0
"""How long fio may take to leave after each of SIGINT, SIGTERM and SIGKILL."""
NEEDED = ("lat_percentiles", "random_distribution", "exec_prerun", "refill_buffers", "norandommap")


def probe(fio: str = "fio") -> dict[str, str]:
    """fio's version and the IO engine it can use here; Missing when it is absent or lacks an option."""
    if shutil.which(fio) is None:
        raise Missing(f"{fio} is not installed; mend it with: apt-get install fio")
    for option in NEEDED:
        asked = subprocess.run([fio, f"--cmdhelp={option}"], capture_output=True, text=True, timeout=20, check=False)
        if asked.returncode or "Options not found" in asked.stdout + asked.stderr or option not in asked.stdout:
            raise Missing(f"{fio} has no option {option}; install a newer one: apt-get install fio")
    told = subprocess.run([fio, "--version"], capture_output=True, text=True, timeout=20, check=False)
    return {"version": told.stdout.strip(), "ioengine": _ioengine(fio)}


def _ioengine(fio: str) -> str:
    """io_uring if a trial with it works on this kernel, else libaio."""
    with tempfile.TemporaryDirectory(prefix="stend-") as folder:
        trial = [
            fio,
            "--name=trial",
            f"--directory={folder}",
            "--size=4k",
            "--bs=4k",
            "--rw=read",
            "--ioengine=io_uring",
        ]
        done = subprocess.run(trial, capture_output=True, timeout=60, check=False, cwd=folder)
    return "io_uring" if done.returncode == 0 else "libaio"


class Process:
    """One fio, held before its first IO until it is released."""

    def __init__(self, arguments: list[str], threads: int, silence_s: float) -> None:
        self.silence_s = silence_s
        self.folder = tempfile.TemporaryDirectory(prefix="stend-fio-")
        gate = Path(self.folder.name) / "gate"
        os.mkfifo(gate)
        self.gate = os.open(gate, os.O_RDWR)
        self.threads = threads
        self.documents = Documents()
        self.errors = (Path(self.folder.name) / "stderr").open("w+b")
        held = [a.replace("@GATE@", str(gate)) for a in arguments]
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *held],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            start_new_session=True,
            cwd=self.folder.name,
        )

    def release(self) -> None:
        """Let every thread begin."""
        os.write(self.gate, b"\n" * self.threads)

    def document(self, raw: Callable[[bytes], None] | None) -> Totals | None:
        """The next document with load in it; None when fio has left. StepFailed when it says nothing for too long."""
        stdout = self.process.stdout
        while (ready := self.documents.take(raw)) is None or not (ready.runtime_s or ready.error):
            if ready:  # said while it was held
                continue
            if stdout is None or not select.select([stdout], [], [], self.silence_s)[0]:
                raise StepFailed(f"fio said nothing for {self.silence_s:g} s: the drive or fio hangs")
            data = os.read(stdout.fileno(), 1 << 20)
            if not data:
                return None
            self.documents.feed(data)
        return ready

    def end(self) -> None:
        """SIGINT, then harder, until nothing of its group is left; the last words stay readable."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            if self.process.poll() is None:
                self._signal(number)
                self._drain(LEAVE_S)
        self._signal(signal.SIGKILL)
        self.process.wait()

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def _drain(self, seconds: float) -> None:
        """Read what fio still says, so that it can leave."""
        until = time.monotonic() + seconds
        stdout = self.process.stdout
        while stdout and (left := until - time.monotonic()) > 0 and select.select([stdout], [], [], left)[0]:
            data = os.read(stdout.fileno(), 1 << 20)
            if not data:
                break
            self.documents.feed(data)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(max(until - time.monotonic(), 0.01))

    def said(self) -> str:
        """fio's own complaint, in one line."""
        self.errors.seek(0)
        lines = [*self.errors.read().decode(errors="replace").splitlines(), *self.documents.text]
        told = [line.strip() for line in lines if line.strip()]
        return next((line for line in told if "rror" in line or "fio:" in line), told[0] if told else "no word of why")

    def discard(self) -> None:
        """Free what it held."""
        os.close(self.gate)
        self.errors.close()
        if self.process.stdout:
            self.process.stdout.close()
        self.folder.cleanup()


class FioLoad:
    """A workload on fio; the parts of a stream that wraps follow each other as processes of their own."""

    def __init__(self, engine: "FioEngine", parts: list[Process]) -> None:
        self.engine, self.parts = engine, parts
        self.seen, self.cpu_s = Totals(), busy_cpu_s()
        self.parts[0].release()
        self.began = self.ended = time.monotonic()

    def next(self) -> Counts | None:
        """Counts since the last document."""
        part = self.parts[0]
        totals = part.document(self.engine.raw)
        if totals is not None:
            return self._counts(totals)
        part.end()
        self._mind(part)
        if len(self.parts) == 1:
            return None
        part.discard()
        del self.parts[0]
        self.seen = Totals()
        self.parts[0].release()
        return self.next()

    def stop(self) -> Counts | None:
        """Interrupt, wait, count the last document."""
        part, total = self.parts[0], Counts()
        asked = time.monotonic()
        part.end()
        while (totals := part.documents.take(self.engine.raw)) is not None:
            total += self._counts(totals)
        self.ended = min(time.monotonic(), max(self.ended, asked) + total.seconds)
        for other in self.parts[1:]:
            other.end()
        for each in self.parts:
            each.discard()
        self.engine.load = None
        return total if total.seconds else None

    def _counts(self, totals: Totals) -> Counts:
        if totals.error:
            raise StepFailed(f"fio: {os.strerror(totals.error)}: {self.parts[0].said()}")
        cpu_s = busy_cpu_s()
        counts = difference(self.seen, totals, cpu_s - self.cpu_s)
        self.seen, self.cpu_s = totals, cpu_s
        self.ended = self.began + totals.runtime_s
        return counts

    def _mind(self, part: Process) -> None:
        code = part.process.returncode
        if code:
            raise StepFailed(f"fio ended with code {code}: {part.said()}")


class FioEngine:
    """Load made by fio on `path`: the file descriptor that the gate holds, or a plain path."""

    def __init__(
        self,
        path: str,
        *,
        raw: Callable[[bytes], None] | None = None,
        interval_s: float = 1.0,
        fio: str = "fio",
        silence_s: float = SILENCE_S,
    ) -> None:
        self.path, self.raw, self.interval_s, self.fio, self.silence_s = path, raw, interval_s, fio, silence_s
        self.ioengine = probe(fio)["ioengine"]
        self.load: FioLoad | None = None
        self.ready: tuple[tuple[Workload, int, int, int | None], list[Process]] | None = None

    def start(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> FioLoad:
        """Release the process that stands ready for this, or one made now."""
        asked = (workload, seed, from_bytes, limit_bytes)
        if self.ready and self.ready[0] == asked:
            parts, self.ready = self.ready[1], None
        else:
            self._drop()
            parts = self._launch(workload, seed, from_bytes, limit_bytes)
        self.load = FioLoad(self, parts)
        return self.load

    def prepare(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> None:
        """Launch the next fio, held before its first IO."""
        self._drop()
        self.ready = (workload, seed, from_bytes, limit_bytes), self._launch(workload, seed, from_bytes, limit_bytes)

    def idle(self, seconds: float) -> None:
        """Sleep."""
        time.sleep(seconds)

    def now(self) -> float:
        """The monotonic clock."""
        return time.monotonic()

    def close(self) -> None:
        """End what runs and what stands ready."""
        if self.load:
            self.load.stop()
        self._drop()

    def _drop(self) -> None:
        for process in self.ready[1] if self.ready else ():
            process.end()
            process.discard()
        self.ready = None

    def _launch(self, workload: Workload, seed: int, from_bytes: int, limit_bytes: int | None) -> list[Process]:
        parts = []
        for part in sections(workload, from_bytes, limit_bytes):
            arguments = command(self.fio, self.path, self.ioengine, workload, part, seed, self.interval_s)
            parts.append(Process(arguments, sum(section.threads for section in part), self.silence_s))
        return parts
