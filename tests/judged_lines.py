"""What the five model reviews conclude, in their own words, and what the review of the virtual drive must state.

`words` are the article's, cut to the point. A line agrees by the figures, marks and claims of the documented command:
`stend run SUITE --target sim:NAME`, then `stend report DIR --sheet published:NAME`.
"""

from collections.abc import Callable
from typing import NamedTuple

from stend.findings.judgement import FIT
from stend.findings.judgement.evidence import Evidence

Marks = dict[str, str]
Claims = dict[str, str]


class Line(NamedTuple):
    """A drive, what its review concludes in its own words, the figures that state it, whether they do, and why not."""

    drive: str
    words: str
    figures: tuple[str, ...]
    agrees: Callable[[Evidence, Marks, Claims], bool]
    why: str = ""


SUITES = {
    "sn150": "review-nvme",
    "kc2000": "review-desktop",
    "saber1000": "review-sata",
    "st600mx0052": "review-sshd",
    "x25e-raid": "review-raid",
}
KEPT = ("holds", "holds_beside", "near")
LINES = (
    Line("sn150", "4 КиБ чтение: 725 тыс. IOPS (заявлено 743)", ("reads",), lambda e, m, c: c["rand_read_4k"] in KEPT),
    Line("sn150", "8 КиБ чтение: 373 (385)", (), lambda e, m, c: c["rand_read_8k"] in KEPT),
    Line("sn150", "соответствующих заявленным 130-140 тыс.", ("writes",), lambda e, m, c: c["rand_write_4k"] in KEPT),
    Line("sn150", "падает с 430 тыс. IOPS", ("start", "writes"),
         lambda e, m, c: e["start"] > 400e3 and 125e3 < e["writes"] < 145e3),
    Line("sn150", "никаких пиков с экстремально высокими задержками", ("longest",),
         lambda e, m, c: e["longest"] < 0.02),
    Line("sn150", "экономия в 20 мкс (одиночная запись)", ("write_wait",), lambda e, m, c: e["write_wait"] < 30e-6),
    Line("sn150", "отличная производительность, в 1,5 раза выше P3600", (),
         lambda e, m, c: all(m[use] in FIT for use in ("read", "mixed", "database", "write"))),
    Line("kc2000", "350/250 тысяч IOPS вполне можно увидеть после обнуления", ("fresh_writes", "writes"),
         lambda e, m, c: c["rand_write_4k"] in KEPT and c["rand_read_4k"] != "missed"),
    Line("kc2000", "три ступени, кэш 64-67 ГиБ", ("cache_bytes", "cache_first", "stream_end"),
         lambda e, m, c: 64 <= e["cache_bytes"] / 2**30 <= 67 and e["cache_fall"] > 3),
    Line("kc2000", "IOPS-тест: 203386 на чтение", ("reads",), lambda e, m, c: 190e3 < e["reads"] < 215e3),
    Line("kc2000", "99,9 % — десятки мс при записи", ("write_tail",), lambda e, m, c: 0.01 < e["write_tail"] < 0.1),
    Line("kc2000", "плавно падает до 20 тыс.", ("start", "writes", "fall"),
         lambda e, m, c: 14e3 < e["writes"] < 22e3 and e["start"] > 250e3),
    Line("kc2000", "5-секундные паузы: 100-200 тыс. IOPS", ("back_iops", "rested"),
         lambda e, m, c: e["back_iops"] > 1.3 * e["writes"] and e["rested"] > 4 * e["writes"],
         "the virtual drive comes back more slowly (review-numbers.csv)"),
    Line("kc2000", "сбалансированный накопитель для настольных систем", (), lambda e, m, c: m["desktop"] == "yes"),
    Line("kc2000", "предостеречь от использования в качестве серверного", (),
         lambda e, m, c: m["mixed"] == m["write"] == m["database"] == "no" and m["read"] not in FIT),
    Line("saber1000", "на чтение оказался ниже заявленного", ("reads",), lambda e, m, c: c["rand_read_4k"] == "missed"),
    Line("saber1000", "на запись — существенно выше", ("writes",),
         lambda e, m, c: c["rand_write_4k"].startswith("holds")),
    Line("saber1000", "последовательный доступ: вполне соответствуют заявленным", ("seq_read", "seq_write"),
         lambda e, m, c: c["seq_read_128k_MB"] in KEPT and c["seq_write_128k_MB"] in KEPT),
    Line("saber1000", "14000 IOPS после 10 часов", ("writes",), lambda e, m, c: 12e3 < e["writes"] < 20e3,
         "the virtual drive ends higher (review-numbers.csv)"),
    Line("saber1000", "паузы возвращают 47000", ("rested",), lambda e, m, c: 44e3 < e["rested"] < 50e3),
    Line("saber1000", "высокие значения максимальной задержки", ("longest", "write_tail"),
         lambda e, m, c: e["longest"] > 0.3 and e["write_tail"] < 0.03,
         "published maxima are 2 s, those of the virtual drive half a second"),
    Line("saber1000", "для приложений с преимущественной нагрузкой на чтение", (), lambda e, m, c: m["read"] in FIT),
    Line("saber1000", "нет полной защиты; не предназначен для режима насыщения", (),
         lambda e, m, c: m["write"] == "no" and m["mixed"] not in FIT and m["database"] not in FIT),
    Line("st600mx0052", "чтение горячей области: в 15 раз", ("hot_gain",), lambda e, m, c: 13 < e["hot_gain"] < 18),
    Line("st600mx0052", "35/65: 15 %, задержка на треть меньше", ("warm_mixed", "warm_wait"),
         lambda e, m, c: e["warm_mixed"] > 1.1 and e["warm_wait"] > 0.25,
         "published of four drives in RAID 10; one drive gains more"),
    Line("st600mx0052", "на чистой записи ничего", ("warm_writes",), lambda e, m, c: abs(e["warm_writes"] - 1) < 0.1),
    Line("st600mx0052", "это именно write-through, а не write-around", ("write_through",),
         lambda e, m, c: e.get("write_through", 0) > 2),
    Line("st600mx0052", "преимущественное чтение, «горячая» область в пределах кэша", (),
         lambda e, m, c: m["hot"] == "yes" and "read" not in m),
    Line("x25e-raid", "время ответа 1-4 мс при высокой нагрузке", ("server_wait",),
         lambda e, m, c: e["server_wait"] < 0.005),
    Line("x25e-raid", "последовательное чтение 1200 МБ/с", ("small_read", "large_read"),
         lambda e, m, c: e["small_read"] > 100e3 and e["large_read"] > 1100e6),
    Line("x25e-raid", "для любой интенсивной дисковой нагрузки", (),
         lambda e, m, c: m["read"] in FIT and m["mixed"] in FIT and m["database"] in FIT),
    Line("x25e-raid", "случайная запись большим блоком не будет радовать", ("big_writes", "big_share"),
         lambda e, m, c: m["write"] == "doubt" and e["big_share"] < 0.2),
    Line("x25e-raid", "не могут заменить диски для больших объёмов", (), lambda e, m, c: m["streaming"] == "no"),
)  # fmt: skip
