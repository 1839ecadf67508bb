"""How each function and operator is computed by DuckDB: small families, one entry a function (see `registry`)."""
