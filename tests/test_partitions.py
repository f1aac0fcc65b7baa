"""Partitions inside another one, of drawn tables, against the definition: a common sector, or a logical one."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from stend.gate import partitions
from tests.stand import Host

SECTOR = 512
NUMBERS = st.integers(1, 9)
PARTS = st.dictionaries(NUMBERS, st.tuples(st.integers(0, 40), st.sampled_from([1, 2, 3, 8, 9, 30])), min_size=1)


def overlapping(parts: dict[int, tuple[int, int]], of: int, block_bytes: int) -> set[int]:
    """By sets of sectors; an extended partition shows its first 1,024 bytes, or one block if that is longer."""
    sectors = {number: set(range(start, start + size)) for number, (start, size) in parts.items()}
    is_extended = of < 5 and len(sectors[of]) * SECTOR <= max(1024, block_bytes)
    return {n for n in parts if n != of and (sectors[n] & sectors[of] or (is_extended and n >= 5))}


@given(parts=PARTS, block_bytes=st.sampled_from([512, 4096]))
def test_within_a_partition_are_those_with_a_common_sector_and_logical_ones_in_an_extended(
    parts: dict[int, tuple[int, int]], block_bytes: int
) -> None:
    with TemporaryDirectory() as root:
        host = Host(Path(root))
        host.disk("sda", "8:0", queue__logical_block_size=str(block_bytes))
        for number, (start, size) in parts.items():
            facts = {"partition": str(number), "start": str(start)}
            host.disk(f"sda{number}", f"8:{number}", size * SECTOR, parent="sda", facts=facts)
        assert partitions.within(host.kernel, "sda") == []
        for number in parts:
            found = partitions.within(host.kernel, f"sda{number}")
            assert found == [f"sda{one}" for one in sorted(overlapping(parts, number, block_bytes))]
