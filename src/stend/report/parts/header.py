"""The header of a PTS report page (14.2): test platform, device under test, set-up, test parameters."""

from typing import Any

from stend.definition import Bytes, Hold, Identity, Phase, PlannedTest, Purge, Seconds
from stend.findings import look
from stend.findings.look.figures import answers
from stend.record import Run
from stend.report.parts import Block
from stend.units import block_label
from stend.words import Language


def header(run: Run, test: PlannedTest, host: dict[str, Any], words: Language) -> tuple[Block, ...]:
    """Four blocks; a fact that nobody recorded reads as a dash."""
    blocks = {
        "platform": platform(host, run, words),
        "device": device(run, test, words),
        "setup": _setup(run, test, words),
        "test": _parameters(run, test, words),
    }
    return tuple(
        Block(words(f"header.{name}"), tuple((words(f"header.{key}"), value or "–") for key, value in rows))
        for name, rows in blocks.items()
    )


def platform(host: dict[str, Any], run: Run, words: Language) -> list[tuple[str, str]]:
    """The machine, from host.json."""
    memory = host.get("memory_bytes")
    adapters = [f"{a.get('vendor', '')}:{a.get('device', '')}".strip(":") for a in host.get("adapters", [])]
    links = [_link(a) for a in host.get("adapters", []) if _link(a)]
    virtual = run.plan.device.virtual
    return [
        ("board", str(host.get("board", ""))),
        ("cpu", f"{host.get('cpu', '')} × {host['cpus']}" if host.get("cpus") else str(host.get("cpu", ""))),
        ("memory", words.show(memory, "gib") if memory else ""),
        *_measured(host.get("measured", {}), run, words),
        ("system", ", ".join(filter(None, (str(host.get("system", "")), str(host.get("kernel", "")))))),
        ("software", f"stend {run.started[0].version}" + ("" if virtual else f", {host.get('fio', 'fio')}")),
        ("hba", words("header.virtual") if virtual else "; ".join(adapters)),
        ("link", "" if virtual else "; ".join(links)),
    ]


def _measured(told: dict[str, Any], run: Run, words: Language) -> list[tuple[str, str]]:
    """What `stend host` measured of the stand, and how near to its ceiling the run came."""
    rows = []
    if memory := told.get("memory"):
        rows.append(("population", f"{memory['words']} {memory['kind']}-{memory['mt_s']}"))
    if stream := told.get("stream_bytes_per_s"):
        rows.append(("stream", words.show(stream["triad"], "mbs")))
    if (ceiling := max(told.get("fio_iops", {}).values(), default=0)) and not run.plan.device.virtual:
        most = max((row.iops for row in answers(run)), default=0)
        rows.append(("ceiling", words("header.ceiling_value", ceiling=ceiling, share=most / ceiling)))
    return rows


def _link(adapter: dict[str, str]) -> str:
    speed, width = adapter.get("current_link_speed"), adapter.get("current_link_width")
    return f"{speed} ×{width}" if speed and width else ""


def device(run: Run, test: PlannedTest | None, words: Language) -> list[tuple[str, str]]:
    """The drive, as it told."""
    drive = run.plan.device
    profile = test.profile if test else run.plan.profile
    return [
        ("model", drive.model),
        ("serial", drive.serial),
        ("firmware", drive.firmware),
        ("capacity", words("header.capacity_value", size=drive.capacity_bytes)),
        *_provisioned(drive, words),
        ("interface", _reached(drive)),
        ("sectors", f"{drive.logical_bytes} / {drive.physical_bytes}"),
        ("media", words("header.rotational" if drive.rotational else "header.solid")),
        ("purge", _purged(run, test, words) if test else ""),
        ("cache", words(f"header.cache_{profile.write_cache}")),
    ]


def _reached(drive: Identity) -> str:
    """Its interface, with the link as negotiated of what it can."""
    now, can = (str(drive.facts.get(name, "")) for name in ("link", "link_capable"))
    link = f"{now} / {can}" if can and can != now else now
    return ", ".join(filter(None, (drive.interface, link)))


def _provisioned(drive: Identity, words: Language) -> list[tuple[str, str]]:
    """Of how much the capacity is a part, for a drive that was made to show less than it has."""
    told = words("header.provisioned_value", size=drive.capacity_bytes, native=drive.native_bytes)
    return [("provisioned", told)] if drive.native_bytes else []


def _purged(run: Run, test: PlannedTest, words: Language) -> str:
    return words.told(next((r.said for r in run.of(test.name) if isinstance(r.step, Purge)), ""))


def _setup(run: Run, test: PlannedTest, words: Language) -> list[tuple[str, str]]:
    first = next((p for p in test.phases if p.name.startswith("precondition")), None)
    loads = [step for step in first.round if isinstance(step, Hold)] if first else []
    amount = loads[0].amount if loads else None
    judged = look.judged_phases(test)
    return [
        ("pattern", words("header.random_data")),
        ("range", _range(run, test, words)),
        ("precondition", loads[0].workload.label if loads else words("header.none")),
        ("duration", words.show(amount.bytes, "gb") if isinstance(amount, Bytes) else _seconds(amount, words)),
        ("precondition2", words.phase(judged[0][0].name) if judged else words("header.none")),
        ("rounds", _rounds(run, test, words)),
    ]


def _seconds(amount: Any, words: Language) -> str:
    return words.show(amount.seconds, "time") if isinstance(amount, Seconds) else ""


def _range(run: Run, test: PlannedTest, words: Language) -> str:
    """In the test's own bytes: a test may have another range than the rest of its run."""
    size = test.profile.active_range(run.plan.device)
    return words("header.range_value", pct=test.profile.active_range_pct / 100, size=size)


def _rounds(run: Run, test: PlannedTest, words: Language) -> str:
    said = []
    for phase, _ in look.judged_phases(test):
        judged = look.last_judged(run, test.name, phase.name)
        if judged and judged.verdicts:
            rounds = judged.verdicts[0].rounds
            state = "" if judged.steady else " " + words("verification.not_achieved")
            said.append(f"{rounds[0]}–{rounds[-1]}{state}")
    return "; ".join(dict.fromkeys(said))


def _parameters(run: Run, test: PlannedTest, words: Language) -> list[tuple[str, str]]:
    phase = next((p for p in test.phases if p.name == look.main_phase(run, test)), None)
    loads = [r.workload for r in look.records(run, test.name, phase.name)] if phase else []
    mixes = list(dict.fromkeys(f"{w.read_pct}/{100 - w.read_pct}" for w in loads))
    sizes = list(dict.fromkeys("MIX" if w.block_mix else block_label(w.block_bytes) for w in loads))
    outstanding = list(dict.fromkeys(f"T{w.threads}/Q{w.depth}" for w in loads))
    kinds = list(dict.fromkeys({0: "SEQ", 100: "RND"}.get(w.random_pct, f"{w.random_pct}% RND") for w in loads))
    return [
        ("pattern", words("header.random_data")),
        ("range", _range(run, test, words)),
        ("stimulus", ", ".join(kinds)),
        ("mixes", _some(mixes)),
        ("blocks", _some(sizes)),
        ("outstanding", _some(outstanding)),
        ("record", _record(phase, words)),
        ("steady", _rounds(run, test, words)),
    ]


def _record(phase: Phase | None, words: Language) -> str:
    holds = [s for s in phase.round if isinstance(s, Hold)] if phase else []
    return _seconds(holds[0].amount, words) if holds else ""


def _some(texts: list[str], most: int = 9) -> str:
    return ", ".join(texts[:most]) + (f" … {texts[-1]}" if len(texts) > most else "")
