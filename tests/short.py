"""Real runs of few and short cells, for tests whose matter is not their figures: most of such a run is fio's starts."""

from pathlib import Path

CELLS: dict[str, dict[str, list[float] | int]] = {
    "latency": {"mixes": [100, 0], "blocks_kib": [4, 0.5], "histogram_minutes": 1},
    "fresh": {"sequential": [1, 128], "minutes": 1},
    "iops": {"mixes": [65], "blocks_kib": [1024, 128, 64, 32, 16, 8, 4, 0.5]},
    "write-saturation": {"histogram_minutes": 5},
}
"""Of each test: all its phases, at most eight cells. Every mix is held in tests/test_suite_fio.py."""


def study(folder: Path, test: str = "latency", minute_s: float = 0.1) -> str:
    """A study of one test, in a file of that folder: one round of cells so long, its first 64 MiB written before."""
    path = folder / f"short-{test}.toml"
    told = "".join(f"{name} = {value}\n" for name, value in CELLS[test].items())
    path.write_text(
        f'title = "Short"\ntests = ["{test}"]\n[settings]\nminute_s = {minute_s}\nshorten = 60\nrounds = 1\n'
        f"threads = 2\ndepth = 1\nrange_limit_bytes = {64 << 20}\n[settings.tests.{test}]\n{told}"
    )
    return str(path)
