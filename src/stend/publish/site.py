"""Pages of a site about all its drives: index, rankings, uses, comparison, methods, news, about."""

import datetime
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from stend import suite
from stend.charts.beside import Side
from stend.findings.judgement import FIT
from stend.findings.judgement.uses import uses
from stend.many.compare.differences import BEYOND_ONE
from stend.publish import data, figures, html, page
from stend.publish.lab import Lab
from stend.publish.ledger import Entry, Erratum
from stend.report.parts.method import named_clause
from stend.report.story.page_one import LESS_IS_BETTER, SHAPES
from stend.report.story.questions import questions
from stend.words import Language

FORMAT = 1
MARKS = ("yes", "performance", "doubt", "unknown", "no")
MOST_NEWS, MOST_COLUMNS, MOST_OF_USE, MOST_VALUES, MOST_IN_NEWS = 50, 6, 3, 6, 3
UNSENT = ("verdict", "figures", "uses", "text", "conditions", "date", "at")
"""Fields of the index that its scripts do not need."""
ON_INDEX = ("reads", "writes", "read_wait", "write_tail", "seq_read", "seq_write", "writes_filled")
"""Key figures in the columns of the index."""
CLASSES = {
    "nvme-server": "enterprise",
    "nvme-desktop": "client",
    "sata": "",
    "sas": "enterprise",
    "hybrid": "",
    "array": "",
}


class News(NamedTuple):
    """Something that happened to a drive: its day, kind, drive, title and text, and what distinguishes it."""

    date: datetime.date
    kind: str
    drive: str
    title: str
    text: str
    id: str = ""


class Lang:
    """All pages of a site in one language. `before` are the files of the last build: their addresses stay."""

    def __init__(
        self, lab: Lab, entries: Mapping[str, Entry], published: Mapping[str, Any], words: Language,
        before: Collection[str] = (),
    ) -> None:  # fmt: skip
        self.lab, self.entries, self.words, self.before = lab, entries, words, before
        self.drives = [entry.index[words.name] for entry in entries.values() if words.name in entry.index]
        self.published = {f"published-{name}": facts for name, facts in published.items()}
        every = (_reference(name, facts, words) for name, facts in self.published.items())
        self.references = [drive for drive in every if drive["figures"]]
        known = {name for drive in self.drives for name in drive["figures"]}
        self.keys = [name for name in SHAPES if name in known]
        updated = max((entry.updated for entry in entries.values()), default=None)
        self.made = page.day(updated, words) if updated else ""
        newest = max((d for d in self.drives if d["ranked"]), key=lambda d: int(d["at"]), default=None)
        self.preview = f"previews/{newest['id']}.png" if newest else ""
        self.uses = [u for u in data.use_names(words) if any(u in d["uses"] for d in self.drives)]

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the path and the content of every file of this language."""
        for here, text in self._pages():
            yield f"{self.words.name}/{here}", text.encode()
        yield f"{self.words.name}/news.xml", self._page("news.xml.j2", "news.xml", "", "", **self._news()).encode()
        yield f"{self.words.name}/data/index.js", data.script("stendIndex", self.small_index())
        for drive in self.references:
            yield f"{self.words.name}/data/drives/{drive['id']}.js", data.script("stendDrive", self._details(drive))

    def _details(self, reference: dict[str, Any]) -> dict[str, Any]:
        """Return what a comparison in the browser shows of a drive that another lab published."""
        words, facts = self.words, self.published[reference["id"]]
        warning = words("publish.why.published", source=reference["source"])
        return reference | {
            "format": FORMAT,
            "review": {"hash": "", "began": "", "stamps": [warning]},
            "settings": {},
            "rows": [],
            "charts": list(figures.chart_data(Side(reference["name"], facts=facts), words)),
        }

    def small_index(self) -> dict[str, Any]:
        """Return the index without what the scripts do not need."""
        drives = [{k: v for k, v in drive.items() if k not in UNSENT} for drive in self.index["drives"]]
        return self.index | {"drives": drives}

    @cached_property
    def index(self) -> dict[str, Any]:
        """Return the data of the index: labels and all drives."""
        words, every = self.words, [*self.drives, *self.references]
        return {
            "format": FORMAT,
            "lang": words.name,
            "labels": figures.labels(words, self.keys),
            "uses": {name: data.use_names(words)[name] for name in self.uses},
            "marks": {mark: words(f"story.{mark}") for mark in MARKS},
            "beyond": BEYOND_ONE,
            "change": figures.change_data(words),
            "texts": html.script_texts(words),
            "drives": every,
        }

    def facets(self, every: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
        """Return the values of each filter with the number of these drives."""
        facets = dict[str, list[Any]]()
        for name in ("maker", "interface", "class"):
            facets[name] = sorted(
                ([v, n] for v, n in Counter(d[name] for d in every).items() if v), key=lambda pair: str(pair[0])
            )
        sizes = Counter(d["capacity"]["shown"] for d in every if d["capacity"]["value"])
        order = {d["capacity"]["shown"]: d["capacity"]["value"] for d in every}
        facets["capacity"] = [[shown, n] for shown, n in sorted(sizes.items(), key=lambda size: order[size[0]])]
        return facets

    def _page(self, template: str, here: str, title: str, about: str, **values: Any) -> str:
        head = html.Head(title, about, self.made, self.preview)
        drives = [drive for group in values.get("groups", ()) for _, drive in group["rows"]]
        values |= {"listed": drives, "facets": self.facets(drives), "currencies": _currencies(drives)}
        return html.render(template, self.lab, self.words, here, head, index=self.index, **values)

    def _pages(self) -> Iterator[tuple[str, str]]:
        words, lab = self.words, self.lab
        about = lab.words(words.name).line or words("publish.about_site", n=len(self.drives))
        drives = sorted(self.drives, key=lambda drive: drive["name"].lower())
        here, columns = "index.html", ([key for key in ON_INDEX if key in self.keys] or self.keys)[:MOST_COLUMNS]
        others = [drive for drive in self.references if not drive["figures"].keys().isdisjoint(columns)]
        groups = self._groups([("", drive) for drive in drives], lambda drive: drive["ranked"], others)
        yield here, self._page("index.html.j2", here, lab.name, about, groups=groups, page_values={"columns": columns})
        yield self._list("rankings/index.html", "rankings", self._rankings())
        for key in self._pages_of("rankings", SHAPES, self.keys):
            yield self._ranking(key)
        for use in self._pages_of("uses", (names := data.use_names(words)), self.uses):
            yield self._use(use, names[use])
        here, title = "compare.html", words("publish.compare")
        yield here, self._page("compare.html.j2", here, title, words("publish.compare_about"))
        yield from self._methods()
        here, title = "news.html", words("publish.news")
        yield here, self._page("news.html.j2", here, title, words("publish.news_about", name=lab.name), **self._news())
        here, title = "about.html", words("publish.about")
        yield here, self._page("about.html.j2", here, title, words("publish.about_about", name=lab.name))

    def _pages_of(self, folder: str, names: Iterable[str], used: Collection[str]) -> list[str]:
        """Return the names in use and those that had a page in the last build, so that no address is lost."""
        return [name for name in names if name in used or f"{self.words.name}/{folder}/{name}.html" in self.before]

    def _list(self, here: str, key: str, lists: list[tuple[str, list[dict[str, str]]]]) -> tuple[str, str]:
        title, about = self.words(f"publish.{key}"), self.words(f"publish.{key}_about")
        return here, self._page("list.html.j2", here, title, about, page_values={"intro": about, "lists": lists})

    def _rankings(self) -> list[tuple[str, list[dict[str, str]]]]:
        labels, uses = self.index["labels"].items(), self.index["uses"].items()
        figures_of = [{"href": f"{key}.html", "name": label["name"], "says": ""} for key, label in labels]
        uses_of = [{"href": f"../uses/{use}.html", "name": name, "says": ""} for use, name in uses]
        lists = [(self.words("publish.by_figure"), figures_of), (self.words("publish.by_use"), uses_of)]
        return [(title, links) for title, links in lists if links]

    def _groups(
        self,
        placed: Sequence[tuple[str, dict[str, Any]]],
        ranked: Callable[[dict[str, Any]], bool],
        references: Sequence[dict[str, Any]],
    ) -> list[dict[str, Any]]:
        """Return rows (place, drive) in groups that are never ranked together."""
        groups: dict[str, list[tuple[str, dict[str, Any]]]] = {"real": [], "virtual": [], "unranked": []}
        for place, drive in placed:
            groups["unranked" if not ranked(drive) else "virtual" if drive["virtual"] else "real"].append(
                (place, drive)
            )
        groups["reference"] = [("", drive) for drive in references]
        shown = {key: rows for key, rows in groups.items() if rows}
        titled = len(shown) > 1 or "real" not in shown
        return [
            {"key": key, "title": self.words(f"publish.group.{key}") if titled else "", "rows": rows}
            for key, rows in shown.items()
        ]

    def _ranking(self, key: str) -> tuple[str, str]:
        """Return the page of a ranking by a key figure."""
        words, label = self.words, figures.labels(self.words, [key])[key]
        less = key in LESS_IS_BETTER
        have = sorted(self._with(self.drives, key), key=lambda d: _value(d, key), reverse=not less)
        sound = [drive for drive in have if drive["ranked"] and drive["figures"][key]["usable"]]
        depths = Counter(drive["figures"][key].get("at", 0) for drive in sound)
        ranked = [] if less and len(depths) > 1 else sound  # a response time grows with the outstanding IOs
        rows = [(self._place(drive, key, ranked, less=less), self._weak(drive, key)) for drive in have]
        lone = sorted(self._with(self.references, key), key=lambda d: _value(d, key), reverse=not less)
        groups = self._groups(rows, lambda drive: not drive["why_not"], lone) if have else []
        here, title = f"rankings/{key}.html", words("publish.ranking_title", name=label["name"])
        about = words("publish.ranking_about", name=label["name"], n=len(ranked))
        unlike = "unlike_depths" if ranked else "unlike_waits"
        listed = ", ".join(f"{depth} ({n})" for depth, n in sorted(depths.items()))
        rules = [*self._rules(sound), *([words(f"publish.{unlike}", values=listed)] if len(depths) > 1 else [])]
        intro = " ".join((words(f"publish.better_{label['better']}"), words("publish.one_run"), *rules))
        values = {"columns": [key], "use": "", "intro": intro}
        return here, self._page("ranking.html.j2", here, title, about, groups=groups, page_values=values)

    def _with(self, drives: Sequence[dict[str, Any]], key: str) -> list[dict[str, Any]]:
        return [drive for drive in drives if key in drive["figures"]]

    def _place(self, drive: dict[str, Any], key: str, ranked: Sequence[dict[str, Any]], *, less: bool) -> str:
        """Return the place of a drive among those of its kind, or "" without one. Figures shown as equal share it."""
        if drive not in ranked:
            return ""
        value, shown = _value(drive, key), drive["figures"][key]["bare"]
        others = [d for d in ranked if d["virtual"] is drive["virtual"] and d["figures"][key]["bare"] != shown]
        return str(1 + sum((_value(d, key) < value) if less else (_value(d, key) > value) for d in others))

    def _weak(self, drive: dict[str, Any], key: str) -> dict[str, Any]:
        """Return a drive with the reason why it has no place in this ranking, if only its figure is the reason."""
        if drive["why_not"] or drive["figures"][key]["usable"]:
            return drive
        return drive | {"why_not": [self.words("publish.why.unusable")]}

    def _rules(self, drives: Sequence[dict[str, Any]]) -> Iterator[str]:
        """Yield the profile that a place requires, and a note per setting in which the runs of a ranking differ."""
        words, wanted = self.words, self.lab.ranking.profile
        if wanted:
            yield words("publish.rule_profile", name=wanted)
        for name in data.CONDITIONS:
            values = Counter(drive["conditions"].get(name, "") for drive in drives)
            values.pop("", None)
            if len(values) > 1:
                listed = ", ".join(f"{value} ({n})" for value, n in values.most_common(MOST_VALUES))
                yield words("publish.unlike", setting=words(f"setting.{name}"), values=listed)

    def _use(self, use: str, name: str) -> tuple[str, str]:
        """Return the page of a use: drives by their mark, of equal marks by price per gigabyte where known.

        Prices in several currencies give no order.
        """
        words, here = self.words, f"uses/{use}.html"
        have = [drive for drive in self.drives if use in drive["uses"]]
        priced = len(_currencies(have)) == 1
        have.sort(key=lambda d: (MARKS.index(d["uses"][use]), _per_gb(d) if priced else 0.0, d["name"].lower()))
        groups = self._groups([("", drive) for drive in have], lambda drive: drive["ranked"], ())
        fit = sum(drive["ranked"] and drive["uses"][use] in FIT for drive in have)
        title = words("publish.use_title", name=name)
        about = words("publish.use_about", name=name, n=fit)
        order = words("publish.use_order" if priced or not _currencies(have) else "publish.use_order_names")
        intro = " ".join((order, *self._rules([drive for drive in have if drive["ranked"]])))
        needed = [demand.figure for demand in uses().use[use].demands if demand.figure in self.keys]
        columns = list(dict.fromkeys(needed))[:MOST_OF_USE] or self.keys[:1]
        values = {"columns": columns, "use": use, "intro": intro}
        return here, self._page("ranking.html.j2", here, title, about, groups=groups, page_values=values)

    def _methods(self) -> Iterator[tuple[str, str]]:
        """Yield the list of methods and a page per test that a run of the site has."""
        words, links = self.words, list[dict[str, str]]()
        ran = {test for drive in self.drives for test in self.entries[drive["id"]].tests}
        for name in self._pages_of("methods", suite.names(), ran):
            test, here = suite.load(name), f"methods/{name}.html"
            asked = [question for question in questions() if name in question.tests]
            title, clause = words.title(name, test.title), named_clause(test.clause, words)
            texts = [question.described([name], words) for question in asked]
            about = texts[0] if texts else title
            links += [{"href": f"{name}.html", "name": title, "says": f"{clause}. {about}"}] if name in ran else []
            have = [drive for drive in self.drives if name in self.entries[drive["id"]].tests]
            yield (
                here,
                self._page(
                    *("method.html.j2", here, title, about),
                    clause=clause,
                    summary=test.summary,
                    questions=[words(f"question.{question.name}.title") for question in asked],
                    paragraphs=texts,
                    drives=have,
                ),
            )
        yield self._list("methods/index.html", "methods", [(words("publish.tests"), links)])

    def _news(self) -> dict[str, Any]:
        news = sorted(self._every_news(), key=lambda event: (event.date, event.drive), reverse=True)[:MOST_NEWS]
        return {"news": [(event, page.day(event.date, self.words)) for event in news]}

    def _every_news(self) -> Iterator[News]:
        """Yield when drives were published, and their errata and withdrawn runs, one entry per drive and day."""
        words = self.words
        for drive, entry in self.entries.items():
            if index := entry.index.get(words.name):
                yield News(
                    entry.first, "new", drive, words("publish.news_new", name=self._titled(entry)), index["verdict"]
                )
            for date, errata in groupby(entry.errata, lambda erratum: erratum.date):
                yield self._erratum(date, drive, entry, list(errata))
            for gone in entry.withdrawn:
                title = words("publish.news_withdrawn", name=self._titled(entry))
                text = gone.reason or words("publish.news_withdrawn_text", run=gone.run)
                yield News(gone.date, "withdrawn", drive, title, text, gone.run)

    def _titled(self, entry: Entry) -> str:
        """Return the name of a drive with its capacity: models of one name may have several."""
        index = entry.index.get(self.words.name)
        return f"{entry.name}, {index['capacity']['shown']}" if index else entry.name

    def _erratum(self, date: datetime.date, drive: str, entry: Entry, errata: list[Erratum]) -> News:
        """Return the errata of a day. The first key figures among them are in the text."""
        words = self.words
        first = sorted(errata, key=lambda erratum: not erratum.figure.startswith(figures.KEY))[:MOST_IN_NEWS]
        pairs = [(erratum.names.get(words.name, erratum.figure), *page.texts(erratum, words)) for erratum in first]
        texts = [words("publish.news_erratum_text", name=name, old=old, new=new) for name, old, new in pairs]
        title = words("publish.news_erratum", name=self._titled(entry), n=len(errata))
        return News(date, "erratum", drive, title, " ".join(texts))


def _value(drive: Mapping[str, Any], key: str) -> float:
    return float(drive["figures"][key]["value"])


def _per_gb(drive: Mapping[str, Any]) -> float:
    price, size = drive["price"], drive["capacity"]["value"]
    return price["value"] / size if price and size else float("inf")


def _currencies(drives: Sequence[Mapping[str, Any]]) -> set[str]:
    return {drive["price"]["currency"] for drive in drives if drive["price"]}


def _reference(name: str, facts: Mapping[str, Any], words: Language) -> dict[str, Any]:
    """Return a drive that another lab published, as an entry of the index without a page."""
    about, sheet = facts["about"], facts.get("sheet", {})
    size = about.get("capacity_gb", 0) * 1e9
    title = words.converted(about["title"])
    return {
        "id": name,
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
        "source": words.source(about["source"]),
        "ranked": False,
        "why_not": [],
        "profile": "",
        "conditions": {},
        "samples": 0,
        "verdict": "",
        "href": "",
        "date": "",
        "at": 0,
        "run": "",
        "uses": {},
        "figures": figures.published_figures(facts, words),
        "errata": 0,
        "text": f"{about['title']} {about['source']}".lower(),
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


def for_search(lab: Lab, paths: Sequence[str]) -> dict[str, str]:
    """Return robots.txt, and with a public address the sitemap of all pages, for search engines."""
    robots = "User-agent: *\nAllow: /\n"
    if not lab.address:
        return {"robots.txt": robots}
    root = lab.address.rstrip("/")
    pages = [path for path in paths if path.endswith(".html")]
    urls = "".join(f"<url><loc>{escape(f'{root}/{path}')}</loc></url>\n" for path in pages)
    head = '<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    return {"robots.txt": f"{robots}Sitemap: {root}/sitemap.xml\n", "sitemap.xml": f"{head}{urls}</urlset>\n"}
