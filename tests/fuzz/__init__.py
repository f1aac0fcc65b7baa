"""Random and coverage-guided input for every reader and for whole verbs: `make fuzz`, a slice of it in the tests."""
