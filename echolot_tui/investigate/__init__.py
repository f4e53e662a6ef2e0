"""Hunts, rounds, and the state they persist."""
