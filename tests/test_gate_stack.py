"""The layers below a node: partitions lie on disks, arrays on members, loop devices on what is behind them."""

from typing import Any

from stend.gate import stack
from stend.gate.stack import Layer

PARENTS = {"sda1": "sda", "sdb1": "sdb", "md0p1": "md0"}
SLAVES = {"dm-0": ["md0p1", "sda1"], "md0": ["sda1", "sdb1"]}


class Host:
    """An encrypted volume on a partition of an array of two partitions, and on one of these itself."""

    def parent(self, node: str) -> str:
        return PARENTS.get(node, "")

    def slaves(self, node: str) -> list[str]:
        return SLAVES.get(node, [])


def test_every_layer_below_is_there_once_the_nearest_first() -> None:
    host: Any = Host()
    below = stack.below(host, Layer("dm-0"), [], [])
    assert [layer.node for layer in below] == ["dm-0", "md0p1", "sda1", "md0", "sda", "sdb1", "sdb"]
    assert [layer.node for layer in below if not layer.whole] == ["md0", "sda", "sdb"], "a partition is a part of them"


def test_a_disk_has_nothing_below_it() -> None:
    host: Any = Host()
    assert stack.below(host, Layer("sda"), [], []) == [Layer("sda")]
