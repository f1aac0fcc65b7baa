"""Runs in progress, read from their folders and never written to.

A Follower reads new events of a run folder and folds them into a `Course` of constant size. `stend watch`, the pages
and metrics of `stend serve`, and hooks show it.
"""
