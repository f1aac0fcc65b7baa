"""A fleet's scheduler and worker keep the operations that they use, and no module of Dask unpacks a program."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed")
pytest.importorskip("cryptography")

from distributed import Scheduler, Worker

from stend.fleet import certificates, sealed, worker
from stend.model.definition import Identity

REMOVED = {
    "Scheduler": """
        adaptive_target add-keys add_keys amm_handler benchmark_hardware broadcast call_stack cancel-keys check_idle
        connection_stream dump_cluster_state_to_url dump_state echo event_clear event_is_set event_set event_wait
        events feed get_cluster_state get_error_cause get_logs get_metadata get_runspec get_story
        get_task_prefix_states get_task_status get_task_stream get_task_stream_index has_what log-event log_event logs
        long-running memory_sampler_start memory_sampler_stop multi_lock_acquire multi_lock_release nbytes ncores
        ncores_running performance_report processing profile proxy publish_delete publish_flush_batched_send
        publish_get publish_list publish_put queue-future-release queue_create queue_get queue_put queue_qsize
        queue_release rebalance register_nanny register_nanny_plugin register_scheduler_plugin register_worker_plugin
        replicate request-refresh-who-has restart restart_workers retire_workers retry run_function scatter
        semaphore_acquire semaphore_close semaphore_refresh_leases semaphore_register semaphore_release
        semaphore_value set_metadata set_resources set_restrictions shuffle_barrier shuffle_get shuffle_get_or_create
        shuffle_restrict_task start_task_metadata steal-response stop_task_metadata subscribe_worker_status terminate
        unregister unregister_nanny_plugin unregister_scheduler_plugin unregister_worker_plugin unsubscribe-topic
        update-data update_data variable-future-received-confirm variable_delete variable_get variable_set versions
        who_has worker_logs workers_to_close""",
    "Worker": """
        acquire-replicas actor_attribute actor_execute benchmark_disk benchmark_memory benchmark_network call_stack
        connection_stream dump_state echo free_keys gather get_logs get_monitor_info get_story identity keys ping
        plugin-add plugin-remove profile profile_metadata refresh-who-has remove-replicas run run_coroutine
        steal-request terminate update_data upload_file versions
        worker-status-change""",
}
"""Operations of Dask without which a fleet does. A new one of another Dask is looked at before it is added here."""

FORGED = """
import asyncio, json, pickle, sys
import cloudpickle
from distributed.comm.core import connect
from stend.fleet import certificates, client, sealed, worker
from pathlib import Path

class Evil:
    def __reduce__(self):
        return exec, (f"open({str(folder / 'ran')!r}, 'a').write(' ran')",)

folder = Path(sys.argv[1])
evil = pickle.dumps(Evil())
sealed.seal()

async def main():
    certificates.make(folder, ["one"])
    own = sealed.security(folder, "one")
    told = {}
    async with worker.Broker(host="127.0.0.1", port=0, security=own) as scheduler:
        async def ask(**message):
            comm = await connect(scheduler.address, **own.get_connection_args("client"))
            await comm.write(message)
            try:
                answer = await asyncio.wait_for(comm.read(), 30)
            except Exception as error:
                answer = type(error).__name__
            comm.abort()
            return answer
        told["feed"] = str(await ask(op="feed", function=evil, interval=1))
        told["workers_to_close"] = str(await ask(op="workers_to_close", n=1, key=evil))
        told["identity"] = (await ask(op="identity"))["type"]
        told["services"] = list(scheduler.services)
        async with worker.Carrier(scheduler.address, security=own, local_directory=sys.argv[1]) as carrier:
            told["added"] = [*(carrier.handlers.keys() | carrier.stream_handlers.keys()) - sealed.WORKER,
                             *(scheduler.handlers.keys() | scheduler.stream_handlers.keys()) - sealed.SCHEDULER]
            told["services"] += list(carrier.services)
    import distributed.client as desk
    state = desk.FutureState("x")
    class Own:
        futures = {"x": state}
    desk.Client._handle_key_in_memory(Own, key="x", type=evil)
    for forged in ({"message": evil}, {"message": pickle.dumps("x"), "category": evil}):
        try:
            desk._handle_warn((0, forged))
        except Exception as error:
            told["warn"] = str(error)
    raw = [pickle, pickle.loads, pickle.load, cloudpickle.load, pickle.Unpickler, sealed.UNPACK]
    dask = [own for name, own in sys.modules.items() if name.partition(".")[0] == "distributed"]
    told["looked"] = len(dask)
    told["raw"] = [f"{own.__name__}.{name}" for own in dask for name, value in vars(own).items()
                   if any(value is one for one in raw)]
    print(json.dumps(told))

asyncio.run(main())
"""


def test_a_holder_of_a_certificate_runs_no_code_on_the_scheduler_or_the_desk(tmp_path: Path) -> None:
    words = [sys.executable, "-c", FORGED, str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert not (tmp_path / "ran").exists(), "a forged message ran"
    assert (told["feed"], told["workers_to_close"]) == ("None", "None"), "such an operation is not known"
    assert told["identity"] == "Broker"
    assert "names builtins.exec, which a fleet does not use" in told["warn"]
    assert told["services"] == [], "no port of plain HTTP"
    assert told["added"] == [], "operations that came when it started"
    assert told["looked"] > 50
    assert told["raw"] == [], "readers of any pickle that Dask has left"


def names(server: Any) -> set[str]:
    return {*server.handlers, *server.stream_handlers}


def test_every_operation_of_the_installed_dask_is_used_or_removed(tmp_path: Path) -> None:
    certificates.make(tmp_path, ["one"])
    own = sealed.security(tmp_path, "one")

    async def servers() -> list[tuple[set[str], set[str]]]:
        address, at = "tls://127.0.0.1:1", {"dashboard": False, "dashboard_address": ":0"}
        pairs: list[tuple[Any, Any]] = [
            (Scheduler(port=0, **at), worker.Broker(host="127.0.0.1", port=0, security=own)),
            (Worker(address, security=own, **at), worker.Carrier(address, security=own)),
        ]
        told = [(names(whole), names(sealed_)) for whole, sealed_ in pairs]
        for server in (one for pair in pairs for one in pair):
            await server.close()
        return told

    for (whole, left), used, kind in zip(
        asyncio.run(servers()), (sealed.SCHEDULER, sealed.WORKER), REMOVED, strict=True
    ):
        assert left == used
        assert whole - used == set(REMOVED[kind].split())


def test_a_worker_announces_each_drive_as_one_that_one_run_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs at once on a drive would measure each other."""
    given = dict[str, Any]()

    class Begun:
        def __init__(self, scheduler: str, **options: Any) -> None:
            given.update(options, scheduler=scheduler)

        async def __aenter__(self) -> None: ...

        async def __aexit__(self, *error: object) -> None: ...

        async def finished(self) -> None: ...

    monkeypatch.setattr(worker, "Carrier", Begun)
    monkeypatch.setattr(worker, "AGAIN_S", 0)
    drives = {
        name: Identity(kind="sim", target=name, path=name, model="M", firmware="F", capacity_bytes=9) for name in "ab"
    }
    asyncio.run(worker._work("tls://s:1", None, "host", drives))
    assert given["resources"] == {"a": 1, "b": 1}
    assert given["nthreads"] >= 2 * len(drives), "a run, and a question about it"
    assert given["metrics"]["drives"](None) == {name: ["M", "F", 9, name] for name in "ab"}
