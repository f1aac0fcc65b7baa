"""The meter of a chart, by its name and its error."""

from stend.findings.look.metered import WATTS, meter
from stend.model.record import Run
from stend.words import Language


def metered(text: str, run: Run, words: Language, reading: str = WATTS) -> str:
    """Return the text below a chart, followed by the meter of a reading."""
    facts = meter(run, reading)
    if facts is None:
        return text
    if facts.error_pct is None:
        return f"{text} {words('says.meter_unknown', name=facts.name)}"
    key = "says.meter" if facts.error_pct else "says.meter_exact"
    return f"{text} {words(key, name=facts.name, error=facts.error_pct / 100)}"
