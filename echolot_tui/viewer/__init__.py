"""A trace in Perfetto's own UI, served on this machine: what ``echolot open`` does."""
