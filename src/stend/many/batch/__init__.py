"""Batches: the distribution of each figure over drives of one model, outliers, and acceptance of the lot."""
