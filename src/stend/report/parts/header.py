"""The header of a PTS report page (14.2): test platform, device under test, set-up, test parameters."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from stend.base.units import block_label, mix_label
from stend.findings import look
from stend.findings.look.figures import answers
from stend.many.sides import array, changed
from stend.model.definition import Bytes, Identity, Phase, PlannedTest, Purge, Seconds, Workload
from stend.model.record import Run
from stend.report.parts import Column
from stend.words import Language


def header(run: Run, test: PlannedTest, host: dict[str, Any], words: Language) -> tuple[Column, ...]:
    """Return four blocks. A fact that was not recorded is shown as a dash."""
    blocks = {
        "platform": platform(host, run, words),
        "device": device(run, test, words),
        "setup": _setup(run, test, words),
        "test": _parameters(run, test, words),
    }
    return tuple(
        Column(words(f"header.{name}"), tuple((words(f"header.{key}"), value or "–") for key, value in rows))
        for name, rows in blocks.items()
    )


def platform(host: dict[str, Any], run: Run, words: Language) -> list[tuple[str, str]]:
    """Return facts about the machine from host.json."""
    memory = host.get("memory_bytes")
    adapters = [f"{a.get('vendor', '')}:{a.get('device', '')}".strip(":") for a in host.get("adapters", [])]
    links = [_link(a) for a in host.get("adapters", []) if _link(a)]
    virtual = run.plan.device.virtual
    return [
        ("board", str(host.get("board", ""))),
        ("cpu", _processors(host, words)),
        ("memory", words.show(memory, "gib") if memory else ""),
        *_measured(host.get("measured", {}), run, words),
        ("system", ", ".join(filter(None, (str(host.get("system", "")), str(host.get("kernel", "")))))),
        ("software", software(run, host)),
        ("hba", words("header.virtual") if virtual else "; ".join(adapters)),
        ("link", "" if virtual else "; ".join(links)),
        ("tested_by", run.started[0].tested_by),
    ]


def software(run: Run, host: dict[str, Any]) -> str:
    """Return the versions of stend and, for a real drive, of fio."""
    return f"stend {run.started[0].version}" + ("" if run.plan.device.virtual else f", {host.get('fio', 'fio')}")


def _processors(host: dict[str, Any], words: Language) -> str:
    """Return the processors, their number, and how many of them the run could use if not all."""
    text = f"{host.get('cpu', '')} × {host['cpus']}".strip() if host.get("cpus") else str(host.get("cpu", ""))
    usable = host.get("usable_cpus")
    return f"{text} ({words('header.usable', n=usable)})" if usable else text


def _measured(measured: dict[str, Any], run: Run, words: Language) -> list[tuple[str, str]]:
    """Return what `stend host` measured of this machine, and how near to its ceiling the run came."""
    rows = []
    if memory := measured.get("memory"):
        rows.append(("population", f"{memory['words']} {memory['kind']}-{memory['mt_s']}"))
    if stream := measured.get("stream_bytes_per_s"):
        rows.append(("stream", words.show(stream["triad"], "mbs")))
    if (ceiling := max(measured.get("fio_iops", {}).values(), default=0)) and not run.plan.device.virtual:
        most = max((row.iops for row in answers(run)), default=0)
        rows.append(("ceiling", words("header.ceiling_value", ceiling=ceiling, share=most / ceiling)))
    if (data := max(measured.get("fio_bytes_per_s", {}).values(), default=0)) and not run.plan.device.virtual:
        wrote = max((r.counts.write.bytes / r.counts.seconds for r in run.results if r.counts.seconds), default=0)
        rows.append(("data_ceiling", words("header.data_ceiling_value", ceiling=data, share=wrote / data)))
    return rows


def _link(adapter: dict[str, str]) -> str:
    speed, width = adapter.get("current_link_speed"), adapter.get("current_link_width")
    known = speed and width and width != "0" and "Unknown" not in speed
    return f"{speed} ×{width}" if known else ""


def device(run: Run, test: PlannedTest | None, words: Language) -> list[tuple[str, str]]:
    """Return facts about the drive as it reported them."""
    drive = run.plan.device
    profile = test.profile if test else run.plan.profile
    return [
        *(
            [("file_name", drive.serial)]
            if drive.kind == "file"
            else [("model", drive.model), ("serial", drive.serial)]
        ),
        ("options", ", ".join(changed(drive))),
        ("label", run.started[0].label),
        ("firmware", drive.firmware),
        ("capacity", words("header.capacity_value", size=drive.capacity_bytes)),
        *_provisioned(drive, words),
        ("interface", words.interface(_reached(drive))),
        ("array", words.converted(array(drive.facts))),
        ("sectors", f"{drive.logical_bytes} / {drive.physical_bytes}"),
        ("media", words("header.rotational" if drive.rotational else "header.solid")),
        ("purge", _purges(run, (test,) if test else run.plan.tests, words)),
        ("cache", _cache(run, profile.write_cache, words)),
        *_power_saving(drive, words),
    ]


def _purges(run: Run, tests: Sequence[PlannedTest], words: Language) -> str:
    """Return the methods of the purges of tests, each with its number of times; imported runs state none."""
    steps = [step for test in tests for phase in test.phases for step in phase.round]
    if not any(isinstance(step, Purge) for step in steps):
        return "" if run.plan.profile.write_cache == "unknown" else words("header.none")
    done = (r for test in tests for r in run.of(test.name) if isinstance(r.step, Purge) and r.said)
    counted = Counter(words.translated(result.said) for result in done).items()
    return "; ".join(words("header.purge_value", method=method, n=n) if n > 1 else method for method, n in counted)


def _power_saving(drive: Identity, words: Language) -> list[tuple[str, str]]:
    """Return the setting of power saving as found and as set for the run, if the drive has one."""
    held = (str(drive.facts.get(name, "")) for name in ("power_saving", "power_saving_set"))
    was, now = (words(f"header.state_{state}") if words.knows(f"header.state_{state}") else state for state in held)
    shown = words("header.power_saving_off", was=was, now=now) if now else words("header.power_saving_found", was=was)
    return [("power_saving", shown)] if was else []


def _cache(run: Run, requested: str, words: Language) -> str:
    """Return the write cache as requested, as found and set, as read back. It is unknown for imported runs.

    A run that only reads leaves it as it was found.
    """
    if requested == "unknown":
        return words("header.cache_unknown")
    was, now = (str(run.plan.device.facts.get(name, "")) for name in ("write_cache", "write_cache_set"))
    if run.plan.reads_only:
        return words.name_of("header", f"cache_{was}") if was else ""
    names = {"was": words.name_of("header", f"cache_{was}"), "now": words.name_of("header", f"cache_{now}")}
    rest = "cache_unset" if not now else "cache_found" if was in ("", now) else "cache_set"
    shown = words(f"header.{rest}", **names)
    return words("header.cache_asked", asked=words(f"header.cache_{requested}"), rest=shown)


def _reached(drive: Identity) -> str:
    """Return the interface with the negotiated link, and the fastest possible link if that differs."""
    now, can = (str(drive.facts.get(name, "")) for name in ("link", "link_capable"))
    link = f"{now} / {can}" if can and can != now else now
    return ", ".join(filter(None, (drive.interface, link)))


def _provisioned(drive: Identity, words: Language) -> list[tuple[str, str]]:
    """Return the native capacity of a drive that was provisioned to show less."""
    provisioned = words("header.provisioned_value", size=drive.capacity_bytes, native=drive.native_bytes)
    return [("provisioned", provisioned)] if drive.native_bytes else []


def _setup(run: Run, test: PlannedTest, words: Language) -> list[tuple[str, str]]:
    first = next((p for p in test.phases if p.name.startswith("precondition")), None)
    loads = first.holds if first else []
    amount = loads[0].amount if loads else None
    judged = look.judged_phases(test)
    return [
        ("pattern", words("header.random_data")),
        ("range", range_shown(run, test, words)),
        ("precondition", words.show(loads[0].workload.label, "load") if loads else words("header.none")),
        ("duration", words.show(amount.bytes, "gb") if isinstance(amount, Bytes) else _seconds(amount, words)),
        ("precondition2", words.phase(judged[0][0].name) if judged else words("header.none")),
        ("rounds", _rounds(run, test, words)),
    ]


def _seconds(amount: Any, words: Language) -> str:
    return words.show(amount.seconds, "time") if isinstance(amount, Seconds) else ""


FULL = 0.999
"""Share of a range from which it counts as whole: sizes are rounded to blocks."""
PERCENT = 0.01
"""Below this share a range is shown with two significant digits."""


def range_share(run: Run, test: PlannedTest) -> tuple[float, int, bool]:
    """Return the share of the drive that a test uses, its bytes, and whether it is as large as its profile requests.

    A limit in bytes (`--quick`) makes it smaller.
    """
    drive, asked = run.plan.device, test.profile.active_range_pct / 100
    size = test.profile.active_range(drive)
    full = size >= FULL * asked * drive.capacity_bytes
    return asked if full else size / drive.capacity_bytes, size, full


def range_shown(run: Run, test: PlannedTest, words: Language) -> str:
    """Return the range of the test, which may differ from the rest of its run, in percent of the drive and in bytes."""
    share, size, _ = range_share(run, test)
    return words("header.range_value", share=words.show(share, "pct" if share >= PERCENT else "small"), size=size)


def _rounds(run: Run, test: PlannedTest, words: Language) -> str:
    windows = []
    for phase, _ in look.judged_phases(test):
        judged = look.last_judged(run, test.name, phase.name)
        if judged and judged.verdicts:
            rounds = judged.verdicts[0].rounds
            state = "" if judged.steady else " " + words("verification.not_achieved")
            windows.append(f"{rounds[0]}–{rounds[-1]}{state}")
    return "; ".join(dict.fromkeys(windows))


def _parameters(run: Run, test: PlannedTest, words: Language) -> list[tuple[str, str]]:
    phases = look.measuring(run, test)
    loads = list(dict.fromkeys(r.workload for phase in phases for r in look.records(run, test.name, phase.name)))
    shown = {
        "stimulus": [_kind(w) for w in loads],
        "mixes": [mix_label(w.read_pct) for w in loads if w.trim_pct < 100] or ["–"],
        "blocks": [_size(w) for w in loads],
        "outstanding": [_point(w) for w in loads if w.closed] or ["–"],
    }
    main = next((p for p in test.phases if p.name == look.main_phase(run, test)), None)
    return [
        ("pattern", words("header.random_data")),
        ("range", range_shown(run, test, words)),
        *((name, ", ".join(dict.fromkeys(texts))) for name, texts in shown.items()),
        ("loads", "; ".join(every_load(loads))),
        ("record", _record(main, words)),
        ("steady", _rounds(run, test, words)),
    ]


def every_load(loads: list[Workload]) -> list[str]:
    """Return every load once: `RND T4/Q32: 100/0, 0/100 x 8K, 4K`, as a grid if all mixes and sizes are combined.

    Loads with flushes, trims or other loads beside them follow, each by its label.
    """
    apart = [load for load in loads if load.sync != "none" or load.trim_pct or load.beside]
    cells: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for load in (load for load in loads if load not in apart):
        cells_of_load = cells.setdefault((_kind(load), _point(load)), [])
        cells_of_load += [cell] if (cell := (mix_label(load.read_pct), _size(load))) not in cells_of_load else []
    alike: dict[tuple[str, tuple[tuple[str, str], ...]], list[str]] = {}
    for (kind, point), cells_of_load in cells.items():
        alike.setdefault((kind, tuple(cells_of_load)), []).append(point)
    grids = [f"{kind} {', '.join(points)}: {_grid(cells_of_load)}" for (kind, cells_of_load), points in alike.items()]
    return [*grids, *dict.fromkeys(load.label for load in apart)]


def _grid(cells: tuple[tuple[str, str], ...]) -> str:
    mixes, sizes = (list(dict.fromkeys(cell[n] for cell in cells)) for n in (0, 1))
    if len(mixes) * len(sizes) == len(cells):
        return f"{', '.join(mixes)} × {', '.join(sizes)}"
    return ", ".join(f"{mix} {size}" for mix, size in cells)


def _kind(load: Workload) -> str:
    return {0: "SEQ", 100: "RND"}.get(load.random_pct, f"{load.random_pct}% RND")


def _size(load: Workload) -> str:
    if load.streams:
        return load.mix.replace("+", " + ")
    return "MIX" if load.mixed else block_label(load.block_bytes)


def _point(load: Workload) -> str:
    return f"T{load.threads}/Q{load.depth}"


def _record(phase: Phase | None, words: Language) -> str:
    holds = phase.holds if phase else []
    return _seconds(holds[0].amount, words) if holds else ""
