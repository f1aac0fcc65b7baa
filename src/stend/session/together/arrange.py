"""Who is measured beside whom: by what drives share, and by how much a trial saw them disturb each other."""

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from stend.base.errors import BadInput
from stend.base.units import GB
from stend.devices.telling.shared import Shared, numa, shared
from stend.model.definition import Identity
from stend.session.request import Request
from stend.session.together.group import Group, Member
from stend.session.together.trial import STAMPED, Moved, Trial, trial


class Wanted(NamedTuple):
    """A run that is asked for, and its drive as it was found."""

    request: Request
    drive: Identity


Try = Callable[[Sequence[Request]], Trial]


class Arranged(NamedTuple):
    """The group, and which drives the gate refused with why."""

    group: Group
    refused: dict[str, str]


def once(wanted: Sequence[Wanted]) -> None:
    """BadInput where two of them are one drive, by another name or by another path."""
    known: dict[str, str] = {}
    for request, drive in wanted:
        for mark in {drive.path, drive.wwn or drive.path} if not drive.virtual else {drive.target}:
            if mark in known:
                raise BadInput(f"{request.target} and {known[mark]} are one drive; name it once")
            known[mark] = request.target


def arranged(
    wanted: Sequence[Wanted],
    folder: Path,
    *,
    barrier: bool,
    seconds: float,
    tell: Callable[[str], None],
    fds: Sequence[int] = (),
) -> Arranged:
    """The group of these runs; measured in a trial of `seconds` a window first, unless that is 0.

    Whoever works on the drives in that trial has the descriptors `fds`.
    """
    real = [one for one in wanted if not one.drive.virtual]
    common = shared([one.drive for one in real])
    for line in (*map(sentence, common), *_near(real)):
        tell(line)
    able = [one.request for one in real]
    lanes, trials = _lanes([one.drive.target for one in real], common), list[Trial]()
    if len(able) > 1 and seconds:
        tell(f"Trial: {len(able)} drives, each alone and beside the others, {seconds:g} s a window")
        lanes, trials = _tried(able, {} if barrier else lanes, lambda some: trial(some, str(folder), seconds, fds))
    elif not barrier:
        lanes = dict.fromkeys(lanes, "all") if len(lanes) > 1 else {}
    refused = trials[0].refused if trials else {}
    members = [
        _member(number, one, common, {} if barrier else lanes, trials)
        for number, one in enumerate(wanted, 1)
        if one.request.target not in refused
    ]
    return Arranged(Group(tuple(members), barrier=barrier, quiet=bool(lanes) and not barrier), refused)


def sentence(one: Shared) -> str:
    """What drives share, for people, and what that may cost."""
    carries = f" ({one.part.bytes_per_s / GB:.1f} GB/s)" if one.part.bytes_per_s else ""
    costs = f": each has at most {100 * one.share:.0f} % of its own link when all are busy" if one.share < 1 else ""
    return f"{', '.join(one.targets)} share the {one.part.kind} {one.part.name}{carries}{costs}"


def _near(real: Sequence[Wanted]) -> Iterator[str]:
    """Processors: how many there are for how many drives, and which ones each drive is near to."""
    if len(real) > 1:
        count = len(os.sched_getaffinity(0))
        yield f"{count} processors for {len(real)} drives" + (": fewer than one each" if count < len(real) else "")
    for one in real:
        node, near = numa(one.drive)
        if near:
            yield f"{one.request.target}: processors {near} are near it" + (f", NUMA node {node}" if node else "")


def _tried(requests: Sequence[Request], lanes: dict[str, str], measured: Try) -> tuple[dict[str, str], list[Trial]]:
    """No lanes where the host carries all at once; those of what is shared where it carries one of each; else one.

    Without lanes to choose from one trial tells all.
    """
    all_ = measured(requests)
    left = [one for one in requests if one.target not in all_.refused]
    if all_.carried or len(left) < 2 or not lanes:
        return {}, [all_]
    first = list({lanes[one.target]: one for one in reversed(left)}.values())
    if 1 < len(first) < len(left) and (again := measured(first)).carried:
        return lanes, [all_, again]
    return {one.target: "all" for one in left}, [all_]


def _lanes(targets: Sequence[str], common: Sequence[Shared]) -> dict[str, str]:
    """For each drive a word that is the same for those that share something, straight or by way of others."""
    lane = {target: target for target in targets}
    for one in common:
        merged = {lane[target] for target in one.targets}
        lane = {target: min(merged) if word in merged else word for target, word in lane.items()}
    return {target: hashlib.blake2b(word.encode(), digest_size=6).hexdigest() for target, word in lane.items()}


def _member(
    number: int, one: Wanted, common: Sequence[Shared], lanes: dict[str, str], trials: Sequence[Trial]
) -> Member:
    target = one.request.target
    slug = re.sub(r"[^A-Za-z0-9]+", "-", os.path.basename(target))[:40].strip("-")
    lane = lanes.get(target, "")
    last = next((one for one in reversed(trials) if one.of(target) or target in one.failed), None)
    moved = last.of(target) if last else []
    told = [_told(moved, last.seconds, alone=lane == "all")] if last and moved else []
    told += (
        [f"beside the other drives the trial did not end: {last.failed[target]}"]
        if last and target in last.failed
        else []
    )
    told += [sentence(part) for part in common if target in part.targets]
    disturbed = lane != "all" and last is not None and (target in last.failed or any(map(_beyond, moved)))
    return Member(f"{number:02}-{slug}", one.request, lane, tuple(told), disturbed)


def _beyond(one: Moved) -> bool:
    return any(abs(ratio - 1) > STAMPED for ratio in (one.rate, one.tail or 1.0))


def _told(moved: Sequence[Moved], seconds: float, *, alone: bool) -> str:
    """By how much its figures moved beside the others: of the load that moved most."""
    worst = max(moved, key=lambda one: max(abs(one.rate - 1), abs((one.tail or 1) - 1)))
    spread = f"{100 * (min(worst.rates) - 1):+.1f} to {100 * (max(worst.rates) - 1):+.1f}"
    tail = f", p99.9 by {100 * (worst.tail - 1):+.1f} %" if worst.tail else ""
    how = "; so they run one after another" if alone else ""
    rate = f"{100 * (worst.rate - 1):+.1f} % ({spread} in {len(worst.rates)} pairs of {seconds:g} s)"
    return f"beside the other drives {worst.load} moved by {rate}{tail}{how}"
