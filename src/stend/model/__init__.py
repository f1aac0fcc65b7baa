"""Data structures: workloads, plans of tests, records of runs, and results computed from a single record."""
