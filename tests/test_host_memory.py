"""Memory modules: what each line of dmidecode means, and the advice that follows from a population, word by word."""

from typing import Any

import pytest

from stend.base.units import GiB
from stend.host import memory


def device(**fields: str) -> memory.Module:
    """The one module of a table in which `SPEED_` stands for a space."""
    lines = [f"\t{name.replace('_', ' ')}: {value}" for name, value in fields.items()]
    (module,) = memory.modules("\n".join(["Handle 0x0011, DMI type 17, 92 bytes", "Memory Device", *lines]))
    return module


def module(channel: str = "A", cpu: str = "0", **more: Any) -> memory.Module:
    facts: dict[str, Any] = {"size_bytes": 8 * GiB, "kind": "DDR3", "rated_mt_s": 1333, "runs_mt_s": 1333, "ranks": 2}
    return memory.Module(locator="", cpu=cpu, channel=channel, **(facts | more))


@pytest.mark.parametrize(
    ("fields", "facts"),
    [
        ({"Size": "8192 MB"}, {"size_bytes": 8 * GiB}),
        ({"Size": "512 kB"}, {"size_bytes": 0}),
        ({"Size": "No Module Installed"}, {"size_bytes": 0}),
        ({"Type": "DDR4"}, {"kind": "DDR4"}),
        ({"Type": "DDR2 FB-DIMM"}, {"kind": "DDR2"}),
        ({"Speed": "3200 MT/s"}, {"rated_mt_s": 3200, "runs_mt_s": 3200}),
        ({"Speed": "3200 MT/s", "Configured_Memory_Speed": "2933 MT/s"}, {"rated_mt_s": 3200, "runs_mt_s": 2933}),
        ({"Speed": "1333 MHz", "Configured_Clock_Speed": "1066 MHz"}, {"rated_mt_s": 1333, "runs_mt_s": 1066}),
        ({"Speed": "3200 MT/s", "Configured_Memory_Speed": "Unknown"}, {"rated_mt_s": 3200, "runs_mt_s": 3200}),
        ({"Rank": "4"}, {"ranks": 4}),
        ({"Locator": "P1 CHANNEL B", "Bank_Locator": "x"}, {"cpu": "1", "channel": "B", "locator": "P1 CHANNEL B"}),
        ({"Locator": "DIMM 0", "Bank_Locator": "NODE 2 CHANNEL C"}, {"cpu": "2", "channel": "C"}),
        ({"Locator": "ChannelB-DIMM1", "Bank_Locator": "BANK 3"}, {"cpu": "0", "channel": "B"}),
        ({"Locator": "CPU2_DIMM_H1"}, {"cpu": "2", "channel": "H"}),
        ({"Locator": "Slot 1"}, {"cpu": "0", "channel": ""}),
    ],
)
def test_a_line_of_dmidecode_is_a_fact_about_the_module(fields: dict[str, str], facts: dict[str, Any]) -> None:
    known = {"locator": fields.get("Locator", ""), "cpu": "0", "channel": "", "size_bytes": 0, "kind": ""}
    assert device(**fields)._asdict() == known | {"rated_mt_s": 0, "runs_mt_s": 0, "ranks": 0} | facts


@pytest.mark.parametrize("title", ["Memory Device Mapped Address", "Physical Memory Array", "On Board Devices"])
def test_other_tables_of_the_firmware_list_no_module(title: str) -> None:
    assert memory.modules(f"Handle 0x0012, DMI type 20, 35 bytes\n{title}\n\tMemory Device\n\tSize: 8 GB") == []


@pytest.mark.parametrize("cpus", ["0", "01", "12"])
def test_each_processor_has_its_channels_and_all_of_them_their_peak(cpus: str) -> None:
    places = [module(channel, cpu, runs_mt_s=800 + 266 * (channel == "B")) for cpu in cpus for channel in "BA"]
    assert memory.population(places) == memory.Population(
        counts=dict.fromkeys(cpus, (1, 1)),
        balanced=True,
        kind="DDR3",
        mt_s=800,  # the slowest sets the pace
        peak_bytes_per_s=2 * len(cpus) * 800 * 8 * 10**6,
    )


@pytest.mark.parametrize(
    ("places", "words", "channels", "balanced"),
    [
        ([module("A"), module("A"), module("B")], "2-1", 2, False),
        ([module("A"), module("B", size_bytes=0)], "1-0", 1, False),
        ([module("A"), module("", size_bytes=0)], "1", 1, True),
        ([module("A"), module("B", size_bytes=16 * GiB)], "1-1", 2, False),
        ([module("A"), module("A"), module("B", size_bytes=16 * GiB)], "2-1", 2, False),
        ([module("A", "0"), module("A", "1"), module("A", "1")], "1; 2", 2, False),
    ],
)
def test_channels_are_balanced_with_as_many_modules_and_as_much_memory_each(
    places: list[memory.Module], words: str, channels: int, balanced: bool
) -> None:
    found = memory.population(places)
    assert found
    assert (found.words, found.balanced) == (words, balanced)
    assert found.peak_bytes_per_s == channels * 1333 * 8 * 10**6
    low, high = memory.rules()["triad"]["balanced_share"]
    least, most = memory.rules()["triad"]["unbalanced_of_balanced"]
    assert memory.expected(found) == ((low, high) if balanced else (low * least, high * most))


@pytest.mark.parametrize(
    "places", [[], [module(size_bytes=0)], [module(""), module("A")], [module(""), module("A", size_bytes=0)]]
)
def test_without_a_module_or_without_its_channel_no_population_is_known(places: list[memory.Module]) -> None:
    assert memory.population(places) is None


@pytest.mark.parametrize(
    ("places", "advice"),
    [
        ([module("A"), module("B")], []),
        (
            [module("A"), module("A"), module("B")],
            [
                "Processor 0 has 2-1 modules in its 2 channels: use a multiple of 2 modules;"
                " such a population was measured 17 to 27 % slower than a balanced one"
            ],
        ),
        (
            [module("A", size_bytes=GiB, cpu="3")] * 3 + [module("B", size_bytes=3 * GiB, cpu="3")],
            [
                "Processor 3 has 3-1 modules in its 2 channels: arrange them 2-2;"
                " such a population was measured 17 to 27 % slower than a balanced one",
                "The channels hold different amounts: give each the same modules",
            ],
        ),
        ([module("A"), module("A", size_bytes=GiB), module("B"), module("B", size_bytes=GiB)], []),
        ([module("A", runs_mt_s=1066)], ["Modules for 1333 MT/s run at 1066, look at the board's settings"]),
        ([module("A", runs_mt_s=1066)] * 2, ["Modules for 1333 MT/s run at 1066 with 2 in a channel"]),
        (
            [module("A", rated_mt_s=1066, runs_mt_s=1066)] * 2,
            ["2 modules in a channel run at 1066 MT/s; one of twice the size might at 1333"],
        ),
        (
            [module("A", rated_mt_s=800, runs_mt_s=800, ranks=1)] * 3,
            ["3 modules in a channel run at 800 MT/s; one of twice the size might at 1333"],
        ),
        ([module("A", rated_mt_s=1067, runs_mt_s=1067)] * 2, []),
        ([module("A", rated_mt_s=1066, runs_mt_s=1066)], []),
        ([module("A", rated_mt_s=800, runs_mt_s=800, ranks=1)] * 4, []),
        ([module("A", kind="DDR5", rated_mt_s=800, runs_mt_s=800, ranks=9)] * 2, []),
        ([module("A", ranks=4)] * 2, []),
        ([module("B", "1", ranks=9)], ["Channel B of processor 1 has 9 ranks, more than the 8 of DDR3"]),
    ],
)
def test_advice_is_what_the_study_measured(places: list[memory.Module], advice: list[str]) -> None:
    """The study: 1,066 MT/s with two modules in a channel and 800 with three, 8 ranks, 0.73 to 0.83 out of balance."""
    assert [*memory.advice(places)] == advice
