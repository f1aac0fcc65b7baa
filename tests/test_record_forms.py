"""Records keep their fields, defaults and bounds (tests/record_forms.py)."""

import json
from typing import Any

import pytest

from tests.record_forms import FILE, form, records

GOLDEN: dict[str, Any] = json.loads(FILE.read_text())
RECORDS = {f"{record.__module__.removeprefix('stend.')}.{record.__name__}": record for record in records()}


def test_every_record_has_its_form() -> None:
    assert list(GOLDEN) == list(RECORDS)


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_keeps_its_form(name: str) -> None:
    assert json.loads(json.dumps(form(RECORDS[name]))) == GOLDEN[name]
