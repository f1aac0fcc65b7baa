"""Settings of runs in words: their values, and reasons why figures are unlike."""

from typing import TYPE_CHECKING, Any

from stend.words import Language

if TYPE_CHECKING:
    from stend.many.settings import Reason

AS_RECORDED = ("label", "model", "virtual", "firmware", "serial", "cpu", "kernel", "fio", "tool", "stend")
"""Settings whose values are names: they are never translated."""


def setting_value(setting: str, value: Any, words: Language) -> str:
    """Return the value of a setting as text, or a dash if it is not known."""
    if value in (None, ""):
        return "–"
    if isinstance(value, bool):
        return words("versus.yes" if value else "versus.no")
    if setting == "capacity":
        return words.show(value, "gb")
    if setting in ("interface", "engine"):
        shown = str(value)
        return words.interface(shown) if setting == "interface" else words.title(shown, shown, "engine")
    if setting in AS_RECORDED:
        return str(value)
    return words.show(value, "n") if isinstance(value, int | float) else words.translated(str(value))


def difference_reason(reason: "Reason", words: Language) -> str:
    """Return a reason as half a sentence."""
    values = dict(reason.values)
    if reason.key == "setting":
        values["name"] = words(f"setting.{values['name']}")
    return words(f"why.{reason.key}", **values)
