"""A gate: rules from the command line or a TOML file, and the result of undecided rules.

undecided = "fail"            # or "pass"; without it the answer of an undecided gate is "undecided"
noninferior = false
fail_if = ["iops[*,4K] < -3%", "p99.9[latency] > +10%"]
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from stend.base import untrusted
from stend.base.errors import BadInput
from stend.many.compare.differences import Comparison
from stend.many.compare.rules import Judgement, Rule, judge, parse

SETTLED = ("", "pass", "fail")


class Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The TOML file of rules."""

    fail_if: tuple[str, ...]
    undecided: str = ""
    noninferior: bool = False


class Gate(NamedTuple):
    """Rules and the result of undecided ones."""

    rules: tuple[Rule, ...]
    undecided: str
    noninferior: bool

    def judge(self, whole: Comparison) -> Judgement | None:
        """Return the judgement of a comparison, or None without rules."""
        return judge(whole, self.rules, self.undecided, noninferior=self.noninferior) if self.rules else None


def chosen(typed: Sequence[str], file: Path | None, undecided: str = "", *, noninferior: bool = False) -> Gate:
    """Join the rules of the command line and a file; options of the command line override those of the file.

    Raise BadInput for invalid rules, an empty file, or options without rules.
    """
    written = untrusted.toml(untrusted.read(file, "the rules"), Written, f"the rules {file}") if file else Written(())
    settled = undecided or written.undecided
    if settled not in SETTLED:
        raise BadInput(f"undecided is {settled!r}; use pass or fail")
    rules = tuple(parse(text) for text in (*written.fail_if, *typed))
    if file and not written.fail_if:
        raise BadInput(f"the file {file} has no rules: fail_if is empty")
    if not rules and (settled or noninferior):
        raise BadInput("--undecided and --noninferior need rules; give --fail-if or --rules")
    return Gate(rules, settled, noninferior or written.noninferior)
