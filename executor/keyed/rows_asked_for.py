"""A read of the rows that fulfil conditions, whoever found them: what was written since counts if it is, or was, one of these.

    SELECT avg(total) FROM orders WHERE state = 'lost' AND at > now() - '1 hour'      no index, DuckDB looks at all rows

    written since    4711    was 'new', is 'sent'      it could not have been read, nor would it be now
                     4712    was 'new', is 'lost'      it would be: a conflict

What is looked at are the rows written since the snapshot, as they were then and have been since, not those that were read: each costs
a microsecond or two, so beyond `WRITTEN_MAX` of them any write to the table counts, as it does where nobody knows any more
what a row was. What else conditions are made of than the row is computed when the read is noted (`now()`, parameters); a condition that
fails of a row counts as true of it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from executor.keyed.compile import Compiled, NotCompilable, compile_condition, compile_tuple
from executor.keyed.footprint import columns_at, columns_named
from executor.snapshot.abc import NoKeyedAnswer
from executor.snapshot.versions import Version
from planner.abc import Call, Col, Const, Expr, Param, SqlError, Table
from storage.abc import Row, Timestamp
from txn.abc import Key, Keyspace
from txn.columns import Columns
from txn.conflicts import ConflictIndex
from txn.read_set import Asked

if TYPE_CHECKING:
    from executor.snapshot.image import TableImage

WRITTEN_MAX: Final = 5_000
"""Rows written since the snapshot that are looked at."""
_OF_SESSION: Final = ("act ", "catalog ", "session", "nextval", "long ")
"""Operations whose answers hang on more than the row, and settings of types."""


class Conditions:
    """The conditions of a relation, compiled."""

    __slots__ = ("_beside", "_tests", "columns")

    def __init__(self, table: Table, asked: Sequence[Expr], params: int) -> None:
        """`params`: how many parameters the statement has; behind them is what is computed beforehand."""
        beside: list[Expr] = []
        self._tests: list[Compiled] = []
        kept: list[Expr] = []
        for condition in asked:
            known = len(beside)
            test = _apart(condition, beside, params)
            try:
                if test is None:
                    raise NotCompilable
                compiled = compile_condition(test)
                compile_tuple(beside[known:])
            except NotCompilable:
                del beside[known:]
                continue
            assert compiled is not None
            self._tests.append(compiled)
            kept.append(condition)
        self._beside = compile_tuple(beside)
        self.columns: Columns = columns_at(table, columns_named(kept))
        """What they look at."""

    def __bool__(self) -> bool:
        return bool(self._tests)

    def bound(self, image: TableImage, params: Sequence[Any], session: Any) -> RowsAskedFor | None:
        """The read of an execution. None: what is computed beforehand fails."""
        try:
            values = (*params, *self._beside(params, None, session))
        except (SqlError, NoKeyedAnswer):
            return None
        return RowsAskedFor(self._tests, image, values, session)


class RowsAskedFor:
    """See the module. As `txn.read_set.IndexedRows`; asked for within a range of the primary key, if one is known."""

    __slots__ = ("_image", "_look", "_same", "_session", "_tests", "_values", "_versions")

    def __init__(self, tests: Sequence[Compiled], image: TableImage, values: Row, session: Any) -> None:
        self._tests, self._image, self._values, self._session = tests, image, values, session
        self._versions, self._look = image.versions, session.type_settings.look
        self._same: Hashable = (
            id(tests),
            id(image.versions),
            values,
        )  # both are kept here, so no other has their place
        try:
            hash(self._same)
        except TypeError:  # a value that is a list: it is no other's read
            self._same = id(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RowsAskedFor) or self._same != other._same:
            return False
        return repr(self._values) == repr(other._values)  # 1.0 and 1.00 are equal, and not the same text

    def __hash__(self) -> int:
        return hash(self._same)

    def changed(
        self, index: ConflictIndex, space: Keyspace, asked: Asked, after: Timestamp, columns: Columns
    ) -> Timestamp:
        """See `txn.read_set.IndexedRows`."""
        low, high, low_inclusive, high_inclusive = asked  # type: ignore[misc]
        newest = index.range(
            space, low, high, after, columns, low_inclusive=low_inclusive, high_inclusive=high_inclusive
        )
        image = self._image
        if not newest or image.versions is not self._versions or image.cold is not None:
            return newest
        if self._session.type_settings.look != self._look:  # what the conditions mean
            return newest
        keys = index.written_since(space, after, columns, WRITTEN_MAX)
        if keys is None or any(run.since > after for run in image.runs):
            return newest
        chains, passes = image.versions.chains, self._is_asked_for
        try:
            for key, ts in keys:
                head = chains.get(key)
                if head is None or head[0] < ts:  # nobody knows any more what it has become
                    return newest
                v = head
                while (
                    v is not None and v[0] > after
                ):  # the snapshot may move to where any of them is the newest
                    if v[2] is not None and passes(v[2]):
                        return newest
                    v = v[3]
                was = _row_then(image, key, head, after)
                if was is not None and passes(was):
                    return newest
        except NoKeyedAnswer:  # nor what it was
            return newest
        return 0

    def _is_asked_for(self, row: Row) -> bool:
        values, session = self._values, self._session
        try:
            return all(test(values, row, session) for test in self._tests)
        except (SqlError, NoKeyedAnswer):
            return True


def _row_then(image: TableImage, key: Key, head: Version, then: Timestamp) -> Row | None:
    """The row as of `then`, of a key that has been written since. Raises NoKeyedAnswer."""
    v: Version | None = head
    first = head
    while v is not None and v[0] > then:
        first, v = v, v[3]
    if v is not None:
        return v[2]
    if image.keyed:
        hit = image.get(key, then)
        return None if hit is None else hit[1]
    if first[2] is None:  # a row that DuckDB had
        raise NoKeyedAnswer
    return None  # where nothing is looked for by keys, a row that changes gets another id: this one is new


def _apart(e: Expr, beside: list[Expr], params: int) -> Expr | None:
    """The expression over the row, with what does not look at it put beside; None: it hangs on something else as well."""
    if isinstance(e, Const | Param | Col):
        return e
    if not isinstance(e, Call):
        return None
    if not columns_named((e,)):
        beside.append(e)
        return Param(params + len(beside), e.type)
    if e.op.startswith(_OF_SESSION):
        return None
    args = tuple(_apart(a, beside, params) for a in e.args)
    return None if any(a is None for a in args) else replace(e, args=args)  # type: ignore[arg-type]


__all__ = ["WRITTEN_MAX", "Conditions", "RowsAskedFor"]
