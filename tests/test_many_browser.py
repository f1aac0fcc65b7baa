"""Pages of batches and sweeps in a real browser (`make pages`): axe has no objection, and every chart is drawn."""

from pathlib import Path

import pytest

from stend.many.batch.acceptance import Written
from stend.many.batch.acceptance import plan as accepting
from stend.many.batch.verdict import judged
from stend.many.sweep import going
from stend.many.sweep.study import studied
from stend.report.parts import batched, swept
from stend.words import LANGUAGES
from tests import test_batch, test_sweep
from tests.test_report_browser import told

pytestmark = pytest.mark.browser


def passes(page: Path, folder: Path) -> None:
    result = told(page, folder)
    assert result["violations"] == []
    assert len(result["passes"]) > 20
    assert result["charts"]
    assert [name for name, drawn in result["charts"] if not drawn] == []
    assert result["contrast"] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_of_a_batch(tmp_path: Path, lang: str) -> None:
    own = accepting(Written(("iops[write-saturation,histogram] > 20k",), sample=8, accept=0))
    batch = judged(test_batch.of(range(5, 13)), own)
    assert batch.odd
    passes(batched.write(batch, ["html"], lang, tmp_path)[0], tmp_path)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_page_of_a_sweep(tmp_path: Path, lang: str) -> None:
    going.go(test_sweep.written(tmp_path), tmp_path / "out", 2)
    study = studied(tmp_path / "out", best="least flash.spare_pct", where=["iops[histogram] > 1k"])
    passes(swept.write(study, ["html"], lang, tmp_path)[0], tmp_path)
