"""Hunts, rounds, kept calibrations, and the state they persist."""
