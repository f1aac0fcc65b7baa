"""Several runs at once: compared, judged as a lot, swept over a virtual drive; what these three share."""
