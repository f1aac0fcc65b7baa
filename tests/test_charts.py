"""Charts: their specifications are golden; page, PDF and picture files are drawn from the same ones."""

import json
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from stend import charts, suite
from stend.charts import Picture
from stend.model.events import Telemetry
from stend.model.record import Run
from stend.report import html
from stend.report.parts.drawing import svgs
from stend.report.parts.made import page
from tests import pictures
from tests.synthetic import events, made

TESTS = suite.names()
VIRTUAL = re.compile(r"NaN|undefined|Infinity|\[object")
BAND = {"low", "high"}
"""A band is drawn where its points have these."""
pytestmark = pytest.mark.together


@pytest.mark.parametrize("name", charts.names())
def test_the_specification_is_the_golden_one(name: str) -> None:
    path = pictures.FOLDER / f"{name}.json"
    assert pictures.golden().get(name) == path.read_text(), (
        "write anew with python -m tests.pictures, and read the diff"
    )


@pytest.mark.parametrize("test", TESTS)
def test_every_picture_shows_the_columns_and_figures_that_it_showed(test: str) -> None:
    drawn = [pictures.outline(picture) for picture in pictures.pictures(test)]
    assert drawn == json.loads(pictures.OUTLINES.read_text())[test]


def test_no_golden_is_left_over() -> None:
    assert sorted(path.stem for path in pictures.FOLDER.glob("*.json")) == charts.names()


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("test", TESTS)
def test_every_chart_has_data_axes_with_titles_and_a_sentence(test: str, lang: str) -> None:
    drawn = pictures.pictures(test, lang)
    assert drawn, f"{test} has no chart"
    assert len({picture.title for picture in drawn}) == len(drawn)
    for picture in drawn:
        assert all(picture.spec["datasets"].values()), picture.name
        assert picture.says
        for encoding in encodings(picture.spec):
            for channel in ("x", "y"):
                axis = encoding.get(channel, {})
                assert axis.get("title", True) or axis["type"] in ("nominal", "ordinal"), (picture.name, axis)
        columns = {name for rows in picture.spec["datasets"].values() for row in rows for name in row}
        unknown = set(fields(picture.spec)) - columns - set(made_fields(picture.spec)) - BAND
        assert not unknown, (picture.name, unknown, columns)


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("test", TESTS)
def test_block_sizes_have_their_unit_in_the_words_of_the_page(test: str, lang: str) -> None:
    for picture in pictures.pictures(test, lang):
        texts = [text for rows in picture.spec["datasets"].values() for row in rows for text in row.values()]
        assert [text for text in texts if isinstance(text, str) and re.search(r"\d[Kk]\b", text)] == [], picture.name


def fields(spec: object) -> Iterator[str]:
    """The columns of data that an encoding shows, in tooltips too."""
    for encoding in encodings(spec):
        for channel in encoding.values():
            for one in channel if isinstance(channel, list) else [channel]:
                if isinstance(one, dict) and "field" in one:
                    yield str(one["field"])


def made_fields(spec: object) -> Iterator[str]:
    """The columns that a transform adds."""
    for one in spec if isinstance(spec, list) else spec.values() if isinstance(spec, dict) else ():
        yield from made_fields(one)
    if isinstance(spec, dict) and "as" in spec:
        yield from [spec["as"]] if isinstance(spec["as"], str) else spec["as"]


def encodings(spec: object) -> list[dict[str, dict[str, object]]]:
    """Every encoding in a specification, however deep; inner layers inherit what they do not say."""
    if isinstance(spec, list):
        return [found for one in spec for found in encodings(one)]
    if not isinstance(spec, dict):
        return []
    inner = [found for key, one in spec.items() if key != "datasets" for found in encodings(one)]
    own = spec.get("encoding")
    return [own, *inner] if isinstance(own, dict) and "layer" not in spec else inner


def test_phases_that_differ_in_threads_alone_are_told_apart() -> None:
    run = made("throughput", profile="review", interval_s=30.0, shorten=60, rounds=5)
    titles = [picture.title for picture in charts.of(run, run.plan.tests[0])]
    assert len(titles) == len(set(titles)) > 15


@pytest.fixture(scope="module")
def drawings() -> dict[str, list[tuple[Picture, str]]]:
    """The pictures of every test with what is drawn of them, at once: a process that draws takes a second to begin."""
    every = pictures.every()
    drawn = zip(every, svgs([picture for _, picture in every]), strict=True)
    found: dict[str, list[tuple[Picture, str]]] = {test: [] for test in TESTS}
    for (test, picture), drawing in drawn:
        found[test].append((picture, drawing))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS)
def test_every_chart_can_be_drawn_and_shows_its_data(test: str, drawings: dict[str, list[tuple[Picture, str]]]) -> None:
    assert len(drawings[test]) == len(pictures.pictures(test)) > 0
    for picture, drawing in drawings[test]:
        marks = re.findall(r'<(?:path|rect|circle|line|text)[^>]*aria-label="[^"]+: ', drawing)
        assert marks or drawing.count("<path") > 3, picture.name
        assert not VIRTUAL.search(re.sub(r"<style.*?</style>", "", drawing, flags=re.S)), picture.name


@pytest.mark.slow
def test_the_page_draws_the_very_specifications_that_the_files_are_drawn_from(tmp_path: Path) -> None:
    run = pictures.run_of("iops")
    source = html.rendered(page([(None, run, {})], "en", "pts"))
    inlined = re.findall(r'<script type="application/json">(.*?)</script>', source, re.S)
    expected = [json.loads(json.dumps(picture.spec)) for picture in charts.of(run, run.plan.tests[0])]
    assert [json.loads(text) for text in inlined] == expected


def test_time_in_which_the_drive_was_throttled_is_shaded() -> None:
    told = events(["write-saturation"], profile="review", interval_s=60.0, tests={"write-saturation": {"minutes": 60}})
    hotter = [
        Telemetry(t=e.t, values=e.values | {"throttled": 1}) if isinstance(e, Telemetry) and 930 < e.t < 1530 else e
        for e in told
    ]
    run = Run(hotter)
    (test,) = run.plan.tests
    plain, hot = ([p for p in charts.of(r, test, "en", {}) if p.name == "saturation"] for r in (Run(told), run))
    assert not any("hot" in p.spec["datasets"] for p in plain)
    for picture in hot:
        (span,) = picture.spec["datasets"]["hot"]
        assert (span["from"] * 60, span["to"] * 60) == pytest.approx((900, 1500), abs=1)
        assert "Shaded" in picture.says


def test_every_golden_specification_fits_the_schema_of_vega_lite() -> None:
    """The schema is Vega-Lite's own, as Altair (a tool of tests alone) carries it; it knows every property."""
    schema = json.loads((resources.files("altair") / "vegalite/v6/schema/vega-lite-schema.json").read_text())
    judge = Draft7Validator(schema)
    for name in sorted(pictures.golden()):
        spec = json.loads(pictures.golden()[name])
        spec["datasets"] = {key: [] for key in spec["datasets"]}
        assert judge.is_valid(spec), name
    wrong = {**json.loads(pictures.golden()["convergence"]), "mark": {"type": "line", "strokeWdith": 2}}
    wrong["datasets"] = {}
    assert not judge.is_valid(wrong)


@pytest.mark.parametrize("name", TESTS)
def test_every_chart_that_a_test_names_exists(name: str) -> None:
    """A record may name a chart that no longer exists, so a page leaves an unknown one out without a word."""
    assert set(suite.load(name).charts) <= set(charts.names())
