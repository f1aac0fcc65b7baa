"""`stend host`: is the test stand itself good enough, before a study is made on it?"""

import json
from typing import Annotated

import typer


def command(
    target: Annotated[
        str | None, typer.Option("--target", metavar="DRIVE", help="Also tell the link and NUMA node of this drive.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Seconds instead of half a minute; less exact.")] = False,
    machine: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Measure memory (STREAM), fio's own ceiling and the processors' settings; kept for the reports of later runs.

    Nothing is read from or written to any drive.

    Example: stend host --target /dev/nvme0n1
    """
    from stend import devices
    from stend.host import measured

    told = measured.measure(quick=quick)
    if target:
        facts = devices.find(target).identity.facts
        told["drive"] = {key: facts[key] for key in ("link", "link_capable", "numa_node") if key in facts}
    file = measured.keep(told)
    if machine:
        typer.echo(json.dumps(told, indent=1))
        return
    memory, stream = told.get("memory"), told["stream_bytes_per_s"]
    fio, data = told["fio_iops"], told["fio_bytes_per_s"]
    if memory:
        typer.echo(f"Memory     {memory['words']} {memory['kind']}-{memory['mt_s']}, "
                   f"{'balanced' if memory['balanced'] else 'not balanced'}, "
                   f"triad {memory['triad_share']:.0%} of its peak")  # fmt: skip
    else:
        typer.echo("Memory     its channels are not told here (dmidecode, as root, tells them on most machines)")
    typer.echo("STREAM     " + ", ".join(f"{name} {value / 1e9:.1f} GB/s" for name, value in stream.items()))
    typer.echo(f"fio alone  {fio['one']:,.0f} IOPS with one thread, {fio['all']:,.0f} with all (null engine); "
               f"{data['one'] / 1e9:.1f} and {data['all'] / 1e9:.1f} GB/s of random data to write")  # fmt: skip
    cpu = told["processors"]
    typer.echo(f"CPUs       {cpu['cpus']} on {cpu['nodes']} NUMA node(s), governor {cpu['governor'] or 'not told'}")
    rows = [f"Drive      {key.replace('_', ' ')}: {value}" for key, value in told.get("drive", {}).items()]
    for line in (*rows, *(f"- {sentence}." for sentence in told["advice"])):
        typer.echo(line)
    typer.echo(f"Kept in {file}; reports of runs on this machine tell it.")
