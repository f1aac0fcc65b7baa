"""Arrange runs on several drives: by the paths the drives share, and by how much a trial showed mutual disturbance."""

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from stend.base.errors import BadInput
from stend.base.units import GB
from stend.devices.telling.shared import Shared, numa, shared
from stend.model.definition import Identity
from stend.session.request import Request
from stend.session.together.group import Group, Member
from stend.session.together.trial import STAMPED, Moved, Trial, trial
from stend.words import Sentence, text


class Wanted(NamedTuple):
    """A requested run and its drive."""

    request: Request
    drive: Identity


Try = Callable[[Sequence[Request]], Trial]


class Arranged(NamedTuple):
    """The group, and the drives that the gate refused with the reasons."""

    group: Group
    refused: dict[str, str]


def once(wanted: Sequence[Wanted]) -> None:
    """Raise BadInput if two of the drives are the same one, by another name or another path."""
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
    seconds: float | None,
    report: Callable[[str], None],
    fds: Sequence[int] = (),
) -> Arranged:
    """Return the group of these runs, after a trial with windows of `seconds`, unless that is 0.

    None: all run at the same time, without a trial.

    Processes that use the drives in the trial inherit the descriptors `fds`.
    """
    real = [run for run in wanted if not run.drive.virtual]
    common = shared([run.drive for run in real])
    for line in (*map(shared_path, common), *_near(real)):
        report(line)
    able = [run.request for run in real]
    lanes = {} if barrier else _lanes([run.drive.target for run in real], common)
    trials = list[Trial]()
    if len(able) > 1 and seconds:
        report(f"Trial: {len(able)} drives, each alone and beside the others, {seconds:g} s a window")
        lanes, trials = _tried(able, lanes, lambda some: trial(some, str(folder), seconds, fds))
    else:
        lanes = {} if seconds is None or len(lanes) < 2 else dict.fromkeys(lanes, "all")
    refused = trials[0].refused if trials else {}
    members = [
        _member(number, run, common, lanes, trials)
        for number, run in enumerate(wanted, 1)
        if run.request.target not in refused
    ]
    return Arranged(Group(tuple(members), barrier=barrier, quiet=bool(lanes)), refused)


def shared_path(path: Shared) -> Sentence:
    """Return the sentence on a shared path of drives, and what it may cost."""
    values: dict[str, Any] = {"drives": list(path.targets), "kind": path.part.kind, "name": path.part.name}
    if not path.part.bytes_per_s:
        return Sentence("shared", **values)
    values["rate"] = round(path.part.bytes_per_s / GB, 1)
    if path.share < 1:
        return Sentence("shared_price", **values, pct=round(100 * path.share))
    return Sentence("shared_rate", **values)


def _near(real: Sequence[Wanted]) -> Iterator[str]:
    """Yield sentences on processors: how many there are, and which are near to each drive."""
    if len(real) > 1:
        count = len(os.sched_getaffinity(0))
        yield f"{count} processors for {len(real)} drives" + (": fewer than one each" if count < len(real) else "")
    for run in real:
        node, near = numa(run.drive)
        if near:
            yield f"{run.request.target}: processors {near} are near it" + (f", NUMA node {node}" if node else "")


def _tried(requests: Sequence[Request], lanes: dict[str, str], measured: Try) -> tuple[dict[str, str], list[Trial]]:
    """Return the lanes to use, and the trials: none if the host carries all drives at once.

    Otherwise these are the given lanes if it carries one drive of each lane, else a single lane. Without given lanes
    one trial decides.
    """
    all_ = measured(requests)
    left = [request for request in requests if request.target not in all_.refused]
    if all_.carried or len(left) < 2 or not lanes:
        return {}, [all_]
    first = list({lanes[request.target]: request for request in reversed(left)}.values())
    if 1 < len(first) < len(left) and (again := measured(first)).carried:
        return lanes, [all_, again]
    return {request.target: "all" for request in left}, [all_]


def _lanes(targets: Sequence[str], common: Sequence[Shared]) -> dict[str, str]:
    """Return an identifier per drive that is equal for drives that share a path, directly or through others."""
    lane = {target: target for target in targets}
    for path in common:
        merged = {lane[target] for target in path.targets}
        lane = {target: min(merged) if word in merged else word for target, word in lane.items()}
    return {target: hashlib.blake2b(word.encode(), digest_size=6).hexdigest() for target, word in lane.items()}


def _member(
    number: int, run: Wanted, common: Sequence[Shared], lanes: dict[str, str], trials: Sequence[Trial]
) -> Member:
    target = run.request.target
    slug = re.sub(r"[^A-Za-z0-9]+", "-", os.path.basename(target))[:40].strip("-")
    lane = lanes.get(target, "")
    last = next((past for past in reversed(trials) if past.of(target) or target in past.failed), None)
    moved = last.of(target) if last else []
    notes = [_disturbance(moved, last.seconds, alone=lane == "all")] if last and moved else []
    notes += [Sentence("moved_never", why=text(last.failed[target]))] if last and target in last.failed else []
    notes += [shared_path(part) for part in common if target in part.targets]
    beyond = any(abs(ratio - 1) > STAMPED for load in moved for ratio in (load.rate, load.tail or 1.0))
    disturbed = lane != "all" and last is not None and (target in last.failed or beyond)
    return Member(f"{number:02}-{slug}", run.request, lane, tuple(notes), disturbed)


def _disturbance(moved: Sequence[Moved], seconds: float, *, alone: bool) -> Sentence:
    """Return the sentence on how much a drive's figures moved beside the others, for the load that moved most."""
    worst = max(moved, key=lambda load: max(abs(load.rate - 1), abs((load.tail or 1) - 1)))
    low, high = _percent(min(worst.rates)), _percent(max(worst.rates))
    values: dict[str, Any] = {"load": worst.load, "pct": _percent(worst.rate), "low": low, "high": high}
    values |= {"n": len(worst.rates), "s": seconds} | ({"tail": _percent(worst.tail)} if worst.tail else {})
    note = Sentence("moved_tail" if worst.tail else "moved_rate", **values)
    return Sentence("moved_in_turn", moved=note) if alone else note


def _percent(ratio: float) -> str:
    """Return a ratio as a signed change in percent: 1.021 -> `+2.1`."""
    return f"{100 * (ratio - 1):+.1f}"
