"""Keys over text whose equal values may differ: there are none.

Rows lie under the bytes of their keys, in memory, in runs and in the log's marks; a nondeterministic collation calls
texts equal whose bytes are not.
"""

from __future__ import annotations

from collections.abc import Iterable

from planner.abc import Column, PlanError
from planner.catalog.collations import nondeterministic, shown


def refuse_keys(columns: Iterable[Column], what: str) -> None:
    """Raises 0A000 for keys over columns whose equal values may differ."""
    for column in columns:
        if column.collation in nondeterministic:
            raise PlanError(
                "0A000",
                f'{what} over column "{column.name}" with the nondeterministic collation "{shown(column.collation)}" '
                "are not supported",
            )
