"""tablefunc: tables that are turned, and trees that are walked, of queries that are known when they run.

    crosstab('SELECT student, exam, mark ...')                     a row for each student, marks in the order of the query
    crosstab('SELECT student, exam, mark ...', 'SELECT exam ...')  a row for each student, each exam's mark in its column
    connectby('parts', 'id', 'within', 'row1', 0)                  what is within row1, and within that, by level

Rows are put together of texts, which the described columns read, as in PostgreSQL's contrib module.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from executor.abc import ExecutionError
from executor.procedural.result_rows import columns_of, rows_of
from executor.session import asked
from planner import types as t
from planner.abc import ResultColumn, TypeRef
from planner.catalog import Function
from planner.types.base import quote_literal
from storage.abc import Datum, Row

if TYPE_CHECKING:
    from executor.session.session import Session

Described = Sequence[tuple[str, TypeRef]]
Texts = tuple[str | None, ...]
_NO_CATEGORIES: Final = 'provided "categories" SQL must return 1 column of at least one row'
_ROWS_MAX: Final = 10_000_000
"""That one call returns: they are held until it is over."""


async def call(session: Session, f: Function, arguments: Sequence[Datum], described: Described) -> list[Row]:
    """The rows of a call. Raises 42601, 22023, 42804, 42P19, 54000 and what its queries raise."""
    if f.name == "connectby":
        return await _connected(session, described, list(arguments))
    if len(arguments) == 2 and isinstance(arguments[1], str):
        return await _by_category(session, described, str(arguments[0]), arguments[1])
    return await _in_turn(session, described, str(arguments[0]))


async def _texts(session: Session, query: str) -> tuple[Sequence[ResultColumn], list[Texts]]:
    """What a query returns, as texts; no columns where it is no query."""
    plan, result = await asked.run(session, query)
    columns = columns_of(plan, result) or ()
    shown = [t.text_output(c.type, session.type_settings) for c in columns]
    found: list[Texts] = []
    async for row in rows_of(result):
        _limit(len(found))
        found.append(tuple(None if x is None else show(x) for show, x in zip(shown, row, strict=True)))
    return columns, found


def _limit(count: int) -> None:
    if count >= _ROWS_MAX:
        raise ExecutionError("54000", f"more than {_ROWS_MAX} rows of a tablefunc call are not supported")


def _reader(session: Session, described: Described) -> Callable[[Sequence[str | None]], Row]:
    reads = [t.text_input(ref, session.type_settings) for _, ref in described]
    return lambda texts: tuple(None if x is None else read(x) for read, x in zip(reads, texts, strict=True))


# --- crosstab -----------------------------------------------------------------------------------------------


async def _in_turn(session: Session, described: Described, query: str) -> list[Row]:
    """Values fill the columns from the left, in the order of the query."""
    columns, rows = await _texts(session, query)
    if not rows:
        return []
    if len(columns) != 3:
        raise ExecutionError(
            "22023",
            "invalid source data SQL statement",
            detail="The provided SQL must return 3 columns: rowid, category, and values.",
        )
    kinds = [ref.oid for _, ref in described]
    if len(kinds) > 1 and kinds[0] != columns[0].type.oid:
        raise ExecutionError(
            "42804", "invalid return type", detail="SQL rowid datatype does not match return rowid datatype."
        )
    if {*kinds[1:]} != {columns[2].type.oid}:
        raise ExecutionError("42601", "return and sql tuple descriptions are incompatible")
    read, count = _reader(session, described), len(kinds) - 1
    made: list[Row] = []
    for name, group in groupby(rows, key=lambda row: row[0]):
        values = [row[2] for row in group][:count]
        made.append(read([name, *values, *(None for _ in range(count - len(values)))]))
    return made


async def _by_category(session: Session, described: Described, query: str, categories: str) -> list[Row]:
    """Each value in the column of its category."""
    if len(described) < 2:
        raise ExecutionError("42601", "query-specified return tuple and crosstab function are not compatible")
    places = await _places(session, categories)
    columns, rows = await _texts(session, query)
    if not rows:
        return []
    if not places:
        raise ExecutionError("42601", _NO_CATEGORIES)
    if len(columns) < 3:
        raise ExecutionError(
            "22023",
            "invalid source data SQL statement",
            detail="The provided SQL must return 3  columns; rowid, category, and values.",
        )
    kept = len(columns) - 2
    if len(described) != kept + len(places):
        raise ExecutionError(
            "42601",
            "invalid return type",
            detail=f"Query-specified return tuple has {len(described)} columns but crosstab returns {kept + len(places)}.",
        )
    read = _reader(session, described)
    return [read(whole) for whole in _filled(rows, places, kept)]


async def _places(session: Session, categories: str) -> dict[str, int]:
    """Where each category's values go."""
    columns, rows = await _texts(session, categories)
    if rows and len(columns) != 1:
        raise ExecutionError("42601", _NO_CATEGORIES)
    places: dict[str, int] = {}
    for i, (name,) in enumerate(rows):
        if name is None:
            raise ExecutionError("42601", 'provided "categories" SQL must not return NULL values')
        if name in places:
            raise ExecutionError("42710", "duplicate category name")
        places[name] = i
    return places


def _filled(rows: Sequence[Texts], places: dict[str, int], kept: int) -> Iterator[list[str | None]]:
    for _, group in groupby(rows, key=lambda row: row[0]):
        whole: list[str | None] = []
        for row in group:
            whole = whole or [*row[:kept], *(None for _ in places)]
            place = places.get(row[-2]) if row[-2] is not None else None
            if place is not None:
                whole[kept + place] = row[-1]
        yield whole


# --- connectby ----------------------------------------------------------------------------------------------


async def _connected(session: Session, described: Described, arguments: list[Any]) -> list[Row]:
    relation, key, parent, *rest = arguments
    order = rest.pop(0) if isinstance(rest[1], str) else None
    start, depth, *branch = rest
    _refuse_other(described, bool(branch), numbered=order is not None)
    tree = _Tree(session, described, (relation, key, parent, order), depth, branch[0] if branch else "~")
    read = _reader(session, described)
    made: list[Row] = []
    async for name, above, level, way in tree.walk(start):
        _limit(len(made))
        texts = [name, above, str(level), *([way] if branch else ())]
        made.append(read([*texts, str(len(made) + 1)] if order is not None else texts))
    return made


def _refuse_other(described: Described, branch: bool, *, numbered: bool) -> None:
    """Raises 42804 for columns that no walk fills."""
    kinds = [ref.oid for _, ref in described]
    number = 4 if branch else 3
    wrong = ""
    if len(kinds) != number + numbered:
        wrong = "Query-specified return tuple has wrong number of columns."
    elif kinds[0] != kinds[1]:
        wrong = "First two columns must be the same type."
    elif kinds[2] != t.INT4:
        wrong = "Third column must be type integer."
    elif branch and kinds[3] != t.TEXT:
        wrong = "Fourth column must be type text."
    if wrong:
        raise ExecutionError("42804", "invalid return type", detail=wrong)
    if numbered and kinds[number] != t.INT4:
        place = "fifth" if branch else "fourth"
        raise ExecutionError(
            "42804",
            f"query-specified return tuple not valid for Connectby: {place} column must be type integer",
        )


class _Tree:
    """What is beneath a row, depth first. Each row's own are asked for by a query, when it has been told."""

    def __init__(
        self,
        session: Session,
        described: Described,
        names: tuple[str, str, str, str | None],
        depth: int,
        sign: str,
    ) -> None:
        self._session, self._described = session, described
        self._names, self._depth, self._sign = names, depth, sign

    async def walk(self, start: str) -> AsyncIterator[tuple[str | None, str | None, int, str]]:
        """Key, the key above, level, and the way from the start. Raises 42P19 for a row that is within itself."""
        yield start, None, 0, start
        waiting = [iter(await self._beneath(start, 1))]
        ways = [start]
        while waiting:
            found = next(waiting[-1], None)
            if found is None:
                waiting.pop()
                ways.pop()
                continue
            (name, above), way, sign = found, ways[-1], self._sign
            if name is not None:
                if f"{sign}{name}{sign}" in f"{sign}{way}{sign}":
                    raise ExecutionError("42P19", "infinite recursion detected")
                way = f"{way}{sign}{name}"
            yield name, above, len(waiting), way
            if name is not None:
                waiting.append(iter(await self._beneath(name, len(waiting) + 1)))
                ways.append(way)

    async def _beneath(self, name: str, level: int) -> list[tuple[str | None, str | None]]:
        if 0 < self._depth < level:
            return []
        relation, key, parent, order = self._names
        query = (
            f"SELECT {key}, {parent} FROM {relation} WHERE {parent} = {quote_literal(name)}"
            f" AND {key} IS NOT NULL AND {key} <> {parent}"
            + (f" ORDER BY {order}" if order is not None else "")
        )
        columns, rows = await _texts(self._session, query)
        if rows:
            self._refuse_types(columns)
        return [(row[0], row[1]) for row in rows]

    def _refuse_types(self, columns: Sequence[ResultColumn]) -> None:
        if len(columns) < 2:
            raise ExecutionError(
                "42804", "invalid return type", detail="Query must return at least two columns."
            )
        for what, (_, ref), column in zip(("key", "parent key"), self._described, columns, strict=False):
            if ref.oid != column.type.oid or ref.typmod not in (-1, column.type.typmod):
                raise ExecutionError(
                    "42804",
                    "invalid return type",
                    detail=f"SQL {what} field type {t.format_type(ref)} does not match return {what} field type"
                    f" {t.format_type(column.type)}.",
                )


__all__ = ["call"]
