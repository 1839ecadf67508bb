"""Measured side by side: PostgreSQL and Tidewire, the same machine, the same run, in turn."""
