"""Cases of the boot after the power cut."""
