"""What drives, their kernel and other people's programs tell: facts, logs, links. Nothing here opens a drive."""
