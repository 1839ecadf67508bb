"""Command line, configuration, and the one place where all rooms are assembled."""

__version__ = "0.1.0"
