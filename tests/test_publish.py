"""`stend publish`: what a site shows and what it must not, how it changes, and strangers' runs."""

import datetime
import json
import os
import re
import shutil
import zipfile
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import jsonschema
import msgspec
import pytest

from stend import publish
from stend.base.errors import UNSOUND_EXIT_CODE, BadInput
from stend.cli import main
from stend.many import read
from stend.many.compare import compared
from stend.model.events import MeterFacts
from stend.model.quantities import shape
from stend.publish import Built, figures, ledger, private, schemas
from stend.publish import lab as settings
from stend.report.story.page_one import FIGURES, SHAPES
from stend.words import LANGUAGES, Language
from tests.labs import run
from tests.synthetic import Truth
from tests.test_report import NASTY

pytestmark = pytest.mark.together
DAY = datetime.date(2026, 11, 25)
SECRET = "PLANTED-7Q5Z"
ALPHA, BETA = "alpha-1000-480gb", "beta-2000-480gb"


def truth(model: str, serial: str = "S1", iops: float = 20_000, **more: float) -> Truth:
    return Truth(model=model, serial=serial, steady_iops=iops, **more)  # type: ignore[arg-type]


@cache
def kept() -> Path:
    """Runs of two real drives (three samples of one), a quick one, a virtual one; private facts in all places."""
    top = Path(mkdtemp())
    for number in range(3):
        folder = run(
            top / f"alpha-{number}-{SECRET}",
            truth("Alpha 1000", f"{SECRET}-{number}", 20_000 + 500 * number),
            seed=number + 1,
            host={"hostname": f"{SECRET}.example", "measured": {}},
            manifest={"target": f"/dev/disk/by-id/nvme-{SECRET}", "label": f"label {SECRET}"},
            meters=(MeterFacts(f"file:/home/{SECRET}/watts.csv", f"file {SECRET}"),),
            notes=(f"the operator {SECRET} opened /home/{SECRET}/notes",),
            facts={"wwn": f"eui.{SECRET}", "facts": {"link": "PCIe 4 x4", "in_use": [SECRET], "by_id": SECRET}},
        )
        (folder / "notes.md").write_text(f"Private words of {SECRET}.\n")
        (folder / "drive.toml").write_text(f'price = 100\ncurrency = "EUR"\nowner = "{SECRET}"\nmaker = "Alpha Corp"\n')
        writer = json.dumps({"host": {"name": SECRET, "board": f"board-{SECRET}"}, "place": f"/lab/{SECRET}"})
        (folder / "writer.json").write_text(writer)
    run(top / "beta", truth("Beta 2000", iops=30_000), seed=11)
    run(top / "gamma", truth("Gamma 3000"), seed=12, rounds=5, minute_s=1.0, quick=True)
    run(top / "sim", truth("Virtual 4000"), seed=13, virtual=True)
    return top


def lab(tmp_path: Path, text: str = "") -> settings.Read:
    path = tmp_path / "lab.toml"
    path.write_text(text)
    return settings.read(path)


def folders(top: Path) -> list[Path]:
    return sorted(place.parent for place in top.glob("*/events.jsonl"))


def build(top: Path, site: Path, read_lab: settings.Read, day: datetime.date = DAY, *, check: bool = False) -> Built:
    return publish.build(folders(top), site, read_lab, day, workers=1, check=check)


@cache
def site() -> Path:
    """The site of all runs, with virtual drives."""
    place = Path(mkdtemp())
    build(kept(), place / "site", lab(place, 'address = "https://lab.example"\n[ranking]\nvirtual = true\n'))
    return place / "site"


def index(of: Path, lang: str = "en") -> dict[str, dict[str, object]]:
    entries = ledger.read(of).drives
    return {name: entry.index[lang] for name, entry in entries.items() if entry.index}


def copied(tmp_path: Path, *names: str) -> Path:
    """Some of the runs, to be changed."""
    for name in names:
        shutil.copytree(kept() / name, tmp_path / "runs" / name)
    return tmp_path / "runs"


def test_no_private_fact_is_in_any_file() -> None:
    files = [path for path in site().rglob("*") if path.is_file()]
    assert len(files) > 40
    for path in files:
        assert SECRET not in path.name
        texts = [path.read_bytes()]
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as packed:
                texts += [packed.read(name) for name in packed.namelist()]
        assert not any(SECRET.encode() in text for text in texts), path


def test_a_page_of_a_method_is_there_for_each_test_that_a_drive_has_and_for_no_other() -> None:
    ran = {test for entry in ledger.read(site()).drives.values() for test in entry.tests}
    for lang in LANGUAGES:
        pages = {path.stem for path in (site() / lang / "methods").glob("*.html")}
        assert pages == {*ran, "index"}


def test_the_page_of_a_method_describes_its_test_alone() -> None:
    for path in (site() / "en/methods/iops.html", site() / "en/methods/index.html"):
        assert "sequential access" not in path.read_text()
        assert "random access" in path.read_text()


def test_the_first_page_has_the_key_figures_that_its_drives_have() -> None:
    columns = re.findall(r'data-sort="(\w+)"', (site() / "en/index.html").read_text())
    assert [key for key in columns if key in SHAPES] == ["reads", "read_wait", "writes_filled"]


def test_the_page_of_a_drive_has_its_name_in_the_title() -> None:
    titles = [path.read_text().partition("<title>")[2].partition("<")[0] for path in site().glob("en/drives/*.html")]
    assert len({*titles}) == len(titles) > 2
    assert all(title.startswith(("Alpha 1000", "Beta 2000", "Gamma 3000", "Virtual 4000")) for title in titles)


def test_named_private_facts_are_published(tmp_path: Path) -> None:
    folder = run(tmp_path / "runs/one", truth("Beta 2000", "SER-12345"), manifest={"label": "label-98765"})
    (folder / "notes.md").write_text("Words for all.\n")
    build(tmp_path / "runs", tmp_path / "site", lab(tmp_path, 'public = ["serial", "notes"]\n'))
    page = (tmp_path / f"site/en/drives/{BETA}.html").read_text()
    assert "SER-12345" in page
    assert "Words for all." in page
    assert "label-98765" not in page


def test_a_leak_stops_the_page_not_the_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = copied(tmp_path, f"alpha-0-{SECRET}", "beta")
    monkeypatch.setattr(private, "scrub", lambda run, *_: run)
    built = build(runs, tmp_path / "site", lab(tmp_path))
    assert [one.folder for one in built.broken] == [ALPHA]
    assert "would hold the private text" in built.broken[0].why
    assert list(index(tmp_path / "site")) == [BETA]
    assert not (tmp_path / "site/en/drives" / f"{ALPHA}.html").exists()


def test_only_whole_real_runs_have_a_place_beside_real_ones() -> None:
    drives = index(site())
    assert {name: drive["ranked"] for name, drive in drives.items()} == {
        ALPHA: True,
        BETA: True,
        "gamma-3000-480gb": False,
        "virtual-4000-480gb": True,
    }
    page = (site() / "en/rankings/reads.html").read_text()
    bodies = dict(re.findall(r'<tbody class="(\w+)">(.*?)</tbody>', page, re.DOTALL))
    assert [ALPHA in bodies["real"], BETA in bodies["real"]] == [True, True]
    assert "gamma-3000" in bodies["unranked"]
    assert "virtual-4000" in bodies["virtual"]
    assert "gamma-3000" not in bodies["real"]
    assert "virtual-4000" not in bodies["real"]
    assert "published-" in bodies["reference"]
    russian = (site() / "ru/rankings/reads.html").read_text()
    assert "SN150 1,6\u00a0ТБ" in russian
    assert "SN150 1.6" not in russian


def test_virtual_drives_are_hidden_unless_the_lab_shows_them(tmp_path: Path) -> None:
    runs = copied(tmp_path, "beta", "sim")
    built = build(runs, tmp_path / "site", lab(tmp_path))
    assert built.virtual == 1
    assert list(index(tmp_path / "site")) == [BETA]
    assert not any("virtual-4000" in path.name for path in (tmp_path / "site").rglob("*"))


def test_a_required_profile_is_required(tmp_path: Path) -> None:
    runs = copied(tmp_path, "beta")
    build(runs, tmp_path / "site", lab(tmp_path, '[ranking]\nprofile = "client-2.0.2"\n'))
    assert not index(tmp_path / "site")[BETA]["ranked"]
    assert "client-2.0.2" in str(index(tmp_path / "site")[BETA]["why_not"])


def test_figures_are_those_of_compare_to_the_digit(tmp_path: Path) -> None:
    runs = kept()
    first, second = (read.named([runs / name]) for name in (f"alpha-2-{SECRET}", "beta"))
    whole = compared(first, second)
    assert len(whole.differences) > 10
    for lang in ("en", "ru"):
        words = Language(lang)
        rows = [details(site(), lang, name)["rows"] for name in (ALPHA, BETA)]
        by_id = [{row["id"]: row for row in of} for of in rows]
        for difference in whole.differences:
            name = "|".join((*map(str, difference.key), difference.quantity))
            for value, known in zip((difference.a, difference.b), by_id, strict=True):
                assert known[name]["value"] == value
                assert known[name]["shown"] == words.show(value, shape(difference.quantity))


def script(of: Path, lang: str, drive: str) -> str:
    text = (of / lang / "data/drives" / f"{drive}.js").read_text()
    return text.removeprefix("stendDrive(").rstrip().removesuffix(");")


def details(of: Path, lang: str, drive: str) -> dict[str, list[dict[str, object]]]:
    told: dict[str, list[dict[str, object]]] = json.loads(script(of, lang, drive))
    return told


def test_a_published_drive_of_another_lab_can_be_compared_with_its_source() -> None:
    told = json.loads(script(site(), "ru", "published-sn150"))
    assert told["figures"].keys() >= {"reads", "writes"}
    assert "True System" in told["review"]["stamps"][0]
    assert any(chart["kind"] == "iops_levels" for chart in told["charts"])
    assert "published-sn150" in (site() / "ru/data/index.js").read_text()


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", FIGURES)
def test_a_table_shows_each_key_figure_in_one_unit(name: str, lang: str) -> None:
    words = Language(lang)
    scale = {"lat": 1e-6 if name in figures.IN_US else 1e-3, "mbs": 1e6, "gib": 2**30}.get(FIGURES[name], 1.0)
    text, unit = figures.bare(name, 250 * scale, words), figures.unit_of(name, words)
    assert (text, bool(unit)) == ("250", True), "a new shape needs its unit"


def test_every_published_figure_names_its_run() -> None:
    data = json.loads((site() / f"data/drives/{ALPHA}.json").read_text())
    hashes = {one["hash"] for one in data["runs"]}
    page = (site() / f"en/drives/{ALPHA}.html").read_text()
    assert len(hashes) == 3
    assert all(f'id="run-{one}"' in page for one in hashes)
    assert {figure["run"] for figure in (*data["figures"], *data["key_figures"].values())} == {data["review"]}


def test_the_data_has_its_schema() -> None:
    for name, place in (("index", "data/index.json"), ("drive", f"data/drives/{ALPHA}.json")):
        schema = schemas.every()[name]
        assert json.loads((site() / f"data/schema/{name}.schema.json").read_text()) == json.loads(
            msgspec.json.encode(schema)
        )
        jsonschema.validate(json.loads((site() / place).read_text()), schema)


def test_links_lead_to_files_of_the_site() -> None:
    for page in site().rglob("*.html"):
        for link in re.findall(r'(?:href|src)="([^"]*)"', page.read_text()):
            place = link.partition("#")[0]
            if not place or place.startswith(("https://lab.example", "data:")):
                continue
            assert "//" not in place, (page, link)
            assert (page.parent / place).is_file(), (page, link)


def test_a_strangers_markup_stays_text(tmp_path: Path) -> None:
    top = tmp_path / "runs"
    strange = run(top / "strange", truth(NASTY, NASTY), facts={"firmware": NASTY, "interface": NASTY})
    (strange / "drive.toml").write_text(f"maker = '''{NASTY}'''\ncurrency = '''{NASTY}'''\nprice = 1\n")
    (strange / "review.md").write_text(f"Text {NASTY} [link](javascript:alert(1)) <b>bold</b>\n")
    build(top, tmp_path / "site", lab(tmp_path))
    for path in (tmp_path / "site").rglob("*.html"):
        text = path.read_text()
        assert "<img src=x" not in text
        assert "<script>alert" not in text
        assert "<b>bold" not in text
        assert 'href="javascript' not in text
    for path in (tmp_path / "site").rglob("*.xml"):
        assert "<script>" not in path.read_text()
    name = next(iter(index(tmp_path / "site")))
    assert re.fullmatch(r"[a-z0-9-]+", name)


def test_links_and_absurd_runs_are_left_out_with_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    top, outside = copied(tmp_path, "beta"), tmp_path / "outside"
    shutil.copytree(kept() / "gamma", outside)
    (top / "outer").symlink_to(outside)
    (top / "linked").mkdir()
    (top / "linked/events.jsonl").symlink_to(outside / "events.jsonl")
    shutil.copytree(kept() / "sim", top / "absurd")
    events = top / "absurd/events.jsonl"
    events.write_bytes(re.sub(rb'"capacity_bytes":\d+', b'"capacity_bytes":-5', events.read_bytes()))
    shutil.copytree(kept() / "beta", top / "photo")
    events = top / "photo/events.jsonl"
    events.write_bytes(events.read_bytes().replace(b"Beta 2000", b"Zeta 5000"))
    (top / "photo/drive.toml").write_text('photo = "shot.png"\n')
    (outside / "shot.png").write_bytes(b"\x89PNG\r\n\x1a\n" + SECRET.encode())
    (top / "photo/shot.png").symlink_to(outside / "shot.png")
    code = main(["publish", str(top), "--into", str(tmp_path / "site")])
    told = capsys.readouterr()
    assert code == UNSOUND_EXIT_CODE
    assert "1 new" in told.out
    lines = [line for line in told.err.splitlines() if line.startswith("left out")]
    assert len(lines) == 4, told.err
    assert any("is a link" in line for line in lines)
    whole = b"".join(path.read_bytes() for path in (tmp_path / "site").rglob("*") if path.is_file())
    assert SECRET.encode() not in whole
    assert list(index(tmp_path / "site")) == [BETA]


def test_a_folder_of_something_else_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site/letter.txt").write_text("mine")
    with pytest.raises(BadInput, match="is not empty and has no"):
        build(kept(), tmp_path / "site", lab(tmp_path))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('name = "x"\ncolor = "#fff"\n', r"lab.toml, line 2: there is no setting 'color'; did you mean 'colours'"),
        ("[ranking]\nvirtuel = true\n", r"line 2: there is no setting 'virtuel'; did you mean 'virtual'"),
        ('public = ["serial",\n "everything"]\n', r"line 2"),
        ('languages = ["en", "xx"]\n', r"line 1: there is no language 'xx'"),
        ('[embargo]\n"A" = "tomorrow"\n', r"line 2"),
        ("name = \n", r"line 1"),
        ('logo = "x.exe"\n', r"line 1: the logo must be"),
    ],
)
def test_wrong_settings_are_one_sentence_with_the_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        lab(tmp_path, text)


@pytest.mark.parametrize("name", ["accent", "accent_dark"])
def test_a_lab_may_set_one_of_its_colours(tmp_path: Path, name: str) -> None:
    publish.build(
        folders(kept())[:1], tmp_path / "site", lab(tmp_path, f'[colours]\n{name} = "#123456"\n'), DAY, workers=1
    )
    page = (tmp_path / "site/en/index.html").read_text()
    assert "--accent: #123456" in page
    assert ("prefers-color-scheme: dark) { :root { --accent" in page) is (name == "accent_dark")


def test_processes_make_the_same_site(tmp_path: Path) -> None:
    held = 'address = "https://lab.example"\n[ranking]\nvirtual = true\n'
    publish.build(folders(kept()), tmp_path / "site", lab(tmp_path, held), DAY, workers=2)
    for path in site().rglob("*"):
        if path.is_file() and path.name != "published.json":
            assert (tmp_path / "site" / path.relative_to(site())).read_bytes() == path.read_bytes(), path
    assert os.listdir(tmp_path / "site")


@pytest.mark.parametrize("name", ["../outside.html", "/etc/outside.html"])
@pytest.mark.parametrize("of_drive", [True, False])
def test_a_ledger_that_names_files_outside_the_site_is_refused(tmp_path: Path, name: str, of_drive: bool) -> None:
    entry = ledger.Entry("k", "drive", DAY, DAY, "0", files={name: "00"} if of_drive else {})
    ledger.write(tmp_path, ledger.Ledger(drives={"drive": entry}, files=() if of_drive else (name,)))
    with pytest.raises(BadInput, match="outside the site"):
        ledger.read(tmp_path)


@pytest.mark.parametrize("name", ["en", "data", "assets"])
def test_no_link_leads_out_of_the_site(tmp_path: Path, name: str) -> None:
    shutil.copytree(site(), tmp_path / "site")
    shutil.move(tmp_path / "site" / name, tmp_path / "strangers")
    (tmp_path / "site" / name).symlink_to(tmp_path / "strangers")
    before = {path: path.read_bytes() for path in (tmp_path / "strangers").rglob("*") if path.is_file()}
    with pytest.raises(BadInput, match="leads out of the site by a link"):
        publish.build(folders(kept())[:1], tmp_path / "site", lab(tmp_path, 'name = "Another"\n'), DAY, workers=1)
    assert {path: path.read_bytes() for path in (tmp_path / "strangers").rglob("*") if path.is_file()} == before


def test_two_builds_of_one_site_are_never_at_work_together(tmp_path: Path) -> None:
    with ledger.alone(tmp_path / "site"):
        with pytest.raises(BadInput, match="another `stend publish` is building"):
            publish.build(folders(kept())[:1], tmp_path / "site", settings.Read(), DAY, workers=1)
        assert publish.build(folders(kept())[:1], tmp_path / "site", settings.Read(), DAY, workers=1, check=True).new
    publish.build(folders(kept())[:1], tmp_path / "site", settings.Read(), DAY, workers=1)
    (tmp_path / "file").write_text("precious")
    with pytest.raises(BadInput, match="is not a folder"):
        publish.build(folders(kept())[:1], tmp_path / "file", settings.Read(), DAY, workers=1)
    assert (tmp_path / "file").read_text() == "precious"


def test_a_first_build_that_was_killed_can_be_repeated(tmp_path: Path) -> None:
    (tmp_path / "site/en").mkdir(parents=True)
    ledger.begin(tmp_path / "site")
    (tmp_path / "site/en/.index.html-123.part").write_text("half")
    publish.build(folders(kept())[:1], tmp_path / "site", settings.Read(), DAY, workers=1)
    assert not list((tmp_path / "site").rglob("*.part"))
    assert (tmp_path / "site/en/index.html").exists()
