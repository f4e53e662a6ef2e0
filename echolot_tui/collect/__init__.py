"""Recording sets of traces, and watching folders that other tools fill."""
