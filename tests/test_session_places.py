"""Places of a session that are arithmetic: the order of a series, intervals, common paths and disturbance."""

import hashlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from stend import store
from stend.base.errors import BadInput
from stend.devices.telling.shared import Part, Shared
from stend.session import Request, engine
from stend.session.series import Series, create, ended, load, of_run
from stend.session.together import arrange
from stend.session.together.trial import Moved

ONE, TWO = (Request(["iops"], f"sim:small?seed={n}", seed=10) for n in (1, 2))


@pytest.mark.parametrize(
    ("requests", "order", "seeds"),
    [
        ((ONE,), ["a-01", "a-02", "a-03"], [10, 11, 12]),
        ((ONE, TWO), ["a-01", "b-01", "b-02", "a-02", "a-03", "b-03"], [10, 11, 13, 12, 14, 15]),
        ((msgspec.structs.replace(ONE, seed=None),), ["a-01", "a-02", "a-03"], [None, None, None]),
    ],
)
def test_every_other_turn_is_reversed_and_seeds_do_not_depend_on_the_order(
    requests: tuple[Request, ...], order: list[str], seeds: list[int | None], tmp_path: Path
) -> None:
    slots = list(Series(3, requests).slots(tmp_path))
    assert [slot.folder.name for slot in slots] == order
    assert [slot.request.seed for slot in slots] == seeds
    assert [(slot.number, slot.of) for slot in slots] == [(n, len(order)) for n in range(1, len(order) + 1)]
    assert [slot.request.into for slot in slots] == [str(tmp_path / name) for name in order]
    assert not any(slot.begun for slot in slots)


@pytest.mark.parametrize(
    ("target", "turn", "run"),
    [
        ("sim:small?spread=3", 2, "sim:small?spread=3&run=2"),
        ("sim:small?spread=3&run=7", 2, "sim:small?spread=3&run=7"),
        ("sim:small?seed=3", 2, "sim:small?seed=3"),
        ("/data/spread=3", 2, "/data/spread=3"),
    ],
)
def test_only_a_virtual_drive_with_a_spread_is_another_one_in_each_run(target: str, turn: int, run: str) -> None:
    assert of_run(target, turn) == run
    series = Series(2, (Request(["iops"], target),))
    assert [slot.request.target for slot in series.slots(Path("x"))] == [of_run(target, 1), of_run(target, 2)]


@pytest.mark.parametrize(
    ("repeats", "count", "sound"),
    [(1, 1, False), (2, 1, True), (1000, 2, True), (1001, 1, False), (2, 0, False), (2, 3, False)],
)
def test_a_series_has_two_to_a_thousand_runs_of_one_or_two_drives(
    repeats: int, count: int, sound: bool, tmp_path: Path
) -> None:
    create(tmp_path / "x", Series(repeats, (ONE, TWO, ONE)[:count]))
    if sound:
        assert load(tmp_path / "x") == Series(repeats, (ONE, TWO, ONE)[:count])
    else:
        with pytest.raises(BadInput, match="the series"):
            load(tmp_path / "x")


def test_a_series_begins_in_a_new_or_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    create(tmp_path / "empty", Series(2, (ONE,)))
    with pytest.raises(BadInput, match=r"is not empty; `stend resume .*` continues it"):
        create(tmp_path / "empty", Series(2, (ONE,)))
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x").touch()
    with pytest.raises(BadInput, match="is not empty; name a new one with --into"):
        create(tmp_path / "full", Series(2, (ONE,)))


def test_a_folder_of_a_run_that_never_started_is_deleted_and_other_files_are_not(tmp_path: Path) -> None:
    series = Series(2, (ONE,))
    store.create(tmp_path / "a-01", {}, {})
    assert ended(tmp_path / "a-01") is None
    assert ended(tmp_path / "a-02") is None
    assert [(slot.folder.name, slot.begun) for slot in series.left(tmp_path)] == [("a-01", False), ("a-02", False)]
    assert not (tmp_path / "a-01").exists()


@pytest.mark.parametrize(
    ("minute_s", "interval_s"),
    [(60.0, 1.0), (5.0, 1.0), (4.0, 0.8), (1.0, 0.2), (0.5, 0.1), (0.2, 0.1), (86_400.0, 1.0)],
)
def test_an_interval_is_a_second_or_a_fifth_of_a_short_minute_and_a_tenth_of_a_second_at_least(
    minute_s: float, interval_s: float
) -> None:
    assert engine._interval_s(minute_s) == pytest.approx(interval_s)


def shared(*targets: str) -> Shared:
    return Shared(Part("bridge", "0000:01", 0), targets, 1.0)


def test_drives_of_a_common_path_are_in_one_lane_directly_or_through_others() -> None:
    lanes = arrange._lanes(["a", "b", "c", "d", "e"], [shared("b", "c"), shared("c", "d")])
    assert lanes["b"] == lanes["c"] == lanes["d"]
    assert len({lanes[name] for name in "abe"}) == 3
    assert lanes["a"] == hashlib.blake2b(b"a", digest_size=6).hexdigest()
    assert lanes["b"] == hashlib.blake2b(b"b", digest_size=6).hexdigest()
    assert len(lanes["a"]) == 12


@pytest.mark.parametrize(
    ("ratio", "words"), [(1.0, "+0.0"), (1.021, "+2.1"), (0.5, "-50.0"), (2.0, "+100.0"), (0.99949, "-0.1")]
)
def test_a_ratio_is_written_as_a_signed_change_in_percent(ratio: float, words: str) -> None:
    assert arrange._percent(ratio) == words


def test_the_load_that_moved_most_is_stated_by_its_rate_or_its_tail() -> None:
    calm = Moved("a", "reads", (0.98, 1.0), (1.02,))
    for other, key, worst in (
        (Moved("a", "writes", (0.85, 0.95)), "moved_rate", "writes"),
        (Moved("a", "writes", (1.0, 1.0), (3.0,)), "moved_tail", "writes"),
        (Moved("a", "writes", (1.0, 1.0)), "moved_tail", "reads"),
    ):
        said = arrange._disturbance([calm, other], 5.0, alone=False)
        assert (said.key, said.values["load"], said.values["s"], said.values["n"]) == (key, worst, 5.0, 2)
    said = arrange._disturbance([calm], 5.0, alone=True)
    assert said.key == "moved_in_turn"
    inner: Any = said.values["moved"]
    assert (inner.values["pct"], inner.values["low"], inner.values["high"]) == ("-1.0", "-2.0", "+0.0")
    assert inner.values["tail"] == "+2.0"


@pytest.mark.parametrize(
    ("part", "own", "key", "values"),
    [
        (Part("bridge", "b"), 0.0, "shared", {}),
        (Part("bridge", "b", 4e9), 16e9, "shared_price", {"rate": 4.0, "pct": 25}),
        (Part("bridge", "b", 9e9), 10e9, "shared_price", {"rate": 9.0, "pct": 90}),
        (Part("bridge", "b", 4e9), 4e9, "shared_rate", {"rate": 4.0}),
        (Part("bridge", "b", 4e9), 0.0, "shared_rate", {"rate": 4.0}),
        (Part("bridge", "b", 3.94e9), 3e9, "shared_rate", {"rate": 3.9}),
    ],
)
def test_a_shared_path_is_stated_with_its_rate_and_its_price(
    part: Part, own: float, key: str, values: dict[str, float]
) -> None:
    said = arrange.shared_path(Shared(part, ("x", "y"), own))
    assert said.key == key
    assert said.values == {"drives": ["x", "y"], "kind": "bridge", "name": "b"} | values


class Carried:
    """Trials whose answers are given: whether the host carries the drives, one by one."""

    def __init__(self, *carries: bool, refused: tuple[str, ...] = ()) -> None:
        self.carries, self.refused, self.asked = list(carries), refused, list[list[str]]()

    def __call__(self, some: Any) -> Any:
        self.asked.append([request.target for request in some])
        refused = {target: "in use" for target in self.refused if target in self.asked[-1]}
        return SimpleNamespace(carried=self.carries.pop(0), refused=refused)


@pytest.mark.parametrize(
    ("given", "carries", "refused", "lanes", "asked"),
    [
        ("112", [True], (), "", ["abc"]),
        ("112", [False, True], (), "112", ["abc", "ac"]),
        ("112", [False, False], (), "all", ["abc", "ac"]),
        ("111", [False], (), "all", ["abc"]),
        ("123", [False], (), "all", ["abc"]),
        ("", [False], (), "", ["abc"]),
        ("112", [False], ("c",), "all but c", ["abc"]),
        ("112", [False], ("b", "c"), "", ["abc"]),
    ],
)
def test_a_trial_decides_which_drives_run_at_the_same_time(
    given: str, carries: list[bool], refused: tuple[str, ...], lanes: str, asked: list[str]
) -> None:
    """All at once if the host carries them, else one of each lane if it carries those, else one after another."""
    requests, measured = [Request(["iops"], name) for name in "abc"], Carried(*carries, refused=refused)
    chosen, trials = arrange._tried(requests, dict(zip("abc", given, strict=False)), measured)
    assert ["".join(sorted(names)) for names in measured.asked] == asked
    expected = dict(zip("abc", lanes, strict=False)) if lanes.isdigit() else {}
    expected |= {name: "all" for name in "abc" if lanes.startswith("all") and name not in refused}
    assert chosen == expected
    assert len(trials) == (2 if lanes.isdigit() else 1)
