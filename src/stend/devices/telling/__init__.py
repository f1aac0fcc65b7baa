"""Read facts, logs and links of drives from sysfs and external programs. Nothing here opens a drive."""
