"""A Comparison into files: html, pdf, markdown and json, named `comparison`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stend.base.version import __version__
from stend.many.compare import Comparison, Difference, Side
from stend.many.compare.rules import Judgement
from stend.report.parts import written
from stend.report.parts.versus import versus

FORMAT = 1
OF_RUN = ("name", "drive", "began_s", "ended_s", "seed", "settings", "stamps")
"""What of a run's outcome is told."""


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
    return written.write(
        "comparison", forms, lang, into, lambda: versus(whole, judged, lang), lambda: plain(whole, judged)
    )
