"""Operators, and the classes and families by which indexes use them."""
