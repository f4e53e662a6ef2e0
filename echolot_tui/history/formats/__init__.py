"""Results of other benchmark tools, read as measurements of a commit."""
