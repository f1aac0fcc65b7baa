"""Drives of known truth, drawn by a seed, for `python -m benchmarks.findings`: what findings say of them is judged."""
