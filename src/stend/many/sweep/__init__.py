"""Thousands of virtual drives: a design of their parameters, runs in worker processes, and what drives which figure."""
