"""`WITH (retention = '1 day')`, `ALTER TABLE ... SET (retention = ...)`: how long a table's history is kept.

Other storage parameters say how PostgreSQL lays out its pages: checked and kept (`planner.parse.storage`), they mean nothing here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from planner import types as t
from planner.abc import PlanError, SqlError, TypeRef

NAME: Final = "retention"
RETENTION_MAX_US: Final = 10 * 365 * 86_400 * 1_000_000
_DAY_US: Final = 86_400 * 1_000_000


def retention_us(options: Mapping[str, Any], before: int | None = None) -> int | None:
    """The window that the options ask for, in microseconds; `before` if they do not. Raises 22023."""
    if NAME not in options:
        return before
    said = options[NAME]
    try:
        months, days, us = t.text_input(TypeRef(t.INTERVAL))(str(said))
    except (SqlError, ValueError, TypeError):
        raise _invalid(said) from None
    total = (months * 30 + days) * _DAY_US + us
    if not 0 <= total <= RETENTION_MAX_US:
        raise _invalid(said)
    return int(total)


def _invalid(said: object) -> PlanError:
    return PlanError(
        "22023",
        f'invalid value for parameter "{NAME}": "{said}"',
        detail="It takes an interval of at most ten years, such as '1 hour'.",
    )
