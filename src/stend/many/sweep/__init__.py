"""Sweeps: vary the parameters of virtual drives, run them in worker processes, and compute the effects on figures."""
