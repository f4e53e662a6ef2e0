"""The app's sources beside the config: which files there are, and what they declare."""
