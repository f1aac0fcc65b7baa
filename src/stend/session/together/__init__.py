"""Several drives of one host, each in its own run: what they share, who waits for whom, who disturbs whom."""
