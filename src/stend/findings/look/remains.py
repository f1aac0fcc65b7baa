"""The rest of a fill, whose levels are unknown."""

from collections.abc import Mapping
from typing import Any

from stend.findings import look
from stend.model.record import Run


def after(run: Run, test: str, values: Mapping[str, Any]) -> float:
    """Return the mean rate after the first level of a fill in bytes/s, from the values of its finding."""
    counts = next((record.counts for record in look.records(run, test, values["state"])), None)
    rest_s = counts.seconds - values["size"] / values["first"] if counts else 0.0
    return float((counts.write.bytes - values["size"]) / rest_s if counts and rest_s > 0 else values["last"])
