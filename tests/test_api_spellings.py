"""What fio and engineers write for the words of a workload's label: each means the labels with its words, and no other.

A label is `RND 4K 0/100 T1 Q1`: the order of addresses, the block, the share of reads and of writes.
"""

import pytest

from stend.api import keys
from stend.base.errors import BadInput

LABELS = [f"{order} 4K {mix} T1 Q1" for order in ("RND", "SEQ") for mix in ("0/100", "100/0")]
SPELLINGS = {
    "rnd": ("rnd", "rand", "random"), "seq": ("seq", "sequential"),
    "0/100": ("w", "write", "writes"), "100/0": ("r", "read", "reads"),
    "rnd 0/100": ("randwrite",), "rnd 100/0": ("randread",), "seq 0/100": ("seqwrite",), "seq 100/0": ("seqread",),
}  # fmt: skip


@pytest.mark.parametrize(("meant", "spelling"), [(meant, word) for meant, words in SPELLINGS.items() for word in words])
def test_a_spelling_means_the_labels_with_its_words(meant: str, spelling: str) -> None:
    means = {label for label in LABELS if set(meant.upper().split()) <= set(label.split())}
    for label in means:
        assert (
            keys.workload(f"4k {spelling}", [label, *(other for other in LABELS if other not in means)], "iops")
            == label
        )
    with pytest.raises(BadInput, match="there is no workload"):
        keys.workload(f"4k {spelling}", [label for label in LABELS if label not in means], "iops")
