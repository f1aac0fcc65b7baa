"""What everything stands on: errors, units, limits, text, files, processes, compiled code. Knows no drives or tests."""
