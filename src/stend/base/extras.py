"""Parts that an installation may leave out, such as `stend[sim]`; what needs one says so in a sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from stend.base.errors import Missing

EXTRAS = {
    "numba": "sim",
    "llvmlite": "sim",
    "duckdb": "report",
    "hdrh": "report",
    "jinja2": "report",
    "markupsafe": "report",
    "prometheus_client": "report",
    "typst": "report",
    "vl_convert": "report",
    "scipy": "compare",
    "starlette": "serve",
    "uvicorn": "serve",
    "cryptography": "fleet",
    "dask": "fleet",
    "distributed": "fleet",
    "pyarrow": "trace",
}
"""Modules of others by the extra of pyproject.toml that brings them."""


def need(what: str, *modules: str) -> None:
    """Missing, with the command that mends it, unless all of these modules are installed; none is loaded for it."""
    for module in modules:
        if missing(module):
            raise Missing(_sentence(what, module))


def missing(module: str) -> bool:
    """Whether it is not installed; it is not loaded for that."""
    return find_spec(module) is None


@contextmanager
def needing(what: str) -> Iterator[None]:
    """The same for what imports its modules only as it goes."""
    try:
        yield
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        if module not in EXTRAS:
            raise
        raise Missing(_sentence(what, module)) from error


def _sentence(what: str, module: str) -> str:
    return f"{what} needs {module}, which is not installed: `pip install 'stend[{EXTRAS[module]}]'`"
