"""SQL/JSON paths in PostgreSQL's dialect: chapter 9.16.2.

    lax $.orders[*] ? (@.total > $limit).id        text
      --tokens, parser-->  a chain of `tree.Item`s, checked (42601)
      --writing-->         the same as `jsonpath` shows it: what columns hold
      --evaluation-->      the items of a JSON value that it finds, one after the other

Pure: text and plain values in, values out (dict, list, str, bool, None, Decimal; `datetimes.Moment` in between).
No library does this dialect: lax and strict rules, unknown as a third truth value, PostgreSQL's own errors.
"""

from planner.jsonpath.parser import parse
from planner.jsonpath.writing import canonical

__all__ = ["canonical", "parse"]
