"""Subscripts of values that are no arrays, read and assigned."""
