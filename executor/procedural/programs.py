"""Programs with their types looked up, which a session keeps: for as long as looking them up again would give the same.

A catalog that has changed elsewhere takes nothing away: the plans that hang at a program's texts are asked one by one whether they
still hold (`planner.catalog.reads`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from executor.procedural.frame import Code
from planner.catalog import Catalog, Function
from planner.catalog.reads import Reads, watched, with_rows

if TYPE_CHECKING:
    from executor.session.session import Session

_KEPT_MAX: Final = 500


class Known:
    """A function's program as it was looked up on a path, what the catalog was asked for that, and the catalog that last gave such answers."""

    __slots__ = ("catalog", "code", "function", "path", "reads")

    def __init__(
        self, f: Function, catalog: Catalog, path: tuple[str, ...], code: Code, reads: Reads
    ) -> None:
        self.function, self.catalog, self.path, self.code, self.reads = f, catalog, path, code, reads


def kept(session: Session, key: Any, f: Function, made: Callable[[Catalog], Code]) -> Code:
    """The program under a key; `made` looks it up in a catalog. Raises what is wrong with it."""
    context = session.context()
    catalog, path = context.catalog, context.search_path
    known: Known | None = session.programs.get(key)
    if known is not None and known.function is f and known.path == path:
        if known.catalog is not catalog and known.reads.hold(catalog):
            known.catalog = catalog
        if known.catalog is catalog:
            return known.code
    seen = watched(catalog)
    code = made(seen)
    if len(session.programs) >= _KEPT_MAX:
        session.programs.clear()
    session.programs[key] = Known(f, catalog, path, code, with_rows(seen))
    return code


__all__ = ["kept"]
