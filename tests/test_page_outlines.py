"""All that pages state is compared with what they stated, as text: every section, table, sentence and caption."""

import json

import jsonschema
import pytest

from stend.report.parts import schemas_many
from tests import page_outlines

pytestmark = pytest.mark.together


@pytest.mark.parametrize("name", page_outlines.PAGES)
def test_a_page_states_what_it_stated(name: str) -> None:
    stated = page_outlines.outline(page_outlines.PAGES[name]())
    assert stated == (page_outlines.FOLDER / f"{name}.txt").read_text(), (
        "write anew with python -m tests.page_outlines, and read the diff"
    )


def test_plain_data_follows_its_schema_and_no_field_may_be_left_out() -> None:
    for name, schema in (("batch.json", schemas_many.lot()), ("sweep.json", schemas_many.sweep()),
                         ("lot.json", schemas_many.inspection())):  # fmt: skip
        plain = json.loads(json.dumps(page_outlines.documents()[name], default=str))
        jsonschema.validate(plain, schema)
        for field in plain:
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.validate({key: value for key, value in plain.items() if key != field}, schema)


def test_no_page_is_left_over() -> None:
    assert {path.stem for path in page_outlines.FOLDER.glob("*.txt")} == page_outlines.PAGES.keys()
