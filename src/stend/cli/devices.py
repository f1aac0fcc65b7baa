"""`stend devices`: what can be tested here, and why not."""

import typer


def command() -> None:
    """List the drives of this host, and for each that can't be tested, why.

    Example: stend devices
    """
    from stend import devices
    from stend.units import decimal

    for identity, reason in devices.listing():
        facts = (
            f"{identity.target:<16} {decimal(identity.capacity_bytes):>8}  {identity.model} {identity.serial}".rstrip()
        )
        typer.echo(f"{facts}  {f'no: {reason}' if reason else 'can be tested'}")
