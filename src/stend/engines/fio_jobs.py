"""Write a plan as fio job files in order with a README: for hosts without stend, and for independent runs with fio."""

import re
from collections.abc import Iterator, Sequence
from itertools import count, groupby
from pathlib import Path
from typing import NamedTuple

from stend.base.errors import BadInput
from stend.engines._fio_job import ALWAYS, content, kind, parts, stretch
from stend.model.definition import Amount, Bytes, Hold, Idle, Phase, Plan, PlannedTest, Purge, Seconds
from stend.model.tally import PERCENTS
from stend.planning.describe import lines, until

README = """# {title}

Job files for fio 3.16 or newer, in the order in which `stend` would run these steps. They are modelled on PTS, as
stend is; running them is neither stend's run nor a certified one.

**They overwrite the drive they are given, without confirmation.** No file names a drive. Set `TARGET` to its path
(without a colon), and `ENGINE` to the way of sending IO (`io_uring` or `libaio`):

    export TARGET=/dev/... ENGINE=io_uring
    fio --output-format=json+ --output=01.json 01-...fio

In order:

{acts}
What stend does and these files cannot:

- it refuses a drive that is mounted, in use or not the one that was named; fio alone refuses only mounted drives;
- it purges and checks the purge; here it is your command, where the list says so;
- it ends rounds when the steady-state rule holds; here you repeat a file, at most as often as the list states,
  and judge the rounds yourself by the rule that the list names (`pts`, after PTS 2.1.24: over five rounds all values
  within 20 % of their mean and their fitted line within 10 % of it; `fit-90-110`: the fitted line of four rounds within
  90 and 110 % of their mean);
- it sets the write cache as the profile requires ({cache}) and restores it;
- it keeps a workload running from one round to the next where its clause requires that, holds the next step ready
  while there is room for it, and draws another recorded seed for every step (here fio draws them).

The plan:

```
{plan}
```
"""


NO_REPLAY = "no file: fio keeps no trace's times, so stend plays it itself"
NO_VERIFY = (
    "no file: stend writes and compares this content itself, because fio keeps no kinds and ranges of bad blocks"
)
NO_STREAMS = "no job file, because fio cannot tie the size of an IO to its access and direction, as these streams do"


class Act(NamedTuple):
    """The next action: a job file, or only words if no file can do it."""

    number: int
    name: str
    text: str
    words: str


def write(plan: Plan, folder: Path) -> Path:
    """Create the folder, write the files and return it. Raise BadInput if it is not empty or not a folder."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BadInput(f"{folder} is not empty; name another folder for the job files")
    except (FileExistsError, NotADirectoryError) as error:
        raise BadInput(f"{folder} is not a folder; name another for the job files") from error
    numbers, rows = count(1), []
    for act in (act for test in plan.tests for phase in test.phases for act in _phase(test, phase, numbers)):
        if act.text:
            (folder / f"{act.name}.fio").write_text(act.text, encoding="utf-8")
        rows.append(f"{act.number}. {f'`{act.name}.fio`: ' if act.text else ''}{act.words}\n")
    title = ", ".join(test.title for test in plan.tests)
    text = README.format(title=title, cache=plan.profile.write_cache, acts="".join(rows), plan="\n".join(lines(plan)))
    (folder / "README.md").write_text(text, encoding="utf-8")
    return folder


def _phase(test: PlannedTest, phase: Phase, numbers: Iterator[int]) -> Iterator[Act]:
    """Yield the acts of one phase: its round cut at purges, and how often it is repeated."""
    if streams := next((hold.workload for hold in phase.holds if hold.workload.streams), None):
        yield Act(next(numbers), "", "", f"{phase.name}, {until(phase)}: {NO_STREAMS} ({streams.mix})")
        return
    if any(hold.workload.verify for hold in phase.holds):
        yield Act(next(numbers), "", "", f"{phase.name}: {NO_VERIFY}")
        return
    if any(isinstance(s, Hold) and s.workload.replay for s in phase.round):
        yield Act(next(numbers), "", "", f"{phase.name}: {NO_REPLAY}")
        return
    if long := _long(phase):
        name = _name(number := next(numbers), test, phase)
        words = f"{phase.name}, {until(phase)}, as one long job with logs of {LOG_MS // 1000} s"
        yield Act(number, name, job_file([long.hold], most_s=long.most_s, log=name), words)
        return
    again = f"; {until(phase)}" if phase.rounds > 1 else ""
    chosen = ", an example: stend chooses these steps from the results so far" if phase.choose else ""
    for purge, steps in groupby(phase.round, lambda step: isinstance(step, Purge)):
        number = next(numbers)
        if purge:
            words = f"{phase.name}: purge the drive (`nvme format`, `hdparm --security-erase`, `blkdiscard`)"
            yield Act(number, "", "", words)
        else:
            text = job_file([s for s in steps if not isinstance(s, Purge)])
            yield Act(number, _name(number, test, phase), text, f"{phase.name}{again}{chosen}")


def _name(number: int, test: PlannedTest, phase: Phase) -> str:
    return f"{number:02}-{test.name}-{phase.name}".replace(" ", "-")


class Long(NamedTuple):
    """A hold that ends by its amount, or after `most_s`."""

    hold: Hold
    most_s: float


def _long(phase: Phase) -> Long | None:
    """Return one hold for a phase whose rounds are a single hold up to a limit, or None for any other phase."""
    match phase.round:
        case (Hold(workload=workload, amount=amount),) if phase.rounds > 1 and not phase.choose:
            limits = [*phase.until, _times(amount, phase.rounds)]
        case _:
            return None
    sizes = [limit.bytes for limit in limits if isinstance(limit, Bytes)]
    seconds = [limit.seconds for limit in limits if isinstance(limit, Seconds)]
    if len(sizes) + len(seconds) < len(limits) or (sizes and workload.read_pct):  # fio's io_size counts reads too
        return None
    whole: Amount = Bytes(bytes=min(sizes)) if sizes else Seconds(seconds=min(seconds))
    return Long(Hold(workload=workload, amount=whole), min(seconds, default=0.0))


def _times(amount: Amount, rounds: int) -> Amount:
    match amount:
        case Bytes(bytes=size):
            return Bytes(bytes=size * rounds)
        case Seconds(seconds=seconds):
            return Seconds(seconds=seconds * rounds)
    return amount


PERCENTILES = ":".join(f"{percent:g}" for percent in PERCENTS.values())
SHARED = {"filename": "${TARGET}", "ioengine": "${ENGINE}", **ALWAYS, "percentile_list": PERCENTILES}
"""Options of every job, without a seed, so that fio draws other offsets in every round."""

LOG_MS = 60_000
"""The interval over which the logs of a long hold are averaged."""


def job_file(steps: Sequence[Hold | Idle], *, most_s: float = 0.0, log: str = "") -> str:
    """Return the text of one file: the steps one after the other, each with its own result.

    Every step with an amount of bytes ends after `most_s` seconds at the latest, if given. `log` is the name of logs to
    write.
    """
    shared = SHARED | ({f"write_{kind}_log": log for kind in ("iops", "bw", "lat")} if log else {})
    if log:
        shared["log_avg_msec"] = str(LOG_MS)
    lines = ["[global]", *(f"{name}={value}" for name, value in shared.items())]
    for number, step in enumerate(steps, 1):
        jobs = _rest(number, step) if isinstance(step, Idle) else _hold(number, step, most_s)
        for name, words in jobs:
            lines += ["", f"[{name}]", *(f"{key}={value}" for key, value in words.items())]
    return "\n".join(lines) + "\n"


Jobs = Iterator[tuple[str, dict[str, str]]]


def _rest(number: int, idle: Idle) -> Jobs:
    """Yield a job that sends almost no IO, and none to a drive, for the length of the rest."""
    words = {"stonewall": "1", "ioengine": "null", "rw": "read", "bs": "4k", "size": "1m", "rate_iops": "1"}
    yield f"{number:02}-rest", words | {"time_based": "1", "runtime": f"{idle.seconds * 1000:.0f}ms"}


def _hold(number: int, hold: Hold, most_s: float) -> Jobs:
    """Yield one job for each section. The first of a part waits for all before it, the others begin with it."""
    workload, limit = hold.workload, hold.amount.bytes if isinstance(hold.amount, Bytes) else None
    name = f"{number:02}-{re.sub('[^a-z0-9]+', '-', workload.label.lower())}"
    endless = isinstance(hold.amount, Seconds)
    most_s = hold.amount.seconds if isinstance(hold.amount, Seconds) else most_s
    time = ({"time_based": "1"} if endless else {}) | ({"runtime": f"{most_s * 1000:.0f}ms"} if most_s else {})
    for part, sections in enumerate(parts(workload, limit_bytes=limit), 1):
        for place, section in enumerate(sections, 1):
            job = f"{name}-{part}-{place}" if place > 1 or part > 1 else name
            begins = {"stonewall": "1"} if place == 1 else {}
            yield job, begins | kind(workload) | content(workload) | stretch(section) | time
