"""A Slurm for a test: munge, a controller and node daemons as plain processes, in a folder of their own.

Each node has a host name of its own (a UTS namespace) and a port. Of control groups nothing is used, and the daemon
only looks for them where nobody says of which version they would be (cgroup.conf).
"""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.waits import PATIENCE_S

CONF = """ClusterName=stend
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={port}
AuthType=auth/munge
AuthInfo=socket={top}/munge/socket
CredType=cred/munge
StateSaveLocation={top}/state
SlurmdSpoolDir={top}/spool-%n
SlurmctldPidFile={top}/controller.pid
SlurmdPidFile={top}/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
MessageTimeout=5
SchedulerParameters=batch_sched_delay=0,sched_interval=1
GresTypes=drive
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Slurm:
    """The daemons, and where they are told of."""

    def __init__(self, top: Path, lines: Sequence[str]) -> None:
        self.top, self.conf = top, top / "slurm.conf"
        hosts = [line for line in lines if line.startswith("NodeName=") and " Gres=" in line]
        nodes = [f"{one} NodeAddr=127.0.0.1 Port={_free()} CPUs=8" for one in hosts]
        own = socket.gethostname().partition(".")[0]
        self.conf.write_text(CONF.format(host=own, port=_free(), top=top, nodes="\n".join(nodes)))
        (top / "gres.conf").write_text("\n".join([line for line in lines if " Type=" in line] + [""]))
        (top / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
        for name in ("munge", "state"):
            (top / name).mkdir(mode=0o700)
        (top / "munge/key").write_bytes(os.urandom(1024))
        (top / "munge/key").chmod(0o600)
        files = {"key": "key", "socket": "socket", "pid": "pid", "log": "log", "seed": "seed"}
        words = [f"--{name}-file={top}/munge/{own}" for name, own in files.items() if name != "socket"]
        self.munge = self.daemon("munged", "-F", "--force", f"--socket={top}/munge/socket", "--num-threads=1", *words)
        self.controller = self.controlled()
        self.nodes = {name: self.node(name) for name in (line.split()[0].partition("=")[2] for line in hosts)}

    def daemon(self, *words: str) -> "subprocess.Popen[bytes]":
        """One of them, whose words are in a file."""
        with (self.top / f"{words[0]}.out").open("ab") as said:
            return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=self.env)

    def controlled(self) -> "subprocess.Popen[bytes]":
        """The controller, begun, or begun again."""
        return self.daemon("slurmctld", "-D")

    def node(self, name: str) -> "subprocess.Popen[bytes]":
        """The daemon of a host of that name, begun, or begun again."""
        return self.daemon("unshare", "--uts", "sh", "-c", f"hostname {name}; exec slurmd -D")

    @property
    def env(self) -> dict[str, str]:
        """By which Slurm's programs find it."""
        return os.environ | {"SLURM_CONF": str(self.conf)}

    def up(self, states: Sequence[str] = ("idle",)) -> None:
        """Until all nodes take jobs."""
        until = time.monotonic() + PATIENCE_S
        while not self._states() or not self._states() <= set(states):
            told = "".join((self.top / f"{name}.out").read_text()[-1000:] for name in ("slurmctld", "unshare"))
            assert time.monotonic() < until, told
            time.sleep(0.2)

    def _states(self) -> set[str]:
        return set(self.said("sinfo", "--noheader", "--Node", "--format=%t").split())

    def saved(self, job: str) -> None:
        """Until the controller has written that job down, which it does some seconds after it was told of it."""
        state, until = self.top / "state/job_state", time.monotonic() + PATIENCE_S
        while not state.exists() or job.encode() not in state.read_bytes():
            assert time.monotonic() < until, f"{job} is not saved"
            time.sleep(0.1)

    def said(self, *words: str) -> str:
        """What one of its programs prints."""
        done = subprocess.run(words, env=self.env, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
        return done.stdout.strip()

    def end(self) -> None:
        """All jobs, then all daemons."""
        self.said("scancel", "--user=root")
        until = time.monotonic() + 60
        while self.said("squeue", "--noheader") and time.monotonic() < until:
            time.sleep(0.2)
        for one in (*self.nodes.values(), self.controller, self.munge):
            one.terminate()
            try:
                one.wait(10)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()


@contextmanager
def slurm(lines: Sequence[str]) -> Iterator[Slurm]:
    """One whose nodes and resources are these lines of `stend fleet drives --slurm`."""
    top = Path(tempfile.mkdtemp(prefix="slurm-"))  # short: the name of a socket has room for a hundred letters
    own = Slurm(top, lines)
    try:
        own.up()
        yield own
    finally:
        own.end()
        shutil.rmtree(top, ignore_errors=True)


def _free() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
