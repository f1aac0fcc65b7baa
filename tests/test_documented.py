"""What pages say is so: each command, option, column and figure that a document shows is one that stend has."""

import re
import shlex
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from docs.made import verbs

from stend import session, stats, suite
from stend.catalogue import database, taking
from stend.catalogue.choice import column
from stend.catalogue.columns import COLUMNS
from stend.definition import Plan
from stend.findings import claims, idle_recovery, limits, slc_cache, stimulus_change
from stend.sim import named
from stend.suite import _demand
from tests import gate_table

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if page.parent.name != "reference" or page.name == "index.md"]
PAGES += sorted((ROOT / "docs").rglob("*.po"))
BLOCK = re.compile(r"^```.*?^```$|^(?: {4}.+\n)+", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`]+)`")
OTHERS = {"--privileged"}
"""Options of other programs, which pages name alone."""


def text_of(page: Path) -> str:
    """What is on a page; sentences of another language, which their files break into lines, as one."""
    return re.sub(r'"\n"', "", page.read_text(encoding="utf-8"))


class Shown(NamedTuple):
    """A command as a page shows it, and where."""

    page: str
    line: str
    words: tuple[str, ...]


def shown(page: Path) -> Iterator[Shown]:
    """Every command of stend in blocks and in code between words."""
    text = text_of(page)
    for block in BLOCK.findall(text):
        for line in re.sub(r"\\\n\s*", " ", block).splitlines():
            yield from _told(page, line.strip().removeprefix("$ ").removeprefix("sudo "))
    for code in CODE.findall(BLOCK.sub("", text)):
        yield from _told(page, " ".join(code.split()))


def _told(page: Path, line: str) -> Iterator[Shown]:
    for part in re.split(r"\s(?:\||&&|;)\s|;\s", line):
        if re.match(r"(?:\.venv/bin/)?stend\s+(?!=)\S", part):
            try:
                yield Shown(page.name, line, tuple(shlex.split(part, comments=True)[1:]))
            except ValueError:  # a quotation that ends elsewhere is no command
                assert "'" in part, (page, part)


EVERY = [one for page in PAGES for one in shown(page)]


@cache
def options() -> dict[str, set[str]]:
    """The options of each verb, `-h` and `--help` too."""
    tree = {name: [*verb.params] for name, verb in verbs.tree().items()}
    told = {name: {w for one in own for w in (*one.opts, *one.secondary_opts)} for name, own in tree.items()}
    return {name: own | {"-h", "--help"} for name, own in told.items()}


def verb_of(one: Shown) -> list[str]:
    """The verbs that are meant; `list|query` are several, and an option alone is of stend itself."""
    return [""] if one.words[0].startswith("-") else re.split(r"[|/]", one.words[0].rstrip(",:"))


def given(one: Shown) -> list[tuple[str, str]]:
    """Its options with their values, as far as they have any."""
    words = list(one.words[1:])
    if "--" in words and one.words[0] != "compare":  # where it stands between two sides
        words = words[: words.index("--")]
    asked = [(n, *word.partition("=")[::2]) for n, word in enumerate(words) if re.match(r"--[a-z]|-[a-z]$", word)]
    return [(option, value or (words[n + 1] if n + 1 < len(words) else "")) for n, option, value in asked]


def test_pages_show_commands_enough_to_be_worth_a_look() -> None:
    assert len(EVERY) > 150
    assert {one.page for one in EVERY} >= {"README.md", "fleet.md", "catalogue.md", "real-drive.md"}
    (one,) = [one for one in EVERY if one.page == "catalogue.md" and one.words[0] == "list" and "--sort" in one.words]
    assert given(one) == [("--where", "model=KC*"), ("--sort", "-seconds"), ("--columns", "run,model,firmware,seconds")]


def test_every_verb_that_a_page_shows_is_one() -> None:
    asked = [(one.page, one.line, verb) for one in EVERY for verb in verb_of(one) if verb.isalpha() and verb.islower()]
    assert [told for told in asked if told[2] not in options()] == []


def test_every_option_that_a_page_shows_is_one_of_its_verb() -> None:
    wrong = []
    for one in EVERY:
        known = set[str]().union(*(options().get(verb, set()) for verb in verb_of(one)))
        wrong += [(one.page, one.line, option) for option, _ in given(one) if option not in known]
    assert not wrong


def test_every_option_that_a_page_names_alone_is_one_of_some_verb() -> None:
    known = set[str]().union(*options().values()) | OTHERS
    codes = [(page.name, code) for page in PAGES for code in CODE.findall(BLOCK.sub("", text_of(page)))]
    named = [(page, word) for page, code in codes for word in re.findall(r"^(--[a-z][a-z-]+)", code)]
    assert len(named) > 40
    assert [told for told in named if told[1] not in known] == []


def test_tests_and_virtual_drives_that_a_page_runs_exist() -> None:
    known = {*suite.names(), *suite.suites()}
    asked = [one for one in EVERY if one.words[0] in ("run", "plan", "repeat")]
    drives = {re.split(r"[?&]", value)[0] for one in asked for option, value in given(one) if option == "--target"}
    assert {"sim:small", "sim:kc2000"} <= drives
    virtual = {drive.removeprefix("sim:") for drive in drives if re.fullmatch(r"sim:[a-z0-9-]+", drive)}
    assert virtual <= set(named.profiles())
    first = {one.words[1] for one in asked if len(one.words) > 1 and re.fullmatch(r"[a-z][a-z-]+", one.words[1])}
    assert first
    assert first <= known


def test_columns_that_a_page_chooses_by_exist() -> None:
    asked = [(option, value) for one in EVERY if one.words[0] in ("list", "compare") for option, value in given(one)]
    named = [value for option, values in asked if option == "--columns" for value in values.split(",")]
    named += [value.removeprefix("-") for option, value in asked if option in ("--sort", "--by")]
    named += [re.split("[!<>=]", value)[0] for option, value in asked if option == "--where"]
    real = [name for name in named if name.islower() and name != "all"]
    assert len(real) >= 8
    for name in real:
        column(name)


def test_what_a_page_asks_in_sql_can_be_asked() -> None:
    asked = [(one.page, one.words[1]) for one in EVERY if one.words[0] == "query" and " " in " ".join(one.words[1:2])]
    assert len(asked) >= 3
    for page, sql in asked:
        assert database.query(sql, {}, []).rows == [], page


def test_the_page_of_the_catalogue_names_each_column_of_each_table() -> None:
    page = text_of(ROOT / "docs/catalogue.md")
    load, told = (re.search(rf"\*{word}\*: (.*?)\.\s", page, re.DOTALL) for word in ("load", "told"))
    assert load is not None
    assert told is not None
    for table, own in COLUMNS.items():
        (row,) = re.findall(rf"^\| `{table}` \| .*? \| (.*) \|$", page, re.MULTILINE)
        row = row.replace("*load*", load[1]).replace("*told*", told[1])
        named = re.findall(r"\b[a-z]\w*\b", re.sub(r"\(.*?\)", "", row))
        assert set(named) == set(own), table


class Figure(NamedTuple):
    """A number on a page, found by the words around it, and what it is."""

    page: str
    words: str
    true: Callable[[], object]


def counted() -> str:
    """What `python -m tests.gate_table` prints last."""
    parts = list(gate_table.parts())
    return f"{sum(p.situations for p in parts)} situations, {sum(p.refusals for p in parts):,} refusals"


def review() -> Plan:
    """What `stend plan review-desktop --target sim:kc2000` draws."""
    return session.planned(session.Request(["review-desktop"], "sim:kc2000"))


NUMBERS = {8: "eight", 9: "nine", 10: "ten"}
HALVES = {4: "two", 5: "two and a half", 6: "three"}
METHOD = "docs/method/figures.md"
FIGURES = (
    Figure("docs/breaks-walked.md", r"counts them: (.*) of a verb", counted),
    Figure("docs/tutorial/index.md", r"here about (.*) days", lambda: HALVES[round(review().expected_s / 43_200)]),
    Figure("docs/tutorial/index.md", r"This is (\w+) tests", lambda: NUMBERS[len(review().tests)]),
    Figure(METHOD, r"max\(y\) - min\(y\) <= (\S+) mean", lambda: f"{stats.PTS_EXCURSION:.2f}"),
    Figure(METHOD, r"4 abs\(m\) <= (\S+) mean", lambda: f"{stats.PTS_SLOPE:.2f}"),
    Figure(METHOD, r"within (\d+ to \d+) % of the mean", lambda: f"{90} to {110}" if stats.REVIEW_BAND == 0.1 else ""),
    Figure(METHOD, r"n \(1 - p/100\) >= (\d+)", lambda: stats.MIN_BEYOND),
    Figure(METHOD, r"step down of (\S+) times", lambda: slc_cache.LEAST_RATIO),
    Figure(METHOD, r"enough is (\S+) of fresh", lambda: idle_recovery.ENOUGH),
    Figure(METHOD, r"first minute at (\S+) of the median", lambda: stimulus_change.BACK),
    Figure(METHOD, r"most IOPS below (\d+) ms", lambda: round(1000 * _demand.CEILING_S)),
    Figure(METHOD, r"outstanding within (\d+) % of it", lambda: round(100 - 100 * _demand.ABOUT)),
    Figure(METHOD, r"near the link\" begins at (\d+) %", lambda: round(100 * limits.NEAR_LINK)),
    Figure("docs/method/limits.md", r"claims within (\d+) % are met", lambda: round(100 - 100 * claims.MET)),
    Figure("docs/catalogue.md", r"after (\d+) s it is ended", lambda: round(database.PATIENCE_S)),
    Figure("docs/catalogue.md", r"loses at most (\d+) runs' reading", lambda: taking.BATCH),
)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda one: f"{one.page.rpartition('/')[2]}: {one.words}")
def test_a_figure_on_a_page_is_that_of_the_code(figure: Figure) -> None:
    (told,) = re.findall(figure.words, text_of(ROOT / figure.page))
    assert told == str(figure.true())
