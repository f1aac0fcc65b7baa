"""XML of diskspd (`-Rxml`): counts of every thread and target, and a hundred percentiles."""

from collections.abc import Iterator
from itertools import starmap, zip_longest
from xml.etree.ElementTree import Element

from stend.base.errors import BadInput
from stend.imports import numbers, xml
from stend.imports.diskspd_text import MS, Settings, lacks, ran, reported, tally, workload
from stend.imports.given import Given
from stend.imports.taken import Load, Taken, drive, short
from stend.model.counts import Counts
from stend.model.tally import PERCENTS, Tally
from stend.words import Sentence

TOOL = "diskspd"
PROFILE_TARGET = "Profile/TimeSpans/TimeSpan/Targets/Target"
WAYS = {"read": "ReadMilliseconds", "write": "WriteMilliseconds", "both": "TotalMilliseconds"}


def claims(given: Given) -> bool:
    """Return True if it has results with a time span."""
    return not given.folder and "<Results>" in given.head[:4000] and b"<TimeSpan>" in given.data


def read(given: Given) -> Taken:
    """Return one load per time span, with the settings of the profile's time span at the same place.

    Raise BadInput without any time span.
    """
    root = xml.tree(given.data)
    spans, profiles = root.findall("TimeSpan"), root.findall("Profile/TimeSpans/TimeSpan")
    if root.tag != "Results" or not spans:
        raise BadInput("it holds no <TimeSpan> of results")
    loads = tuple(starmap(_load, zip_longest(spans, profiles[: len(spans)])))
    path = root.findtext(f"{PROFILE_TARGET}/Path") or root.findtext("TimeSpan/Thread/Target/Path") or ""
    run = root.findtext("System/RunTime") or ""
    return Taken(
        tool=TOOL,
        version=short(root.findtext("System/Tool/Version") or ""),
        loads=loads,
        notes=(*lacks(loads), *_cached(root)),
        at=numbers.at(run.removesuffix(" UTC"), "%Y/%m/%d %H:%M:%S"),
        drive=drive(path),
    )


def _number(element: Element, path: str) -> float:
    return numbers.number(element.findtext(path)) or 0.0


def _load(span: Element, profile: Element | None) -> Load:
    seconds = ran(_number(span, "TestTimeSeconds"))
    waits = _percentiles(span)
    slowest = next((bucket for percent, bucket in _buckets(span) if percent == 100), None)
    longest = {way: 0.0 if slowest is None else max(_number(slowest, tag), 0.0) * MS for way, tag in WAYS.items()}
    read, write = (_tally(span, way, longest[way.lower()]) for way in ("Read", "Write"))
    counts = Counts(seconds, 0, read, write)
    load, unknown = workload(_settings(profile, span), counts)
    return Load(load, counts, reported(counts, waits, unknown))


def _tally(span: Element, way: str, longest_s: float) -> Tally:
    targets = span.findall("Thread/Target")
    ios, size = (sum(_number(target, f"{way}{what}") for target in targets) for what in ("Count", "Bytes"))
    return tally(ios, size, _number(span, f"Latency/Average{way}Milliseconds") * MS, longest_s)


def _buckets(span: Element) -> Iterator[tuple[float, Element]]:
    for bucket in span.findall("Latency/Bucket"):
        percent = numbers.number(bucket.findtext("Percentile"))
        if percent is not None:
            yield percent, bucket


def _percentiles(span: Element) -> dict[str, dict[str, float]]:
    names = {percent: name for name, percent in PERCENTS.items()}
    percentiles_s: dict[str, dict[str, float]] = {way: {} for way in WAYS}
    for percent, bucket in _buckets(span):
        for way, tag in WAYS.items():
            if percent in names:
                percentiles_s[way][names[percent]] = _number(bucket, tag) * MS
    return percentiles_s


def _settings(profile: Element | None, span: Element) -> Settings:
    """Return the settings of the first target. If targets of a time span differ, block size and access are unknown."""
    targets = [] if profile is None else profile.findall("Targets/Target")
    if not targets:
        return Settings(None, None, None, None, 0)
    first = targets[0]
    equal = len({(t.findtext("BlockSize"), t.find("Random") is None, t.findtext("RequestCount")) for t in targets}) == 1
    threads = numbers.whole(span.findtext("ThreadCount")) or numbers.whole(first.findtext("ThreadsPerFile")) or 1
    share = numbers.whole(first.findtext("RandomRatio"))
    random = share if share is not None else 100 if first.find("Random") is not None else 0
    return Settings(
        numbers.whole(first.findtext("BlockSize")) if equal else None,
        random if equal else None,
        numbers.whole(first.findtext("RequestCount")) or 2,
        threads,
        numbers.whole(first.findtext("FileSize")) or 0,
    )


def _cached(root: Element) -> Iterator[Sentence]:
    targets = root.findall(PROFILE_TARGET)
    if any((target.findtext("DisableOSCache") or target.findtext("DisableAllCache")) != "true" for target in targets):
        yield Sentence("imported.cached")
