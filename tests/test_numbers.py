"""Every number in every sentence of a review is found again in the lines of the record (tests/recounted)."""

from functools import cache

import msgspec
import pytest

from stend.model.record import Run
from stend.words import LANGUAGES, decoded, encoded
from tests.recounted.figures import FIGURES
from tests.recounted.record import Record
from tests.recounted.said import Counted, counted
from tests.synthetic import Truth, events

FLASH = ("fresh", "slc-cache", "throughput", "iops", "latency", "latency-curve", "write-saturation", "idle-recovery",
         "composite", "thread-queue-sweep", "profiles", "block-sweep")  # fmt: skip
DISK = ("lba-profile", "hot-range", "cold-warm", "block-sweep", "profiles")
SHEET = {"class": "enterprise", "endurance_dwpd": 0.4, "claimed": {"rand_read_4k": 95000, "rand_write_4k_us": 47}}


@cache
def lines(kind: str) -> tuple[str, ...]:
    """Return the record of a shortened review."""
    truth = Truth() if kind == "flash" else Truth(outer_bps=260e6, inner_bps=120e6, cache_bytes=1e10, cache_speedup=9)
    many = events(FLASH if kind == "flash" else DISK, truth, profile="review", interval_s=10.0, shorten=60, rounds=5)
    whole = msgspec.json.encode(many, enc_hook=encoded).decode()
    return tuple(msgspec.json.encode(one).decode() for one in msgspec.json.decode(whole))


@cache
def run(kind: str) -> Run:
    """Return the run of the record."""
    from stend.model.events import Event

    return Run(msgspec.json.decode(line, type=Event, dec_hook=decoded) for line in lines(kind))


def count(kind: str, lang: str) -> Counted:
    return counted(run(kind), Record(iter(lines(kind))), SHEET, None, lang)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("kind", ["flash", "disk"])
def test_every_number_of_a_review_is_in_its_record(kind: str, lang: str) -> None:
    told = count(kind, lang)
    assert not told.wrong
    assert told.record >= {"flash": 45, "disk": 15}[kind]


@pytest.mark.parametrize("name", ["reads", "fresh_writes", "cache_next", "read_wait"])
def test_a_number_that_the_record_does_not_have_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = FIGURES[name]
    monkeypatch.setitem(FIGURES, name, lambda record: 1.2 * (real(record) or 0.0))
    assert any(name in one for one in count("flash", "en").wrong)
