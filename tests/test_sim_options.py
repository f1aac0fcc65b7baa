"""What is written after a virtual drive's name: another of its kind, or a sentence."""

from importlib import resources
from pathlib import Path

import msgspec
import pytest

from stend.base.errors import BadInput
from stend.base.units import MiB
from stend.sim import build, load

PROFILES = resources.files("stend.sim") / "profiles"


def test_any_parameter_of_a_part_is_set_by_both_names() -> None:
    usual, other = load("x25e-raid"), load("x25e-raid?array.level=10&array.read_us=80.5&firmware=1.1")
    assert usual.array
    assert other.array == msgspec.structs.replace(usual.array, level=10, read_us=80.5)
    assert (other.firmware, other.host) == ("1.1", usual.host)


def test_accidents_and_lies_of_a_file_are_kept_unless_an_option_sets_them(tmp_path: Path) -> None:
    path, text = tmp_path / "mine.toml", (PROFILES / "ideal.toml").read_text()
    path.write_text(f"{text}[accidents]\nslow_us = 30\nslow_bytes = 4096\n[lies]\nwrap_bytes = 1048576\n")
    assert (load(str(path)).accidents.slow_us, load(str(path)).lies.wrap_bytes) == (30, 1 << 20)
    other = load(f"{path}?slow_us=7&keeps_bytes=512")
    assert (other.accidents.slow_us, other.accidents.slow_bytes) == (7, 4096)
    assert (other.lies.keeps_bytes, other.lies.wrap_bytes) == (512, 1 << 20)
    path.write_text(f"accidents = 5\n{text}")
    with pytest.raises(BadInput, match="accidents"):
        load(str(path))


@pytest.mark.parametrize(
    ("options", "data"),
    [
        ("array.level=5", 7),
        ("array.level=10", 4),
        ("array.level=0", 8),
        ("array.level=1", 1),
        ("array.members=4", 3),
        ("array.level=10&array.members=12", 6),
    ],
)
def test_an_array_of_another_level_has_the_capacity_of_the_same_members(options: str, data: int) -> None:
    assert load(f"x25e-raid?{options}").capacity_bytes == data * 32_000_000_000
    assert load(f"x25e-raid?{options}&capacity_bytes=96000000000").capacity_bytes == 96_000_000_000


@pytest.mark.parametrize(
    ("options", "interface", "members"),
    [
        ("", "SAS RAID, 512 MiB cache", 8),
        ("array.cache_bytes=1073741824", "SAS RAID, 1 GiB cache", 8),
        ("array.cache_bytes=0", "SAS RAID", 8),
        ("array.members=6&interface=PCIe", "PCIe", 6),
    ],
)
def test_an_array_names_its_own_cache_and_members(options: str, interface: str, members: int) -> None:
    spec = load(f"x25e-raid?{options}")
    assert (spec.interface, spec.model) == (interface, f"Intel RS2BL080, {members} x X25-E")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("array.levl=10", "unknown field"),
        ("array.level=ten", "expected a whole number"),
        ("array.level=7", "level 0, 1, 5 or 10"),
        ("flash.level=1", "has no parameter 'flash.level'"),
        ("sources.published=x", "has no parameter"),
        (".=1", "has no parameter"),
        ("array.=1", "unknown field"),
    ],
)
def test_a_parameter_that_there_is_not_is_a_sentence(options: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        build(load(f"x25e-raid?{options}"))


def test_a_drive_without_rare_slow_ios_can_be_given_some() -> None:
    """The reference lists `flash.tail` with a default for each of its parameters."""
    spec = load("small?flash.tail.stalls_per_s=3&flash.tail.stall_ms=60")
    assert spec.flash
    assert (spec.flash.tail.stalls_per_s, spec.flash.tail.stall_ms) == (3, 60)
    with pytest.raises(BadInput, match="it has no part 'slc'"):
        load("small?flash.slc.share_pct=10")


@pytest.mark.parametrize(("buffer_mib", "most"), [(100, 0), (2000, 190)])
def test_a_buffer_that_would_stand_for_the_drive_at_its_scale_is_refused(buffer_mib: int, most: int) -> None:
    """A scaled drive keeps its buffer whole: 1.95 GiB at 256 would take a third of 1.6 TB without a write to flash."""
    spec = load(f"sn150?flash.buffer_bytes={buffer_mib * MiB}")
    if not most:
        assert build(spec)
        return
    with pytest.raises(BadInput, match=f"at most {most}$"):
        build(spec)
    assert build(load(f"sn150?scale={most}&flash.buffer_bytes={buffer_mib * MiB}"))
