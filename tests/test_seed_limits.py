"""A seed is any whole number that a file can hold with the seeds of further runs added."""

import pytest

from stend.cli import main


@pytest.mark.parametrize(("seed", "code"), [(-1, 2), (0, 0), ((1 << 62) - 1, 0), (1 << 62, 2)])
def test_the_least_and_the_largest_seed(seed: int, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "heat", "--target", "sim:small", f"--seed={seed}"]) == code
    assert ("--seed" in capsys.readouterr().err) is (code != 0)
