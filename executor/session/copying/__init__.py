"""COPY: rows from and to clients, and rows that others have staged as Parquet."""
