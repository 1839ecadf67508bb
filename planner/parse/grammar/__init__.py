"""PostgreSQL's grammar of queries, as a reader that only says whether a statement is one, and where it stops being one.

    select a from t all      42601 at "all", a reserved word        select 1 and          a column named "and"
    select a = b = c         42601 at the second "="                select left from t    42601 at "from": left( is a function

sqlglot, which makes the tree, reads many dialects: it takes words for names and clauses in orders that PostgreSQL
refuses, and where it refuses something it is at another token. So the tokens pass through here first.

    symbols.py       tokens as the grammar sees them: a list of short strings
    expressions.py   operators by precedence; what operands begin with
    calls.py         functions with a grammar of their own: CAST, EXTRACT, TRIM, XMLELEMENT
    types.py         names of types
    sources.py       FROM: tables, functions, joins
    queries.py       SELECT, VALUES, TABLE, WITH, and what is behind them
    writes.py        INSERT, UPDATE, DELETE, MERGE

A token is refused where no statement begins with what stands up to it, which is what PostgreSQL's parser of one token
of lookahead does too.
"""

from planner.parse.grammar.writes import check_expression, check_query

__all__ = ["check_expression", "check_query"]
