"""stend: a test stand that measures storage drives honestly."""

__version__ = "0.1.0"
