"""A plan is carried out: steps one after the other, the rules that end rounds, resuming, telemetry, progress."""
