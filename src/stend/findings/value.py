"""What the money buys: price per GB, per thousand IOPS, TB written per unit of money, DWPD and TBW."""

from collections.abc import Iterator

from stend.findings import Finding, Sheet, look
from stend.findings.suitability import DAYS, YEARS, endurance_dwpd
from stend.record import Run

NAME = "value"
SAYS = {
    "price": (
        "{price:n} {currency}: {per_gb:n} {currency} per GB, {per_kiops:n} {currency} per 1,000 IOPS of {load}.",
        "{price:n} {currency}: {per_gb:n} {currency} за ГБ, {per_kiops:n} {currency} за 1000 IOPS ({load}).",
    ),
    "written": (
        "Endurance {tbw:gb} written over {years:n} years, {dwpd:n} drive writes per day: {tb_each:n} TB written"
        " for each {currency}.",
        "Ресурс {tbw:gb} записи за {years:n} {years:plural:год|года|лет}, {dwpd:n} перезаписи в день: {tb_each:n} ТБ"
        " записи на 1 {currency}.",
    ),
    "endurance": (
        "Endurance {tbw:gb} written over {years:n} years, {dwpd:n} drive writes per day.",
        "Ресурс {tbw:gb} записи за {years:n} {years:plural:год|года|лет}, {dwpd:n} перезаписи в день.",
    ),
}


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Price where the sheet tells one, endurance where it tells that."""
    capacity = run.plan.device.capacity_bytes
    cells = [cell for test in look.tests(run) for cell in look.cells(run, test)]
    if "price" in sheet and cells:
        best = max(cells, key=lambda cell: cell.counts.iops)
        price = float(sheet["price"])
        values = {
            "price": price,
            "currency": _currency(sheet),
            "per_gb": price / (capacity / 1e9),
            "per_kiops": price / (best.counts.iops / 1000),
            "load": best.workload.label,
        }
        yield Finding(name=NAME, key="price", values=values)
    dwpd = endurance_dwpd(sheet, capacity)
    if dwpd is not None:
        years = float(sheet.get("warranty_years", YEARS))
        tbw = dwpd * capacity * DAYS * years
        values = {"dwpd": dwpd, "tbw": tbw, "years": years}
        if not sheet.get("price"):
            yield Finding(name=NAME, key="endurance", values=values)
            return
        values |= {"tb_each": tbw / 1e12 / float(sheet["price"]), "currency": _currency(sheet)}
        yield Finding(name=NAME, key="written", values=values)


def _currency(sheet: Sheet) -> str:
    return str(sheet.get("currency", "USD"))
