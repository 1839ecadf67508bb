"""Conditions that an index of parts serves (`planner.searches`), answered: which rows of a table a query has to look at.

    few, of the present, keyed    read by their row ids from runs and memory      0.2 ms for a hundred of a million
    else                          DuckDB reads them: _rid IN (...)                a tenth of looking through the documents
    too many, not known yet       the table, as without an index

What came since the index was made is in the relation in any case. The query asks its conditions of whatever it is given; the keyed
engine, of the versions that the index knows, only where the terms do not decide (`planner.terms`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from executor.keyed.terms_read import LedTo
from executor.session.values import session_value
from executor.snapshot.rows_by_id import rows_by_id
from executor.snapshot.terms import Ids, TermsOf
from executor.snapshot.writer import ReadPin
from planner import types as t
from planner.abc import RelationUse, Search, Sought, Table
from planner.binding.rights.row_security import BARRIER
from planner.lexer import quoted
from planner.searches import TermsIndex
from planner.terms import asked
from planner.types.facts import FIRST_USER_OID
from storage.abc import Datum, Timestamp
from txn.abc import Key

if TYPE_CHECKING:
    from executor.session.session import Session
    from executor.snapshot.image import TableImage
    from executor.snapshot.store import SnapshotStore

ROWS_MIN = 10_000
"""Tables with fewer rows are looked through."""
SHARE = 8
"""Of more than every so-manieth row DuckDB looks through all."""


@dataclass(slots=True)
class Found:
    """What a relation is made of: versions up to a time that have the terms, and all that came since."""

    ids: Ids
    upto: Timestamp
    is_all: bool
    """Nothing has come since."""


def found(session: Session, use: RelationUse, params: Sequence[Datum], ts: Timestamp) -> Found | None:
    """The rows that a query at `ts` has to look at; None: all. What is not known yet is begun to be found out.

    After `prepare_read`. Raises what a condition's constant is refused with.
    """
    assert use.terms is not None
    image = session.executor.store.find(use.table.shard)
    if image is None:  # made, or filled anew, in this transaction: nobody has indexed it
        return None
    made = _search(session, image, use.table, use.terms, params, ts)
    if made is None or len(made.ids) > image.stored_rows // SHARE:
        return None
    return Found(made.ids, made.upto, image.physical.max_from <= made.upto)


def led_to(
    session: Session,
    image: TableImage,
    table: Table,
    search: Search | Sought,
    params: Sequence[Datum],
    ts: Timestamp,
) -> LedTo | None:
    """The versions that terms lead to, and the keys under which something came since; None: not known, or too many."""
    made = _search(session, image, table, search, params, ts)
    if made is None:
        return None
    since: set[Key] = set()
    for index in made.by:
        keys = index.keys_since()
        if keys is None:
            return None
        since.update(keys)
    return LedTo(made.ids, since, made.decided)


@dataclass(slots=True)
class _Led:
    ids: Ids
    upto: Timestamp
    by: list[TermsOf]
    decided: bool
    """Whether what is asked of the terms is true of all of these."""


def _search(
    session: Session,
    image: TableImage,
    table: Table,
    asked_of: Search | Sought,
    params: Sequence[Datum],
    ts: Timestamp,
) -> _Led | None:
    """The versions that terms lead to. What is not known yet is begun to be found out."""
    store, physical = session.executor.store, image.physical
    stored = image.stored_rows
    if stored < ROWS_MIN or image.physical_at(ts) is not physical or image.flushed_physical is not physical:
        return None

    def configured(said: str) -> str:
        if said and int(said) < FIRST_USER_OID:
            return said
        return str(session_value(session, f"text_search:{said}", ts))

    def search(part: Search | Sought) -> _Led | None:
        if isinstance(part, Search):
            parts = [search(p) for p in part.parts]
            known = [p for p in parts if p is not None]
            if not known or (part.op == "or" and len(known) < len(parts)):
                return None
            led = known[0]
            for other in known[1:]:
                ids = (
                    np.union1d(led.ids, other.ids)
                    if part.op == "or"
                    else np.intersect1d(led.ids, other.ids, assume_unique=True)
                )
                led = _Led(ids, min(led.upto, other.upto), led.by + other.by, led.decided and other.decided)
            led.decided &= len(known) == len(parts)
            return led
        index = _index(store, image, table, part.index)
        if index.is_due:
            store.spawn(index.extend(session.executor.columnar.table))
        if index.upto is None or index.since > stored // 2:
            return None
        wanted = asked(part, params, configured)
        if wanted.terms is None:
            return None
        its = index.ids(wanted.terms, stored // 2, wanted.decides)
        decided = wanted.decides and not index.unsure
        return None if its is None else _Led(its, index.upto, [index], decided)

    return search(asked_of)


def _index(store: SnapshotStore, image: TableImage, table: Table, index: TermsIndex) -> TermsOf:
    terms = image.physical.terms
    key = (index.kind, index.text, index.columns)
    made = terms.get(key)
    if made is None:
        made = terms[key] = TermsOf(image, image.physical, table, index, store.terms_kept)
    return made


class Relation:
    """The relation of what was found."""

    __slots__ = ("_bindings", "_found", "_pin", "_session", "_ts", "_use", "unread")

    def __init__(
        self,
        session: Session,
        use: RelationUse,
        ts: Timestamp,
        pin: ReadPin,
        bindings: dict[str, pa.Table],
        found: Found,
    ) -> None:
        self._session, self._use, self._ts, self._pin = session, use, ts, pin
        self._bindings, self._found = bindings, found
        self.unread = 0
        """Rows of the table that DuckDB need not look at."""

    def text(self, with_rid: bool) -> str:
        """A parenthesised subquery."""
        use, found, store = self._use, self._found, self._session.executor.store
        table, name = use.table, f"found_{use.slot}"

        def stored(also: str) -> str:
            return str(
                store.relation_sql(
                    table.shard, self._ts, use.columns, with_rid, pin=self._pin, seen_as=table, also=also
                )
            )

        image = store.image(table.shard)
        since = f"_from > {found.upto}"
        wanted = range(len(table.columns)) if use.columns is None else use.columns
        columns = [table.columns[i] for i in wanted]
        arrays = None
        if [c.attnum for c in image.table.columns] == [c.attnum for c in table.columns]:
            types = [t.arrow_type(c.type) for c in columns]
            arrays = rows_by_id(image, found.ids, self._ts, wanted, types)
        if arrays is None:
            self._bindings[name] = pa.table({"_rid": found.ids})
            among = f"_rid IN (SELECT _rid FROM {name})"
            rows = stored(among if found.is_all else f"({among} OR {since})")
            # No condition of the query's is asked before: it would be asked of all rows.
            return f"(SELECT * FROM {rows} AS found{BARRIER})"
        self._bindings[name] = pa.table(arrays, names=[*(f"c{c.attnum}" for c in columns), "_rid"])
        self.unread = image.stored_rows
        cells = [f"{t.store_sql(f'c{c.attnum}', c.type)} AS {quoted(c.name)}" for c in columns]
        text = f"SELECT {', '.join([*cells, '_rid'] if with_rid or not cells else cells)} FROM {name}"
        return f"({text})" if found.is_all else f"({text} UNION ALL SELECT * FROM {stored(since)} AS since)"


__all__ = ["Found", "Relation", "found", "led_to"]
