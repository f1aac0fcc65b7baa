"""Which stend this is: a room of its own, so that no room has to import the house for it."""

__version__ = "0.1.0"
