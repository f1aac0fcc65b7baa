"""Words of drives and strangers: data everywhere, and a native library that dies costs one thing alone."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from stend import store
from stend.base import render_process
from stend.base.errors import StepFailed
from stend.base.text import plain, plain_all, plain_lines
from stend.charts import Picture
from stend.cli import main
from stend.model.definition import Identity
from stend.report.parts import drawing
from tests.fuzz.target import unprintable
from tests.still import IDENTITY, StillEngine
from tests.test_run import drawn, play
from tests.test_store import kept

EVIL = "EVIL\x1b[2J\x1b]0;x\x07 \u202eDSS\r\n\x00\udcff1"
PLAIN = r"EVIL\x1b[2J\x1b]0;x\x07 \u202eDSS\x0d\x0a\x00\xff1"


def test_odd_characters_are_written_out_and_nothing_else_is_changed() -> None:
    assert plain(EVIL) == PLAIN
    assert plain(plain(EVIL)) == plain(EVIL)
    assert plain("Ёмкость 480 ГБ, 21 µs — ½ 漢🙂") == "Ёмкость 480 ГБ, 21 µs — ½ 漢🙂"
    assert plain_lines("a\n\tb\x1b") == "a\n\tb\\x1b"
    assert plain_all({"\x1b": [("\u202e",), 7, None]}) == {r"\x1b": [[r"\u202e"], 7, None]}


def test_a_drive_is_known_by_plain_words_wherever_they_come_from() -> None:
    made = msgspec.structs.replace(IDENTITY, model=EVIL, serial=EVIL, facts={"link": EVIL, "doubts": 7})
    assert (made.model, made.serial, made.facts) == (PLAIN, PLAIN, {"link": PLAIN})
    told = msgspec.json.encode({"kind": "x", "target": "x", "path": "x", "capacity_bytes": 1, "model": "a\x1bb"})
    assert msgspec.json.decode(told, type=Identity).model == r"a\x1bb"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run of a drive that calls itself so, its record edited by somebody who wrote such words into all texts."""
    store.create(tmp_path / "run", {"target": "still"}, {"cpu": "none"})
    list(store.append(tmp_path / "run", kept(play(drawn("iops", minute_s=1, rounds=5), StillEngine()))))
    path = tmp_path / "run/events.jsonl"
    evil = msgspec.json.encode(EVIL.replace("\udcff", ""))
    path.write_bytes(path.read_bytes().replace(b'"STILL"', evil).replace(b'"IOPS"', evil).replace(b'"still"', evil))
    return tmp_path / "run"


@pytest.mark.parametrize(
    "words", [["show"], ["show", "--json"], ["list"], ["verify"], ["report"], ["resume"]], ids=" ".join
)
def test_no_verb_writes_such_words_raw_to_the_terminal(
    words: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([*words, str(folder.parent if words == ["list"] else folder)])
    out, err = capsys.readouterr()
    assert out + err
    assert not unprintable(out + err)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["pdf", "markdown", "html", "csv"])
def test_every_format_is_made_of_a_run_with_such_words(
    form: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(folder), "--format", form]) == 0, capsys.readouterr().err
    assert "could not" not in capsys.readouterr().err
    texts = [path.read_text() for path in folder.rglob("*") if path.suffix in (".md", ".svg", ".csv")]
    assert not unprintable("".join(text.replace("\r", "") for text in texts))


@pytest.fixture
def nobody_has_drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whoever draws begins anew: one that has drawn before would have the real libraries."""
    monkeypatch.setattr(drawing, "_KEPT", {})
    yield
    drawing._end()


def dying(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, library: str) -> None:
    """That native library ends its process, as a panic in it does."""
    there = tmp_path / "broken"
    there.mkdir()
    (there / f"{library}.py").write_text("import os\nos.abort()\n")
    monkeypatch.setenv("PYTHONPATH", f"{there}:{os.environ.get('PYTHONPATH', '')}")


@pytest.mark.usefixtures("nobody_has_drawn")
@pytest.mark.slow
def test_a_typesetter_that_dies_costs_the_pdf_alone(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    dying(monkeypatch, tmp_path, "typst")
    assert main(["report", str(folder), "--format", "pdf"]) == 5
    said = capsys.readouterr().err
    assert "the PDF could not be typeset" in said
    assert f"signal {signal.SIGABRT:d}" in said
    assert not list(folder.glob("*.pdf"))
    assert main(["report", str(folder), "--format", "markdown"]) == 0


@pytest.mark.usefixtures("nobody_has_drawn")
def test_charts_that_cannot_be_drawn_are_named_and_the_report_is_made_without_them(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    dying(monkeypatch, tmp_path, "vl_convert")
    assert main(["report", str(folder), "--format", "markdown"]) == 0
    said = capsys.readouterr().err
    pictures = list((folder / "report.files").glob("*.svg"))
    assert said.count("could not be drawn: its library ended by signal 6") == len(pictures) > 0
    assert all("could not be drawn" in picture.read_text() for picture in pictures)


def test_after_a_crash_the_next_thing_is_drawn_by_a_new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    renderer = drawing.Renderer()
    try:
        with pytest.raises(StepFailed, match="KeyError"):
            renderer.render("nothing", "")
        first = renderer.process
        assert first is not None
        os.kill(first.pid, signal.SIGABRT)
        with pytest.raises(StepFailed, match="signal 6"):
            renderer.render("svg", "{}")
        spec = '{"data": {"values": [{"a": 1}]}, "mark": "bar", "encoding": {"x": {"field": "a"}}}'
        assert renderer.render("svg", spec).startswith("<svg")
    finally:
        renderer.close()
    assert render_process.WORK.keys() == {"svg", "png", "layout", "pdf"}


def test_who_has_drawn_draws_again_until_it_is_gone_and_never_for_a_fork() -> None:
    bar = {"data": {"values": [{"a": 1}]}, "mark": "bar", "encoding": {"x": {"field": "a"}}}
    picture = Picture("bar", "Bar", bar, "One bar.")

    def drawn_by() -> int:
        assert drawing.svg(picture).startswith("<svg")
        (kept,) = drawing._kept()
        assert kept.process is not None
        return kept.process.pid

    first = drawn_by()
    assert drawn_by() == first
    if not (child := os.fork()):
        same = True
        try:
            same = drawn_by() == first
        finally:
            os._exit(same)
    assert os.waitpid(child, 0)[1] == 0
    assert drawn_by() == first
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    assert drawn_by() != first
