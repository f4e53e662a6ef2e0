"""Measurements become a report: merged and gated."""
