"""Partitioned tables: keys, bounds, and what partitions have from the tables above them."""
