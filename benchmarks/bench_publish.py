"""A site of 200 virtual units (20 models, ten units each, one run of each): times, sizes, what a next build costs.

`python -m benchmarks.bench_publish FOLDER` keeps the runs (FOLDER/runs) and the site (FOLDER/site). The same with 200
models of one unit: FOLDER/models.
"""

import datetime
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.labs import run
from tests.synthetic import Truth

from stend import publish
from stend.base.units import GB
from stend.publish.lab import Lab, Ranking, Read

MODELS, UNITS = 20, 10
MAKERS = ("Alpine", "Borealis", "Cobalt", "Delta", "Ember")
TESTS = ("iops", "latency", "write-saturation")
TODAY = datetime.date(2026, 11, 25)


def made(folder: Path, model: int, unit: int) -> None:
    """A run of one unit, which differs from the others of its model by some percent."""
    if (folder / "events.jsonl").exists():
        return
    own = 1 + ((unit * 37 + model * 11) % 21 - 10) / 400
    truth = Truth(
        capacity_bytes=(240, 480, 960, 1920)[model % 4] * GB,
        steady_iops=(8_000 + 4_000 * model) * own,
        read_iops=(90_000 + 30_000 * model) * own,
        read_bps=(0.5 + 0.25 * model) * 1e9 * own,
        write_bps=(0.4 + 0.15 * model) * 1e9 * own,
        model=f"{MAKERS[model % len(MAKERS)]} {100 * (model + 1)}",
        serial=f"SYN-{model:02}-{unit:02}",
    )
    run(folder, truth, seed=model * UNITS + unit + 1, names=TESTS, virtual=True)
    price = 30 + 17 * model
    (folder / "drive.toml").write_text(f'price = {price}\ncurrency = "EUR"\nwatts = {3 + model % 9}\n')


def lab(top: Path, models: int, units: int) -> list[Path]:
    """The run folders, made if they are not there."""
    places = {top / f"model{m:03}-unit{u:02}": (m, u) for m in range(models) for u in range(units)}
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(made, places, *zip(*places.values(), strict=True)))
    return list(places)


def sizes(site: Path) -> dict[str, int]:
    """Bytes of the parts of a site."""
    files = [path for path in site.rglob("*") if path.is_file()]
    first = [site / "en/index.html", site / "assets/site.css", site / "assets/site.js"]
    pages = [path.stat().st_size for path in (site / "en/drives").glob("*.html")]
    return {
        "all files": sum(path.stat().st_size for path in files),
        "first page with style and script": sum(path.stat().st_size for path in first),
        "largest page of a drive": max(pages),
        "published.json": (site / "published.json").stat().st_size,
    }


def measured(top: Path, models: int, units: int) -> None:
    """Build a site, again without a change, again with one new run."""
    folders = lab(top / "runs", models, units)
    site, read = (
        top / "site",
        Read(Lab(name="Virtual lab", address="https://lab.example", ranking=Ranking(virtual=True))),
    )
    spare = folders.pop()
    for what, these in (("first build", folders), ("nothing new", folders), ("one new run", [*folders, spare])):
        began = time.perf_counter()
        built = publish.build(these, site, read, TODAY)
        took = time.perf_counter() - began
        drives = len(built.new) + len(built.remade)
        print(f"| {models} models x {units} | {what} | {drives} | {took:.1f} s |", flush=True)
    for what, size in sizes(site).items():
        print(f"| {models} models x {units} | {what} | | {size / 1e3:,.0f} kB |")


def main(folder: str = "") -> None:
    """Print a table of both labs."""
    with tempfile.TemporaryDirectory() as name:
        top = Path(folder or name)
        print("| lab | build | drives made | value |\n|---|---|--:|--:|")
        measured(top, MODELS, UNITS)
        measured(top / "models", MODELS * UNITS, 1)


if __name__ == "__main__":
    main(*sys.argv[1:2])
