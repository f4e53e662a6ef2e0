"""Reports become a comparison: matched, tested, warned about."""
