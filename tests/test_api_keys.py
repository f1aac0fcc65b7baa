"""Keys of tests, charts and workloads in a user's spelling: what they mean, and the whole sentence of a wrong one."""

import pytest

from stend.api import keys
from stend.base.errors import BadInput

TITLES = {"iops": ("IOPS", "ИОПС"), "write-saturation": ("Write Saturation",), "latency": ("Latency",)}
LABELS = ["RND 4K 0/100 T4 Q32", "RND 4K 65/35 T4 Q32", "SEQ 1024K 100/0 T1 Q8", "RND 0.5K 100/0 T1 Q1"]


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("iops", "iops"),
        ("IO_PS!", "iops"),
        ("иопс", "iops"),
        ("Write Saturation", "write-saturation"),
        ("saturat", "write-saturation"),
        ("LATENCY", "latency"),
    ],
)
def test_a_test_is_named_without_regard_to_case_and_punctuation(key: str, name: str) -> None:
    assert keys.test(key, TITLES, "the run") == name


def test_a_whole_name_comes_before_the_names_it_is_a_part_of() -> None:
    assert keys.test("iops", {"iops-more": ("",), "iops": ("",)}, "the run") == "iops"


@pytest.mark.parametrize(
    ("key", "advice"),
    [
        ("", "choose from: iops, write-saturation, latency"),
        ("--", "choose from: iops, write-saturation, latency"),
        ("throughput", "choose from: iops, write-saturation, latency"),
        ("o", "choose from: iops, write-saturation"),  # a part of two names
        ("latencies", "did you mean 'latency'? Choose from: iops, write-saturation, latency"),
    ],
)
def test_a_key_without_a_test_is_answered_with_all_tests(key: str, advice: str) -> None:
    with pytest.raises(BadInput) as refused:
        keys.test(key, TITLES, "the run")
    assert str(refused.value) == f"the run has no results of a test {key!r}; {advice}"


def test_a_chart_is_named_in_any_spelling_or_not_at_all() -> None:
    assert keys.chart("Latency_HISTOGRAM", ["iops-rounds", "latency-histogram"]) == "latency-histogram"
    assert keys.chart("Latency", ["latency-histogram"]) == "Latency"


@pytest.mark.parametrize(
    ("key", "label"),
    [
        *((size, LABELS[2]) for size in ("1m", "1M", "1mib", "1MB", "1024k", "1048576", "1048576b")),
        *((size, LABELS[3]) for size in ("512", "512b", "0.5k", "0.5KiB")),
        *((words, LABELS[1]) for words in ("65/35", "65 : 35", "4k 65/35", "4KiB qd32 65:35 threads=4")),
        *((words, LABELS[0]) for words in ("4k randwrite", "write depth=32", "w, q32", "rnd_w_t4", "jobs 4 writes")),
        *((words, LABELS[2]) for words in ("seq", "sequential read", "iodepth=8", "q8", "QD 8", "seq 1m t1 q8")),
        ("RND 4K 0/100 T4 Q32", LABELS[0]),
    ],
)
def test_a_workload_is_the_one_whose_label_has_all_parts_of_the_key(key: str, label: str) -> None:
    assert keys.workload(key, LABELS, "iops") == label
    assert keys.workload(key, [*LABELS, *LABELS], "iops") == label, "one label, listed twice, is one workload"


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("4k", f"'4k' is more than one workload; choose from: {LABELS[0]}, {LABELS[1]}"),
        ("1g", f"there is no workload '1g'; choose from: {', '.join(LABELS)}"),
        ("4k ?", f"there is no workload '4k ?'; choose from: {', '.join(LABELS)}"),
        ("", f"there is no workload ''; choose from: {', '.join(LABELS)}"),
        ("8k", f"there is no workload '8k'; choose from: {', '.join(LABELS)}"),
        ("rnd 4k 0/100 t4 q33",
         f"there is no workload 'rnd 4k 0/100 t4 q33'; did you mean {LABELS[0]!r}? Choose from: {', '.join(LABELS)}"),
    ],
)  # fmt: skip
def test_a_key_of_no_or_of_several_workloads_is_answered_with_those_it_may_mean(key: str, sentence: str) -> None:
    with pytest.raises(BadInput) as refused:
        keys.workload(key, LABELS, "iops")
    assert str(refused.value) == f"iops: {sentence}"


def test_gibibytes_are_a_block_of_1048576_k() -> None:
    assert keys.workload("1g", ["SEQ 1048576K 0/100 T1 Q1", *LABELS], "x") == "SEQ 1048576K 0/100 T1 Q1"


@pytest.mark.parametrize(("count", "shown"), [(0, "none"), (1, "n0"), (6, "n0, n1, n2, n3, n4, n5")])
def test_up_to_six_names_are_listed(count: int, shown: str) -> None:
    assert keys.nearest("?", [f"n{number}" for number in range(count)]) == f"choose from: {shown}"


def test_of_more_names_six_are_listed_or_every_one() -> None:
    names = [f"n{number}" for number in range(7)]
    assert keys.nearest("?", [*names, *names]) == "choose from: n0, n1, n2, n3, n4, n5, ..."
    assert keys.nearest("?", names, every=True) == f"choose from: {', '.join(names)}"
    assert keys.nearest("?", names, ["n6"]) == "choose from: n6"
