"""`stend devices`: what can be tested here, and why not."""

import typer


def command() -> None:
    """List the drives of this host, and for each that can't be tested, why.

    A drive that shows less than it has (over-provisioned) is told with both.

    Example: stend devices
    """
    import msgspec

    from stend import devices
    from stend.devices._drive import shown

    for identity, reason in devices.listing():
        seen = msgspec.structs.replace(identity, facts={"native_bytes": devices.native_bytes(identity.target)})
        facts = f"{seen.target:<16} {shown(seen):>8}  {seen.model} {seen.serial}".rstrip()
        typer.echo(f"{facts}  {f'no: {reason}' if reason else 'can be tested'}")
