"""Value for money: price per GB and per thousand IOPS, TB written per unit of money, DWPD and TBW."""

from collections.abc import Iterator

from stend.findings import Finding, Sheet
from stend.findings.look import headline
from stend.findings.look.endurance import endurance
from stend.findings.look.figures import figures
from stend.model.record import Run


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield the price if the sheet states one, and the endurance if it states that."""
    capacity = run.plan.device.capacity_bytes
    price = float(sheet.get("price", 0))
    if price > 0:
        values = {"price": price, "currency": _currency(sheet), "per_gb": price / (capacity / 1e9)}
        reads = headline.level(figures(run), "read_window")
        if reads:
            values |= {"per_kiops": price / (reads.iops / 1000), "load": reads.workload.label}
        yield Finding(key="price" if reads else "price_alone", values=values)
    lasts = endurance(sheet, capacity)
    if lasts is not None:
        values = {"dwpd": lasts.dwpd, "tbw": lasts.written_bytes, "years": lasts.years}
        if price <= 0:
            yield Finding(key="endurance", values=values)
            return
        values |= {"tb_each": lasts.written_bytes / 1e12 / price, "currency": _currency(sheet)}
        yield Finding(key="written", values=values)


def _currency(sheet: Sheet) -> str:
    return str(sheet.get("currency", "USD"))
