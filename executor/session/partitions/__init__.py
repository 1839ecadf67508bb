"""Partitioned tables at work: which leaf has a row, and which leaves a statement can leave out."""
