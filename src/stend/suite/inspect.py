"""Inspection: reads only. Response times by place, slow and unreadable places, then single reads and streams.

A test of stend. The surface is a sample of `survey_minutes`, or every block once if that is 0. Slow stretches are read
a second time beside the whole range, so that a disturbance of some seconds is not taken for a place.
"""

from functools import partial

import msgspec

from stend.base.units import KiB, MiB
from stend.model import surface
from stend.model.definition import Bytes, Hold, Identity, Phase, PlannedTest, Profile, Seconds, Step, Test, Workload
from stend.model.record import Run
from stend.model.workload import Survey
from stend.suite._clauses import random, sequential, span

CELLS, ROUNDS = 512, 5
"""Parts of the range, and rounds of a sample. A killed run loses at most a round."""
SLICES, SLICE_CELLS = 64, 16
"""Parts in which every block is read, each a round."""
SAMPLE_KIB, WHOLE_KIB = 128, 1024
READS, READS_VIRTUAL = 4, 64
"""Reads of a visit; a virtual flash drive costs time for each visit, and its reads are independent."""
AGAIN_S, MOST_AGAIN = 10, 6
"""Seconds of the second look for each slow stretch, and the most stretches."""
SINGLE_S, STREAM_S = 10, 5
STREAM_KIB, STREAM_DEPTH = 128, 32
STREAM_PLACES = (0.0, 0.5, 1.0)
STREAM_BYTES = 1024 * MiB


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return the surface, the second look, single reads at QD1, and streams at three places."""
    minutes = profile.options["survey_minutes"]
    surveyed = _sample(profile, device, minutes) if minutes else _whole(profile, device)
    second = Phase(
        name="again", round=(Hold(workload=_sampled(device), amount=profile.seconds(AGAIN_S)),), choose="slow_again"
    )
    return (
        surveyed,
        second,
        Phase(
            name="single",
            round=(Hold(workload=random(100, 4, 1, 1), amount=profile.seconds(SINGLE_S)),),
            choose="single",
        ),
        Phase(name="stream", round=_streams(profile, device), choose="stream"),
    )


def _sampled(device: Identity) -> Workload:
    reads = READS_VIRTUAL if device.virtual and not device.rotational else READS
    return _survey(random(100, SAMPLE_KIB, 1, 1), Survey(cells=CELLS, reads=reads))


def _survey(load: Workload, survey: Survey) -> Workload:
    return msgspec.structs.replace(load, survey=survey)


def _sample(profile: Profile, device: Identity, minutes: float) -> Phase:
    amount = profile.minutes(minutes / ROUNDS)
    return Phase(name="surface", round=(Hold(workload=_sampled(device), amount=amount),), rounds=ROUNDS)


def _whole(profile: Profile, device: Identity) -> Phase:
    slices = max(min(SLICES, profile.active_range(device) // MiB // SLICE_CELLS), 1)
    return Phase(name="surface", round=(_slice(profile.active_range(device), 1, slices),), rounds=slices,
                 choose="one_slice")  # fmt: skip


def _slice(range_bytes: int, number: int, slices: int) -> Hold:
    """Return the reads of every block of slice `number`, from 1 on. The last slice ends where the range ends."""
    each = range_bytes // slices // MiB * MiB
    size = range_bytes - each * (slices - 1) if number == slices else each
    load = sequential(100, WHOLE_KIB, 1, 1, start_bytes=each * (number - 1), range_bytes=size)
    return Hold(workload=_survey(load, Survey(cells=SLICE_CELLS)), amount=Bytes(bytes=size))


def one_slice(past: Run, test: PlannedTest) -> tuple[Step, ...]:
    """Return the reads of the next slice of the range, or nothing after the last one."""
    planned = test.phase("surface")
    done = len(past.of(test.name, "surface"))
    return (_slice(past.plan.range_bytes, done + 1, planned.rounds),) if done < planned.rounds else ()


def slow_again(past: Run, test: PlannedTest) -> tuple[Step, ...]:
    """Return a survey of the range with every fourth visit to a slow stretch, or nothing if there are none."""
    parts = surface.strips(past.of(test.name, "surface"))
    slow = sorted(surface.bands(parts), key=lambda band: -band.share)[:MOST_AGAIN]
    (usual,) = test.phase("again").holds
    if not slow or not usual.workload.survey or past.of(test.name, "again"):
        return ()
    places = tuple((band.first_bytes, band.end_bytes - band.first_bytes) for band in slow)
    load = _survey(usual.workload, msgspec.structs.replace(usual.workload.survey, places=places))
    seconds = usual.amount.seconds * len(slow) if isinstance(usual.amount, Seconds) else AGAIN_S
    return (Hold(workload=load, amount=Seconds(seconds=seconds)),)


def _streams(profile: Profile, device: Identity) -> tuple[Step, ...]:
    room = max(profile.active_range(device) - STREAM_BYTES, 0)
    places = dict.fromkeys(room * place // KiB * KiB for place in STREAM_PLACES)
    loads = (sequential(100, STREAM_KIB, 1, STREAM_DEPTH, **span(profile, device, at, STREAM_BYTES)) for at in places)
    return tuple(Hold(workload=load, amount=profile.seconds(STREAM_S)) for load in loads)


def _sound(past: Run, test: PlannedTest, name: str) -> tuple[Step, ...]:
    """Return the steps of a phase, or nothing if a read failed before, because fio ends at the first error."""
    failed = surface.surveyed(past.of(test.name)).failed
    return () if failed or past.of(test.name, name) else test.phase(name).round


single, stream = partial(_sound, name="single"), partial(_sound, name="stream")

TEST = Test(
    title="Inspection",
    clause="own",
    phases=phases,
    charts=("surface_map",),
    options={"survey_minutes": 5.0},
    summary="reads only: response times by place, slow and unreadable places, single reads, streams",
    reads=True,
)
