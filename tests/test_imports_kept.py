"""What an import keeps and what it refuses: an original with its hash, nothing half there, no bomb, one sentence."""

import io
import os
import shutil
import zipfile
from pathlib import Path

import pytest

from stend import imports, store
from stend.base.errors import BadInput
from stend.base.units import MiB
from stend.cli import main
from stend.many import read
from stend.store import verify
from tests.imported import SAMPLES, imported


def test_the_original_is_kept_with_its_hash_and_a_change_of_it_is_seen(tmp_path: Path) -> None:
    place = imported(SAMPLES / "kdiskmark.txt", tmp_path)
    kept = place / "raw" / "original-kdiskmark.txt"
    assert kept.read_bytes() == (SAMPLES / "kdiskmark.txt").read_bytes()
    assert all(one.sound for one in verify.Folder(place).checks())
    kept.write_bytes(kept.read_bytes().replace(b"100000.0", b"200000.0"))
    assert [one.piece for one in verify.Folder(place).checks() if not one.sound] == ["raw/"]


def test_the_same_result_is_imported_once_and_counts_once(tmp_path: Path) -> None:
    imported(SAMPLES / "kdiskmark.txt", tmp_path)
    with pytest.raises(BadInput, match="exists already"):
        imported(SAMPLES / "kdiskmark.txt", tmp_path)
    shutil.copy(SAMPLES / "kdiskmark.txt", tmp_path / "renamed.txt")
    renamed = imported(tmp_path / "renamed.txt", tmp_path)
    with pytest.raises(BadInput, match="the same run"):
        read.named([tmp_path])
    assert store.load(renamed).source is not None


def test_what_breaks_amid_an_import_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda fd: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(Exception, match="No space left"):
        imported(SAMPLES / "kdiskmark.txt", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_one_broken_file_of_several_leaves_nothing_of_any(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "torn.json").write_bytes((SAMPLES / "fio-3.33.json").read_bytes()[:9000])
    asked = [str(SAMPLES / "fio-3.42.json"), str(tmp_path / "torn.json"), "--into", str(tmp_path / "runs")]
    assert main(["import", *asked]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "runs").exists()


def test_a_list_shows_what_was_imported_and_a_killed_import_is_not_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", str(SAMPLES / "ezfio.csv"), "--into", str(tmp_path), "--label", "before"]) == 0
    (place,) = tmp_path.iterdir()
    assert store.manifest(place)["label"] == "before"
    shutil.copytree(place, tmp_path / ".import-cut" / place.name)
    capsys.readouterr()
    assert main(["list", str(tmp_path)]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "ezfio" in line]
    assert line.split()[-1] == "imported"


def refused(name: str, data: bytes, tmp_path: Path, form: str = "") -> str:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(BadInput) as caught:
        imports.taken_from(tmp_path / name, form)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_bombs_do_not_go_off(tmp_path: Path) -> None:
    entities = b'<!DOCTYPE a [<!ENTITY b "xxxx"><!ENTITY c "&b;&b;">]><Results><TimeSpan>&c;</TimeSpan></Results>'
    assert "document type" in refused("bomb.xml", entities, tmp_path)
    grown = io.BytesIO()
    with zipfile.ZipFile(grown, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet", zipfile.ZIP_STORED)
        archive.writestr("content.xml", b" " * (17 * MiB))
    assert "more than 16 MiB of XML" in refused("bomb.ods", grown.getvalue(), tmp_path)
    lies = grown.getvalue().replace((17 * MiB).to_bytes(4, "little"), (100).to_bytes(4, "little"))
    assert refused("lies.ods", lies, tmp_path)
    with (tmp_path / "long.json").open("wb") as file:
        file.truncate(65 * MiB)
    with pytest.raises(BadInput, match="more than 64 MiB"):
        imports.given(tmp_path / "long.json")
    for name, long in (
        ("long.csv", b"ISO date,operation\n" + b"," * (9 * MiB)),
        ("wide.csv", b"ISO date,operation\n" * 210_000),
    ):
        assert "more than" in refused(name, long, tmp_path)
    deep = b'{"fio version": "fio-3.33", "jobs": [], "global options": {"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}"
    assert "nested too deeply" in refused("deep.json", deep, tmp_path)


def test_what_no_reader_knows_is_refused_with_those_there_are(tmp_path: Path) -> None:
    assert f"known are {', '.join(imports.formats())}" in refused("letter.txt", b"dear operator", tmp_path)
    assert "there is no format 'vdbench'" in refused("letter.txt", b"dear operator", tmp_path, "vdbench")
    assert "cannot be imported as fio" in refused("letter.txt", b"dear operator", tmp_path, "fio")
    assert "live progress" in refused("live.csv", b"ISO Date,Label,Phase,RuntimeMS,Rank\n", tmp_path)
    nothing = b'{"fio version": "fio-3.33", "jobs": [{"jobname": "a"}]}'
    assert "it holds no IO" in refused("nothing.json", nothing, tmp_path)
