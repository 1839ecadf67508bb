"""What windows come to over a few rows, as PostgreSQL computes them (`planner.binding.keyed.windows`).

    partitions    rows that are alike in PARTITION BY, each in the order of ORDER BY
    peers         neighbours that are alike in it
    a frame       from where to where the rows of a partition count for the one at hand; each is folded once

A frame for each row makes as many folds as there are rows: of what is more than some thousand values altogether DuckDB's
way of looking at windows is the better one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from executor.abc import ExecutionError
from executor.keyed.compile import compile_tuple
from executor.keyed.folds import fold_of
from executor.keyed.ordering import alike_in, compiled_order, in_order
from executor.snapshot.abc import TooFarToLook
from planner.keyed_plans import KeyedWindow
from storage.abc import Row

FOLDED_MAX: Final = 20_000
"""Values that the frames of one window may have altogether."""

_Frame = tuple[int, int]
_Args = list[Row]
_Made = Callable[[int], Any]


class _Partition:
    """Its rows' places, in order, and where the peers of each begin and end."""

    __slots__ = ("ends", "groups", "places", "starts")

    def __init__(self, places: list[int], keys: list[Any]) -> None:
        many = len(places)
        self.places = places
        self.starts, self.ends, self.groups = [0] * many, [0] * many, [0] * many
        start = group = 0
        for i in range(many):
            if i and keys[i] != keys[i - 1]:
                self.ends[start:i] = [i] * (i - start)
                start, group = i, group + 1
            self.starts[i], self.groups[i] = start, group
        self.ends[start:] = [many] * (many - start)


class Windows:
    """The compiled windows of one query."""

    __slots__ = ("_windows",)

    def __init__(self, windows: Sequence[KeyedWindow]) -> None:
        """Raises NotCompilable."""
        self._windows = [_Window(w) for w in windows]

    def rows(self, found: list[Row], params: Sequence[Any], session: Any) -> list[Row]:
        """The rows with a value more for each window. Raises TooFarToLook."""
        numbered = [(*row, i) for i, row in enumerate(found)]
        values = [w.values(numbered, params, session) for w in self._windows]
        return [(*row, *more) for row, more in zip(found, zip(*values, strict=True), strict=True)]


class _Window:
    __slots__ = ("_alike", "_args", "_end", "_fold", "_name", "_order", "_partition", "_rows", "_start")

    def __init__(self, body: KeyedWindow) -> None:
        self._name, self._rows = body.function, body.by == "ROWS"
        self._fold = None
        if body.function.startswith("fold "):
            self._name, self._fold = "", fold_of(body.function.removeprefix("fold "))
        self._args = compile_tuple(body.args) if body.args else None
        self._partition = compile_tuple(body.partition) if body.partition else None
        self._alike = alike_in([e.type for e in body.partition])
        self._order = compiled_order(body.order)
        self._start, self._end = body.start, body.end

    def values(self, numbered: list[Row], params: Sequence[Any], session: Any) -> list[Any]:
        """Of rows that end with their numbers."""
        made: list[Any] = [None] * len(numbered)
        args: _Args = []
        if self._args is not None:
            compiled = self._args
            args = [compiled(params, row, session) for row in numbered]
        left = FOLDED_MAX
        for partition in self._partitions(numbered, params, session):
            if self._fold is not None:
                left -= self._folded(partition, args, made, left)
                continue
            value = self._value(partition, args)
            for i, place in enumerate(partition.places):
                made[place] = value(i)
        return made

    def _partitions(self, numbered: list[Row], params: Sequence[Any], session: Any) -> list[_Partition]:
        groups: dict[Any, list[Row]] = {}
        if self._partition is None:
            if numbered:  # there is no partition without a row
                groups[()] = numbered
        else:
            by, alike = self._partition, self._alike
            for row in numbered:
                groups.setdefault(alike(by(params, row, session)), []).append(row)
        out = []
        for rows in groups.values():
            ordered = in_order(rows, self._order, params, session)
            keys = [self._key(row, params, session) for row in ordered]
            out.append(_Partition([row[-1] for row in ordered], keys))
        return out

    def _key(self, row: Row, params: Sequence[Any], session: Any) -> Any:
        """What a row has in common with its peers."""
        found = []
        for value, _, _, order in self._order:
            v = row[value] if isinstance(value, int) else value(row, params, session)
            found.append(None if v is None else (order(v),))
        return found

    def _frames(self, partition: _Partition) -> Callable[[int], _Frame]:
        many, starts, ends = len(partition.places), partition.starts, partition.ends
        by_rows = self._rows

        def place(i: int, end: tuple[str, int], *, last: bool) -> int:
            side, offset = end
            if side == "UNBOUNDED PRECEDING":
                return 0
            if side == "UNBOUNDED FOLLOWING":
                return many
            if not by_rows:  # the row at hand, with its peers
                return ends[i] if last else starts[i]
            at = i - offset if side == "PRECEDING" else i + offset
            return min(max(at + last, 0), many)

        def frame(i: int) -> _Frame:
            start = place(i, self._start, last=False)
            return start, max(start, place(i, self._end, last=True))

        return frame

    def _folded(self, partition: _Partition, args: _Args, made: list[Any], most: int) -> int:
        """Puts the aggregate of each row's frame; how many values that took. Raises TooFarToLook after `most`."""
        fold, frame = self._fold, self._frames(partition)
        assert fold is not None
        known: dict[_Frame, Any] = {}
        column = [args[place][0] for place in partition.places]
        taken = 0
        for i, place in enumerate(partition.places):
            of = frame(i)
            if of not in known:
                taken += of[1] - of[0]
                if taken > most:
                    raise TooFarToLook
                known[of] = fold(column[of[0] : of[1]])
            made[place] = known[of]
        return taken

    def _value(self, partition: _Partition, args: _Args) -> _Made:
        """What a function comes to for the row at a place of its partition."""
        name, places, many = self._name, partition.places, len(partition.places)
        starts, ends = partition.starts, partition.ends
        if name == "row_number":
            return lambda i: i + 1
        if name == "rank":
            return lambda i: starts[i] + 1
        if name == "dense_rank":
            return lambda i: partition.groups[i] + 1
        if name == "percent_rank":
            return lambda i: starts[i] / (many - 1) if many > 1 else 0.0
        if name == "cume_dist":
            return lambda i: ends[i] / many
        if name == "ntile":
            return _bucket(args[places[0]][0], many)
        if name in ("lag", "lead"):
            return _neighbour(places, args, -1 if name == "lag" else 1)
        return _in_frame(name, places, args, self._frames(partition))


def _bucket(buckets: int | None, many: int) -> _Made:
    """ntile(): the first buckets have a row more where they cannot be of one size."""
    if buckets is None:
        return lambda _: None
    if buckets <= 0:
        raise ExecutionError("22014", "argument of ntile must be greater than zero")
    size, more = divmod(many, buckets)
    larger = (size + 1) * more
    return lambda i: i // (size + 1) + 1 if i < larger else more + (i - larger) // size + 1


def _neighbour(places: list[int], args: _Args, way: int) -> _Made:
    def neighbour(i: int) -> Any:
        own = args[places[i]]
        offset = own[1] if len(own) > 1 else 1
        if offset is None:
            return None
        at = i + way * offset
        if 0 <= at < len(places):
            return args[places[at]][0]
        return own[2] if len(own) > 2 else None

    return neighbour


def _in_frame(name: str, places: list[int], args: _Args, frame: Callable[[int], _Frame]) -> _Made:
    def value(i: int) -> Any:
        start, stop = frame(i)
        at = start if name == "first_value" else stop - 1
        if name == "nth_value":
            n = args[places[i]][1]
            if n is None:
                return None
            if n <= 0:
                raise ExecutionError("22016", "argument of nth_value must be greater than zero")
            at = start + n - 1
        return args[places[at]][0] if start <= at < stop else None

    return value


__all__ = ["FOLDED_MAX", "Windows"]
