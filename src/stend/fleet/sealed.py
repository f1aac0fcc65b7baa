"""Messages of a fleet: TLS in both directions, a list of permitted operations, and no pickle that can run code.

Dask sends tasks as pickles, which may hold any code. `seal` replaces every reader of pickles in Dask's modules by
`Reader`, which accepts the tasks of `stend.fleet.tasks` and the plain parts of Dask's own messages. `shut` removes
every operation of a scheduler or worker that a fleet does not use, because some of them run functions.
"""

import io
import logging
import pickle
import sys
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dask
from distributed import Status
from distributed.protocol import pickle as carried
from distributed.protocol import serialize
from distributed.security import Security

from stend.base.errors import BadInput
from stend.base.text import typed

NAMES = {
    "stend.fleet.tasks": {"carry", "halt", "states", "listing", "piece"},
    "stend.base.errors": {"BadInput", "Refused", "Missing", "StepFailed"},
    "dask._expr": {"Expr._reconstruct", "LLGExpr"},
    "dask._task_spec": {"Task"},
    "distributed.scheduler": {"KilledWorker", "WorkerState"},
    "msgspec": {"ValidationError", "DecodeError"},
    "builtins": {
        *("bytes", "bytearray", "str", "int", "float", "bool", "complex", "dict", "list", "tuple", "set", "frozenset"),
        *("slice", "range", "OSError", "RuntimeError", "ValueError", "KeyError", "TypeError", "AssertionError"),
    },
    "tblib": {"Code", "Frame", "Traceback"},
    "tblib.pickling_support": {"unpickle_exception", "unpickle_exception_with_attrs", "unpickle_traceback"},
}
SCHEDULER = {
    *("identity", "register-client", "register-worker", "heartbeat_worker", "gather"),
    # in the stream from a client
    *("heartbeat-client", "close-client", "subscribe-topic", "update-graph"),
    *("client-desires-keys", "client-releases-keys", "report-key"),
    # in the stream from a worker
    *("keep-alive", "worker-status-change", "task-finished", "task-erred", "release-worker-data", "reschedule"),
}
WORKER = {"get_data", "compute-task", "cancel-compute", "free-keys", "remove-worker", "close"}
"""Operations that a fleet uses: requests, and messages of a stream."""
UNPACK = carried.loads
"""Dask's own reader, which unpacks any pickle."""


class Reader(pickle.Unpickler):
    """Unpack a pickle that names nothing outside NAMES."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a global of NAMES. Raise BadInput for any other."""
        if name in NAMES.get(module, ()):
            return super().find_class(module, name)
        raise BadInput(f"a message of the fleet names {module}.{name}, which a fleet does not use; it is not unpacked")


def loads(data: Any, *, buffers: Iterable[Any] = ()) -> Any:
    """Unpack a pickle of a fleet's message."""
    return Reader(io.BytesIO(bytes(data)), buffers=buffers or None).load()


def seal() -> None:
    """Let no module of Dask in this process unpack other pickles, or import a module that a message names."""
    safe = SimpleNamespace(**{**vars(pickle), "loads": loads, "load": None, "Unpickler": Reader})
    for module in [module for name, module in sys.modules.items() if name.partition(".")[0] in ("dask", "distributed")]:
        for name, value in list(vars(module).items()):
            if value is pickle:
                setattr(module, name, safe)
            elif value is UNPACK or value is pickle.loads:
                setattr(module, name, loads)
    serialize.import_allowed_module = lambda name: SimpleNamespace(Status=Status)  # the one enumeration that is sent
    for name in [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    dask.config.set({
        "distributed.scheduler.allowed-failures": 1_000_000,
        "distributed.comm.timeouts.connect": "10s",
        "distributed.worker.memory.target": False,
        "distributed.worker.memory.spill": False,
        "distributed.worker.memory.pause": False,
        "distributed.worker.memory.terminate": False,
        "distributed.scheduler.worker-saturation": 1.0,
        "distributed.admin.system-monitor.gil.enabled": False,
        "distributed.http.routes": [],
    })  # fmt: skip


class Closed:
    """A scheduler or worker of Dask that opens only the TLS port."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Start no server, because Dask's pages are plain HTTP."""


def shut(server: Any, used: set[str]) -> None:
    """Remove all operations of a scheduler or worker except those used."""
    for kind in ("handlers", "stream_handlers"):
        setattr(server, kind, {name: handler for name, handler in getattr(server, kind).items() if name in used})


def security(folder: Path, name: str) -> Security:
    """Return TLS settings for both directions from this host's certificates. Raise BadInput if one is missing."""
    parts = {"ca": folder / "authority.pem", "cert": folder / f"{name}.pem", "key": folder / f"{name}.key"}
    for path in parts.values():
        if not path.is_file():
            raise BadInput(
                f"{path} is missing; "
                f"create it by `stend fleet certificates {typed(folder)} {typed(name)}` on the authority's host"
            )
    sides = {
        f"tls_{side}_{kind}": str(parts[kind]) for side in ("client", "worker", "scheduler") for kind in ("cert", "key")
    }
    return Security(require_encryption=True, tls_ca_file=str(parts["ca"]), **sides)
