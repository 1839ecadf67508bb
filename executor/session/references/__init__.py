"""Foreign keys at work: what changes ask of them, the keys on the other side, and what becomes of rows that refer."""
