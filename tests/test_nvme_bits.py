"""Capabilities of Identify Controller are single bits (NVMe 1.4, figure 247): no other bit adds or removes one."""

import pytest

from stend.devices import nvme

BITS = {
    "sanicap": {0: "sanitize crypto", 1: "sanitize block", 2: "sanitize overwrite"},
    "oacs": {1: "format", 3: "namespaces"},
    "oncs": {2: "discard"},
    "fna": {2: "format crypto"},
}


@pytest.mark.parametrize("field", BITS)
def test_each_bit_alone_and_each_left_out_of_all(field: str) -> None:
    everything = set(BITS[field].values())
    assert nvme.can({}) == set()
    for bit in range(16):
        own = {BITS[field][bit]} if bit in BITS[field] else set()
        assert nvme.can({field: 1 << bit}) == own
        assert nvme.can({field: 0xFFFF ^ 1 << bit}) == everything - own


def test_what_a_format_or_an_erase_reaches() -> None:
    reached = [nvme.reach({"fna": bits}) for bits in (0, 1, 2, 3, 4)]
    assert reached == [set(), {"format all"}, {"erase all"}, {"format all", "erase all"}, set()]
