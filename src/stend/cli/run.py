"""`stend run`: purge, precondition, measure, report."""

from contextlib import ExitStack, closing
from pathlib import Path
from typing import Annotated

import typer

from stend.cli import _asked


def command(
    tests: _asked.Tests,
    target: _asked.Target,
    profile: _asked.ProfileName = None,
    threads: _asked.Threads = None,
    depth: _asked.Depth = None,
    active_range: _asked.ActiveRange = None,
    rounds: _asked.Rounds = None,
    round_seconds: _asked.RoundSeconds = None,
    quick: _asked.Quick = False,
    into: Annotated[Path | None, typer.Option("--into", metavar="DIR", help="The run folder; new or empty.")] = None,
    destroy_data: _asked.DestroyData = None,
    create: _asked.Create = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, max=(1 << 62) - 1, help="Seed of all random offsets; recorded.")
    ] = None,
) -> int:
    """Run tests on a drive, write the run folder and its report.

    All data on the target is destroyed: a drive must be named twice, by --target and by --destroy-data NAME,
    which is its serial; a file's is its full path.

    Example: stend run iops write-saturation --target sim:small --quick
    """
    import secrets

    from stend import devices, host, store
    from stend import plan as planning
    from stend.cli import _session, _settings
    from stend.run import run
    from stend.store import writer

    overrides = _asked.changes(threads, depth, active_range, rounds, round_seconds)
    names, chosen, told = planning.gather(tests, profile, overrides, quick=quick)
    _session.can_load(target)
    seed = secrets.randbits(62) if seed is None else seed
    stopping = _session.Stopping()
    with ExitStack() as undo:
        device = _asked.find(target, create)
        if create:
            undo.callback(Path(target).unlink, missing_ok=True)
        with closing(device):
            plan = planning.draw(names, chosen, device.identity, deviations=told)
            folder = _asked.new_folder(into, target, tests)
            named = destroy_data or _asked.typed_back(device)
            device.open(writes=True, destroy=named, keep_off=(str(folder.absolute()),))
            asked: dict[str, object] = {"target": target, "tests": tests, "profile": profile}
            asked |= {"quick": quick, "seed": seed, "create": create}
            manifest = {k: v for k, v in (asked | overrides).items() if v is not None}
            store.create(folder, manifest, host.describe())
            typer.echo(f"Run folder: {folder}")
            raw = store.Raw(folder)
            engine = _session.engine_for(device, raw, plan.profile.minute_s)
            undo.pop_all()
            with writer.sole(folder, "run"), _settings.kept(device, plan, folder) as told_plan:
                there, at = devices.fingerprint(device.identity), _session.now()
                events = run(told_plan, device, engine, seed=seed, at=at, fingerprint=there, stopping=stopping)
                _session.follow(folder, events, raw, stopping)
    return _session.finish(folder)
