"""The answers of rules as JUnit XML: one suite per rule, one case per figure. An undecided one is skipped or failed."""

import re
from pathlib import Path
from xml.etree import ElementTree

from stend.many.compare.rules import Judgement

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 forbids, which names of drives may contain."""
KINDS = {"failed": "failure", "undecided": "skipped"}
"""The element of a case by its answer; one that passed has none."""


def write(judgement: Judgement, path: Path, sides: tuple[str, str]) -> None:
    """Write the XML file for CI systems."""
    top = ElementTree.Element("testsuites", name=_text(f"stend compare: {sides[0]} against {sides[1]}"))
    for rule in dict.fromkeys(gated.rule for gated in judgement.gated):
        cases = [gated for gated in judgement.gated if gated.rule is rule]
        suite = ElementTree.SubElement(top, "testsuite", name=rule.text, tests=str(len(cases)))
        for gated in cases:
            key = gated.figure.key
            name = f"{key.test} {key.phase} {key.state} {key.load} {key.direction} {gated.figure.quantity}"
            case = ElementTree.SubElement(suite, "testcase", classname=rule.text, name=_text(name))
            if kind := KINDS.get(judgement._replace(answer=gated.answer).final):
                figure = gated.figure
                ends = [f"{end - 1:+.2%}" for end in (figure.low, figure.high) if end is not None]
                edge = " to ".join(ends) or "no interval"
                ElementTree.SubElement(case, kind, message=f"{gated.answer}: {figure.ratio - 1:+.2%} ({edge})")
        for name, kind in (("failures", "failure"), ("skipped", "skipped"), ("errors", "error")):
            suite.set(name, str(len(suite.findall(f"testcase/{kind}"))))
    path.write_bytes(ElementTree.tostring(top, encoding="utf-8", xml_declaration=True))


def _text(text: str) -> str:
    return FORBIDDEN.sub("\ufffd", text)
