"""Widgets: each shows one model with roles, and is usable alone."""
