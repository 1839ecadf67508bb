"""EXPLAIN: what a plan is, in words and in four notations."""
