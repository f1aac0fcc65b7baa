"""The nouns: workloads, plans of tests, records of runs, and what is computed from one record alone."""
