"""Runs as they go, for terminals, pages and machines: read from their folders, never written to.

A run folder is followed (`store`), folded into a `Course` in level memory, and told by whoever asks: `stend watch`, the
pages and metrics of `stend serve`, hooks.
"""
