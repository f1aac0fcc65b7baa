"""Evaluation of several runs: comparisons, batches of drives, sweeps of virtual drives, and their common parts."""
