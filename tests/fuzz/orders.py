"""What arrives from other hosts and from a browser: fleet files, orders, and the choice of a page."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from stend import session
from stend.base import untrusted
from stend.base.errors import BadInput
from stend.fleet import file, tasks
from stend.live import composer
from stend.model.definition import Plan
from stend.words import Language, decoded, encoded
from tests.fuzz.files import FOLDER
from tests.fuzz.target import Target, senseless

FLEET = b"""name = "lot"
drives = ["S1", "S2", { model = "KC*", capacity = "900GB-1TB", count = 3 }]
scheduler = "tls://10.0.0.1:8786"
destroy = ["S1"]
retries = 2
[[studies]]
tests = ["iops"]
quick = true
depth = 4
meter = "hwmon:ina226"
power_saving = "off"
[[studies]]
tests = ["inspect"]
survey_minutes = 5
"""
SLURM = b"""name = "night"
drives = { model = "P5510", capacity = "3.84TB" }
[[studies]]
tests = ["review-sata"]
profile = "review"
minute_s = 30
[slurm]
home = "/srv/stend"
options = ["--time=1:00:00"]
[acceptance]
limits = ["iops >= 1000"]
"""
WORDS = Language("en")


def _fleet(data: bytes) -> Any:
    path = FOLDER / "fleet.toml"
    path.write_bytes(data)
    fleet = file.load(path)
    few = msgspec.structs.replace(fleet, drives=(fleet.wishes[0],))
    orders = [*few.orders([few.serials])]
    assert few.reads_only in (True, False)
    return [_safe(order) for order in orders], [selector.span_bytes[0] for selector in few.selectors]


def _safe(order: file.Order) -> Any:
    """See that what an order names stays inside the folder of its fleet."""
    place = tasks._place(order.fleet, order.cell)
    assert place.resolve().is_relative_to((tasks.HOME / "runs" / order.fleet).resolve()), "outside its fleet"
    assert str(place).isprintable()
    return order.request("sim:small", Path("x")).command


def _order(data: bytes) -> Any:
    """Plan an order as the host of the drive does."""
    try:
        order = msgspec.json.decode(data, type=file.Order)
    except untrusted.BROKEN as error:
        raise BadInput(f"not an order: {untrusted.sentence(error)}") from error
    if why := order.study.refusal:
        assert order.study.meter
        raise BadInput(why)
    _safe(order)
    return session.planned(order.request("sim:small", Path("x")))


def _wrong_plan(plan: Plan) -> str:
    recorded = msgspec.json.encode(plan, enc_hook=encoded)
    return senseless(plan) or senseless(msgspec.json.decode(recorded, type=Plan, dec_hook=decoded))


def _composed(data: bytes) -> Any:
    chosen = composer.wish(parse_qsl(data.decode(errors="replace"), keep_blank_values=True))
    return composer.planned(chosen, WORDS)


def targets() -> list[Target]:
    """All of them."""
    path = FOLDER / "orders.toml"
    path.write_bytes(FLEET.replace(b', { model = "KC*", capacity = "900GB-1TB", count = 3 }', b""))
    fleet = file.load(path)
    orders = [msgspec.json.encode(order) for order in fleet.orders([fleet.serials])]
    asked = [
        b"test=iops&test=latency&target=sim:small&quick=true&depth=4&label=x",
        b"test=service&target=sim:sas15k&minute_s=30&active_range_pct=80&verify=true&threads=2",
    ]
    return [
        Target("fleet file", "toml", [FLEET, SLURM], _fleet, senseless, 2),
        Target("order", "json", orders, _order, _wrong_plan, 2),
        Target("composer", "text", asked, _composed, senseless, 1),
    ]
