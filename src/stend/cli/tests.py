"""`stend tests`: list the tests, suites and profiles."""

import typer


def command() -> None:
    """List the tests, the suites that bundle them, and the profiles.

    Example: stend tests
    """
    from stend import suite
    from stend.planning import plan

    for name in suite.names():
        test = suite.load(name)
        typer.echo(f"{name:<20} {test.clause:<8} {test.title}: {test.summary}")
    for name in suite.suites():
        study = suite.study(name)
        if study:
            typer.echo(f"{name:<20} {'suite':<8} {study.title}: {', '.join(study.tests)}")
    typer.echo(f"\nProfiles: {', '.join(plan.profiles())}")
