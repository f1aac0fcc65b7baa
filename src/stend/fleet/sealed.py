"""What a fleet's processes say to each other: TLS both ways, and nothing unpacked that could be a program.

Dask sends tasks as pickles, which may hold any code. Here a pickle may name the tasks of `stend.fleet.tasks` and the
plain parts that Dask's own messages are made of; any other name is refused, and so are Dask's ways to run a function.
"""

import io
import logging
import pickle
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import dask
from distributed.protocol import pickle as carried
from distributed.security import Security

from stend.errors import BadInput

NAMES = {
    "stend.fleet.tasks": {"carry", "halt", "states", "listing", "piece"},
    "stend.errors": {"BadInput", "Refused", "Missing", "StepFailed"},
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
RUNS = ("run", "run_function", "run_coroutine", "run_in_scheduler", "plugin-add", "plugin-remove", "actor_execute",
        "actor_attribute", "register_worker_plugin", "register_scheduler_plugin", "register_nanny_plugin")  # fmt: skip
"""Handlers of Dask that take functions."""


class Reader(pickle.Unpickler):
    """Unpacks what names nothing but NAMES."""

    def find_class(self, module: str, name: str) -> Any:
        """BadInput for any other."""
        if name in NAMES.get(module, ()):
            return super().find_class(module, name)
        raise BadInput(f"a message of the fleet names {module}.{name}, which is none of its tasks; it is not unpacked")


def loads(data: Any, *, buffers: Iterable[Any] = ()) -> Any:
    """A pickle of a fleet's message."""
    return Reader(io.BytesIO(bytes(data)), buffers=buffers or None).load()


def seal() -> None:
    """From now on in this process."""
    carried.loads = loads
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


def shut(server: Any) -> None:
    """A scheduler or worker without the handlers that run functions."""
    for name in RUNS:
        server.handlers.pop(name, None)
        getattr(server, "stream_handlers", {}).pop(name, None)


def security(folder: Path, name: str) -> Security:
    """TLS both ways by the certificates of this host; BadInput where one is missing."""
    parts = {"ca": folder / "authority.pem", "cert": folder / f"{name}.pem", "key": folder / f"{name}.key"}
    for path in parts.values():
        if not path.is_file():
            raise BadInput(
                f"{path} is not there; `stend fleet certificates {folder} {name}` makes it where the authority is"
            )
    sides = {
        f"tls_{side}_{kind}": str(parts[kind]) for side in ("client", "worker", "scheduler") for kind in ("cert", "key")
    }
    return Security(require_encryption=True, tls_ca_file=str(parts["ca"]), **sides)
