"""What pages say is so: each command, option, column and figure that a document shows is one that stend has.

And who looks is looked at: one of each is changed in a copy of the pages, or in stend, and must be objected to.
"""

import ast
import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from docs.made import verbs

from stend.catalogue.columns import COLUMNS
from stend.model import stats
from tests import documented
from tests.documented import FIGURES, ROOT, Figure, Shown

EVERY = documented.commands()


def test_pages_show_commands_enough_to_be_worth_a_look() -> None:
    assert len(EVERY) > 150
    assert {one.page for one in EVERY} >= {"README.md", "many-drives.md", "imports-and-sheets.md", "real-drive.md"}
    page = "imports-and-sheets.md"
    (one,) = [one for one in EVERY if one.page == page and one.words[0] == "list" and "--sort" in one.words]
    asked = [("--where", "model=stend*"), ("--sort", "-seconds"), ("--columns", "run,model,firmware,seconds")]
    assert documented.given(one) == asked


def test_every_verb_that_a_page_shows_is_one() -> None:
    assert documented.strange_verbs(EVERY) == []


def test_every_option_that_a_page_shows_is_one_of_its_verb() -> None:
    assert documented.strange_options(EVERY) == []


def strange_in_code(files: Iterable[Path]) -> tuple[int, list[tuple[str, str, str]]]:
    """Return how many command lines these modules write as lists, and (file, verb, option) of unknown options."""
    known, count, strange = documented.options(), 0, list[tuple[str, str, str]]()
    for file in files:
        lists = (node.elts for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.List | ast.Tuple))
        for elements in lists:
            words = [e.value for e in elements if isinstance(e, ast.Constant) and isinstance(e.value, str)]
            verb, flags = next((w for w in words if w in known), ""), [w for w in words if w.startswith("--") and w[2:]]
            count += bool(verb and flags)
            strange += [(file.name, verb, flag) for flag in flags if verb and flag not in known[verb]]
    return count, strange


def test_every_option_that_a_benchmark_gives_is_one_of_its_verb(tmp_path: Path) -> None:
    count, strange = strange_in_code((ROOT / "benchmarks").glob("*.py"))
    assert count > 10
    assert strange == []
    (tmp_path / "old.py").write_text('["stend", "capture", node, "--into", str(into), "--for", "1h"]')
    assert strange_in_code([tmp_path / "old.py"]) == (1, [("old.py", "capture", "--into")])


def test_every_option_that_a_page_names_alone_is_one_of_some_verb() -> None:
    assert len(documented.lone_options()) > 40
    assert documented.strange_lone_options() == []


def test_tests_and_virtual_drives_that_a_page_runs_exist() -> None:
    tests, drives = documented.runs(EVERY)
    assert {"sim:small", "sim:kc2000"} <= drives
    assert tests
    assert documented.strange_runs(EVERY) == set()


def test_columns_that_a_page_chooses_by_exist() -> None:
    assert len(documented.chosen_columns(EVERY)) >= 8
    assert documented.strange_columns(EVERY) == []


def test_what_a_page_asks_in_sql_can_be_asked() -> None:
    assert len(documented.queries(EVERY)) >= 2
    assert documented.strange_queries(EVERY) == []


def test_the_page_on_searching_runs_lists_each_table() -> None:
    assert documented.strange_tables() == set()


@pytest.mark.parametrize("figure", FIGURES, ids=lambda one: f"{one.page.rpartition('/')[2]}: {one.words}")
def test_a_figure_on_a_page_is_that_of_the_code(figure: Figure) -> None:
    assert figure.told() == str(figure.true())


def changed(one: Shown, word: str, instead: str) -> Shown:
    """The same command with another word."""
    return one._replace(words=tuple(instead if own == word else own for own in one.words))


def test_no_command_that_a_page_shows_could_have_another_verb() -> None:
    told = [one for one in EVERY if one.words[0].isalpha() and one.words[0].islower()]
    assert len(told) > 150
    assert [one for one in told if not documented.strange_verbs([changed(one, one.words[0], "measure")])] == []


def test_no_option_that_a_page_shows_could_have_another_name() -> None:
    told = [(one, option) for one in EVERY for option, _ in documented.given(one) if option in one.words]
    assert len(told) > 150
    missed = [one for one in told if not documented.strange_options([changed(*one, f"{one[1]}-not")])]
    assert missed == []


PLANTED: tuple[tuple[str, str, str, Callable[[Path], Any]], ...] = (
    ("README.md", "stend run ", "stend rnu ", lambda root: documented.strange_verbs(documented.commands(root))),
    ("docs/how-to/compare.md", " --by ", " --bye ", lambda r: documented.strange_options(documented.commands(r))),
    ("docs/tutorial/real-drive.md", "`--detach`", "`--detached`", documented.strange_lone_options),
    (
        "docs/tutorial/index.md",
        "review-desktop",
        "review-desk",
        lambda r: documented.strange_runs(documented.commands(r)),
    ),
    ("docs/tutorial/index.md", "sim:kc2000", "sim:kc2001", lambda r: documented.strange_runs(documented.commands(r))),
    (
        documented.RUNS,
        "run,model,firm",
        "run,modle,firm",
        lambda r: documented.strange_columns(documented.commands(r)),
    ),
    (documented.RUNS, "| `bins` |", "| `bin` |", documented.strange_tables),
)
"""One of each kind that a page could have wrong, and who must say so."""


@pytest.mark.parametrize(("page", "right", "wrong", "objections"), PLANTED, ids=[one[2].strip() for one in PLANTED])
def test_a_word_changed_on_a_page_is_objected_to(
    page: str, right: str, wrong: str, objections: Callable[[Path], Any], tmp_path: Path
) -> None:
    for own in documented.pages():
        copy = tmp_path / own.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(own, copy)
    assert not objections(tmp_path)
    text = (tmp_path / page).read_text(encoding="utf-8")
    assert right in text
    (tmp_path / page).write_text(text.replace(right, wrong, 1), encoding="utf-8")
    assert objections(tmp_path)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda one: f"{one.page.rpartition('/')[2]}: {one.words}")
def test_a_figure_changed_on_a_page_is_objected_to(figure: Figure, tmp_path: Path) -> None:
    page = tmp_path / figure.page
    page.parent.mkdir(parents=True)
    text = documented.text_of(ROOT / figure.page)
    found = re.search(figure.words, text)
    assert found is not None
    page.write_text(f"{text[: found.start(1)]}9{text[found.start(1) :]}", encoding="utf-8")
    assert figure.told(tmp_path) != str(figure.true())


def test_what_stend_no_longer_has_is_objected_to_wherever_a_page_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = verbs.tree()
    fewer = {name: command for name, command in tree.items() if name != "verify"}
    told = [one for one in tree["run"].params if one.name != "detach"]
    monkeypatch.setattr(tree["run"], "params", told)  # set back: the parser is that of all tests
    monkeypatch.setattr(verbs, "tree", lambda: fewer)
    monkeypatch.setattr(documented, "options", documented.options.__wrapped__)
    assert {verb for *_, verb in documented.strange_verbs(EVERY)} == {"verify"}
    assert "--detach" in {option for *_, option in documented.strange_options(EVERY)}
    monkeypatch.setitem(COLUMNS, "another", {"run": "VARCHAR"})
    assert documented.strange_tables() == {"another"}
    monkeypatch.setattr(stats, "PTS_EXCURSION", 0.25)
    assert [one.page for one in FIGURES if one.told() != str(one.true())] == [documented.METHOD]
