"""The prelude: what the binder's texts call in DuckDB, macros and Python functions, a module for each kind of value.

installation      all of it, made known to a connection; how a function of values becomes one of columns
macros, quotients, columns, jsonb_columns    what is said in SQL, or computed by whole columns
the rest          a table `FUNCTIONS` each: name, function of values, DuckDB's types
"""
