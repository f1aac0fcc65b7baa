"""Drives of one model: how each figure is distributed, which drive is odd by what evidence, and the lot's verdict."""
