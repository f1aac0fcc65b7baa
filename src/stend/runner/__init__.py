"""Execute a plan: its steps in order, the rules that end rounds, resuming, telemetry and progress."""
