"""What is said of a few lost blocks of a sample and of a test that has not ended."""

import msgspec
import pytest

from stend import findings
from stend.base.units import MiB
from stend.findings import Finding
from stend.model.definition import Hold
from stend.model.events import Event, Result
from stend.model.record import Run
from stend.model.verified import Fault, Range, folded, of_blocks
from stend.planning import plan as planning
from stend.sentences import finding_said
from stend.words import LANGUAGES, Language
from tests.synthetic import Truth, events

new = msgspec.structs.replace


def told(every: list[Event], *bad: Range, last: int | None = None) -> list[Finding]:
    """The findings of a test whose first comparison has these bad blocks, and whose results end there or with all."""
    reads = [n for n, e in enumerate(every) if isinstance(e, Result) and e.verified and compares(e)]
    whole: list[Event] = []
    for n, event in enumerate(every[: reads[last] if last else None]):
        if n in reads and isinstance(event, Result) and event.verified:
            whole.append(new(event, verified=new(event.verified, bad=bad if n == reads[0] else ())))
        else:
            whole.append(event)
    return [found for found in findings.find(Run(whole)) if found.name == "media"]


def compares(result: Result) -> bool:
    return isinstance(result.step, Hold) and result.step.workload.read_pct == 100


def said(found: Finding) -> list[str]:
    return [finding_said(found, Language(lang)).replace("\u00a0", " ") for lang in LANGUAGES]


def sample(fault: Fault, blocks: int) -> list[Finding]:
    profile = new(planning.load_profile("enterprise-2.0.2"), quick=True)
    every = events(["media"], Truth(), interval_s=30.0, profile=profile)
    return told(every, of_blocks(fault, 4096, blocks, bits=blocks))


@pytest.mark.parametrize(("blocks", "key"), [(1, "sample_faulty"), (3, "sample_faulty"), (60_000, "sample_lost")])
def test_few_lost_blocks_of_a_sample_are_counted_and_many_are_a_share(blocks: int, key: str) -> None:
    found, *_ = sample("flipped", blocks)
    assert (found.key, found.side) == (key, "con")
    assert not any(whole in text for text in said(found) for whole in ("100%", "100 %", "100\u202f%"))
    if key == "sample_faulty":
        assert (
            f"{blocks} block{'s' if blocks > 1 else ''} of 512 bytes did not return what was written" in said(found)[0]
        )


def test_a_rate_of_three_wrong_bits_has_two_digits() -> None:
    (flips,) = (found for found in sample("flipped", 3) if found.key == "flips")
    assert flips.values["one_in"] == float(f"{flips.values['one_in']:.1e}")


def test_an_unfinished_test_says_no_more_than_that_not_all_of_the_capacity_keeps_its_data() -> None:
    found, *_ = told(events(["media"], Truth(), interval_s=30.0), of_blocks("flipped", 4096, 1, bits=1), last=10)
    assert found.key == "partly_lost"
    assert said(found)[0].endswith("Not all of the 480 GB keeps its data.")


def test_addresses_and_counts_have_groups_of_digits() -> None:
    (dropped,) = (found for found in sample("dropped", 60_000) if found.key == "scattered_dropped")
    english, russian = said(dropped)
    assert english.startswith("60,000 blocks of 512 bytes")
    assert english.endswith("between byte 4,096 and byte 30,724,096.")
    assert russian.startswith("60 000 блоков по 512 байт")
    assert russian.endswith("между байтами 4096 и 30 724 096.")


def test_places_that_a_record_joined_are_a_least_number() -> None:
    """A record lists at most 256 ranges: the nearest of 300 places are joined."""
    bad = folded(of_blocks("unreadable", n * n * MiB, 1) for n in range(300))
    every = events(["media"], Truth(), interval_s=30.0)
    (found,) = (finding for finding in told(every, *bad) if finding.key == "unreadable")
    assert said(found)[0].startswith("300 blocks of 512 bytes could not be read, in at least 256 places between")
    (found,) = (finding for finding in told(every, *bad[-9:]) if finding.key == "unreadable")
    assert "least" not in said(found)[0]
