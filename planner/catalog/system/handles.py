"""How a function inside DuckDB finds the session that called it.

DuckDB's Python functions get values, not sessions. So whoever runs a query that asks for the session value
`catalog_ref` keeps its context here under a number, the number travels through the SQL text, and the function
looks the context up again.

    ref = opened(context)      ... SELECT tw_sys_format_type_2(17, atttypid, atttypmod) ...

Contexts are shared by all who see the same catalog in the same way; those that nobody has looked up for longest are
forgotten, for each keeps a whole catalog, of a time gone by perhaps.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict

from planner.abc import SqlError
from planner.catalog.system.context import SystemContext

OPEN_MAX = 100

_numbers = itertools.count(1)
_open: OrderedDict[int, SystemContext] = OrderedDict()


def opened(context: SystemContext) -> int:
    """A number for the context."""
    ref = next(_numbers)
    _open[ref] = context
    if len(_open) > OPEN_MAX:
        _open.popitem(last=False)
    return ref


def is_open(ref: int) -> bool:
    """Whether the number still stands for a context."""
    return ref in _open


def context_of(ref: int) -> SystemContext:
    """Raises 54000 when it has been forgotten since."""
    try:
        context = _open[ref]
        _open.move_to_end(ref)
        return context
    except KeyError:
        raise SqlError(
            "54000", "the catalog changed too often while the query ran", hint="Run the query again."
        ) from None
