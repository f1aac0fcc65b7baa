"""Published figures of the user: merged, checked, shown as rivals; names of the drives of a page."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from stend.base.errors import BadInput, LeftOut
from stend.cli import main
from stend.findings.look.grounds import Because
from stend.model import publications
from stend.model.published import figure, published
from stend.model.record import Run
from stend.report.parts import Keys, Uses
from stend.report.parts.compare import labels
from stend.report.story import rivals, together
from stend.report.story.telling import story
from stend.words import LANGUAGES, Language
from tests.synthetic import Truth, made

ABOUT = '[x1.about]\ntitle = "Example X1"\nclass = "nvme-server"\nsource = "A magazine"\ndate = 2024-05-17\n'
GOOD = (
    ABOUT + '[x1.iops]\n"4K 100" = 900000\n[x1.throughput_mb]\n"128K 100" = 6500\n[x1.saturation]\nend = [1000, 3000]\n'
)


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_files_of_the_folder_and_of_the_command_line_are_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    written(tmp_path / "stend/published/a.toml", GOOD)
    more = written(tmp_path / "b.toml", GOOD.replace("x1", "x2"))
    known = publications.known([more])
    assert set(known) == {*published(), "x1", "x2"}
    assert [figure(known["x2"], name) for name in ("reads", "seq_read", "writes")] == [900_000, 6.5e9, 2000]
    assert known["x1"]["about"]["source"] == "A magazine, 17 May 2024"
    assert rivals.side("published:x1", known).name == "Example X1"
    assert "Example X1" in {side.name for side in rivals.reference([made("fresh", shorten=60)])}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no drive"),
        ("x", "cannot be used"),
        (GOOD.replace("x1", "sn150"), "taken"),
        (GOOD.replace("date = 2024-05-17\n", ""), "date"),
        (GOOD.replace('source = "A magazine"\n', ""), "source"),
        (GOOD.replace("nvme-server", "nvme"), "class"),
        (GOOD.replace("4K 100", "4K 101"), "no cell '4K 101'"),
        (GOOD.replace("900000", "-1"), "iops"),
        (GOOD.replace("900000", '"many"'), "iops"),
        (GOOD.replace("900000", "inf"), "iops"),
        (GOOD.replace("[1000, 3000]", "[1000, 1e300]"), "saturation"),
        (GOOD.replace("[1000, 3000]", "[1000]"), "saturation"),
        (GOOD + "[x1.speed]\na = 1\n", "speed"),
        (GOOD + "[x1.steps]\nfirst = 2000\n", "together"),
        (GOOD.replace("x1", '"X 1"'), "not a name"),
    ],
)
def test_a_wrong_file_is_one_sentence_with_its_name(text: str, said: str, tmp_path: Path) -> None:
    file = written(tmp_path / "rivals.toml", text)
    with pytest.raises(BadInput) as refused:
        publications.known([file])
    assert said in str(refused.value)
    assert "rivals.toml" in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_several_runs_are_named_ranked_and_judged_each_on_page_one(lang: str) -> None:
    runs = [made("fresh", "iops", truth=Truth(read_iops=rate), shorten=60, rounds=5) for rate in (200_000.0, 600_000.0)]
    page = story([(None, run, {}) for run in runs], [], lang, names=("Old", "New"))
    assert page.title == "Old · New" + Language(lang)("story.models", n=2)
    verdicts, figures, *_ = page.lead.tables
    assert [cells[0] for cells in verdicts.rows] == ["Old", "New"]
    assert figures.head[1:3] == ("Old", "New")
    assert not [block for block in page.lead.blocks if isinstance(block, Uses | Keys)]
    before = Language(lang)("together.standing", listed=Language(lang)("together.of_both_runs"))[:-1]
    assert page.lead.title.startswith(f"{before}: "), "shortened runs are no measurements and are not ranked"


def test_the_best_by_a_figure_is_the_highest_rate_and_the_shortest_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """But not a rate that still fell when the run ended: it may end below the others."""
    own = {"A": {"reads": 100.0, "read_wait": 2.0}, "B": {"reads": 300.0, "read_wait": 3.0}, "C": {"reads": 200.0}}
    own["A"] |= {"writes": 50.0, "start": 60.0}
    own["B"] |= {"writes": 40.0, "start": 70.0}
    bounds = {"A": {"writes": Because("falling")}, "B": {"start": Because("falling")}, "C": {}}
    known = {name: SimpleNamespace(bounds=bounds[name], figures=own[name], unusable={}) for name in own}
    reviews: Any = {
        name: SimpleNamespace(verdict=SimpleNamespace(known=of), figures=of.figures) for name, of in known.items()
    }
    monkeypatch.setattr(together, "usable", lambda review: review.verdict.known.figures)
    monkeypatch.setattr(together, "_unlike_state", lambda figure, reviews: False)
    monkeypatch.setattr(together, "repeated", lambda reviews: False)
    monkeypatch.setattr(together, "_figures", lambda reviews: ["reads", "read_wait", "writes", "start"])
    told = {one.figure: (one.first, one.second, one.gain) for one in together.leads(reviews)}
    assert told == {"reads": ("B", "C", 1.5), "read_wait": ("A", "B", 1.5)}
    bounds["A"].clear()
    assert {one.figure for one in together.leads(reviews)} == {"reads", "read_wait", "writes"}


@pytest.mark.parametrize(
    ("models", "names"),
    [
        (["HGST Ultrastar SN150 HUSPR3216AHP301", "KINGSTON SKC2000M8500G"], ["HGST Ultrastar SN150", None]),
        (["OCZ Saber 1000 SB1CSK31MT570-0480", "OCZ Saber 1000 SB1CSK31MT570-0960"], [None, None]),
        (["OCZ Saber 1000 SB1CSK31MT570-0480"], [None]),
        (["Seagate ST600MX0052", "Example N1 16TB"], [None, None]),
    ],
)
def test_models_that_differ_are_named_without_part_numbers(models: list[str], names: list[str | None]) -> None:
    runs = []
    for model in models:
        run = made("fresh", shorten=60)
        plan = msgspec.structs.replace(run.plan, device=msgspec.structs.replace(run.plan.device, model=model))
        run.started[0] = msgspec.structs.replace(run.started[0], plan=plan)
        runs.append(run)
    assert labels(runs) == [name or model for name, model in zip(names, models, strict=True)]


def test_equal_models_are_named_by_what_differs() -> None:
    runs = [made("fresh", shorten=60) for _ in range(2)]
    model = runs[0].plan.device.model
    assert labels(runs) == [f"{model} (1)", f"{model} (2)"]
    assert labels(runs, ["Old"]) == ["Old", model]
    plan = msgspec.structs.replace(runs[1].plan, device=msgspec.structs.replace(runs[1].plan.device, firmware="9.9"))
    runs[1].started[0] = msgspec.structs.replace(runs[1].started[0], plan=plan)
    assert labels(runs)[1] == f"{model} (9.9)"


def changed_run(label: str, of_device: dict[str, Any], of_profile: dict[str, Any]) -> Run:
    run = made("fresh", shorten=60)
    device = msgspec.structs.replace(run.plan.device, model="OCZ Saber 1000 SB1CSK31MT570-0480", **of_device)
    profile = msgspec.structs.replace(run.plan.profile, **of_profile)
    plan = msgspec.structs.replace(run.plan, device=device, profile=profile)
    run.started[0] = msgspec.structs.replace(run.started[0], plan=plan, label=label)
    return run


HOT = {"virtual": True, "target": "sim:small?thermal.kelvin_per_w=9&seed=4&thermal.limit_c=80"}


@pytest.mark.parametrize(
    ("runs", "names", "lang"),
    [
        ([("", {}, {}), ("", {}, {"active_range_pct": 70})], ["active range 100%", "active range 70%"], "en"),
        ([("", {}, {}), ("", {}, {"active_range_pct": 70})], ["диапазон 100 %", "диапазон 70 %"], "ru"),
        ([("before", {}, {}), ("after", {}, {"active_range_pct": 70})], ["before", "after"], "en"),
        ([("", {}, {}), ("", HOT, {})], [None, "thermal.kelvin_per_w=9, thermal.limit_c=80"], "en"),
        ([("", {}, {"name": "usual"}), ("", {}, {"name": "own"})], ["usual", "own"], "en"),
        (
            [("", {}, {}), ("", {}, {}), ("", {}, {"active_range_pct": 70})],
            ["active range 100%, 1", "active range 100%, 2", "active range 70%"],
            "en",
        ),
        (
            [("", {"capacity_bytes": 480 * 10**9}, {}), ("", {"capacity_bytes": 96 * 10**10}, {})],
            ["480 GB", "960 GB"],
            "en",
        ),
        ([(name, {}, {}) for name in ("a", "a", "b", "b")], ["a, 1", "a, 2", "b, 1", "b, 2"], "en"),
    ],
)
def test_runs_of_one_model_are_named_by_label_drive_or_setting(
    runs: list[Any], names: list[str | None], lang: str
) -> None:
    shown = labels([changed_run(*run) for run in runs], (), Language(lang))
    due = [f"OCZ Saber 1000 ({name})" if name else "OCZ Saber 1000" for name in names]
    assert [name.replace("\u00a0", " ") for name in shown] == due


def test_a_folder_of_figures_that_cannot_be_read_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name that is too long fails for root too, whom permissions do not stop."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ("x" * 300)))
    with pytest.warns(LeftOut, match="cannot be read by this user"):
        assert publications.known() == published()
    run = ["run", "fresh", "--target", "sim:small", "--quick", "--into", str(tmp_path / "run")]
    assert main(run) == 0
    assert main(["report", str(tmp_path / "run"), "--format", "html", "--format", "markdown"]) == 0
    assert capsys.readouterr().err.count("left out: the published figures") == 2, "once per command"
    assert (tmp_path / "run/report.md").exists()


def test_a_file_of_figures_that_this_user_may_not_read_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    written(tmp_path / "stend/published/a.toml", GOOD)
    barred = written(tmp_path / "stend/published/b.toml", GOOD.replace("x1", "x2"))
    monkeypatch.setattr(os, "access", lambda file, mode: file != barred)
    with pytest.warns(LeftOut, match=f"{barred} cannot be read by this user"):
        assert set(publications.known()) == {*published(), "x1"}
