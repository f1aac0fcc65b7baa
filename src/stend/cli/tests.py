"""`stend tests`: what can be run."""

import typer


def command() -> None:
    """List the tests, the suites that bundle them, and the profiles.

    Example: stend tests
    """
    from stend import plan, suite

    for name in suite.names():
        test = suite.load(name)
        typer.echo(f"{name:<20} {test.clause:<12} {test.title}")
    for name, members in suite.SUITES.items():
        typer.echo(f"{name:<20} {'suite':<12} {', '.join(members)}")
    typer.echo(f"\nProfiles: {', '.join(plan.profiles())}")
