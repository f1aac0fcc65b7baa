"""Runs as pages, data and metrics: what is told, and to whom nothing is."""

import hashlib
import json
import shutil
import socket
from collections.abc import Iterator
from http.client import HTTPConnection
from importlib import resources
from pathlib import Path
from urllib.parse import quote

import pytest
from jsonschema import validate
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from stend import store
from stend.cli import main
from stend.words import Language
from tests.going import Served, elsewhere, serving, whole_and_cut
from tests.waits import PATIENCE_S

pytestmark = pytest.mark.together

VENDORED = {
    "uplot.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
    "uplot.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
    "uplot.LICENSE": "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
}
"""uPlot 1.6.32 (MIT), as its authors tagged it."""
EVIL = '<img src=x onerror="document.title=1">'


def scripts() -> list[str]:
    """The scripts of the pages that stend's authors wrote."""
    page = resources.files("stend.live") / "page"
    return [file.read_text() for file in page.iterdir() if file.name.endswith(".js") and file.name != "uplot.js"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return whole_and_cut(tmp_path_factory.mktemp("serve") / "runs")


@pytest.fixture(scope="module")
def served(runs: Path) -> Iterator[Served]:
    with serving(runs) as served:
        yield served


def test_nobody_reads_without_the_token_by_another_name_or_from_another_page(served: Served) -> None:
    host = f"127.0.0.1:{served.port}"
    assert served.ask("/api/runs")[0] == 200
    assert served.ask("/api/runs", token="")[0] == 401
    assert served.ask("/api/runs", token="wrong")[0] == 401
    assert served.ask("/api/runs", token="", cookie="stend=wrong")[0] == 401
    assert served.ask("/api/runs", token="", cookie=f"stend={served.token}")[0] == 200
    assert served.ask("/api/runs", host="evil.example")[0] == 421
    assert served.ask("/api/runs", host="[")[0] in (400, 421)
    assert served.ask("/api/runs", origin="http://evil.example")[0] == 403
    assert served.ask("/api/runs", origin=f"http://{host}")[0] == 200
    assert served.ask("/api/runs", sec_fetch_site="cross-site")[0] == 403
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        assert served.ask("/api/runs", method=method)[0] == 405


@pytest.mark.parametrize(
    ("method", "status", "header", "value"),
    [("GET", 401, "www-authenticate", "Bearer"), ("POST", 405, "allow", "GET, HEAD")],
)
def test_a_refusal_has_the_header_that_rfc_9110_requires(
    method: str, status: int, header: str, value: str, served: Served
) -> None:
    link = HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE_S)
    link.request(method, "/api/runs")
    answer = link.getresponse()
    assert (answer.status, answer.headers[header]) == (status, value)
    link.close()


def test_the_token_leaves_the_address_for_a_cookie_that_no_script_reads(served: Served) -> None:
    for path in ("/run/whole", "//evil.example/"):
        link = HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE_S)
        link.request("GET", f"{path}?lang=ru&token={served.token}")
        answer = link.getresponse()
        assert answer.status == 303
        assert answer.headers["location"] == "/" + path.lstrip("/") + "?lang=ru"
        kept = answer.headers["set-cookie"].partition(";")[0]
        assert served.ask("/api/runs", token="", cookie=kept)[0] == 200
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe-eval" not in policy
        link.close()


def test_nothing_outside_of_the_folder_is_reached(served: Served, runs: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    shutil.copytree(runs / "whole", outside)
    (runs / "link").symlink_to(outside)
    (runs / "half").mkdir(exist_ok=True)
    (runs / "half/events.jsonl").symlink_to(outside / "events.jsonl")
    shutil.copytree(runs / "whole", runs / "lures")
    (runs / "lures/report.html").unlink()
    (runs / "lures/report.html").symlink_to("/etc/passwd")
    try:
        for name in ("link", "half", "../outside", "..%2foutside", "%2e%2e/outside", "/etc", "whole/..", ".", "%00"):
            for verb in ("run", "api/run", "events", "report", "drawn/en"):
                assert served.ask(f"/{verb}/{name}")[0] == 404, (verb, name)
        assert served.ask("/report/lures")[0] == 404
        assert served.ask("/static/..%2f__init__.py")[0] == 404
        assert served.ask("/static/../feed.py")[0] == 404
    finally:
        (runs / "link").unlink()
        shutil.rmtree(runs / "half")
        shutil.rmtree(runs / "lures")


def test_runs_and_a_run_are_told_as_data_by_a_schema(served: Served) -> None:
    rows = {row["run"]: row for row in json.loads(served.ask("/api/runs")[1])}
    assert set(rows) == {"whole", "cut"}
    assert rows["cut"]["now"]["state"] == "cut off"
    assert "now" not in rows["whole"]
    schema = json.loads(served.ask("/api/schema")[1])
    for name in rows:
        validate(json.loads(served.ask(f"/api/run/{name}")[1]), schema)
    assert served.ask("/api/run/nowhere")[0] == 404


def test_a_list_that_is_known_already_is_not_sent_again(served: Served, runs: Path) -> None:
    link = HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE_S)
    link.request("GET", "/api/runs", headers={"authorization": f"Bearer {served.token}"})
    tag = link.getresponse().headers["etag"]
    link.close()
    assert served.ask("/api/runs", if_none_match=tag) == (304, "")
    shutil.copytree(runs / "whole", runs / "one more")
    try:
        status, text = served.ask("/api/runs", if_none_match=tag)
        assert (status, len(json.loads(text))) == (200, 3)
    finally:
        shutil.rmtree(runs / "one more")


def test_metrics_are_what_prometheus_reads_and_a_dead_run_has_no_present_figure(served: Served, runs: Path) -> None:
    folder = elsewhere(runs)
    try:
        status, text = served.ask("/metrics")
    finally:
        shutil.rmtree(folder)
    assert status == 200
    families = {family.name: family for family in text_string_to_metric_families(text)}  # type: ignore[no-untyped-call]
    states = {(s.labels["run"], s.labels["state"]) for s in families["stend_run_state"].samples if s.value}
    assert states == {("cut", "cut off"), ("far", "elsewhere")}
    (iops,) = families["stend_iops"].samples
    assert (iops.labels["run"], iops.labels["drive"]) == ("far", "stend small")
    assert iops.value > 0
    outcome = store.load(runs / "whole").outcome
    assert {s.labels["outcome"]: s.value for s in families["stend_runs"].samples} == {outcome: 1, "unfinished": 2}
    for name, family in families.items():
        assert {s.labels["run"] for s in family.samples if "run" in s.labels} <= {"far"} | (
            {"cut"} if name == "stend_run_state" else set()
        )


def test_a_page_that_comes_back_gets_what_it_lacks_and_a_new_one_gets_all(served: Served, runs: Path) -> None:
    folder = runs / "grows"
    shutil.copytree(runs / "cut", folder)
    (folder / "report.html").unlink()
    try:
        stream = served.stream("/events/grows")
        mark, first = next(stream)
        lines = (runs / "whole/events.jsonl").read_bytes()
        size = (folder / "events.jsonl").stat().st_size
        with (folder / "events.jsonl").open("ab") as file:
            file.write(lines[size:])
        later, more = next(stream)
        stream.close()  # type: ignore[attr-defined]
        points = first["points"][: more.get("start", 0)] + more["points"]  # type: ignore[index]
        (_, whole) = next(served.stream("/events/whole"))
        assert points == whole["points"]
        back = next(served.stream("/events/grows", mark))
        assert back == (later, more)
        assert next(served.stream("/events/grows", "unknown"))[1]["points"] == points
    finally:
        shutil.rmtree(folder)


def test_a_drives_own_words_stay_words(served: Served, runs: Path) -> None:
    folder = runs / "evil"
    shutil.copytree(runs / "whole", folder)
    events = (folder / "events.jsonl").read_text()
    (folder / "events.jsonl").write_text(events.replace("stend small", EVIL.replace('"', '\\"')))
    try:
        assert EVIL not in served.ask("/run/evil")[1]
        assert json.loads(served.ask("/api/run/evil")[1])["drive"].startswith("<img")  # as text, by textContent alone
    finally:
        shutil.rmtree(folder)
    for code in scripts():
        assert not [word for word in ("innerHTML", "insertAdjacent", "document.write", "eval(") if word in code]


def test_phases_are_called_as_in_a_report(served: Served) -> None:
    asked = ["rounds-4k-t8q16", "mix-65", "wait-5", "purge", "nobody's"]
    for lang in ("en", "ru"):
        told = json.loads(served.ask(f"/phases/{lang}?{'&'.join(map(quote, asked))}")[1])
        assert told == {name: Language(lang).phase(name) for name in asked}
        assert told["rounds-4k-t8q16"].endswith("T8 Q16")
    assert served.ask("/phases/xx?purge")[0] == 404


def test_what_finished_phases_show_is_drawn_in_both_languages(served: Served) -> None:
    for lang in ("en", "ru"):
        status, text = served.ask(f"/drawn/{lang}/whole")
        assert status == 200, text
        index = json.loads(text)
        assert index["pictures"]
        assert served.ask(f"/drawn/{lang}/0/whole")[1].startswith("<svg")
        assert served.ask(f"/drawn/{lang}/{len(index['pictures'])}/whole")[0] == 404
    assert served.ask("/drawn/xx/whole")[0] == 404


def test_a_place_where_others_could_listen_is_refused(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", str(runs), "--listen", "0.0.0.0"]) == 2
    assert "--tls-cert" in capsys.readouterr().err
    assert main(["serve", str(tmp_path / "nowhere")]) == 2
    token = tmp_path / "token"
    token.write_text("short")
    token.chmod(0o600)
    assert main(["serve", str(runs), "--token-file", str(token)]) == 2
    token.chmod(0o644)
    assert main(["serve", str(runs), "--token-file", str(token)]) == 2
    assert "chmod 600" in capsys.readouterr().err
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["serve", str(runs), "--port", str(taken.getsockname()[1])]) == 5


@pytest.mark.parametrize("name", VENDORED)
def test_what_others_wrote_is_as_they_wrote_it(name: str) -> None:
    found = (resources.files("stend.live") / "page" / name).read_bytes()
    assert hashlib.sha256(found).hexdigest() == VENDORED[name]


def test_every_word_of_the_pages_is_in_the_catalogue() -> None:
    import re

    from stend.words import phrases

    page = resources.files("stend.live") / "page"
    texts = [*scripts(), *(file.read_text() for file in page.iterdir() if file.name.endswith(".html"))]
    asked = {word for text in texts for word in re.findall(r'(?:word\(|data-word=|card\(|tile\()"([a-z0-9_]+)"', text)}
    assert len(asked) > 80
    assert not [word for word in asked if not word.endswith("_") and f"live.{word}" not in phrases("en")]
