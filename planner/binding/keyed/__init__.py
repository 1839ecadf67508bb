"""Statements that need no DuckDB: a query in the keyed engine's words (`planner.keyed_plans`), where keys lead to its rows.

key_conditions, searched, partial_indexes, index_expressions    which rows a WHERE pins, by which index
reads, joins, walked_joins, index_reads, index_order, selects   the shapes of queries that are look-ups
endings                                                         groups, aggregates and orders of the rows found
expressions, calls, arrays, json, enums, catalog, terms, acts   what is computed of them
"""
