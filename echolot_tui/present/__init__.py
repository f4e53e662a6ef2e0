"""Models become cells, lines and sentences."""
