"""A trace file becomes SQL answers, in worker processes."""
