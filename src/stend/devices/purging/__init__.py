"""Purge drives, and change their size or block size: tables that decide, and the code that runs the decision."""
