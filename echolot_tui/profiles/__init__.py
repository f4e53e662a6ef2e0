"""Sampled stacks of two sides become one union tree: what grew, what is noise, what only changed its name."""
