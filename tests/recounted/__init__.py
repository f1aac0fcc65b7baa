"""Every number in every sentence of a review, found again in the lines of events.jsonl.

`record.py` reads the lines with json alone, `figures.py` works the figures out again by docs/method/figures.md, and
`said.py` collects the numbers of the sentences with the name of the figure behind each.
"""
