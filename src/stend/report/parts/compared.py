"""A Comparison as files: html, pdf, markdown and json, named `comparison`."""

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
"""Fields of a run's outcome that are exported."""


def plain(whole: Comparison, judged: Judgement | None) -> dict[str, Any]:
    """Return the comparison as plain data in base units. Changes are ratios, B over A."""
    return {
        "format": FORMAT,
        "stend": __version__,
        "a": _side(whole.a),
        "b": _side(whole.b),
        "thresholds": whole.thresholds,
        "anyway": whole.anyway,
        "notes": [_reason(note) for note in whole.notes],
        "settings": [difference._asdict() for difference in whole.settings],
        "differences": [_difference(difference) for difference in whole.differences],
        "alone": {"a": [k._asdict() for k in whole.alone[0]], "b": [k._asdict() for k in whole.alone[1]]},
        "rules": _judged(judged) if judged else None,
    }


def _side(side: Side) -> dict[str, Any]:
    return {"name": side.name, "runs": [{key: getattr(run, key) for key in OF_RUN} for run in side.runs]}


def _reason(reason: Any) -> dict[str, Any]:
    return {"key": reason.key, **reason.values}


def _difference(difference: Difference) -> dict[str, Any]:
    return difference._asdict() | {
        "key": difference.key._asdict(),
        "why": [_reason(reason) for reason in difference.why],
        "warned": [_reason(reason) for reason in difference.warned],
    }


def _judged(judged: Judgement) -> dict[str, Any]:
    return {
        "answer": judged.final,
        "shown": judged.answer,
        "undecided": judged.undecided,
        "noninferior": judged.noninferior,
        "figures": [
            {
                "rule": gated.rule.text,
                "answer": gated.answer,
                "p_holm": gated.p,
                "figure": _difference(gated.figure),
                "why": [_reason(reason) for reason in gated.why],
            }
            for gated in judged.gated
        ],
    }


def write(whole: Comparison, judged: Judgement | None, forms: Sequence[str], lang: str, into: Path) -> list[Path]:
    """Write several formats. Raise BadInput for an unknown format before any file is written."""
    return written.write(
        "comparison", forms, lang, into, lambda: versus(whole, judged, lang), lambda: plain(whole, judged)
    )
