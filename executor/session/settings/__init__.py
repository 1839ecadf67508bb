"""Settings: which there are, what they may be, and what a session begins with."""
