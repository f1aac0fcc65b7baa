"""Data of a drive: for the scripts of the site by language, and for programs in base units."""

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec

from stend.base.text import cell
from stend.base.version import __version__
from stend.charts.beside import Side
from stend.findings import Sheet
from stend.findings.judgement.uses import uses
from stend.many.settings import BLOCKING
from stend.publish import figures, samples
from stend.publish.figures import Row
from stend.publish.lab import Lab
from stend.publish.ledger import Entry
from stend.publish.samples import Chosen, Sample
from stend.report.parts.records import COLUMNS
from stend.report.parts.records import rows as records
from stend.report.parts.summary import stamps
from stend.report.story.page_one import Review
from stend.report.story.telling import headline
from stend.sentences.settings import setting_value
from stend.words import Language

FORMAT = 1
OF_FIGURE = ("test", "phase", "state", "random_pct", "read_pct", "block", "threads", "depth", "place", "direction")
LONGEST = 4
"""Capitals of a name that stays as it is, such as HGST."""
CONDITIONS = (*BLOCKING, "cpu")
"""Settings of a run in which the drives of a ranking should not differ."""


class Spoken:
    """A drive in one language: its review, key figures and figures."""

    def __init__(
        self, chosen: Chosen, reviews: Mapping[str, Review], rows: Sequence[Row], lab: Lab, words: Language
    ) -> None:
        self.chosen, self.rows, self.lab, self.words = chosen, rows, lab, words
        self.reviews = {run: review._replace(words=words) for run, review in reviews.items()}
        self.sample, self.review = chosen.review, self.reviews[chosen.review.hash]

    @cached_property
    def keys(self) -> dict[str, dict[str, Any]]:
        """Return the key figures of the review, with the span of the samples."""
        others = [figures.key_figures(self.reviews[s.hash]) for s in self.chosen.alike if s is not self.sample]
        return figures.with_span(figures.key_figures(self.review), others)

    @cached_property
    def why_not(self) -> list[str]:
        """Return why the drive has no place in the rankings."""
        return list(dict.fromkeys(samples.unranked(self.sample, self.review, self.lab, self.words)))

    @cached_property
    def row_data(self) -> dict[str, dict[str, Any]]:
        """Return every figure by its id."""
        return {row.id: figures.row_data(row, self.sample, self.words) for row in self.rows}

    @property
    def name(self) -> str:
        """Return the name of the drive."""
        drive = self.sample.run.plan.device
        return drive.model or drive.kind

    def figure_name(self, figure: str) -> str:
        """Return the name of a figure by its id in the ledger."""
        kind, _, name = figure.partition("|")
        if kind == figures.KEY:
            return self.words(f"figure_name.{name}")
        row = self.row_data[figure]
        return f"{row['test_name']}, {row['name']} ({row['state_name']})"

    def index(self, drive: str, entry: Entry) -> dict[str, Any]:
        """Return the entry of the index of this language."""
        sample, words, device = self.sample, self.words, self.sample.run.plan.device
        sheet, began = sample.sheet, sample.run.started[0].at
        capacity = words.show(device.capacity_bytes, "gb")
        maker = str(sheet.get("maker") or maker_of(self.name))
        firmware = list(
            dict.fromkeys(s.run.plan.device.firmware for s in self.chosen.every if s.run.plan.device.firmware)
        )
        family = device.family or ("virtual" if device.virtual else "")
        searched = (self.name, maker, family, device.interface, capacity, *firmware)
        return {
            "id": drive,
            "name": self.name,
            "maker": maker,
            "interface": family,
            "class": class_of(sheet, "" if device.virtual else sample.run.plan.profile.device_class),
            "capacity": {"value": device.capacity_bytes, "shown": capacity},
            "price": price_of(sheet, words),
            "watts": number_of(sheet, "watts", words),
            "firmware": firmware,
            "virtual": device.virtual,
            "reference": False,
            "source": "",
            "ranked": not self.why_not,
            "why_not": self.why_not,
            "profile": sample.run.plan.profile.name,
            "conditions": {name: value for name in CONDITIONS if (value := self._setting(name))},
            "samples": len(self.chosen.every),
            "alike": len(self.chosen.alike),
            "verdict": headline(self.review),
            "href": f"drives/{drive}.html",
            "date": words.date(began).partition(",")[0],
            "at": round(began),
            "run": sample.hash,
            "uses": {use.use: use.key for use in self.review.verdict.uses},
            "figures": self.keys,
            "errata": len(entry.errata),
            "text": " ".join(searched).lower(),
        }

    def _setting(self, name: str) -> str:
        value = self.sample.outcome.settings.get(name)
        return "" if value in (None, "") else setting_value(name, value, self.words)

    def details(self, index: dict[str, Any]) -> dict[str, Any]:
        """Return the data of a comparison in the browser."""
        sample, words = self.sample, self.words
        run = {
            "hash": sample.hash,
            "began": words.date(sample.run.started[0].at),
            "stamps": list(stamps(sample.run, words)),
        }
        return index | {
            "format": FORMAT,
            "review": run,
            "settings": figures.setting_data(sample, words),
            "rows": list(self.row_data.values()),
            "charts": list(figures.chart_data(Side(self.name, sample.run), words)),
        }


def class_of(sheet: Sheet, device_class: str) -> str:
    """Return the class that a drive sheet states, otherwise that of the profile."""
    stated = sheet.get("class")
    return stated if stated in ("enterprise", "client") else device_class


def maker_of(model: str) -> str:
    """Return the first word of a model, which names the maker of most drives; of an array that of its members.

    A word with a digit, such as `840` or `ST4000NM0035`, is a part number and no maker.
    """
    first = re.sub(r"^\d+ x ", "", model).split(" ", maxsplit=1)[0].split("_", maxsplit=1)[0]
    if any(map(str.isdigit, first)):
        return ""
    return first.capitalize() if first.isupper() and len(first) > LONGEST else first


def price_of(sheet: Mapping[str, Any], words: Language) -> dict[str, Any] | None:
    """Return the price of a drive sheet, or None."""
    price = sheet.get("price")
    if not isinstance(price, int | float) or isinstance(price, bool):
        return None
    currency = str(sheet.get("currency", "USD"))
    return {"value": price, "shown": f"{words.show(price, 'money')}\u00a0{currency}", "currency": currency}


def number_of(sheet: Mapping[str, Any], name: str, words: Language) -> dict[str, Any] | None:
    """Return a positive number of a drive sheet, or None."""
    value = sheet.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
        return None
    return {"value": value, "shown": f"{words.show(value, 'n')}\u00a0{words('unit.watts')}"}


def use_names(words: Language) -> dict[str, str]:
    """Return the uses that drives are judged for, from light to heavy."""
    return {name: words(f"use_title.{name}") for name in uses().order}


def script(function: str, value: Any) -> bytes:
    """Return data as a script that hands it to a function, because pages without a server cannot fetch files."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for char in ("\u2028", "\u2029"):
        text = text.replace(char, " ")
    return f"{function}({text});\n".encode()


def plain(drive: str, entry: Entry, chosen: Chosen, rows: Sequence[Row], spoken: Mapping[str, Spoken]) -> bytes:
    """Return the data of a drive for programs: base units, texts in every language of the site."""
    first = next(iter(spoken.values()))
    names = {row.id: {lang: language.figure_name(row.id) for lang, language in spoken.items()} for row in rows}
    value = {
        "format": FORMAT,
        "stend": __version__,
        **common(first.index(drive, entry)),
        "verdict": {lang: headline(language.review) for lang, language in spoken.items()},
        "why_not": {lang: language.why_not for lang, language in spoken.items()},
        "key_figures": {name: base(figure, chosen.review.hash) for name, figure in first.keys.items()},
        "figures": [
            {
                "id": row.id,
                "name": names[row.id],
                **{name: getattr(row.key, name) for name in OF_FIGURE},
                "quantity": row.quantity,
                "value": row.value,
                "run": chosen.review.hash,
            }
            for row in rows
        ],
        "runs": [_run(sample, first.reviews[sample.hash], chosen) for sample in chosen.every],
        "errata": msgspec.to_builtins(entry.errata),
        "withdrawn": msgspec.to_builtins(entry.withdrawn),
    }
    return json.dumps(value, ensure_ascii=False, indent=1).encode() + b"\n"


def common(index: Mapping[str, Any]) -> dict[str, Any]:
    """Return the language-free part of an entry of the index."""
    kept = (
        "id", "name", "maker", "interface", "class", "firmware", "virtual", "reference", "source", "ranked", "profile",
    )  # fmt: skip
    price, watts = index["price"], index["watts"]
    return {name: index[name] for name in kept} | {
        "capacity_bytes": index["capacity"]["value"],
        "price": price and price["value"],
        "currency": price["currency"] if price else "",
        "watts": watts and watts["value"],
        "samples": index["samples"],
        "review": index["run"],
        "started_s": index["at"],
        "uses": index["uses"],
    }


def base(figure: Mapping[str, Any], run: str) -> dict[str, Any]:
    """Return a key figure in base units with the hash of its run."""
    return {"value": figure["value"], "usable": figure["usable"], "run": run}


def _run(sample: Sample, review: Review, chosen: Chosen) -> dict[str, Any]:
    plan = sample.run.plan
    return {
        "hash": sample.hash,
        "started_s": sample.run.started[0].at,
        "stend": sample.run.started[0].version,
        "profile": plan.profile.name,
        "firmware": plan.device.firmware,
        "serial": plan.device.serial,
        "tests": [test.name for test in plan.tests],
        "outcome": sample.run.outcome,
        "stamps": list(sample.run.stamps),
        "differs": samples.unlike(sample, chosen.review),
        "host": {name: sample.host[name] for name in ("cpu", "cpus", "kernel", "fio") if name in sample.host},
        "key_figures": {name: base(f, sample.hash) for name, f in figures.key_figures(review).items()},
    }


def tables(rows: Sequence[Row], alike: Iterable[Sample]) -> dict[str, bytes]:
    """Return the figures and all records of a drive as CSV."""
    of_figures = [
        {**{n: getattr(row.key, n) for n in OF_FIGURE}, "quantity": row.quantity, "value": row.value} for row in rows
    ]
    of_records = [record for sample in alike for record in records(sample.run, sample.hash)]
    return {
        "figures.csv": _csv((*OF_FIGURE, "quantity", "value"), of_figures),
        "records.csv": _csv(tuple(COLUMNS), of_records),
    }


def _csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(columns))
    writer.writeheader()
    writer.writerows({name: cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue().encode()


def digests(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the hash of each file."""
    return {path: hashlib.blake2b(content, digest_size=8).hexdigest() for path, content in files.items()}
