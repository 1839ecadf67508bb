"""Who waits for whom: rows, tables, definitions, and numbers that applications lock."""
