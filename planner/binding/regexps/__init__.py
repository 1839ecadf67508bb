"""PostgreSQL's regular expressions as Python's: translated, as long as PostgreSQL's, and with an end to their matching."""
