"""How well virtual drives reproduce published measurements, and the fit of their parameters."""
