"""`stend tests`: list the tests, suites and profiles."""

import typer

from stend.cli import _options


def command(as_json: _options.Json = False) -> None:
    """List the tests, the suites that bundle them, and the profiles.

    Example: stend tests
    """
    from stend import suite
    from stend.cli import _table
    from stend.planning import plan

    tests = {name: suite.load(name) for name in suite.names()}
    studies = {name: study for name in suite.suites() if (study := suite.study(name))}
    if as_json:
        facts = ("clause", "title", "summary", "reads")
        every = {
            "tests": [{"name": name} | {fact: getattr(test, fact) for fact in facts} for name, test in tests.items()],
            "suites": [{"name": name, "title": s.title, "tests": s.tests} for name, s in studies.items()],
            "profiles": plan.profiles(),
        }
        typer.echo(_table.data(every))
        return
    rows = [(name, test.clause, f"{test.title}: {test.summary}") for name, test in tests.items()]
    rows += [(name, "suite", f"{study.title}: {', '.join(study.tests)}") for name, study in studies.items()]
    wide, clause = (max(len(row[column]) for row in rows) for column in (0, 1))
    for row in rows:
        typer.echo(f"{row[0]:<{wide}} {row[1]:<{clause}} {row[2]}")
    typer.echo(f"\nProfiles: {', '.join(plan.profiles())}")
