"""The libraries that draw charts in a page: bundled once, kept for the next report, never taken on trust."""

from pathlib import Path
from typing import Any

import pytest

from stend.report.parts import vega


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(vega, "_made", lambda: "the drawing script")
    return tmp_path


def test_the_script_that_draws_is_made_once_and_kept(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert vega.script() == "the drawing script"
    monkeypatch.setattr(vega, "_made", lambda: "made again")
    assert vega.script() == "the drawing script"


@pytest.mark.parametrize("spoil", [lambda t: t[:-1], lambda t: t.replace(b"drawing", b"foreign"), lambda t: b"\xff"])
def test_a_kept_script_that_is_not_the_one_that_was_made_is_made_again(cache: Path, spoil: Any) -> None:
    vega.script()
    (kept,) = cache.rglob("vega-*.js")
    whole = kept.read_bytes()
    kept.write_bytes(spoil(whole))
    assert vega.script() == "the drawing script"
    assert kept.read_bytes() == whole


def test_without_a_place_to_keep_it_the_script_is_made_each_time(cache: Path) -> None:
    (cache / "stend").write_text("a file where the folder would be")
    assert vega.script() == "the drawing script"
    assert [p.name for p in cache.iterdir()] == ["stend"]
