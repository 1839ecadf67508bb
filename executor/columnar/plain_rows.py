"""Queries that do no more than to find rows, for a client that takes them by the hundred or thousand.

    SELECT a, b FROM t WHERE c < 5       Execute of 1,000 rows, and again, and again        one thread finds them faster
    SELECT a, sum(b) FROM t GROUP BY a                                                      all are read before the first

The client sets the pace, and whoever looks for its rows is to be at hand: DuckDB's workers yield to everybody
(`parallel`), so on a busy machine the rows would come when nobody else wants anything. PostgreSQL runs no statement in parallel
that is executed with a row limit; here those that gather, sort or join before the first row comes still are.
"""

from __future__ import annotations

import re
from typing import Final

_GATHERS: Final = re.compile(
    r"\b(?:GROUP BY|ORDER BY|DISTINCT|JOIN|OVER|UNION|INTERSECT|EXCEPT|HAVING|WITH|QUALIFY)\b"
    r"|\b(?:sum|count|count_star|avg|fsum|favg|min|max|min_by|max_by|any_value|mode|product|list|histogram|first|last"
    r"|(?:arg|bool|bit|string|array|json|stddev|var|variance|covar|regr|quantile|entropy|approx)_\w+|corr|stddev|variance"
    r"|tw_agg\w*|tw_\w*(?:sum|avg|min|max|agg|count)\w*)\(",
    re.IGNORECASE,
)


def finds_rows_only(sql: str) -> bool:
    """Whether a DuckDB query looks as if its rows came one after the other. Where it only looks so, it has one thread."""
    return _GATHERS.search(sql) is None
