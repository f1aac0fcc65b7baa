"""`python -m stend`."""

from stend.cli import script

script()
