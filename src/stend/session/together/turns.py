"""When a run among others may go on: locks of this host, which end with their process, and a moment agreed on.

A turn is asked for where a test purges, for nothing before that is disturbed by a wait; with a barrier, before a
measured phase too. Nobody waits for one that is gone, nor longer than HUNG_S for others that say nothing at all.
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

Said = tuple[str, NoteKind]
LOOK_S, HEARD_EVERY_S, HUNG_S = 0.05, 5.0, 1800.0
AHEAD_S = 0.5
"""How long before it the common moment is agreed on."""
PREPARING = ("purge", "precondition", "warm-up", "wait")
"""How the names of phases begin that measure nothing."""


class Turns:
    """A member's own side of it."""

    def __init__(self, folder: Path, own: Group, member: Member, plan: Plan, stopping: Callable[[], bool]) -> None:
        self.folder, self.group, self.member, self.stopping = folder, own, member, stopping
        self.alone = alone(plan)
        self.lane, self.room, self.first, self.moments = Lock(), Lock(), True, 0
        self.heard = 0.0
        roll.say(folder, member.name)

    def before(self, test: PlannedTest, phase: Phase, stop: Callable[[], object]) -> Iterator[Said]:
        """What must be said once this phase may begin; it returns when it may. Stopped when the end is asked for."""
        first, self.first = self.first, False
        if first:
            kind: NoteKind = "interference" if self.member.disturbed else "beside"
            yield from ((text, "beside" if at else kind) for at, text in enumerate(self.member.told))
        if first or purges(phase):
            stop()
            yield from self._turn(test)
        if self.group.barrier and not phase.name.startswith(PREPARING):
            stop()
            self.moments += 1
            yield from self._moment(test)

    def close(self) -> None:
        """Let the others go on."""
        self.room.free()
        self.lane.free()

    def _turn(self, test: PlannedTest) -> Iterator[Said]:
        began, patient = time.monotonic(), True
        self.room.free()
        if self.member.lane:
            patient = self._until(lambda: self.lane.take(f"lane-{self.member.lane}"))
        if self.group.quiet and patient:
            with Lock() as door:  # whoever wants to be alone holds the door, so that no others come before
                patient = self._until(lambda: door.take("door"))
                patient = patient and self._until(lambda: self.room.take("room", shared=not self.alone[test.name]))
        yield from self._waited(test, time.monotonic() - began, patient)

    def _waited(self, test: PlannedTest, seconds: float, patient: bool) -> Iterator[Said]:
        if not patient:
            yield (
                f"{test.name} began without its turn: nothing was heard of the others for {HUNG_S:.0f} s",
                "interference",
            )
        elif seconds > 1:
            yield f"{test.name} waited {seconds:.0f} s for its turn beside other drives", "beside"

    def _moment(self, test: PlannedTest) -> Iterator[Said]:
        """Wait until everybody who is to come has come this far, then for the moment that the first of us named."""
        go = self.folder / roll.WORDS / f"go-{self.moments}"
        began, late = time.monotonic(), go.exists()
        roll.say(self.folder, self.member.name, self.moments)
        patient = late or self._until(lambda: go.exists() or not self._awaited())
        with suppress(FileExistsError):
            _once(go, f"{time.monotonic() + AHEAD_S}")
        at = float(regular.read(go))
        while (left := at - time.monotonic()) > 0:
            self._mind()
            time.sleep(min(left, LOOK_S))
        if late or not patient:
            yield f"{test.name} began at a moment of its own, not with the other drives", "interference"
        else:
            waited, behind_ms = at - began, 1000 * (time.monotonic() - at)
            yield f"{test.name} began with the other drives after {waited:.1f} s, {behind_ms:.1f} ms late", "beside"

    def _awaited(self) -> list[str]:
        """Those who are to come to this moment and have not yet."""
        names = [one.name for one in self.group.members if one.name != self.member.name]
        return [name for name in names if roll.coming(self.folder, name, self.moments)]

    def _until(self, true: Callable[[], bool]) -> bool:
        """Until that is so, and True; False where all others have been silent for too long."""
        while not true():
            self._mind()
            if time.monotonic() - self.heard > HEARD_EVERY_S:
                os.utime(roll.place(self.folder, self.member.name))
                self.heard = time.monotonic()
                if self._silent():
                    return False
            time.sleep(LOOK_S)
        return True

    def _silent(self) -> bool:
        names = (one.name for one in self.group.members if one.name != self.member.name)
        others = [name for name in names if roll.lives(self.folder, name)]
        return bool(others) and all(_heard_s(self.folder, name) > HUNG_S for name in others)

    def _mind(self) -> None:
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
        """Whether it is ours now."""
        if self.fd < 0:
            self.fd = regular.descriptor(runtime() / name, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self.fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def free(self) -> None:
        """Let go."""
        if self.fd >= 0:
            os.close(self.fd)
        self.fd = -1


def purges(phase: Phase) -> bool:
    """Whether it begins with a purge: what was before is of no account then, and a wait disturbs nothing."""
    return any(isinstance(step, Purge) for step in phase.round[:1])


def alone(plan: Plan) -> dict[str, bool]:
    """For each test whether a quiet step comes before the next turn, which is where a later test purges."""
    found, coming = {}, False
    for test in reversed(plan.tests):
        coming = coming or any(quiet(step) for phase in test.phases for step in phase.round)
        found[test.name] = coming
        coming = coming and not purges(test.phases[0])
    return found


@contextmanager
def taken(folder: Path, plan: Plan, stopping: Callable[[], bool]) -> Iterator[Turn]:
    """What a run asks before its phases; of one that belongs to no group, nothing."""
    top = folder.absolute().parent
    own = group.load(top) if (top / group.WORD).exists() else None
    member = next((one for one in own.members if one.name == folder.name), None) if own else None
    if own is None or member is None:
        yield at_once
        return
    with closing(Turns(top, own, member, plan, stopping)) as turns:
        yield turns.before


def runtime() -> Path:
    """Where the locks of this host are, for all of one user."""
    home = "/run/stend" if os.geteuid() == 0 else f"{tempfile.gettempdir()}/stend-{os.geteuid()}"
    own = os.environ.get("STEND_RUNTIME", "")
    place = Path(own or home)
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    if place.is_symlink() and not own:
        raise BadInput(f"{place} is a link, which another user may have made; name a folder by STEND_RUNTIME")
    if place.stat().st_uid != os.geteuid():
        raise BadInput(f"{place} belongs to another user; name a folder for locks by STEND_RUNTIME")
    return place


def _heard_s(folder: Path, name: str) -> float:
    """How long ago a member wrote anything."""
    times = []
    for path in (roll.place(folder, name), journal.events_of(folder / name)):
        with suppress(OSError):
            times.append(path.stat().st_mtime)
    return time.time() - max(times, default=0)


def _once(path: Path, words: str) -> None:
    """A file that is whole when it is there; FileExistsError where somebody was first."""
    part = path.with_name(f".{path.name}-{os.getpid()}")
    regular.create(part, words.encode())
    try:
        os.link(part, path)
    finally:
        part.unlink()
