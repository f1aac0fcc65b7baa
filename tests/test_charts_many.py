"""Charts of sweeps and batches: golden specifications, drawn of drives whose figures are a formula."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from stend.charts import batched, swept
from stend.charts.parts import Picture
from stend.charts.parts.figures import figure_name
from stend.many.batch.acceptance import Written
from stend.many.batch.acceptance import plan as accepting
from stend.many.batch.lot import Drive, Lot
from stend.many.batch.verdict import Batch, judged
from stend.many.compare.differences import Figure
from stend.many.sides import Key
from stend.many.sweep import folder, study
from stend.many.sweep.design import parsed
from stend.many.sweep.study import Study
from stend.model.quantities import QUANTITIES
from stend.words import Language
from tests import pictures as drawn

KEY = Key("write-saturation", "histogram", "window", 100, 0, "4K", 4, 32, 1, "both")
DESIGN = """
title = "A formula"
target = "sim:small"
tests = ["write-saturation"]
drives = 60
figures = ["iops[histogram]", "p99.9[histogram]"]
best = "iops[histogram]"
where = ["p99.9[histogram] < 3 ms"]
[parameters]
"flash.spare_pct" = {from = 7.0, to = 40.0}
"flash.dies" = {from = 4, to = 32, log = true}
"flash.cleaning" = ["greedy", "fifo"]
"""
USUAL = {"flash.spare_pct": 20.0, "flash.dies": 8, "flash.cleaning": "greedy"}
LIMITS = ("iops[iops,4K] > 9k", "p99.9[iops,8K] < 3 ms")


def of_formula(values: dict[str, Any]) -> dict[str, float]:
    """Rates grow with dies and with the spare, which first-in first-out uses badly; responses go the other way."""
    used = values["flash.spare_pct"] * (0.4 if values["flash.cleaning"] == "fifo" else 1.0)
    iops = 1500 * values["flash.dies"] * (1 + used / 20)
    return {"iops": iops, "p99.9": 150 / iops if values["flash.cleaning"] == "greedy" else 250 / iops}


def swept_study(into: Path, text: str = DESIGN) -> Study:
    """What a folder says whose drives have these figures."""
    into.mkdir(parents=True)
    (into / folder.DESIGN).write_text(text)
    lines = folder.Appending(into)
    for point in parsed(text.encode(), into).points():
        figure = KEY._asdict() | dict.fromkeys(QUANTITIES) | of_formula(USUAL | point.values)
        lines.add({"drive": point.number, "values": point.values, "target": "sim:small", "outcome": "complete",
                   "figures": [figure]})  # fmt: skip
    lines.close()
    return study.studied(into)


def drawn_batch(plan: Written | None = None) -> Batch:
    """Twenty-four drives of four figures; the eighth is slow, the twentieth answers late."""
    logs = np.log(10_000) + np.random.default_rng(3).normal(0, 0.02, (24, 4))
    logs[:, 2:] += np.log(2e-7)
    logs[7, :2] -= 0.3
    logs[19, 2:] += 0.6
    figures = [Figure(KEY._replace(test="iops", phase="rounds", block=f"{4 * k}K"), quantity)
               for quantity in ("iops", "p99.9") for k in (1, 2)]  # fmt: skip
    drives = tuple(Drive(f"S{i + 1:02}", (), dict(zip(figures, np.exp(row).tolist(), strict=True)))
                   for i, row in enumerate(logs))  # fmt: skip
    return judged(Lot(drives, tuple(figures), ()), accepting(plan) if plan else None)


def all_pictures(into: Path, lang: str = "en") -> dict[str, list[Picture]]:
    """Those of both rooms."""
    words = Language(lang)
    return {
        "swept": list(swept.pictures(swept_study(into), words, ["virtual"])),
        "batched": list(batched.pictures(drawn_batch(Written(LIMITS, lot=280, aql_pct=0.65)), words, ["shortened"])),
    }


def rounded(value: Any) -> Any:
    """Six digits of each number: what linear algebra gives beyond them is the processor's own."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: rounded(own) for key, own in value.items()}
    return [rounded(own) for own in value] if isinstance(value, list) else value


def golden(pictures: Iterable[Picture]) -> Iterator[tuple[str, str]]:
    """Each chart's name and specification, the first of several alike."""
    found: dict[str, str] = {}
    for picture in pictures:
        found.setdefault(picture.name, drawn.short(rounded(msgspec.to_builtins(picture.spec))))
    yield from found.items()


@pytest.mark.parametrize("room", ["swept", "batched"])
def test_the_specifications_are_the_golden_ones(room: str, tmp_path: Path) -> None:
    place = drawn.FOLDER.parent / room
    assert dict(golden(all_pictures(tmp_path / "sweep")[room])) == {
        path.stem: path.read_text() for path in place.glob("*.json")
    }, "write anew with python -m tests.test_charts_many, and read the diff"


def test_both_languages_draw_the_same_pictures_in_words_of_their_own(tmp_path: Path) -> None:
    english, russian = (all_pictures(tmp_path / lang, lang) for lang in ("en", "ru"))
    for room, own in english.items():
        assert [one.name for one in own] == [one.name for one in russian[room]]
        for one, other in zip(own, russian[room], strict=True):
            assert one.title != other.title
            assert one.says != other.says
            assert {name: len(rows) for name, rows in one.spec["datasets"].items()} == {
                name: len(rows) for name, rows in other.spec["datasets"].items()
            }


def test_the_odd_drives_are_marked_by_name_and_the_others_are_one_kind() -> None:
    (strips,) = batched.pictures(drawn_batch(), Language("en"), [])
    dots = strips.spec["datasets"]["rows"]
    marked = {row["drive"] for row in dots if row["kind"] == row["drive"]}
    assert (strips.name, len(dots), marked) == ("strips", 24 * 4, {"S08", "S20"})
    assert {row["kind"] for row in dots} - marked == {Language("en")("batched.others")}


@pytest.mark.parametrize("drives", [5, 6, 7])
def test_every_drive_of_a_small_lot_is_named_by_its_dot(drives: int) -> None:
    lot = drawn_batch().lot
    batch = judged(Lot(lot.drives[8 : 8 + drives], lot.figures, ()), None)
    (strips,) = batched.pictures(batch, Language("en"), [])
    dots = strips.spec["datasets"]["rows"]
    named = {row["drive"] for row in dots if row["kind"] == row["drive"]}
    assert len(named) == (drives if drives < 7 else 1), "of a larger one the farthest"
    order = "even" if drives < 6 else "far"  # of fewer than six no distance is known
    assert strips.says == Language("en")(f"batched.strips_{order}_says")  # no outlier, no dots that hide each other
    if order == "far":
        assert dots[0]["figure"] == figure_name(batch.distances[0].figure, Language("en"))


def test_the_plans_curve_is_the_chance_of_acceptance_down_to_where_hardly_a_lot_is() -> None:
    plan = Written(LIMITS, sample=20, accept=0)
    curve = next(p for p in batched.pictures(drawn_batch(plan), Language("en"), []) if p.name == "operating")
    rows = curve.spec["datasets"]["rows"]
    assert rows[0] == {"pct": 0, "accepted": 100}
    assert all(row["accepted"] == pytest.approx(100 * (1 - row["pct"] / 100) ** 20, rel=1e-4) for row in rows)
    assert rows[-1]["accepted"] < 2


@pytest.mark.parametrize(
    ("own", "kind", "means"),
    [
        ('"flash.dies" = {from = 4, to = 32}', "quantitative", True),
        ('"flash.cleaning" = ["greedy", "fifo"]', "nominal", False),
    ],
)
def test_a_parameter_alone_has_no_groups_and_one_without_an_order_no_means(
    own: str, kind: str, means: bool, tmp_path: Path
) -> None:
    text = DESIGN.partition("[parameters]")[0] + f"[parameters]\n{own}\n"
    pictures = swept.pictures(swept_study(tmp_path / "sweep", text), Language("en"), [])
    course = next(picture.spec for picture in pictures if picture.name == "course")
    dots = next(layer for layer in course["layer"] if layer["mark"]["type"] == "point")
    assert dots["encoding"]["x"]["type"] == kind
    assert "color" not in dots["encoding"]
    assert bool(course["datasets"]["means"]) == means


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        for room, own in all_pictures(Path(name) / "sweep").items():
            place = drawn.FOLDER.parent / room
            place.mkdir(parents=True, exist_ok=True)
            for chart, text in golden(own):
                (place / f"{chart}.json").write_text(text)
