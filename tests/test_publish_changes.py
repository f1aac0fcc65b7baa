"""A site from build to build: embargoes, errata, withdrawn runs, what is made again, and what `--check` finds."""

import datetime
import re
import shutil
from pathlib import Path

import pytest

from stend.base.errors import GATE_FAILED_EXIT_CODE, BadInput
from stend.cli import main
from stend.model.quantities import shape
from stend.publish import ledger
from stend.publish.page import texts as page_texts
from stend.report.parts.markup import unbroken
from stend.words import Language
from tests.labs import run
from tests.test_publish import ALPHA, BETA, DAY, SECRET, build, copied, index, kept, lab, truth

pytestmark = pytest.mark.together


def test_an_embargo_hides_a_drive_until_its_day(tmp_path: Path) -> None:
    runs = copied(tmp_path, "beta", "sim")
    held = lab(tmp_path, '[embargo]\n"Beta 2000" = 2026-12-01\n[ranking]\nvirtual = true\n')
    built = build(runs, tmp_path / "site", held)
    assert built.hidden == {BETA: datetime.date(2026, 12, 1)}
    whole = b"".join(path.read_bytes() for path in (tmp_path / "site").rglob("*") if path.is_file())
    assert b"Beta 2000" not in whole
    assert b"beta-2000" not in whole
    assert build(runs, tmp_path / "site", held, datetime.date(2026, 12, 1)).new == (BETA,)


def test_an_embargo_cannot_hide_what_is_published(tmp_path: Path) -> None:
    runs = copied(tmp_path, "beta")
    build(runs, tmp_path / "site", lab(tmp_path))
    with pytest.raises(BadInput, match="was published on 2026-11-25"):
        build(runs, tmp_path / "site", lab(tmp_path, f'[embargo]\n"{BETA}" = 2026-12-01\n'))


@pytest.mark.parametrize("named", ['logo = "none.png"', 'published = ["none.toml"]'])
def test_a_file_of_the_settings_that_is_not_there_ends_a_build_before_its_first_page(
    tmp_path: Path, named: str
) -> None:
    """A page that was written, of which the ledger does not know, would count as altered by others."""
    with pytest.raises(BadInput, match=r"none\.(png|toml) cannot be read: No such file"):
        build(copied(tmp_path, "beta"), tmp_path / "site", lab(tmp_path, f"{named}\n"))
    assert not list((tmp_path / "site").rglob("*.html"))


def test_a_changed_figure_becomes_an_erratum(tmp_path: Path) -> None:
    runs = copied(tmp_path, "beta")
    build(runs, tmp_path / "site", lab(tmp_path))
    before = ledger.read(tmp_path / "site").drives[BETA]
    shutil.rmtree(runs / "beta")
    run(runs / "beta", truth("Beta 2000", iops=25_000), seed=14)
    checked = build(runs, tmp_path / "site", lab(tmp_path), check=True)
    assert checked.changed
    assert ledger.read(tmp_path / "site").drives[BETA] == before, "a check writes nothing"
    later = DAY + datetime.timedelta(days=3)
    built = build(runs, tmp_path / "site", lab(tmp_path), later)
    errata = built.errata[BETA]
    assert errata == checked.errata[BETA] or [e.figure for e in errata] == [e.figure for e in checked.errata[BETA]]
    one = next(erratum for erratum in errata if erratum.figure.startswith("iops|rounds|window|100|0|4K"))
    assert one.old == before.figures[one.figure].value
    for lang, named in (("en", "28 November 2026"), ("ru", "28 ноября 2026")):
        page = (tmp_path / f"site/{lang}/drives/{BETA}.html").read_text()
        block = page[page.index('id="errata"') :].partition("</section>")[0]
        texts = [Language(lang).show(value, shape("iops")) for value in (one.old, one.new)]
        assert texts[0] != texts[1]
        assert all(f">{text}<" in block for text in texts)
        assert named in block.replace("\u00a0", " ")
        assert unbroken(one.names[lang]) in block
        assert one.run_before in page, "the run of the first figures is withdrawn, which the page says"
    assert f"{len(errata)} figures corrected" in (tmp_path / "site/en/news.xml").read_text()
    assert not build(runs, tmp_path / "site", lab(tmp_path), later).changed


def test_an_address_stays_when_the_last_drive_of_a_page_is_withdrawn(tmp_path: Path) -> None:
    """A reader's link to a ranking, a use or a method must not end: the page states that it has no drive now."""
    for name, model, tests in (("a", "Beta 2000", ("iops", "latency")), ("b", "Alpha 1000", ("iops",))):
        run(tmp_path / "runs" / name, truth(model), seed=1, names=tests)
    site, runs = tmp_path / "site", tmp_path / "runs"
    build(runs, site, lab(tmp_path))
    before = {str(path.relative_to(site)) for path in site.rglob("*.html")}
    shutil.rmtree(runs / "a")
    for days in (1, 2):
        build(runs, site, lab(tmp_path), DAY + datetime.timedelta(days=days))
        assert before <= {str(path.relative_to(site)) for path in site.rglob("*.html")}
    feed = (site / "ru/news.xml").read_text()
    assert re.search("<summary>Прогон [0-9a-f-]+ отозван.</summary>", feed)
    assert "<summary></summary>" not in feed, "a reader of feeds shows the summary alone"
    empty = site / "en/rankings/read_wait.html"
    assert "No drive is ranked here yet." in empty.read_text()
    assert "Beta 2000" not in empty.read_text()
    assert "Beta 2000" not in (site / "ru/methods/latency.html").read_text()
    for listed, lost in (("rankings", "read_wait"), ("methods", "latency")):
        assert f'href="{lost}.html"' not in (site / f"en/{listed}/index.html").read_text()
    other = tmp_path / "other"
    build(runs, other, lab(tmp_path))
    assert not (other / "en/rankings/read_wait.html").exists(), "a first build has no page without a drive"
    assert not (other / "en/methods/latency.html").exists()


def test_a_key_figure_that_the_page_has_no_more_is_an_erratum(tmp_path: Path) -> None:
    for name, seed, tests in (("a", 1, ("iops", "latency")), ("b", 2, ("iops",))):
        run(tmp_path / "runs" / name, truth("Beta 2000", iops=30_000), seed=seed, names=tests)
    build(tmp_path / "runs", tmp_path / "site", lab(tmp_path))
    before = ledger.read(tmp_path / "site").drives[BETA]
    assert "key|read_wait" in before.figures
    built = build(tmp_path / "runs", tmp_path / "site", lab(tmp_path, f'[reviews]\n"{BETA}" = "b"\n'))
    one = next(erratum for erratum in built.errata[BETA] if erratum.figure == "key|read_wait")
    assert (one.old, one.new, one.why) == (before.figures["key|read_wait"].value, None, "run")
    page = (tmp_path / f"site/en/drives/{BETA}.html").read_text()
    assert f'>{one.names["en"]}</th><td class="num">{page_texts(one, Language("en"))[0]}</td><td class="num">–<' in page
    assert all(erratum.new for erratum in built.errata[BETA] if not erratum.figure.startswith("key|"))


def test_a_withdrawn_run_is_said_with_its_reason(tmp_path: Path) -> None:
    runs = copied(tmp_path, "beta")
    build(runs, tmp_path / "site", lab(tmp_path))
    (hash_of,) = ledger.read(tmp_path / "site").drives[BETA].runs
    built = build(runs, tmp_path / "site", lab(tmp_path, f'[withdrawn]\n"{hash_of}" = "the cooler had failed"\n'))
    assert [one.run for one in built.withdrawn[BETA]] == [hash_of]
    page = (tmp_path / f"site/en/drives/{BETA}.html").read_text()
    assert "the cooler had failed" in page
    assert hash_of in page
    assert BETA not in (tmp_path / "site/en/index.html").read_text()
    assert not (tmp_path / f"site/downloads/{BETA}.zip").exists()
    assert "the cooler had failed" in (tmp_path / "site/ru/news.html").read_text()


def test_a_run_that_cannot_be_read_any_more_leaves_its_page(tmp_path: Path) -> None:
    runs = copied(tmp_path, "beta")
    build(runs, tmp_path / "site", lab(tmp_path))
    page = (tmp_path / f"site/en/drives/{BETA}.html").read_bytes()
    (runs / "beta/events.jsonl").write_text("nothing\n")
    built = build(runs, tmp_path / "site", lab(tmp_path))
    assert len(built.broken) == 1
    assert not built.changed
    assert (tmp_path / f"site/en/drives/{BETA}.html").read_bytes() == page


def test_a_run_with_another_firmware_says_so_in_its_row_and_the_others_say_nothing(tmp_path: Path) -> None:
    runs = copied(tmp_path, "beta")
    run(runs / "other", truth("Beta 2000", iops=31_000), seed=14, facts={"firmware": "OTHER-2"})
    run(runs / "again", truth("Beta 2000", iops=30_500), seed=15)
    build(runs, tmp_path / "site", lab(tmp_path))
    for lang in ("en", "ru"):
        words = Language(lang)
        page = (tmp_path / f"site/{lang}/drives/{BETA}.html").read_text().replace("\u00a0", " ")
        assert page.count(words("publish.sample.unlike", settings=words("setting.firmware"))) == 1
        assert page.count(words("publish.sample.unlike", settings="#").partition("#")[0]) == 1


@pytest.mark.parametrize("where", [1, -2])
def test_a_run_that_is_damaged_anywhere_leaves_its_page(tmp_path: Path, where: int) -> None:
    runs = copied(tmp_path, "beta")
    build(runs, tmp_path / "site", lab(tmp_path))
    page = (tmp_path / f"site/en/drives/{BETA}.html").read_bytes()
    events = runs / "beta/events.jsonl"
    lines = events.read_bytes().splitlines(keepends=True)
    lines[where] = b"nothing\n"
    events.write_bytes(b"".join(lines))
    built = build(runs, tmp_path / "site", lab(tmp_path))
    assert len(built.broken) == 1
    assert not built.changed
    assert (tmp_path / f"site/en/drives/{BETA}.html").read_bytes() == page


def test_a_run_whose_record_was_edited_is_named_when_its_page_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = copied(tmp_path, "beta", f"alpha-0-{SECRET}")
    assert main(["publish", str(runs), "--into", str(tmp_path / "site")]) == 0
    assert "was changed" not in capsys.readouterr().out
    events = runs / "beta/events.jsonl"
    lines = events.read_bytes().splitlines(keepends=True)
    lines[9] = lines[9].replace(b'"s":60', b'"s":61')
    assert lines[9] != events.read_bytes().splitlines(keepends=True)[9]
    events.write_bytes(b"".join(lines))
    folder = runs / "beta"
    said = f"{folder}: its record was changed, and it has no place; `stend verify {folder}` lists the damage\n"
    for more in (["--check"], []):
        main(["publish", str(runs), "--into", str(tmp_path / "site"), *more])
        assert capsys.readouterr().out.count(said) == 1


@pytest.mark.parametrize("unreadable", [False, True])
def test_a_run_that_is_gone_leaves_its_page_only_if_another_cannot_be_read(tmp_path: Path, unreadable: bool) -> None:
    runs = copied(tmp_path, f"alpha-0-{SECRET}", f"alpha-1-{SECRET}", "beta")
    build(runs, tmp_path / "site", lab(tmp_path))
    shutil.rmtree(runs / f"alpha-1-{SECRET}")
    if unreadable:
        (runs / "beta/events.jsonl").write_text("nothing\n")
    built = build(runs, tmp_path / "site", lab(tmp_path))
    assert built.remade == (() if unreadable else (ALPHA,))
    assert len(ledger.read(tmp_path / "site").drives[ALPHA].runs) == (2 if unreadable else 1)


def test_a_run_that_has_not_ended_waits(tmp_path: Path) -> None:
    runs = copied(tmp_path, "beta", f"alpha-0-{SECRET}")
    events = runs / "beta/events.jsonl"
    events.write_bytes(b"".join(events.read_bytes().splitlines(keepends=True)[:-1]))
    built = build(runs, tmp_path / "site", lab(tmp_path))
    assert (built.new, built.unfinished, built.broken) == ((ALPHA,), ("beta",), ())


def test_pages_that_the_site_has_no_more_are_removed(tmp_path: Path) -> None:
    runs = copied(tmp_path, "beta")
    build(runs, tmp_path / "site", lab(tmp_path))
    assert (tmp_path / "site/ru/rankings/reads.html").exists()
    (tmp_path / "site/letter.txt").write_text("mine")
    build(runs, tmp_path / "site", lab(tmp_path, 'languages = ["en"]\n'))
    assert not list((tmp_path / "site/ru").rglob("*.html"))
    assert (tmp_path / "site/en/rankings/reads.html").exists()
    assert (tmp_path / "site/letter.txt").exists()


def test_only_what_changed_is_made_again(tmp_path: Path) -> None:
    runs = copied(tmp_path, "beta", f"alpha-0-{SECRET}")
    first = build(runs, tmp_path / "site", lab(tmp_path))
    assert first.new == (ALPHA, BETA)
    assert build(runs, tmp_path / "site", lab(tmp_path)).unchanged == (ALPHA, BETA)
    shutil.copytree(kept() / f"alpha-1-{SECRET}", runs / "another")
    built = build(runs, tmp_path / "site", lab(tmp_path))
    assert (built.remade, built.unchanged) == ((ALPHA,), (BETA,))
    assert index(tmp_path / "site")[ALPHA]["samples"] == 2


def test_a_page_that_someone_edited_is_found_and_made_again(tmp_path: Path) -> None:
    runs = copied(tmp_path, "beta")
    build(runs, tmp_path / "site", lab(tmp_path))
    page = tmp_path / f"site/en/drives/{BETA}.html"
    whole = page.read_bytes()
    page.write_bytes(whole.replace(b"IOPS", b"iops"))
    built = build(runs, tmp_path / "site", lab(tmp_path))
    assert built.altered == (f"en/drives/{BETA}.html",)
    assert page.read_bytes() == whole


def test_check_of_the_command_line_says_what_would_change(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = copied(tmp_path, "beta", f"alpha-0-{SECRET}")
    assert main(["publish", str(runs), "--into", str(tmp_path / "site")]) == 0
    assert main(["publish", str(runs), "--into", str(tmp_path / "site"), "--check"]) == 0
    shutil.rmtree(runs / f"alpha-0-{SECRET}")
    capsys.readouterr()
    assert main(["publish", str(runs), "--into", str(tmp_path / "site"), "--check"]) == GATE_FAILED_EXIT_CODE
    assert f"{ALPHA}: run " in capsys.readouterr().out
    assert not (tmp_path / "site/en/drives" / f"{ALPHA}.html").read_text().count("withdrawn on")
