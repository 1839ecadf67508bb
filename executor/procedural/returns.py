"""What RETURN makes of its values: a function's result, a trigger's row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from planner.abc import Plan
from planner.statements import plpgsql as pl

if TYPE_CHECKING:
    from executor.procedural.walk import Walk


class Returns(Protocol):
    """What RETURN makes of its values (`executor.procedural.routines`, `triggers`)."""

    async def value(self, walk: Walk, text: pl.Text, whole: int) -> Any: ...

    def of_outputs(self, walk: Walk) -> Any: ...

    async def rows(self, walk: Walk, plan: Plan, result: Any) -> int: ...

    async def last(self, walk: Walk, plan: Plan, result: Any) -> None: ...


__all__ = ["Returns"]
