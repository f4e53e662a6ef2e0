"""Echolot: where the time went between two sets of traces, and whether the difference is real."""

__version__ = "0.1.0"
