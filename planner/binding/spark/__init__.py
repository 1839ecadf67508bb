"""The same bound statement as Spark SQL, where that is proven to mean the same.

    sqlglot tree --binder--> typed tree --Emitter--> DuckDB SQL         everything
                                        --SparkEmitter--> Spark SQL     what `functions` lists, and nothing else

Spark SQL looks like PostgreSQL and differs silently: `7/2`, casts that cut off, `log`, intervals, rounding. So a
translation of *text* is no translation. The binder has decided every operator, function and type already; this
emitter writes a node only if its signature stands in a table, each line of which has a differential test against the
columnar engine (`tests/pipeline/test_distributed.py`). Everything else is refused by name (0A000), before Spark sees it.

    functions.py   the table: signature -> Spark SQL
    casts.py       conversions between types
    values.py      constants and parameter values as Spark literals
    emitter.py     the grammar, the refusals, and the finished text
    plan.py        a plan's query bound again with this emitter

Spark runs in ANSI mode (overflow and division by zero are errors), case-sensitive, in UTC, and with the functions of
`prelude` registered under their names: a numeric whose scale depends on its value is a text there as it is in DuckDB, and
the same Python computes with it.
"""
