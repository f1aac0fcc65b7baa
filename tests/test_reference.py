"""The reference: its pages are made of the code, and what words.toml adds to them is held to the code."""

import re
from pathlib import Path

import pytest
from docs import made
from docs.made import columns, files, marks, python, stand, verbs
from docs.made import kinds as shown
from docs.made.words import WORDS
from msgspec import inspect as kinds

from stend import suite
from stend.base.errors import EXIT_CODES
from stend.cli import main
from stend.model.definition import Profile
from tests import test_api

ROOT = Path(__file__).parent.parent
OUR_COUNTS = {"threads", "depth", "rounds", "shorten", "scale", "spread", "pace", "log", "step", "low", "high", "order"}
READS = re.compile(r"environ(?:\.get\(|\[)\s*\"(\w+)\"|\"(STEND_\w+)\"")


def test_every_page_is_made_alike_twice_and_is_not_kept(tmp_path: Path) -> None:
    made.write(tmp_path)
    first = {path.name: (path.read_text(), path.stat().st_mtime_ns) for path in tmp_path.iterdir()}
    made.write(tmp_path)
    assert first == {path.name: (path.read_text(), path.stat().st_mtime_ns) for path in tmp_path.iterdir()}
    assert set(first) == {f"{name}.md" for name in made.PAGES}
    assert "/docs/reference/*.md" in (ROOT / ".gitignore").read_text().splitlines()
    listed = (ROOT / "docs/reference/index.md").read_text().split()
    assert set(made.PAGES) <= set(listed)


def test_verbs_have_each_word_of_the_command_line() -> None:
    page = verbs.page()
    tree = verbs.tree()
    assert {"run", "resume", "fleet", "schema"} <= set(tree)
    for name, command in tree.items():
        own = page.split(f"## {f'stend {name}'.strip()}\n", 1)[1].split("\n## ")[0]
        words = [
            word
            for one in command.params
            if one.name not in verbs.HIDDEN and not one.hidden
            for word in one.opts
            if word.startswith("-")
        ]
        assert [word for word in words if f"`{word}`" not in own] == [], name


def test_fields_tell_kind_unit_range_and_what_is_usual() -> None:
    rows = {row[0]: row for row in shown.fields(Profile)}
    assert rows["`active_range_pct`"][1:5] == ("number", "%", "> 0 ≤ 100", "`100`")
    assert rows["`device_class`"][4] == "must be given"
    assert set(rows) == {f"`{name}`" for name in Profile.__struct_fields__}
    assert "[Slc](#slc)" in files.page()


@pytest.mark.parametrize("one", files.TYPES, ids=lambda one: str(one.__name__))
def test_every_fraction_in_a_file_has_a_unit_or_is_a_plain_ratio(one: type) -> None:
    info = kinds.type_info(one)
    assert isinstance(info, kinds.StructType)
    floats = [field.name for field in info.fields if isinstance(field.type, kinds.FloatType)]
    assert [name for name in floats if not marks.unit(name) and name not in OUR_COUNTS] == []


def test_settings_of_tests_are_all_there() -> None:
    page = files.page()
    asked = [(name, key) for name in suite.names() for key in suite.load(name).options]
    assert len(asked) > 20
    assert [one for one in asked if f"| `{one[0]}` | `{one[1]}` |" not in page] == []


def test_each_column_has_a_meaning_and_each_meaning_a_column() -> None:
    told = {(name, column): columns.meaning(name, column) for name, own in columns.TABLES.items() for column in own}
    assert all(told.values())
    ends = {column for _, column in told} | {re.sub("^(read|write)_", "", column) for _, column in told}
    assert set(WORDS["columns"]["all"]) - ends == {"percentile"}
    assert {(name, key) for name, own in WORDS["columns"].items() if name != "all" for key in own} <= set(told)
    assert set(WORDS["tables"]) == set(columns.TABLES)
    with pytest.raises(KeyError):
        columns.meaning("runs", "nothing")


def test_exit_codes_are_those_of_the_errors() -> None:
    page = stand.exit_codes()
    assert all(f"| `{code}` |" in page for code in EXIT_CODES)
    assert "| `3` | refused by the safety gate | `Refused` |" in page


def test_the_environment_is_what_the_code_reads_and_sets() -> None:
    read = {name for path in (ROOT / "src").rglob("*.py") for pair in READS.findall(path.read_text()) for name in pair}
    own = {name for name in read if name and not name.endswith("_")}
    assert {"STEND_RUNTIME", "XDG_CACHE_HOME", "STEND_EVENT"} <= own
    assert own - set(WORDS["environment"]) == set()
    elsewhere = {"NUMBA_CACHE_DIR", "OPENBLAS_NUM_THREADS", "TMPDIR"}
    assert set(WORDS["environment"]) - own == elsewhere


@pytest.mark.slow
def test_a_run_folder_holds_the_files_that_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    sheet = tmp_path / "sheet.toml"
    sheet.write_text('price = 100\ncurrency = "USD"\n')
    assert main(["run", "fresh", "--target", "sim:small", "--quick", "--into", str(folder)]) == 0
    assert main(["report", str(folder), "--sheet", str(sheet)]) == 0
    there = {path.name + "/" * path.is_dir() for path in folder.iterdir()}
    assert there == set(WORDS["files"])


def test_the_api_page_has_every_public_name_with_its_docstring() -> None:
    page = python.page()
    assert "object at 0x" not in page
    assert len(re.findall(r"^\*\*Units:\*\* ", page, re.MULTILINE)) == len(list(test_api.named()))
    for name, _ in test_api.named():
        assert re.search(rf"\{{py:\w+\}} stend\.[\w.]*\b{re.escape(name)}\b", page), name
