"""Runs on the drives of many hosts: Dask or Slurm distributes them, and each run belongs to the host of its drive."""
