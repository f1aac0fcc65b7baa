"""The version of stend, in a separate module so that no module has to import the package `stend` for it."""

__version__ = "0.1.0"
