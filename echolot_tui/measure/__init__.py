"""One trace becomes a measurement: everything it answers with all bars open."""
