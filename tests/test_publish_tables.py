"""Tables of a site: their filters, rounding, ranges and places."""

import re

from tests.test_publish import site


def test_a_filter_offers_only_what_its_page_has() -> None:
    pages = [path for path in (site() / "en").rglob("*.html") if 'id="filters"' in path.read_text()]
    assert len(pages) > 4
    for path in pages:
        text = path.read_text()
        for facet in ("maker", "interface", "class", "capacity"):
            rows = [value for value in re.findall(rf'<tr[^>]* data-{facet}="([^"]*)"', text) if value]
            select = re.search(rf'<select name="{facet}">(.*?)</select>', text)
            offered = re.findall(r'<option value="([^"]+)">[^<]*\((\d+)\)', select[1]) if select else []
            assert {value: int(n) for value, n in offered} == {v: rows.count(v) for v in rows} or not select, path
