"""Device tests on real kernel drivers, inside a QEMU machine: `make lab` (docs/design.md)."""
