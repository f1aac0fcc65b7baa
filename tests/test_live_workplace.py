"""The list, comparisons, plans and reports that the server offers, and the dashboard for its metrics."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from stend import devices, store
from stend.base.units import MiB
from stend.cli import main
from stend.findings.look.headline import key_figures
from stend.live import composer
from stend.many import read
from stend.many.compare import compared
from stend.store import writer
from stend.words import Language
from tests.going import Served, elsewhere, serving, whole_and_cut

pytestmark = pytest.mark.together


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = whole_and_cut(tmp_path_factory.mktemp("workplace") / "runs")
    for unit, name in ((2, "other"), (3, "third")):
        asked = ["run", "latency", "--target", f"sim:small?unit={unit}&spread=3", "--quick", "--seed", "8"]
        assert main([*asked, "--label", name, "--into", str(top / name)]) == 0
    return top


@pytest.fixture(scope="module")
def served(runs: Path) -> Iterator[Served]:
    with serving(runs) as served:
        yield served


def names(served: Served, *where: str) -> list[str]:
    status, text = served.ask("/api/runs?" + urlencode([("where", condition) for condition in where]))
    assert status == 200, text
    return sorted(row["run"] for row in json.loads(text))


def test_conditions_choose_as_on_the_command_line(
    served: Served, runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for condition in (
        "label=oth*",
        "outcome=unfinished",
        "outcome!=unfinished",
        "seconds>1",
        "model=SMALL",
        "tests=iops",
    ):
        capsys.readouterr()
        assert main(["list", str(runs), "--json", "--where", condition]) == 0
        assert names(served, condition) == sorted(row["run"] for row in json.loads(capsys.readouterr().out))
    assert names(served, "label=other", "outcome=unfinished") == []
    status, text = served.ask("/api/runs?where=colour%3Dred")
    assert (status, "no column 'colour'" in text) == (409, True)
    narrow = json.loads(served.ask("/api/runs?columns=model&where=label%3Dother")[1])
    assert [row.keys() for row in narrow] == [{"run", "model", "started_s", "outcome", "stamps"}]


def test_a_list_has_the_key_figures_of_its_runs(served: Served, runs: Path) -> None:
    rows = {row["run"]: row for row in json.loads(served.ask("/api/runs?lang=ru")[1])}
    wanted = key_figures(store.load(runs / "whole"))
    assert {name: rows["whole"][name] for name in wanted} == wanted
    assert wanted["write_p999_s"]
    assert all("measure" not in stamp for stamp in rows["whole"]["stamps"])
    assert rows["whole"]["stamps"]


def test_a_run_that_goes_on_is_running_not_unfinished(
    served: Served, runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def stamps() -> str:
        rows = json.loads(served.ask("/api/runs?lang=en&columns=model")[1])
        return " ".join(next(row["stamps"] for row in rows if row["run"] == "cut"))

    assert "unfinished" in stamps()
    (runs / "cut" / writer.OWNER).unlink()
    with writer.sole(runs / "cut", "run"):
        assert "unfinished" not in stamps()
        assert "quick" in stamps()
        assert main(["list", str(runs)]) == 0
    assert "unfinished (running)" in capsys.readouterr().out


def test_a_comparison_has_the_figures_of_stend_compare(served: Served, runs: Path) -> None:
    query = urlencode([("run", "whole"), ("run", "other"), ("run", "third")])
    status, text = served.ask(f"/compared/en?{query}")
    assert status == 200, text
    told = json.loads(text)
    rows = [row for test in told["tests"] for row in test["rows"]]
    for at, name in ((1, "other"), (2, "third")):
        whole = compared(read.named([runs / "whole"], "whole"), read.named([runs / name], name))
        cells = [(row["cells"][0]["value"], row["cells"][at]["value"]) for row in rows if "value" in row["cells"][at]]
        assert sorted(cells) == sorted((each.a, each.b) for each in whole.differences)
    for wrong in ("run=whole", "run=whole&run=whole", "run=whole&run=cut", "&".join(f"run={n}" for n in range(6))):
        assert served.ask(f"/compared/en?{wrong}")[0] == 409
    assert served.ask("/compared/en?run=whole&run=nowhere")[0] == 404
    assert served.ask("/compared/en?run=whole&run=..%2fwhole")[0] == 404


@pytest.mark.parametrize(
    ("test", "options", "flags", "harmless"),
    [
        ("inspect", {}, "", True),
        ("iops", {"verify": True}, " --verify", False),
        ("media", {"quick": True}, " --quick", False),
    ],
)
def test_a_plan_states_whether_the_run_destroys_data(
    test: str, options: dict[str, Any], flags: str, harmless: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "drive.bin"
    path.write_bytes(bytes(16 * MiB))
    drive = devices.find(str(path)).identity
    monkeypatch.setattr(devices, "listing", lambda: [(drive, "")])
    plan = composer.planned(composer.Wish([test], str(path), **options), Language("en"))
    assert plan["command"] == f"stend run {test} --target {path}{flags}"
    assert plan["harmless"] is harmless
    assert bool(plan["write_bytes"]) is not harmless


def test_a_plan_in_the_browser_is_that_of_the_command_line(
    served: Served, runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    choices = json.loads(served.ask("/choices/ru")[1])
    assert "sim:small" in choices["virtual"]
    asked = [("test", "iops"), ("target", "sim:small"), ("depth", "8"), ("label", "a b"), ("quick", "1")]
    status, text = served.ask(f"/plan/en?{urlencode(asked)}")
    assert status == 200, text
    plan = json.loads(text)
    assert plan["command"] == "stend run iops --target sim:small --depth 8 --label 'a b' --quick"
    assert plan["expected_s"] == pytest.approx(sum(test["expected_s"] for test in plan["tests"]))
    assert plan["warnings"], "a shortened run is a deviation"
    before = sorted(runs.iterdir())
    wrong = (
        [("target", "/etc/passwd"), ("test", "iops")],
        [("target", "sim:/etc/passwd.toml"), ("test", "iops")],
        [("target", "sim:small"), ("test", "/etc/study.toml")],
        [("target", "sim:small"), ("test", "iops"), ("profile", "/etc/profile.toml")],
        [("target", "sim:small"), ("test", "iops"), ("depth", "0")],
        [("target", "sim:small"), ("test", "iops"), ("destroy", "x")],
        [("target", "sim:small"), ("test", "iops"), ("de\npth", "1")],
        [("target", "sim:small"), ("test", "replay")],
        [("target", "sim:small")],
    )
    for query in wrong:
        status, text = served.ask(f"/plan/en?{urlencode(query)}")
        assert (status, json.loads(text)["error"].isprintable()) == (409, True), query
        status, text = served.ask(f"/plan/ru?{urlencode(query)}")
        assert status == 409
        assert re.search("[а-я]{4}", json.loads(text)["error"]), text
    assert sorted(runs.iterdir()) == before
    assert served.ask(f"/plan/en?{urlencode(asked)}", method="POST")[0] == 405


REFUSALS = [
    ("/plan/ru?test=iops&target=sim:small&threads=0", "--threads: нужно целое число от 1 до 1024"),
    ("/plan/ru?test=iops&target=sim:small&active_range_pct=0", "--active-range: нужно число от 0,01 до 100"),
    ("/plan/ru?test=iops", "накопитель не выбран; выберите его"),
    ("/plan/en?test=iops&target=sim:small&depth=x", "--depth must be a whole number from 1 to 65536"),
    ("/plan/ru?test=trim&target=sim:sas15k",
     "тест trim на sim:sas15k невозможен: команды TRIM нет (накопитель о ней не сообщает)"),
    ("/plan/ru?test=write-saturation&target=sim:small&verify=1",
     "ни один из этих тестов не заполняет накопитель по порядку; уберите --verify или выберите тест `media`"),
    ("/compared/ru?run=whole", "сравниваются от 2 до 5 прогонов, а не 1; выберите другие"),
    ("/api/runs?lang=ru&where=modle%3Dx", "у прогонов нет столбца «modle»; возможно, «model»?"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "sentence"), REFUSALS, ids=[path for path, _ in REFUSALS])
def test_a_refusal_is_in_the_language_of_the_page(path: str, sentence: str, served: Served) -> None:
    status, text = served.ask(path)
    assert (status, json.loads(text)["error"]) == (409, sentence)


def test_a_server_shows_only_the_runs_that_it_is_started_for(runs: Path) -> None:
    with serving(runs, "--where", "label=other") as served:
        assert names(served) == ["other"]
        assert names(served, "outcome=unfinished") == []
        assert [served.ask(path)[0] for path in ("/run/other", "/run/whole", "/report/whole")] == [200, 404, 404]


def test_a_report_is_given_in_the_language_of_the_page(served: Served, runs: Path) -> None:
    kept = (runs / "whole/report.html").read_bytes()
    assert served.ask("/report/whole")[1] == served.ask("/report/whole?lang=en")[1] == kept.decode()
    status, text = served.ask("/report/whole?lang=ru")
    assert status == 200, text
    assert '<html lang="ru"' in text
    assert (runs / "whole/report.html").read_bytes() == kept, "the server writes nothing below the runs"
    assert served.ask("/report/whole?lang=xx")[0] == 409
    shutil.copytree(runs / "cut", runs / "bare")
    try:
        (runs / "bare/report.html").unlink()
        assert served.ask("/report/bare?lang=en")[0] == 404, "it has not ended"
    finally:
        shutil.rmtree(runs / "bare")


def test_a_dashboard_asks_only_for_metrics_that_are_there(served: Served, runs: Path) -> None:
    board, folder = json.loads(served.ask("/static/grafana.json")[1]), elsewhere(runs)
    families = list(text_string_to_metric_families(served.ask("/metrics")[1]))  # type: ignore[no-untyped-call]
    shutil.rmtree(folder)
    labels = {family.name: {*(name for sample in family.samples for name in sample.labels)} for family in families}
    asked = {}
    for panel in board["panels"]:
        assert {"id", "type", "title", "gridPos", "targets", "fieldConfig"} <= panel.keys()
        for target in panel["targets"]:
            (metric,) = re.findall(r"stend_\w+", target["expr"])
            words = {*re.findall(r"(\w+)=~?\"", target["expr"]), *re.findall(r"{{(\w+)}}", target["legendFormat"])}
            has = labels[metric] or labels["stend_iops"]  # watts have no sample without a meter
            assert words <= has, (panel["title"], words)
            asked[metric] = target
    assert asked.keys() == labels.keys(), "every metric has a panel"
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    assert {one["name"] for one in board["templating"]["list"]} == {"source", "run"}
