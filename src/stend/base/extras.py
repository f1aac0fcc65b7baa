"""Optional dependencies, such as those of `stend[sim]`, and the error that names the extra to install."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from stend.base.errors import Missing

EXTRAS = {
    "numba": "sim",
    "llvmlite": "sim",
    "duckdb": "report",
    "hdrh": "report",
    "prometheus_client": "report",
    "typst": "report",
    "scipy": "compare",
    "starlette": "serve",
    "uvicorn": "serve",
    "cryptography": "fleet",
    "dask": "fleet",
    "distributed": "fleet",
    "pyarrow": "trace",
}
"""The extra of pyproject.toml that installs each module."""
USES = {
    "sim": "fast virtual drives, `stend host`",
    "report": "PDF, Parquet, metrics, SQL queries",
    "compare": "`stend compare`, `repeat`, `lot`",
    "serve": "live pages: `stend serve`",
    "fleet": "tests on many hosts: `stend fleet`",
    "trace": "captured workloads, replay",
}
"""The use of each extra."""


def incomplete() -> list[str]:
    """Return the extras of which a module is not installed."""
    return [extra for extra in USES if any(missing(module) for module, of in EXTRAS.items() if of == extra)]


def need(what: str, *modules: str) -> None:
    """Raise Missing, with the install command, unless all of these modules are installed. No module is imported."""
    for module in modules:
        if missing(module):
            raise Missing(_sentence(what, module))


def missing(module: str) -> bool:
    """Return True if the module is not installed. The module is not imported."""
    return find_spec(module) is None


def installed(module: str) -> None:
    """Raise ModuleNotFoundError if a module that only another process imports is not installed. See `needing`."""
    if missing(module):
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)


@contextmanager
def needing(what: str) -> Iterator[None]:
    """Turn a ModuleNotFoundError of the block, whose imports are lazy, into Missing with the install command."""
    try:
        yield
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        if module not in EXTRAS:
            raise
        raise Missing(_sentence(what, module)) from error


def _sentence(what: str, module: str) -> str:
    package = f"'stend[{EXTRAS[module]}]'" if module in EXTRAS else module
    return f"{what} needs {module}, which is not installed: `pip install {package}`"
