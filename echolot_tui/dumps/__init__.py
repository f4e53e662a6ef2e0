"""Thread dumps: what every thread did at one moment, as Android writes it when an app does not respond."""
