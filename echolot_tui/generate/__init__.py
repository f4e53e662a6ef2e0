"""Synthetic traces with planted facts."""
