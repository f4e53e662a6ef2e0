"""Whether this machine computes correctly: what ``echolot doctor`` runs."""
