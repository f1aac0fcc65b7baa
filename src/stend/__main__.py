"""Run the command line by `python -m stend`."""

from stend.cli import script

script()
