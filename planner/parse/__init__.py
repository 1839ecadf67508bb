"""Text to statements: utility statements and DDL by our own grammar, queries and DML by sqlglot on our tokens.

    text --planner.lexer--> tokens --statement.py--+--> utility, maintenance, tables, sequences, definitions,
                                                   |    privileges: dataclasses of planner.statements (cursor.py)
                                                   `--> grammar, feed, dialect, queries: sqlglot.exp trees

In those trees functions are `exp.Anonymous` and most operators `exp.Operator`, as they are written (`dialect`);
`position(node)` is where in the statement a node stands.
"""

from planner.parse.beginnings import position
from planner.parse.queries import parse_expression, parse_query
from planner.parse.statement import parse_statement

__all__ = ["parse_expression", "parse_query", "parse_statement", "position"]
