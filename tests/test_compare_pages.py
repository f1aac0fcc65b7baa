"""`stend compare` as a user meets it: folders, sides, names, pages in both languages, exit codes."""

import json
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

from stend.base.errors import GATE_FAILED_EXIT_CODE, GATE_UNDECIDED_EXIT_CODE
from stend.base.units import GiB
from stend.charts.overlay import KINDS, pictures
from stend.cli import main
from stend.many import read
from stend.many.compare import Comparison, compared
from stend.report.parts import Stamps, Table
from stend.report.parts import compared as pages
from stend.report.parts.versus import versus
from stend.report.parts.written import stamped
from stend.words import LANGUAGES, Language
from tests.sides import folder
from tests.synthetic import Truth
from tests.test_report import NASTY, TYPST, Page

pytestmark = pytest.mark.together
TESTS = ("iops", "write-saturation", "idle-recovery", "latency", "profiles")
FEW = {
    "rounds": 6,
    "shorten": 40,
    "tests": {
        "iops": {"mixes": [100, 65, 0], "blocks_kib": [128, 8, 4]},
        "latency": {"mixes": [0], "blocks_kib": [4]},
    },
}


@cache
def runs() -> Path:
    """Two firmwares, three runs each, the second a tenth slower when worn."""
    top = Path(mkdtemp())
    for firmware, level in (("old", 20_000), ("new", 18_000)):
        for number in range(3):
            truth = Truth(
                capacity_bytes=8 * GiB,
                steady_iops=level * (1 + number / 200),
                read_iops=300_000 * (1 + number / 300),
                read_bps=2e9 * (1 + number / 250),
                write_bps=1.5e9 * (1 + number / 220),
                model=NASTY if firmware == "new" else TYPST,
            )
            seed = 2 * number + (firmware == "new")
            folder(top / firmware / str(number), seed=seed, truth=truth, names=TESTS, label=firmware, **FEW)
    return top


@cache
def both() -> Comparison:
    first, second = (read.named([runs() / name]) for name in ("old", "new"))
    return compared(*read.with_names(first, second))


def told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = main(["compare", *arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return code, out + err


def test_folders_of_runs_are_sides_and_are_named_after_what_tells_them_apart(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, said = told([str(runs() / "old"), str(runs() / "new")], capsys)
    assert code == 0
    assert said.startswith("old (3) | new (3)")
    assert "random write, IOPS" in said
    assert "RND" not in said
    assert "worse" in said


def test_the_order_of_sides_and_dashes_between_them_count(capsys: pytest.CaptureFixture[str]) -> None:
    old, new = ([str(runs() / name / str(n)) for n in range(3)] for name in ("old", "new"))
    rule = ["--fail-if", "iops[write-saturation,saturated] < -3%"]
    assert told([*old, "--", *new, *rule], capsys)[0] == GATE_FAILED_EXIT_CODE
    assert told([*new, "--", *old, *rule], capsys)[0] == 0
    assert told([old[0], "--", new[0], *rule], capsys)[0] == GATE_UNDECIDED_EXIT_CODE
    assert told([old[0], "--", new[0], *rule, "--undecided", "pass"], capsys)[0] == 0
    assert told([old[0], new[0], *rule, "--noninferior"], capsys)[0] == GATE_FAILED_EXIT_CODE


@pytest.mark.parametrize(
    "arguments",
    [
        ["{old}"],
        ["{old}", "--"],
        ["{old}", "--", "{new}", "--", "{old}"],
        ["{old}", "{old}"],
        ["{old}", "/nowhere"],
        ["{old}", "{new}", "--fail-if", "iops < 3"],
        ["{old}", "{new}", "--fail-if", "iops[9K] < 3%"],
        ["{old}", "{new}", "--rules", "/nowhere.toml"],
        ["{old}", "{new}", "--undecided", "pass"],
        ["{old}", "{new}", "--undecided", "maybe", "--fail-if", "iops < 3%"],
        ["{old}", "{new}", "--junit", "x.xml"],
        ["{old}", "{new}", "--format", "csv"],
        ["{old}", "{new}", "--lang", "xx"],
        ["{old}", "{new}", "--side-name", "one"],
        ["{old}", "{new}", "--side-name", "one", "--side-name", "one"],
        ["{old}", "{new}", "--threshold", "x"],
    ],
)
def test_bad_input_is_one_sentence(
    arguments: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = {name: str(runs() / name / "0") for name in ("old", "new")}
    code, said = told([word.format(**names) for word in arguments], capsys)
    assert code == 2
    assert said.splitlines()[-1].startswith("stend: ")
    assert not list(tmp_path.iterdir())


def test_runs_below_a_folder_are_grouped_by_what_one_asks(capsys: pytest.CaptureFixture[str]) -> None:
    places = [str(runs() / name) for name in ("new", "old")]
    for by, first in (("label", "old (3) | new (3)"), ("folder", "old (3) | new (3)")):
        code, said = told([*places, "--by", by], capsys)
        assert code == 0
        assert said.startswith(first)
    alone = [str(runs() / name / str(number)) for name in ("new", "old") for number in range(3)]
    assert told([*alone, "--by", "label"], capsys)[1].startswith("old (3) | new (3)")
    turned = told([*places, "--by", "label", "--side", "new", "--side", "old"], capsys)[1]
    assert turned.startswith("new (3) | old (3)")


@pytest.mark.parametrize(
    "more",
    [
        ["--by", "colour"],
        ["--by", "firmware"],
        ["--by", "label", "--side", "old"],
        ["--by", "label", "--side", "old", "--side", "newest"],
        ["--by", "label", "--side", "old", "--side", "old"],
        ["--side", "old"],
        ["--by", "label", "--", "x"],
    ],
)
def test_groups_that_are_no_two_sides_are_refused(more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, said = told([str(runs() / "old"), str(runs() / "new"), *more], capsys)
    assert code == 2
    assert said.startswith("stend: ")
    assert more != ["--by", "firmware"] or "`stend report`" in said


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_chart_that_lays_sides_over_each_other_is_drawn(lang: str) -> None:
    drawn = list(pictures(both(), Language(lang), lambda test: ["stamp"]))
    assert {picture.name for picture in drawn} == {kind.__name__.rpartition(".")[2] for kind in KINDS}
    for picture in drawn:
        assert picture.spec["title"]["subtitle"] == ["stamp"]
        assert all(picture.spec["datasets"].values()), picture.name


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_is_whole_and_harmless_and_tells_settings_before_figures(tmp_path: Path, lang: str) -> None:
    (path,) = pages.write(both(), None, ["html"], lang, tmp_path)
    page = Page(path.read_text())
    assert not page.misplaced
    assert not any("onerror" in attributes for _, attributes in page.elements)
    anchors = [attributes.get("id") for tag, attributes in page.elements if tag == "h2" and attributes.get("id")]
    assert anchors.index("settings") < anchors.index("charts") < anchors.index("test-iops")
    words = Language(lang)
    assert words("setting.model") in page.text
    assert words("verdict.worse") in page.text


def test_stamps_of_every_run_are_given_once_below_the_table() -> None:
    def table(whole: Comparison) -> Table:
        section = next(section for section in versus(whole, None, "en", drawn=False).every if section.anchor == "runs")
        return next(block for block in section.blocks if isinstance(block, Table))

    whole, words = both(), Language("en")
    stamps = [words.translated(stamp) for stamp in whole.a.runs[0].stamps]
    assert stamps
    assert not [stamp for stamp in stamps if stamp in str(table(whole).rows)]
    assert not [stamp for stamp in stamps if stamp not in table(whole).note]
    plain = whole.a.runs[0]._replace(stamps=())
    other = whole._replace(a=whole.a._replace(runs=(plain, *whole.a.runs[1:])))
    assert table(other).note == ""
    assert [row[-1] == "–" for row in table(other).rows] == [True] + [False] * 5


def test_the_first_screen_has_the_stamps_of_the_charts_and_says_that_a_drive_is_virtual_if_one_is() -> None:
    def stamps(whole: Comparison) -> list[Stamps]:
        return [b for b in versus(whole, None, "en", drawn=False).every[0].blocks if isinstance(b, Stamps)]

    whole = both()
    real = whole.a.runs[0]._replace(settings={**whole.a.runs[0].settings, "virtual": ""}, stamps=())
    sides = (whole.a._replace(runs=(real,)), whole.b._replace(runs=(real,)))
    of_charts = tuple(stamped(whole.runs, Language("en")))
    assert of_charts
    assert [block.texts for block in stamps(whole)] == [of_charts, (Language("en")("stamp.virtual"),)]
    assert not stamps(whole._replace(a=sides[0], b=sides[1]))


@pytest.mark.slow
def test_pdf_and_markdown_say_the_same(tmp_path: Path) -> None:
    (pdf,) = pages.write(both(), None, ["pdf"], "ru", tmp_path)
    assert pdf.read_bytes().startswith(b"%PDF")
    text, *drawings = pages.write(both(), None, ["markdown"], "en", tmp_path)
    doc = versus(both(), None, "en", drawn=False)
    for section in doc.every:
        assert f"## {section.title}" in text.read_text()
    assert drawings
    assert all(drawing.read_text().startswith("<svg") for drawing in drawings)


def test_json_holds_every_figure_with_its_interval_and_the_rules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [str(runs() / "old"), str(runs() / "new"), "--format", "json", "--into", str(tmp_path)]
    code, _ = told([*arguments, "--fail-if", "iops[iops,4K,0/100] < -3%", "--junit", str(tmp_path / "g.xml")], capsys)
    assert code == GATE_FAILED_EXIT_CODE
    found = json.loads((tmp_path / "comparison.json").read_text())
    assert len(found["differences"]) == len(both().differences)
    (gated,) = found["rules"]["figures"]
    assert gated["answer"] == "failed"
    own = [d for d in found["differences"] if d["key"] == gated["figure"]["key"] and d["quantity"] == "iops"]
    assert own[0]["ratio"] == gated["figure"]["ratio"] == pytest.approx(0.9, rel=0.02)
    assert own[0]["low"] < own[0]["ratio"] < own[0]["high"] < 0.97
    assert (tmp_path / "g.xml").exists()


def test_reads_and_writes_of_a_profile_are_told_apart() -> None:
    ways = {d.key.direction for d in both().differences if d.key.test == "profiles" and d.quantity == "iops"}
    assert ways == {"both", "read", "write"}


def test_only_one_of_the_two_asked_for_more_than_the_other(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    truth = Truth(capacity_bytes=8 * GiB)
    for number in range(2):
        folder(tmp_path / str(number), seed=50 + number, truth=truth, names=("fresh",))
    code, said = told([str(runs() / "old"), str(tmp_path)], capsys)
    assert code == 0
    assert "no figure in common" in said


def test_what_did_not_finish_is_the_reason_before_other_tests(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name in ("cut", "whole"):
        assert main(["run", "latency", "--quick", "--target", "sim:small", "--into", str(tmp_path / name)]) == 0
    events = (tmp_path / "cut/events.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "cut/events.jsonl").write_bytes(b"".join(events[:5]))
    _, said = told([str(tmp_path / "cut"), str(tmp_path / "whole")], capsys)
    assert "no figure in common, and runs of A did not finish" in said
