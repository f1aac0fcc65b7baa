"""Pages of a site about all its drives: index, rankings, uses, comparison, methods, news, about."""

import datetime
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from stend import suite
from stend.findings.judgement import FIT
from stend.publish import data, figures, html
from stend.publish.lab import Lab
from stend.publish.ledger import Entry, Erratum, Withdrawn
from stend.report.parts.method import named_clause
from stend.report.story.page_one import FIGURES, LESS_IS_BETTER
from stend.report.story.questions import questions
from stend.words import Language

FORMAT = 1
MARKS = ("yes", "performance", "doubt", "no", "unknown")
MOST_NEWS = 50
ON_INDEX = ("reads", "writes", "read_wait", "write_tail", "seq_read", "seq_write")
"""Key figures in the table of all drives."""
OF_CHOICE = ("id", "name", "maker", "capacity", "virtual", "reference")
CLASSES = {
    "nvme-server": "enterprise",
    "nvme-desktop": "client",
    "sata": "",
    "sas": "enterprise",
    "hybrid": "",
    "array": "",
}


class Placed(NamedTuple):
    """A drive in a ranking: its place ("" without one), and the reason in a sentence if it has none."""

    drive: dict[str, Any]
    place: str
    shown: dict[str, Any]
    why: str = ""


class Group(NamedTuple):
    """Drives that are ranked among themselves only: `real`, `virtual`, `unranked` or `reference`, title and rows."""

    key: str
    title: str
    rows: tuple[Placed, ...]


class News(NamedTuple):
    """Something that happened to a drive: its day, kind, drive, title and text."""

    date: datetime.date
    kind: str
    drive: str
    title: str
    text: str


class Lang:
    """All pages of a site in one language."""

    def __init__(self, lab: Lab, entries: Mapping[str, Entry], published: Mapping[str, Any], words: Language) -> None:
        self.lab, self.entries, self.words = lab, entries, words
        self.drives = [entry.index[words.name] for entry in entries.values() if words.name in entry.index]
        self.references = [_reference(name, facts, words) for name, facts in published.items()]
        self.references = [one for one in self.references if one["figures"]]
        known = {name for drive in self.drives for name in drive["figures"]}
        self.keys = [name for name in FIGURES if name in known]
        self.uses = [u for u in data.use_names(words) if any(u in d["uses"] for d in self.drives)]

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the path and the content of every file of this language."""
        for here, text in self._pages():
            yield f"{self.words.name}/{here}", text.encode()
        yield f"{self.words.name}/news.xml", self._page("news.xml.j2", "news.xml", "", "", **self._news()).encode()
        yield f"{self.words.name}/data/index.js", data.script("stendIndex", self.index())

    def index(self) -> dict[str, Any]:
        """Return what a comparison needs before its drives are chosen: their names, the texts and the rules."""
        words = self.words
        return {
            "format": FORMAT,
            "lang": words.name,
            "beyond": dict(figures.beyond()),
            "change": figures.change_data(words),
            "labels": figures.labels(words, self.keys),
            "texts": html.script_texts(words),
            "drives": [{name: drive[name] for name in OF_CHOICE} for drive in self._by_name(self.drives)],
        }

    def _by_name(self, drives: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        return sorted(drives, key=lambda drive: (drive["name"].lower(), drive["capacity"]["value"]))

    def _groups(self, *groups: tuple[str, Sequence[Placed]]) -> list[Group]:
        """Return the groups that have rows; the first one needs no title."""
        titles = {"real": "", "virtual": "virtual_drives", "unranked": "unranked", "reference": "elsewhere"}
        return [
            Group(name, self.words(f"publish.{titles[name]}") if titles[name] else "", tuple(rows))
            for name, rows in groups
            if rows
        ]

    def facets(self) -> dict[str, list[Any]]:
        """Return the values of each filter with the number of drives."""
        every, facets = [*self.drives, *self.references], dict[str, list[Any]]()
        for name in ("maker", "interface", "class"):
            facets[name] = sorted(
                ([v, n] for v, n in Counter(d[name] for d in every).items() if v), key=lambda one: str(one[0])
            )
        sizes = Counter((d["capacity"]["value"], d["capacity"]["shown"]) for d in every if d["capacity"]["value"])
        facets["capacity"] = [[value, shown, n] for (value, shown), n in sorted(sizes.items())]
        return facets

    def _page(self, template: str, here: str, title: str, about: str, **values: Any) -> str:
        return html.render(template, self.lab, self.words, here, title=title, about=about, **values)

    def _pages(self) -> Iterator[tuple[str, str]]:
        words, lab = self.words, self.lab
        about = lab.words(words.name).line or words("publish.about_site", n=len(self.drives))
        labels = figures.labels(words, self.keys)
        uses = {name: words(f"use_title.{name}") for name in self.uses}
        lists = {"labels": labels, "uses": uses}
        yield "index.html", self._index(about, labels)
        title = words("publish.rankings")
        yield (
            "rankings/index.html",
            self._page("rankings.html.j2", "rankings/index.html", title, words("publish.rankings_about"), **lists),
        )
        for key in self.keys:
            yield from self._ranking(key, labels, lists)
        for use, name in uses.items():
            yield from self._use(use, name, lists)
        title = words("publish.compare")
        yield (
            "compare.html",
            self._page("compare.html.j2", "compare.html", title, words("publish.compare_about")),
        )
        yield from self._methods()
        yield "news.html", self._page("news.html.j2", "news.html", words("publish.news"), about, **self._news())
        yield "about.html", self._page("about.html.j2", "about.html", words("publish.about"), about)

    def _index(self, about: str, labels: dict[str, Any]) -> str:
        """Return the page of all drives."""
        keys = [key for key in ON_INDEX if key in self.keys] or self.keys[:4]
        drives = self._by_name(self.drives)
        others = [drive for drive in self._by_name(self.references) if not drive["figures"].keys().isdisjoint(keys)]
        rows = [Placed(drive, "", {}) for drive in drives]
        groups = self._groups(
            ("real", [row for row in rows if row.drive["ranked"] and not row.drive["virtual"]]),
            ("virtual", [row for row in rows if row.drive["ranked"] and row.drive["virtual"]]),
            ("unranked", [row for row in rows if not row.drive["ranked"]]),
            ("reference", [Placed(drive, "", {}) for drive in others]),
        )
        return self._page(
            "index.html.j2", "index.html", self.lab.name, about, groups=groups, keys=keys, labels=labels,
            drives=[*drives, *others], facets=self.facets(),
        )  # fmt: skip

    def _ranking(self, key: str, labels: dict[str, Any], lists: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield the page of a ranking by a key figure."""
        words, label = self.words, labels[key]
        less = key in LESS_IS_BETTER
        have = [d for d in self.drives if key in d["figures"]]
        have.sort(key=lambda d: d["figures"][key]["value"], reverse=not less)
        ranked = [d for d in have if d["ranked"] and d["figures"][key]["usable"]]
        real, virtual = ([d for d in ranked if d["virtual"] is kind] for kind in (False, True))
        lone = [d for d in self.references if key in d["figures"]]
        placed = self._placed(real, lone, key, less=less)
        groups = self._groups(
            ("real", placed),
            ("virtual", self._placed(virtual, [], key, less=less)),
            ("unranked", [Placed(d, "", d["figures"][key], self._why(d, key)) for d in have if d not in ranked]),
            ("reference", [] if placed else [Placed(d, "", d["figures"][key]) for d in lone]),
        )
        title = words("publish.ranking_title", name=label["name"])
        here = f"rankings/{key}.html"
        intro = f"{words('publish.better_' + label['better'])} {words('publish.one_run')}"
        yield here, self._page(
            "ranking.html.j2", here, title, words("publish.ranking_about", name=label["name"], n=len(ranked)),
            intro=intro, groups=groups, keys=[key], use="", marks={}, drives=self.drives, facets=self.facets(),
            notes=[*self._unlike(real), *self._unlike(virtual)], **lists,
        )  # fmt: skip

    def _placed(
        self, ranked: Sequence[dict[str, Any]], references: Sequence[dict[str, Any]], key: str, *, less: bool
    ) -> list[Placed]:
        """Return drives with their places; equal figures share one, and drives of other labs stand between without."""
        placed = []
        for drive in ranked:
            value = drive["figures"][key]["value"]
            ahead = sum(
                (d["figures"][key]["value"] < value) if less else (d["figures"][key]["value"] > value) for d in ranked
            )
            placed.append(Placed(drive, str(ahead + 1), drive["figures"][key]))
        placed += [Placed(drive, "", drive["figures"][key]) for drive in references if ranked]
        return sorted(placed, key=lambda one: one.shown["value"], reverse=not less)

    def _why(self, drive: dict[str, Any], key: str) -> str:
        if drive["ranked"] and not drive["figures"][key]["usable"]:
            return self.words("publish.why.unusable")
        return "; ".join(drive["why_not"])

    def _unlike(self, drives: Sequence[dict[str, Any]]) -> list[str]:
        """Return a sentence per setting in which drives of a ranking differ, so that no place is taken for more."""
        sentences = []
        for name in ("profile",):
            values = Counter(d[name] for d in drives)
            if len(values) > 1:
                listed = ", ".join(f"{value} ({n})" for value, n in values.most_common())
                sentences.append(self.words("publish.unlike", setting=self.words(f"setting.{name}"), values=listed))
        return sentences

    def _use(self, use: str, name: str, lists: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield the page of a use: drives by their mark, of equal marks by price per gigabyte where known."""
        words, here = self.words, f"uses/{use}.html"
        have = [d for d in self.drives if use in d["uses"]]
        ranked = [d for d in have if d["ranked"]]
        ranked.sort(key=lambda d: (MARKS.index(d["uses"][use]), _per_gb(d), d["name"].lower()))
        rows = [Placed(drive, "", {}) for drive in ranked]
        groups = self._groups(
            ("real", [row for row in rows if not row.drive["virtual"]]),
            ("virtual", [row for row in rows if row.drive["virtual"]]),
            ("unranked", [Placed(drive, "", {}) for drive in have if not drive["ranked"]]),
        )
        fit = sum(d["uses"][use] in FIT for d in ranked)
        title = words("publish.use_title", name=name)
        yield here, self._page(
            "ranking.html.j2", here, title, words("publish.use_about", name=name, n=fit),
            intro=words("publish.use_order"), groups=groups, keys=self.keys[:4], use=use,
            marks={mark: words(f"story.{mark}") for mark in MARKS}, drives=have, facets=self.facets(),
            notes=self._unlike([drive for drive in ranked if not drive["virtual"]]), **lists,
        )  # fmt: skip

    def _methods(self) -> Iterator[tuple[str, str]]:
        """Yield the list of methods and a page per test that a run of the site has."""
        words = self.words
        ran = {test for entry in self.entries.values() for test in entry.tests}
        tests = [name for name in suite.names() if name in ran]
        listed = []
        for name in tests:
            test, here = suite.load(name), f"methods/{name}.html"
            asked = [q for q in questions() if name in q.tests]
            title = words.title(name, test.title)
            texts = [words(f"question.{q.name}.what") for q in asked]
            about = texts[0] if texts else title
            listed.append((name, title, named_clause(test.clause, words), about))
            have = [d for d in self.drives if name in self.entries[d["id"]].tests]
            yield here, self._page(
                "method.html.j2", here, title, about, clause=named_clause(test.clause, words), summary=test.summary,
                questions=[words(f"question.{q.name}.title") for q in asked], paragraphs=texts, drives=have,
            )  # fmt: skip
        here = "methods/index.html"
        yield (
            here,
            self._page(
                "methods.html.j2", here, words("publish.methods"), words("publish.methods_about"), methods=listed
            ),
        )

    def _news(self) -> dict[str, Any]:
        news = sorted(self._every_news(), key=lambda one: (one.date, one.drive), reverse=True)[:MOST_NEWS]
        return {"news": [(one, self.words.date(_seconds(one.date)).partition(",")[0]) for one in news]}

    def _every_news(self) -> Iterator[News]:
        words = self.words
        for drive, entry in self.entries.items():
            index = entry.index.get(words.name)
            if index:
                yield News(entry.first, "new", drive, words("publish.news_new", name=entry.name), index["verdict"])
            for erratum in entry.errata:
                yield self._erratum(drive, entry, erratum)
            for gone in entry.withdrawn:
                yield self._gone(drive, entry, gone)

    def _erratum(self, drive: str, entry: Entry, one: Erratum) -> News:
        name = one.names.get(self.words.name, one.figure)
        text = self.words("publish.news_erratum_text", name=name, old=one.old, new=one.new)
        return News(one.date, "erratum", drive, self.words("publish.news_erratum", name=entry.name), text)

    def _gone(self, drive: str, entry: Entry, one: Withdrawn) -> News:
        return News(one.date, "withdrawn", drive, self.words("publish.news_withdrawn", name=entry.name), one.reason)


def _per_gb(drive: Mapping[str, Any]) -> float:
    price, size = drive["price"], drive["capacity"]["value"]
    return price["value"] / size if price and size else float("inf")


def _seconds(date: datetime.date) -> float:
    return datetime.datetime(date.year, date.month, date.day, tzinfo=datetime.UTC).timestamp()


def _reference(name: str, facts: Mapping[str, Any], words: Language) -> dict[str, Any]:
    """Return a drive that another lab published, as an entry of the index without a page."""
    about, sheet = facts["about"], facts.get("sheet", {})
    size = about.get("capacity_gb", 0) * 1e9
    title = about["title"]
    return {
        "id": f"published-{name}",
        "name": title,
        "maker": data.maker_of(title),
        "interface": {"nvme-server": "NVMe", "nvme-desktop": "NVMe", "sata": "SATA", "sas": "SAS"}.get(
            about["class"], ""
        ),
        "class": sheet.get("class", CLASSES.get(about["class"], "")),
        "capacity": {"value": size, "shown": words.show(size, "gb") if size else ""},
        "price": None,
        "watts": None,
        "firmware": [],
        "virtual": False,
        "reference": True,
        "source": words.translated(about["source"]),
        "ranked": False,
        "why_not": [],
        "profile": "",
        "samples": 0,
        "verdict": "",
        "href": "",
        "date": "",
        "at": 0,
        "run": "",
        "uses": {},
        "figures": figures.published_figures(facts, words),
        "errata": 0,
        "text": f"{title} {about['source']}".lower(),
    }


def plain_index(lab: Lab, entries: Mapping[str, Entry], version: str) -> bytes:
    """Return the index for programs: base units, no texts of a language."""
    first = lab.languages[0]
    drives = [
        data.common(entry.index[first])
        | {
            "key_figures": {
                name: data.base(f, entry.index[first]["run"]) for name, f in entry.index[first]["figures"].items()
            }
        }
        | {"data": f"drives/{drive}.json", "errata": len(entry.errata)}
        for drive, entry in entries.items()
        if first in entry.index
    ]
    value = {"format": FORMAT, "stend": version, "lab": lab.name, "drives": drives}
    return json.dumps(value, ensure_ascii=False, indent=1).encode() + b"\n"
