"""`stend host`: measure the limits of this host before drives are measured on it."""

from collections.abc import Iterator
from typing import Any

import typer

from stend.cli import _options, _table

NOISE_S = 10.0
"""Seconds of reading a meter."""


def _noise(noise: dict[str, Any]) -> str:
    """Return the noise of a meter in one line."""
    step = f", in steps of {noise['step_w']:.3g} W" if noise["step_w"] else ""
    return (
        f"{noise['name']}: {noise['mean_w']:.3f} W at idle, standard deviation {noise['deviation_w']:.2g} W "
        f"({noise['values']} values, {noise['least_w']:.3f} to {noise['most_w']:.3f} W{step})"
    )


def command(
    target: _options.MayTarget = None,
    meter: _options.Meter = None,
    quick: _options.Quick = False,
    as_json: _options.Json = False,
) -> None:
    """Measure the memory, fio and CPU limits of this host.

    Reports of later runs on this host include the result. With --target it also prints the link and NUMA node of that
    drive. --meter also measures the noise of a meter of power while the host idles. --quick takes seconds instead of
    half a minute and is less exact. No drive is read or written.

    Example: stend host --target /dev/nvme0n1
    """
    from stend import devices, meters
    from stend.host import measured

    device = devices.find(target) if target else None
    noise = meters.idle_noise(meter, device, 2.0 if quick else NOISE_S) if meter else {}
    result = measured.measure(quick=quick) | ({"meter": noise} if noise else {})
    if device:
        facts = device.identity.facts
        result["drive"] = {key: facts[key] for key in ("link", "link_capable", "numa_node") if key in facts}
    file = measured.keep(result)
    if as_json:
        typer.echo(_table.data(result))
        return
    for line in _lines(result):
        typer.echo(line)
    typer.echo(f"Saved in {file}; reports of runs on this host include it.")


def _lines(result: dict[str, Any]) -> Iterator[str]:
    """Yield the result in lines: memory, STREAM, fio, processors, a meter, a drive, advice."""
    memory, stream = result.get("memory"), result["stream_bytes_per_s"]
    fio, data = result["fio_iops"], result["fio_bytes_per_s"]
    if memory:
        yield (f"Memory     {memory['words']} {memory['kind']}-{memory['mt_s']}, "
               f"{'balanced' if memory['balanced'] else 'not balanced'}, "
               f"triad {memory['triad_share']:.0%} of its peak")  # fmt: skip
    else:
        yield "Memory     channels not known (on most hosts dmidecode reports them to root)"
    yield "STREAM     " + ", ".join(f"{name} {value / 1e9:.1f} GB/s" for name, value in stream.items())
    yield (f"fio alone  {fio['one']:,.0f} IOPS with one thread, {fio['all']:,.0f} with all (null engine); "
           f"{data['one'] / 1e9:.1f} and {data['all'] / 1e9:.1f} GB/s of random data to write")  # fmt: skip
    cpu = result["processors"]
    yield f"CPUs       {cpu['cpus']} on {cpu['nodes']} NUMA node(s), governor {cpu['governor'] or 'not known'}"
    if noise := result.get("meter"):
        yield f"Meter      {_noise(noise)}"
        yield from (f"- {note}." for note in noise["notes"])
    yield from (f"Drive      {key.replace('_', ' ')}: {value}" for key, value in result.get("drive", {}).items())
    yield from (f"- {sentence}." for sentence in result["advice"])
