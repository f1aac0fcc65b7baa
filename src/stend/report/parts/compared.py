"""A Comparison into files: html, pdf, markdown and json, named `comparison`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from stend import __version__
from stend.compare import Comparison, Difference, Side
from stend.compare.rules import Judgement
from stend.errors import BadInput
from stend.report.parts.versus import versus

FORMATS = ("html", "pdf", "markdown", "json")
FORMAT = 1
OF_RUN = ("name", "drive", "began_s", "ended_s", "seed", "settings", "stamps")
"""What of a run's outcome is told."""


def _write(whole: Comparison, judged: Judgement | None, form: str, lang: str, into: Path) -> list[Path]:
    """One format into a folder; tells the files written, the first to open first."""
    into.mkdir(parents=True, exist_ok=True)
    name = "comparison" + ("" if lang == "en" or form == "json" else f".{lang}")
    path = into / f"{name}.{'md' if form == 'markdown' else form}"
    if form == "json":
        path.write_bytes(msgspec.json.format(msgspec.json.encode(plain(whole, judged)), indent=1) + b"\n")
        return [path]
    doc = versus(whole, judged, lang)
    if form == "markdown":
        from stend.report.markdown import write_document

        return write_document(doc, path, into / f"{name}.files")
    if form == "pdf":
        from stend.report.pdf import typeset

        path.write_bytes(typeset(doc))
        return [path]
    from stend.report.html import page

    path.write_text(page(doc), encoding="utf-8")
    return [path]


def plain(whole: Comparison, judged: Judgement | None) -> dict[str, Any]:
    """The same as plain data in base units; changes are ratios, B over A."""
    return {
        "format": FORMAT,
        "stend": __version__,
        "a": _side(whole.a),
        "b": _side(whole.b),
        "thresholds": whole.thresholds,
        "anyway": whole.anyway,
        "notes": [_reason(note) for note in whole.notes],
        "settings": [one._asdict() for one in whole.settings],
        "differences": [_difference(one) for one in whole.differences],
        "alone": {"a": [k._asdict() for k in whole.alone[0]], "b": [k._asdict() for k in whole.alone[1]]},
        "rules": _judged(judged) if judged else None,
    }


def _side(side: Side) -> dict[str, Any]:
    return {"name": side.name, "runs": [{key: getattr(run, key) for key in OF_RUN} for run in side.runs]}


def _reason(reason: Any) -> dict[str, Any]:
    return {"key": reason.key, **reason.values}


def _difference(one: Difference) -> dict[str, Any]:
    return one._asdict() | {
        "key": one.key._asdict(),
        "why": [_reason(reason) for reason in one.why],
        "warned": [_reason(reason) for reason in one.warned],
    }


def _judged(judged: Judgement) -> dict[str, Any]:
    return {
        "answer": judged.final,
        "shown": judged.answer,
        "undecided": judged.undecided,
        "noninferior": judged.noninferior,
        "figures": [
            {
                "rule": one.rule.text,
                "answer": one.answer,
                "p_holm": one.p,
                "figure": _difference(one.figure),
                "why": [_reason(reason) for reason in one.why],
            }
            for one in judged.gated
        ],
    }


def write(whole: Comparison, judged: Judgement | None, forms: Sequence[str], lang: str, into: Path) -> list[Path]:
    """Several formats; unknown ones are refused before any is written."""
    for form in forms:
        if form not in FORMATS:
            raise BadInput(f"there is no format {form!r} of a comparison; there are {', '.join(FORMATS)}")
    return [path for form in forms for path in _write(whole, judged, form, lang, into)]
