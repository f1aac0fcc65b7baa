"""Coordinate runs of several drives: locks of this host, which end with their process, and common moments.

A run waits for its turn before a purge, because a wait disturbs nothing before that. With a barrier it also waits
before a measured phase. No run waits for a process that has exited, nor longer than HUNG_S for others that write
nothing.
"""

import fcntl
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from stend.base import regular
from stend.base.errors import BadInput
from stend.model.definition import Phase, Plan, PlannedTest, Purge
from stend.model.events import NoteKind
from stend.runner.bench import Stopped
from stend.runner.loop import Turn, at_once, quiet
from stend.session.together import group, roll
from stend.session.together.group import Group, Member
from stend.store import journal
from stend.words import Sentence

Remark = tuple[Sentence, NoteKind]
LOOK_S, CHECK_EVERY_S, HUNG_S = 0.05, 5.0, 1800.0
AHEAD_S = 0.5
"""Seconds from agreeing on a common moment to that moment."""
PREPARING = ("purge", "precondition", "warm-up", "wait")
"""Name prefixes of phases that measure nothing."""


class Turns:
    """The turns of one member."""

    def __init__(self, folder: Path, group_: Group, member: Member, plan: Plan, stopping: Callable[[], bool]) -> None:
        self.folder, self.group, self.member, self.stopping = folder, group_, member, stopping
        self.others = [each.name for each in group_.members if each.name != member.name]
        self.alone = alone(plan)
        self.lane, self.room, self.first, self.moments = Lock(), Lock(), True, 0
        self.checked = 0.0
        roll.enter(folder, member.name)

    def before(self, test: PlannedTest, phase: Phase, stop: Callable[[], object]) -> Iterator[Remark]:
        """Wait until a phase may begin, and yield notes. Raise Stopped if the end of the run is requested."""
        first, self.first = self.first, False
        if first:
            kind: NoteKind = "interference" if self.member.disturbed else "beside"
            yield from ((note, "beside" if at else kind) for at, note in enumerate(self.member.notes))
        if first or purges(phase):
            stop()
            yield from self._turn(test)
        if self.group.barrier and not phase.name.startswith(PREPARING):
            stop()
            self.moments += 1
            yield from self._moment(test)

    def close(self) -> None:
        """Free the locks for the others."""
        self.room.free()
        self.lane.free()

    def _turn(self, test: PlannedTest) -> Iterator[Remark]:
        began, patient = time.monotonic(), True
        self.room.free()
        if self.member.lane:
            patient = self._until(lambda: self.lane.take(f"lane-{self.member.lane}"))
        if self.group.quiet and patient:
            with Lock() as door:  # a test that must run alone holds this lock, so that no other test starts before it
                patient = self._until(lambda: door.take("door"))
                patient = patient and self._until(lambda: self.room.take("room", shared=not self.alone[test.name]))
        yield from self._waited(test, time.monotonic() - began, patient)

    def _waited(self, test: PlannedTest, seconds: float, patient: bool) -> Iterator[Remark]:
        if not patient:
            yield Sentence("unwaited", test=test.name, s=round(HUNG_S)), "interference"
        elif seconds > 1:
            yield Sentence("waited", test=test.name, s=round(seconds)), "beside"

    def _moment(self, test: PlannedTest) -> Iterator[Remark]:
        """Wait until all expected members have reached this moment, then until the time that the first one set."""
        go = self.folder / roll.FOLDER / f"go-{self.moments}"
        began, late = time.monotonic(), go.exists()
        roll.enter(self.folder, self.member.name, self.moments)
        patient = late or self._until(lambda: go.exists() or not self._awaited())
        with suppress(FileExistsError):
            _once(go, f"{time.monotonic() + AHEAD_S}")
        at = float(regular.read(go))
        while (left := at - time.monotonic()) > 0:
            self._check_stop()
            time.sleep(min(left, LOOK_S))
        if late or not patient:
            yield Sentence("apart", test=test.name), "interference"
        else:
            waited, behind_ms = at - began, 1000 * (time.monotonic() - at)
            yield Sentence("at_once", test=test.name, s=round(waited, 1), ms=round(behind_ms, 1)), "beside"

    def _awaited(self) -> list[str]:
        """Return the members that are expected at this moment and have not reached it."""
        return [name for name in self.others if roll.coming(self.folder, name, self.moments)]

    def _until(self, condition: Callable[[], bool]) -> bool:
        """Wait until the condition is true, and return True, or False if all others have been silent for too long."""
        while not condition():
            self._check_stop()
            if time.monotonic() - self.checked > CHECK_EVERY_S:
                os.utime(roll.place(self.folder, self.member.name))
                self.checked = time.monotonic()
                if self._silent():
                    return False
            time.sleep(LOOK_S)
        return True

    def _silent(self) -> bool:
        others = [name for name in self.others if roll.lives(self.folder, name)]
        return bool(others) and all(_silent_s(self.folder, name) > HUNG_S for name in others)

    def _check_stop(self) -> None:
        if self.stopping():
            raise Stopped


class Lock:
    """A lock of this host that ends with its process."""

    def __init__(self) -> None:
        self.fd = -1

    def __enter__(self) -> "Lock":
        return self

    def __exit__(self, *error: object) -> None:
        self.free()

    def take(self, name: str, *, shared: bool = False) -> bool:
        """Try to lock, and return True on success."""
        if self.fd < 0:
            self.fd = regular.descriptor(runtime() / name, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self.fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def free(self) -> None:
        """Free the lock."""
        if self.fd >= 0:
            os.close(self.fd)
        self.fd = -1


def purges(phase: Phase) -> bool:
    """Return True if a phase begins with a purge, which resets the drive, so that a wait before it disturbs nothing."""
    return any(isinstance(step, Purge) for step in phase.round[:1])


def alone(plan: Plan) -> dict[str, bool]:
    """Return, per test, True if a quiet step comes before the next turn, which is where a later test purges."""
    exclusive, coming = {}, False
    for test in reversed(plan.tests):
        coming = coming or any(quiet(step) for phase in test.phases for step in phase.round)
        exclusive[test.name] = coming
        coming = coming and not purges(test.phases[0])
    return exclusive


@contextmanager
def taken(folder: Path, plan: Plan, stopping: Callable[[], bool]) -> Iterator[Turn]:
    """Yield the turn of a run, which it calls before its phases. A run without a group never waits."""
    top = folder.absolute().parent
    whole = group.load(top) if (top / group.FILE).exists() else None
    member = next((each for each in whole.members if each.name == folder.name), None) if whole else None
    if whole is None or member is None:
        yield at_once
        return
    with closing(Turns(top, whole, member, plan, stopping)) as turns:
        yield turns.before


def runtime() -> Path:
    """Return the folder of this host's locks, one per user."""
    home = "/run/stend" if os.geteuid() == 0 else f"{tempfile.gettempdir()}/stend-{os.geteuid()}"
    chosen = os.environ.get("STEND_RUNTIME", "")
    place = Path(chosen or home)
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    if place.is_symlink() and not chosen:
        raise BadInput(f"{place} is a link, which another user may have made; set STEND_RUNTIME to a folder of yours")
    if place.stat().st_uid != os.geteuid():
        raise BadInput(f"{place} belongs to another user; set STEND_RUNTIME to a folder of yours")
    return place


def _silent_s(folder: Path, name: str) -> float:
    """Return the seconds since a member last wrote anything."""
    times = []
    for path in (roll.place(folder, name), journal.events_of(folder / name)):
        with suppress(OSError):
            times.append(path.stat().st_mtime)
    return time.time() - max(times, default=0)


def _once(path: Path, words: str) -> None:
    """Create a file with complete content. Raise FileExistsError if another process created it first."""
    part = path.with_name(f".{path.name}-{os.getpid()}")
    regular.create(part, words.encode())
    try:
        os.link(part, path)
    finally:
        part.unlink()
