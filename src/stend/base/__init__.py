"""Modules that every other package may use: errors, units, limits, text, files, processes and compiled code."""
