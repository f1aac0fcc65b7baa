"""The drive sheet: kept with the run, on every page, refused in a sentence."""

import base64
import shutil
from pathlib import Path

import pytest

from stend.cli import main
from tests.test_cli import refused

Capture = pytest.CaptureFixture[str]


def test_a_drive_sheet_is_put_beside_the_run_or_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, sheet = tmp_path / "run", tmp_path / "sheet.toml"
    quick = ["run", "slc-cache", "--quick", "--target", "sim:small", "--into", str(folder)]
    assert main(quick) == 0
    capsys.readouterr()
    sheet.write_text("price = ")
    assert "drive sheet" in refused(["report", str(folder), "--sheet", str(sheet)], 2, capsys)
    assert not (folder / "drive.toml").exists()
    sheet.write_text("price = 90\n")
    assert "has a price without a currency; add one" in refused(
        ["report", str(folder), "--sheet", str(sheet)], 2, capsys
    )
    assert not (folder / "drive.toml").exists()
    sheet.write_text('price = 90\ncurrency = "USD"\nendurance_tbw = 300\npeers = ["nobody"]\n')
    assert main(["report", str(folder), "--sheet", str(sheet), "--format", "markdown"]) == 0
    text = (folder / "report.md").read_text()
    assert "3.33 TB written for each USD" in text
    assert "no published figures of nobody" in text.replace("\\", "")
    assert main(["report", str(folder), "--sheet", str(folder / "drive.toml")]) == 0  # it may be there already


@pytest.fixture(scope="module")
def rehearsed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sheet") / "run"
    assert main(["run", "fresh", "--quick", "--target", "sim:small", "--into", str(folder)]) == 0
    return folder


@pytest.mark.parametrize(
    ("photo", "content", "told"),
    [
        ("drive.png", None, "No such file"),
        ("drive.png", b"<svg onload='alert(1)'/>", "neither PNG nor JPEG"),
        ("drive.svg", b"<svg/>", "PNG or JPEG"),
        ("events.jsonl", b"\x89PNG\r\n\x1a\n", "PNG or JPEG"),
        ("drive.jpg", b"\xff\xd8\xff" + bytes(8 << 20), "8 MiB"),
        (7, b"", "PNG or JPEG"),
    ],
    ids=["missing", "svg inside", "svg", "of the record", "too large", "a number"],  # no megabytes in a test's name
)
def test_a_photo_that_no_page_can_show_is_refused_and_nothing_is_kept(
    photo: str | int,
    content: bytes | None,
    told: str,
    rehearsed: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = sorted(rehearsed.iterdir())
    if content is not None:
        (tmp_path / str(photo)).write_bytes(content)
    (tmp_path / "mine.toml").write_text(f"photo = {photo!r}\n")
    assert told in refused(["report", str(rehearsed), "--sheet", str(tmp_path / "mine.toml")], 2, capsys)
    assert sorted(rehearsed.iterdir()) == before


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "suffix"), [("png", ".png"), ("jpeg", ".jpg")])
def test_the_photo_of_a_sheet_is_on_the_first_screen_of_every_format(
    kind: str, suffix: str, rehearsed: Path, tmp_path: Path
) -> None:
    import vl_convert

    drawn = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="9" height="9"/></svg>'
    photo = {"png": vl_convert.svg_to_png, "jpeg": vl_convert.svg_to_jpeg}[kind](drawn)
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / f"drive{suffix}").write_bytes(photo)
    (tmp_path / "mine.toml").write_text(f'photo = "pictures/drive{suffix}"\n')
    run = Path(shutil.copytree(rehearsed, tmp_path / "run"))
    assert main(["report", str(run), "--sheet", str(tmp_path / "mine.toml")]) == 0
    shutil.rmtree(tmp_path / "pictures")  # it was kept with the run
    assert main(["report", str(run), "--sheet", str(run / "drive.toml")]) == 0
    for form in ("markdown", "pdf"):
        assert main(["report", str(run), "--format", form]) == 0
    assert f"data:image/{kind};base64,{base64.b64encode(photo).decode()}" in (run / "report.html").read_text()
    (shown,) = (run / "report.files").glob(f"*.{kind}")
    assert shown.read_bytes() == photo
    assert b"/Width 40/Height 30" in (run / "report.pdf").read_bytes()
