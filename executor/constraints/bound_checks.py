"""CHECKs and triggers' conditions, bound over a table's columns: kept for as long as they would be bound again as they were.

    (t, "amount >= 0", its columns that may be meant)    (expression, what it calls, what was asked of the catalog)

A table is defined anew by each ALTER TABLE, CREATE INDEX and foreign key, and its rules are made anew; its conditions mostly mean
what they did. What they mean follows from the table's name, the columns whose names are somewhere in the text, and what
the catalog was asked (`planner.catalog.reads`), of which the table itself is left out: but for its columns nothing is asked of it.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection
from typing import Any, Final

from executor.constraints.rules import Bound
from planner import types as t
from planner.abc import Constraint, Expr, KeyedRead, Oid, Table
from planner.catalog import Catalog, CatalogChange, Schema, quote_identifier, quote_qualified
from planner.catalog.reads import Reads, WatchedCatalog, plain, watched
from planner.plan_context import PlanContext
from planner.planner import Planner
from planner.types import DEFAULT_SETTINGS

KEPT_MAX: Final = 2_000
_WORD: Final = re.compile(r"[\w$]+")
_READ: Final = 2**32
"""The OID of a table whose CHECK is bound, where what the CHECK calls reads it; no other object has it."""


class BoundChecks:
    """All tables' conditions that have been bound lately."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self._kept: dict[tuple[Any, ...], tuple[Expr | None, Collection[Oid], Reads]] = {}

    def bind(self, seen: Catalog, called: set[Oid], table: Table, text: str) -> Bound:
        """A condition as an expression over the table's rows. What it calls of users' is added to `called`, and its columns' enums."""
        schema = seen.get(table.schema_oid)
        if not isinstance(schema, Schema):
            return None, ()
        # Conditions on labels are compiled with those that there are now: ALTER TYPE may add some in between.
        called.update(c.type.oid for c in table.columns if t.labels_of(c.type.oid) is not None)
        key = (table.oid, schema.name, table.name, text, _meant(table, text))
        known = self._kept.get(key)
        if known is None or not known[2].hold(plain(seen)):
            found, functions, reads = self._bound(seen, schema.name, table, text)
            if len(self._kept) >= KEPT_MAX:
                self._kept.clear()
            known = self._kept[key] = found, functions, _without(reads, table)
        found, functions, reads = known
        if isinstance(seen, WatchedCatalog):
            seen.get(table.oid)
            seen.reads.take(reads)
        called.update(functions)
        return found, functions if found is None else ()

    def _bound(
        self, seen: Catalog, schema: str, table: Table, text: str
    ) -> tuple[Expr | None, Collection[Oid], Reads]:
        """It is bound as the output of a keyed read of a table that has the same columns and surely a key. A function that it
        calls may read the table itself, by its name."""
        key = Constraint(0, "", "p", (table.columns[0].attnum,))
        stand_in = dataclasses.replace(table, name=f"check {table.oid}", constraints=(key,), children=())
        before = seen.get(table.oid)
        changes = [CatalogChange(before, stand_in)]
        if isinstance(before, Table):
            changes.append(CatalogChange(None, dataclasses.replace(before, oid=_READ)))
        catalog = watched(seen).with_changes(changes)  # what is asked is noted as it is without them
        column = quote_identifier(table.columns[0].name)
        source = f"{quote_qualified(schema, stand_in.name)} AS {quote_identifier(table.name)}"
        sql = f"SELECT ({text}) FROM {source} WHERE {column} = $1"
        context = PlanContext(catalog, (schema, "public"), settings=DEFAULT_SETTINGS)
        plan, _ = self._planner.plan(sql, context, normalise=False)
        functions: Collection[Oid] = plan.extra.get("functions", ())
        assert plan.reads is not None, "what was planned has been watched"
        if not isinstance(plan.body, KeyedRead) or "runs" in plan.extra:
            return None, functions, plan.reads
        return plan.body.outputs[0], functions, plan.reads


def _meant(table: Table, text: str) -> tuple[Any, ...]:
    """The columns, at their places, that the text may mean: all of them where it may mean the row."""
    said = text.casefold()
    words = frozenset(_WORD.findall(said))
    if table.name.casefold() in words or not _WORD.fullmatch(table.name) or "*" in said or "&" in said:
        return table.columns
    return tuple(
        (i, c)
        for i, c in enumerate(table.columns)
        if c.name.casefold() in words or not _WORD.fullmatch(c.name)
    )


def _without(reads: Reads, table: Table) -> Reads:
    """What was asked, but for what is said of the table itself: its definition, its indexes, who refers to it."""
    kept = Reads.of_all([reads])
    for name, asked in kept.asked.items():
        kept.asked[name] = {key: found for key, found in asked.items() if key != table.oid}
    return kept


__all__ = ["BoundChecks"]
