"""Cases of the first boot, in which the machine lives to the end."""
