"""What pages show: commands, options, columns, queries, figures; and which of these are not those that stend has."""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from docs.made import verbs

from stend import session, suite
from stend.base.errors import BadInput
from stend.catalogue import database
from stend.catalogue.choice import column
from stend.catalogue.columns import COLUMNS
from stend.findings import claims, idle_recovery, slc_cache, stimulus_change
from stend.findings.judgement.named import ABOUT
from stend.findings.look import link
from stend.many.batch import odd
from stend.model import stats
from stend.model.definition import Plan
from stend.sim import named
from stend.suite import _demand
from tests import gate_table

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```.*?^```$|^(?: {4}.+\n)+", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`]+)`")
OTHERS = {"--privileged"}
"""Options of other programs, which pages name alone."""


def pages(root: Path = ROOT) -> list[Path]:
    """All that people read, but for the reference's pages that are made of the code."""
    own = [root / "README.md", root / "CHANGELOG.md", *sorted((root / "docs").rglob("*.md"))]
    own = [page for page in own if page.parent.name != "reference" or page.name == "index.md"]
    return own + sorted((root / "docs").rglob("*.po"))


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


def commands(root: Path = ROOT) -> list[Shown]:
    """Those of all pages."""
    return [one for page in pages(root) for one in shown(page)]


def _params(verb: Any) -> Iterator[Any]:
    """Those of a verb and of its actions."""
    yield from verb.params
    for action in getattr(verb, "commands", {}).values():
        yield from _params(action)


@cache
def options() -> dict[str, set[str]]:
    """The options of each verb, `-h` and `--help` too."""
    tree = {name: [*(_params(verb) if name else verb.params)] for name, verb in verbs.tree().items()}
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


def strange_verbs(told: Iterable[Shown]) -> list[tuple[str, ...]]:
    """(page, line, verb) of what is no verb."""
    asked = [(one.page, one.line, verb) for one in told for verb in verb_of(one) if verb.isalpha() and verb.islower()]
    return [one for one in asked if one[2] not in options()]


def strange_options(told: Iterable[Shown]) -> list[tuple[str, ...]]:
    """(page, line, option) of what is no option of its verb."""
    known = [(one, set[str]().union(*(options().get(verb, set()) for verb in verb_of(one)))) for one in told]
    return [(one.page, one.line, option) for one, own in known for option, _ in given(one) if option not in own]


def lone_options(root: Path = ROOT) -> list[tuple[str, str]]:
    """(page, option) of each that is named outside a command."""
    codes = [(page.name, code) for page in pages(root) for code in CODE.findall(BLOCK.sub("", text_of(page)))]
    return [(page, word) for page, code in codes for word in re.findall(r"^(--[a-z][a-z-]+)", code)]


def strange_lone_options(root: Path = ROOT) -> list[tuple[str, str]]:
    """Those that are options of no verb."""
    known = set[str]().union(*options().values()) | OTHERS
    return [told for told in lone_options(root) if told[1] not in known]


def runs(told: Iterable[Shown]) -> tuple[set[str], set[str]]:
    """First tests and suites, and plain virtual drives, that commands run, plan or repeat."""
    asked = [one for one in told if one.words[0] in ("run", "plan", "repeat")]
    drives = {re.split(r"[?&]", value)[0] for one in asked for option, value in given(one) if option == "--target"}
    first = {one.words[1] for one in asked if len(one.words) > 1 and re.fullmatch(r"[a-z][a-z-]+", one.words[1])}
    return first, {drive for drive in drives if re.fullmatch(r"sim:[a-z0-9-]+", drive)}


def strange_runs(told: Iterable[Shown]) -> set[str]:
    """Those that do not exist."""
    tests, drives = runs(told)
    known = {f"sim:{name}" for name in named.profiles()}
    return (tests - {*suite.names(), *suite.suites()}) | (drives - known)


def chosen_columns(told: Iterable[Shown]) -> list[str]:
    """Columns that commands choose, sort and compare by."""
    asked = [(option, value) for one in told if one.words[0] in ("list", "compare") for option, value in given(one)]
    names = [value for option, values in asked if option == "--columns" for value in values.split(",")]
    names += [value.removeprefix("-") for option, value in asked if option in ("--sort", "--by")]
    names += [re.split("[!<>=]", value)[0] for option, value in asked if option == "--where"]
    return [name for name in names if name.islower() and name != "all"]


def strange_columns(told: Iterable[Shown]) -> list[str]:
    """Those that the catalogue has not."""
    return [name for name in chosen_columns(told) if _refused(lambda name=name: column(name))]  # type: ignore[misc]


def queries(told: Iterable[Shown]) -> list[tuple[str, str]]:
    """(page, SQL) of what is asked in SQL."""
    return [(one.page, one.words[1]) for one in told if one.words[0] == "query" and " " in " ".join(one.words[1:2])]


def strange_queries(told: Iterable[Shown]) -> list[tuple[str, str]]:
    """Those that cannot be asked."""
    return [one for one in queries(told) if _refused(lambda sql=one[1]: database.query(sql, {}, []))]  # type: ignore[misc]


def _refused(ask: Callable[[], object]) -> bool:
    try:
        ask()
    except BadInput:
        return True
    return False


def strange_tables(root: Path = ROOT) -> set[str]:
    """Return the tables that only the page on searching runs, or only the catalogue, has.

    docs/reference/columns.md is made from the code and lists the columns of each table.
    """
    page = text_of(root / "docs/how-to/imports-and-sheets.md").partition("\n## Search all runs\n")[2]
    return set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) ^ set(COLUMNS)


class Figure(NamedTuple):
    """A number on a page, found by the words around it, and what it is."""

    page: str
    words: str
    true: Callable[[], object]

    def told(self, root: Path = ROOT) -> str:
        """As the page has it."""
        (found,) = re.findall(self.words, text_of(root / self.page))
        return str(found)


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
RUNS = "docs/how-to/imports-and-sheets.md"
FIGURES = (
    Figure("docs/method/validation.md", r"prints (.*) of a verb", counted),
    Figure("docs/tutorial/index.md", r"here about (.*) days", lambda: HALVES[round(review().expected_s / 43_200)]),
    Figure("docs/tutorial/index.md", r"This is (\w+) tests", lambda: NUMBERS[len(review().tests)]),
    Figure(METHOD, r"max\(y\) - min\(y\) <= (\S+) mean", lambda: f"{stats.PTS_EXCURSION:.2f}"),
    Figure(METHOD, r"4 abs\(m\) <= (\S+) mean", lambda: f"{stats.PTS_SLOPE:.2f}"),
    Figure(METHOD, r"within (\d+ to \d+) % of the mean", lambda: f"{90} to {110}" if stats.REVIEW_BAND == 0.1 else ""),
    Figure(METHOD, r"n \(1 - p/100\) >= (\d+)", lambda: stats.MIN_BEYOND),
    Figure(METHOD, r"step down of (\S+) times", lambda: slc_cache.LEAST_RATIO),
    Figure(METHOD, r"recovered is (\S+) of fresh", lambda: idle_recovery.ENOUGH),
    Figure(METHOD, r"as much if each reaches (\d+) %", lambda: round(100 * ABOUT)),
    Figure(METHOD, r"first minute at (\S+) of the median", lambda: stimulus_change.BACK),
    Figure(METHOD, r"mean below (\d+) ms", lambda: round(1000 * _demand.CEILING_S)),
    Figure(METHOD, r"outstanding IOs within (\d+) % of it", lambda: round(100 - 100 * _demand.ABOUT)),
    Figure(METHOD, r"accesses at (\d+) % or more of the payload", lambda: round(100 * link.NEAR_LINK)),
    Figure(RUNS, r"nearly kept if the figure is within (\d+) %", lambda: round(100 * claims.NEAR)),
    Figure(METHOD, r"with (\d+) degrees of freedom for rates", lambda: odd.FREEDOM["rate"]),
    Figure(METHOD, r"means and (\d+) for percentiles", lambda: odd.FREEDOM["tail"]),
    Figure(RUNS, r"ended after (\d+) s", lambda: round(database.PATIENCE_S)),
)
