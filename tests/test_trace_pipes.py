"""The pages of each processor are opened in the order of the processors, without waiting, and not for children."""

import os
from pathlib import Path

import pytest

from stend.capture.tracefs import Instance


@pytest.mark.parametrize("cpus", [[0], [0, 1, 2], [*range(12)]])
def test_pipes_are_those_of_the_processors_in_order(tmp_path: Path, cpus: list[int]) -> None:
    for cpu in cpus:
        folder = tmp_path / f"per_cpu/cpu{cpu}"
        folder.mkdir(parents=True)
        (folder / "trace_pipe_raw").write_text(f"{cpu}")
    pipes = Instance(tmp_path).pipes()
    try:
        assert [int(os.read(pipe, 9)) for pipe in pipes] == cpus
        assert not any(os.get_inheritable(pipe) or os.get_blocking(pipe) for pipe in pipes)
    finally:
        for pipe in pipes:
            os.close(pipe)
