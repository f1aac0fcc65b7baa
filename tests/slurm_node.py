"""A Slurm of one node for a test: munge, controller and node daemon as plain processes, in a folder of their own."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

PATIENCE_S = 60
CONF = """ClusterName=stend
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={top}/munge/socket
CredType=cred/munge
StateSaveLocation={top}/state
SlurmdSpoolDir={top}/spool
SlurmctldPidFile={top}/controller.pid
SlurmdPidFile={top}/node.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
MessageTimeout=5
GresTypes=drive
NodeName={host} NodeAddr=127.0.0.1 CPUs=8 Gres={gres}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Node:
    """The daemons, and where they are told of."""

    def __init__(self, top: Path, lines: Sequence[str]) -> None:
        self.top, self.conf = top, top / "slurm.conf"
        host = self.host()
        ports = [_free(), _free()]
        gres = next(line.partition(" Gres=")[2] for line in lines if line.startswith("NodeName=") and " Gres=" in line)
        self.conf.write_text(CONF.format(host=host, ports=ports, top=top, gres=gres))
        (top / "gres.conf").write_text("\n".join([line for line in lines if " Type=" in line] + [""]))
        for name in ("munge", "state", "spool"):
            (top / name).mkdir(mode=0o700)
        (top / "munge/key").write_bytes(os.urandom(1024))
        (top / "munge/key").chmod(0o600)
        files = {"key": "key", "socket": "socket", "pid": "pid", "log": "log", "seed": "seed"}
        words = [f"--{name}-file={top}/munge/{own}" for name, own in files.items() if name != "socket"]
        self.munge = self.daemon("munged", "-F", "--force", f"--socket={top}/munge/socket", "--num-threads=1", *words)
        self.controller = self.controlled()
        self.slurmd = self.daemon("slurmd", "-D")

    @staticmethod
    def host() -> str:
        """Its name, which is this host's."""
        return socket.gethostname().partition(".")[0]

    def daemon(self, *words: str) -> "subprocess.Popen[bytes]":
        """One of them, whose words are in a file."""
        with (self.top / f"{words[0]}.out").open("ab") as said:
            return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=self.env)

    def controlled(self) -> "subprocess.Popen[bytes]":
        """The controller, begun, or begun again."""
        return self.daemon("slurmctld", "-D")

    @property
    def env(self) -> dict[str, str]:
        """By which Slurm's programs find it."""
        return os.environ | {"SLURM_CONF": str(self.conf)}

    def up(self, states: Sequence[str] = ("idle",)) -> None:
        """Until the node takes jobs."""
        until = time.monotonic() + PATIENCE_S
        while self.said("sinfo", "--noheader", "--format=%t") not in states:
            assert time.monotonic() < until, (self.top / "slurmctld.out").read_text()[-2000:]
            time.sleep(0.2)

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
        until = time.monotonic() + PATIENCE_S
        while self.said("squeue", "--noheader") and time.monotonic() < until:
            time.sleep(0.2)
        for one in (self.slurmd, self.controller, self.munge):
            one.terminate()
            try:
                one.wait(10)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()


@contextmanager
def node(lines: Sequence[str]) -> Iterator[Node]:
    """One whose resources are these lines of `stend fleet drives --slurm`."""
    top = Path(tempfile.mkdtemp(prefix="slurm-"))  # short: the name of a socket has room for a hundred letters
    own = Node(top, lines)
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
