"""Healthy measurements become proposed thresholds, their effect and their record. Pure."""
