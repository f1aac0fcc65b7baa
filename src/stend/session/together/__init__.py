"""Run several drives of a host at once: shared paths, turns and mutual disturbance."""
