"""pgoutput: the messages that PostgreSQL's subscriptions and change-data connectors read (manual, 55.9).

    B  begin       place of the commit, its time, a number for the transaction
    R  relation    name, replica identity, columns: before the first change of a table, and again when it is another one
    Y  type        of a column of a type that is not PostgreSQL's own
    I U D T        a row that came, changed, went; a table emptied
    C  commit

A row is its columns as texts; whoever asked for `binary` gets texts as well, which the protocol leaves to the sender, value by value.
Which tables, columns and kinds of changes: what the publications said at the time of the commit.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from executor.keyed.compile import compile_condition
from executor.replication.decoding import Tables, Transaction
from executor.replication.eras import DELETE, INSERT, TRUNCATE, UPDATE, Change
from executor.replication.plugin import EPOCH_US, Options, flag, identifiers, transaction_number
from planner.abc import Column, SqlError, Table
from planner.binding.keyed.index_expressions import of_rows
from planner.binding.writes.replica_identity import identity
from planner.catalog import Catalog, Publication, UserType
from planner.catalog.system.publications import part_of, published
from planner.partitioning import ancestors, leaves_of
from planner.types import text_output
from planner.types.facts import FIRST_USER_OID
from storage.abc import Timestamp

NEWEST: Final = 3
_BEGIN: Final = struct.Struct(">cqqI").pack
_COMMIT: Final = struct.Struct(">cBqqq").pack
_RELATION: Final = struct.Struct(">cI").pack
_OID: Final = struct.Struct(">I").pack
_SHORT: Final = struct.Struct(">h").pack
_COLUMN: Final = struct.Struct(">Ii").pack
_LENGTH: Final = struct.Struct(">cI").pack


Condition = Callable[[Sequence[Any]], bool]
"""Of a row: whether it is told of."""


@dataclass(frozen=True, slots=True)
class _Told:
    """A table as its changes are told: under which name, which columns, which kinds."""

    table: Table
    shown: Table
    columns: tuple[tuple[Column, int, bool], ...]
    """Of the shown table; where each is in a row; whether it is of the identity."""
    outputs: tuple[Callable[[Any], str], ...]
    identity: str
    shows: Mapping[str, Condition | None]
    """By kind of change: which rows are told of it; None: all. A kind that is absent is not told."""
    relation: tuple[bytes, ...]
    """Y and R."""


class PgOutput:
    """See the module, and `plugin.Plugin`."""

    binary = True

    def __init__(self, options: Options) -> None:
        """Raises 22023, 0A000 as PostgreSQL's parse_output_parameters."""
        version, names = 0, None
        for name, value in options.items():
            match name:
                case "proto_version":
                    if value is None or not value.isdigit():
                        raise SqlError("22023", f'invalid proto_version "{value or ""}"')
                    version = int(value)
                case "publication_names":
                    names = identifiers(value or "")
                    if names is None:
                        raise SqlError("42602", "invalid publication_names syntax")
                case "binary" | "messages" | "streaming" | "two_phase":
                    flag(name, value)
                case _:
                    raise SqlError("XX000", f"unrecognized pgoutput option: {name}")
        if version > NEWEST:
            raise SqlError(
                "0A000",
                f"client sent proto_version={version} but we only support protocol {NEWEST} or lower",
            )
        if version < 1:
            raise SqlError(
                "0A000", f"client sent proto_version={version} but we only support protocol 1 or higher"
            )
        if not names:
            raise SqlError("22023", "publication_names parameter missing")
        self._names = names
        self._catalog: Catalog | None = None
        self._published: list[tuple[Publication, dict[int, Table]]] = []
        """What each publication shows, by that catalog."""
        self._told: dict[int, _Told] = {}
        self._sent: dict[int, tuple[bytes, ...]] = {}

    @property
    def tables(self) -> Tables:
        return self._tables

    def _look_at(self, catalog: Catalog) -> None:
        """Raises 42704."""
        if catalog is self._catalog:
            return
        known = {p.name: p for p in catalog.objects(Publication)}
        for name in self._names:
            if name not in known:
                raise SqlError("42704", f'publication "{name}" does not exist')
        named = [known[name] for name in dict.fromkeys(self._names)]
        self._published = [(p, {t.oid: t for t in published(catalog, p)}) for p in named]
        self._catalog, self._told = catalog, {}

    def _tables(self, catalog: Catalog) -> Sequence[Table]:
        self._look_at(catalog)
        found: dict[int, Table] = {}
        for _, shown_tables in self._published:
            for shown in shown_tables.values():
                for table in [shown] if shown.partitioning is None else leaves_of(catalog, shown):
                    found[table.oid] = table
        return [found[oid] for oid in sorted(found)]

    def messages(self, transaction: Transaction) -> Iterator[tuple[Timestamp, bytes]]:
        ts, catalog = transaction.ts, transaction.catalog
        self._look_at(catalog)
        begun = False
        for change in transaction.changes:
            told = self._told.get(change.table.oid)
            if told is None or told.table is not change.table:  # it may be a row of how the table was before
                told = self._told[change.table.oid] = self._as_told(catalog, change.table)
            seen = _seen(told, change)
            if seen is None:
                continue
            change = seen
            if not begun:
                begun = True
                yield ts, _BEGIN(b"B", ts, ts - EPOCH_US, transaction_number(ts))
            if self._sent.get(told.shown.oid) != told.relation:
                self._sent[told.shown.oid] = told.relation
                for message in told.relation:
                    yield ts, message
            yield ts, _change(told, change)
        if begun:
            yield ts, _COMMIT(b"C", 0, ts, ts + 1, ts - EPOCH_US)

    def _as_told(self, catalog: Catalog, table: Table) -> _Told:
        shown, lists = table, []
        shows: dict[str, list[Condition | None]] = {}
        above = [table, *ancestors(catalog, table)]
        for publication, named in self._published:
            one = next((a for a in reversed(above) if a.oid in named), None)
            if one is None:
                continue
            if above.index(one) > above.index(shown):
                shown = one
            part = part_of(publication, one)
            rows = _condition(catalog, table, part.condition) if part is not None and part.condition else None
            listed = part.columns if part is not None else ()
            lists.append(frozenset(c.name for c in one.visible if not listed or c.attnum in listed))
            for kind, on in (
                (INSERT, publication.inserts), (UPDATE, publication.updates), (DELETE, publication.deletes), (TRUNCATE, publication.truncates),
            ):  # fmt: skip
                if on:
                    shows.setdefault(kind, []).append(rows)
        if len(set(lists)) > 1:
            schema = catalog.schema_of(table.schema_oid).name
            raise SqlError(
                "0A000",
                f'cannot use different column lists for table "{schema}.{table.name}" in different publications',
            )
        key = identity(catalog, table)
        places = {c.name: (i, c) for i, c in enumerate(table.columns) if not c.hidden}
        columns: list[tuple[Column, int, bool]] = []
        for column in shown.visible:
            if (lists and column.name not in lists[0]) or column.generated:
                continue
            place, own = places[column.name]
            columns.append((column, place, table.replica_identity == "f" or own.attnum in (key or ())))
        outputs = tuple(text_output(c.type) for c, _, _ in columns)
        return _Told(
            table,
            shown,
            tuple(columns),
            outputs,
            table.replica_identity,
            {kind: _any(conditions) for kind, conditions in shows.items()},
            _relation(catalog, shown, columns, table.replica_identity),
        )


def _condition(catalog: Catalog, table: Table, text: str) -> Condition:
    """WHERE of a published table, of a row. Raises 0A000 for what is not computed row by row."""
    found = of_rows(catalog, table, text)
    asked = compile_condition(found) if found is not None else None
    if asked is None:
        raise SqlError(
            "0A000", f'the WHERE of table "{table.name}" in its publication is not supported: {text}'
        )
    return lambda row: asked((), row, None)


def _any(conditions: Sequence[Condition | None]) -> Condition | None:
    """Rows are told that any publication tells."""
    asked = [c for c in conditions if c is not None]
    if len(asked) < len(conditions):
        return None
    return asked[0] if len(asked) == 1 else lambda row: any(c(row) for c in asked)


def _seen(told: _Told, change: Change) -> Change | None:
    """A change as who sees only some rows sees it: one that moves a row into sight is a row that comes."""
    kind = UPDATE if change.moved else change.kind
    if kind not in told.shows:
        return None
    shows = told.shows[kind]
    if shows is None or change.kind == TRUNCATE:
        return change
    was = change.old is not None and shows(change.old)
    is_now = change.new is not None and shows(change.new)
    if was and is_now:
        return change
    if is_now:
        return Change(INSERT, change.table, new=change.new)
    return Change(DELETE, change.table, old=change.old) if was else None


def _relation(
    catalog: Catalog, table: Table, columns: Sequence[tuple[Column, int, bool]], identity: str
) -> tuple[bytes, ...]:
    types: list[bytes] = []
    cells = []
    for column, _, is_key in columns:
        oid = column.type.oid
        if oid >= FIRST_USER_OID and isinstance(thing := catalog.get(oid), UserType):
            schema = catalog.schema_of(thing.schema_oid).name
            types.append(_RELATION(b"Y", oid) + _string(schema) + _string(thing.name))
        cells.append(bytes([is_key]) + _string(column.name) + _COLUMN(oid, column.type.typmod))
    relation = b"".join(
        [
            _RELATION(b"R", table.oid),
            _string(catalog.schema_of(table.schema_oid).name),
            _string(table.name),
            identity.encode(),
            _SHORT(len(cells)),
            *cells,
        ]
    )
    return (*types, relation)


def _string(text: str) -> bytes:
    return text.encode() + b"\0"


def _change(told: _Told, change: Change) -> bytes:
    oid = _OID(told.shown.oid)
    if change.kind == TRUNCATE:
        return b"T" + _OID(1) + b"\0" + oid
    kind = change.kind.encode()
    if change.kind == INSERT:
        return kind + oid + b"N" + _row(told, change.new)
    full = told.identity == "f"
    if change.kind == DELETE:
        return kind + oid + (b"O" if full else b"K") + _row(told, change.old, keys=not full)
    before = b"O" + _row(told, change.old) if full else b""
    return kind + oid + before + b"N" + _row(told, change.new)


def _row(told: _Told, row: Sequence[Any] | None, *, keys: bool = False) -> bytes:
    assert row is not None
    cells = [_SHORT(len(told.columns))]
    for (_, place, is_key), output in zip(told.columns, told.outputs, strict=True):
        datum = row[place]
        if datum is None or (keys and not is_key):
            cells.append(b"n")
        else:
            text = output(datum).encode()
            cells.append(_LENGTH(b"t", len(text)) + text)
    return b"".join(cells)


__all__ = ["PgOutput"]
