"""Many hosts: Dask places and carries, a run belongs to its drive's host. Plans are data, and TLS is both ways."""
