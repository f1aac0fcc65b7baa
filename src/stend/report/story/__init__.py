"""The review of a run: a page of judgement, one chapter per question, a conclusion, the method."""
