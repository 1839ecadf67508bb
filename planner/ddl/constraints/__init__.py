"""What tables promise of their rows: checks, keys, foreign keys, exclusions, unique indexes."""
