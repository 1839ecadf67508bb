"""pg_stat_statements: what statements cost, by who asks them, where, and what they are but for their constants.

    answered  ->  text (or what was learnt of it the last time)  ->  (role, database, number)  ->  calls, times, rows

Nothing is asked of sessions while no database has the extension: they are told when one is made (`Session.watch`), and leave
the shortest paths from then on. What is kept is of this process, and ends with it. Statements that fail are not counted, nor those
inside of functions. PostgreSQL's manual, F.32.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Final

from planner.catalog import predefined, rights
from planner.catalog.catalog import Catalog
from planner.fingerprints import fingerprint
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.executor import Executor
    from executor.session.session import Session

EXTENSION: Final = "pg_stat_statements"
STATEMENTS_MAX: Final = 5_000
"""So many are kept (`pg_stat_statements.max`); where there is no room, the rarest twentieth goes."""
TEXTS_MAX: Final = 5_000
TEXT_LENGTH_MAX: Final = 65_536
"""Of a longer statement this much is told."""
REMEMBERED_LENGTH_MAX: Final = 4_096
"""Of a longer statement it is not remembered what it came to."""
LENGTHS_MAX: Final = 32 * 1024 * 1024
"""What the texts that are told may come to together; past it the rarest go, too."""
_WITH_ROWS: Final = frozenset(
    ("SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "COPY", "FETCH", "MOVE", "REFRESH")
)
_EXECUTE: Final = re.compile(r'\s*execute\s+("[^"]+"|\w+)', re.IGNORECASE)
_UNCOUNTED: Final = frozenset(("PREPARE", "DEALLOCATE"))


@dataclass(slots=True)
class Statement:
    """What is counted of one. Times in milliseconds; `squares` is what a deviation is made of, as values come (Welford)."""

    query: str
    calls: int = 0
    total: float = 0.0
    least: float = 0.0
    most: float = 0.0
    mean: float = 0.0
    squares: float = 0.0
    rows: int = 0

    def add(self, took_ms: float, rows: int) -> None:
        self.calls += 1
        self.rows += rows
        self.total += took_ms
        self.least = took_ms if self.calls == 1 else min(self.least, took_ms)
        self.most = max(self.most, took_ms)
        before = self.mean
        self.mean += (took_ms - before) / self.calls
        self.squares += (took_ms - before) * (took_ms - self.mean)

    @property
    def deviation(self) -> float:
        return sqrt(self.squares / self.calls) if self.calls > 1 else 0.0


_Key = tuple[int, int, int]
"""OIDs of the role and the database, the statement's number."""


class Statements:
    """All statements of one process."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self.is_on = False
        """Whether any database has the extension."""
        self._known: dict[_Key, Statement] = {}
        self._lengths = 0
        """Of their texts, together."""
        self._texts: OrderedDict[str, tuple[str, int, bool]] = OrderedDict()
        self._dealloc, self._reset_us = 0, executor.env.clock.now_us()

    def look(self, catalog: Catalog) -> None:
        """The catalog has become this one: whether anybody wants to know."""
        found = catalog.has_extension(EXTENSION)
        if found != self.is_on:
            self.is_on = found
            for session in self._executor.sessions.values():
                session.watch()

    def called(self, text: str) -> tuple[str, int, bool]:
        """`planner.fingerprints.fingerprint`."""
        known = self._texts.get(text)
        if known is None:
            known = fingerprint(text[:TEXT_LENGTH_MAX])
            if len(text) <= REMEMBERED_LENGTH_MAX:
                if len(self._texts) >= TEXTS_MAX:
                    self._texts.popitem(last=False)
                self._texts[text] = known
        return known

    def executed(self, session: Session, text: str, took_ms: float, tag: str) -> None:
        """A statement was answered with this tag. (EXECUTE is what it executes, PREPARE and DEALLOCATE are nothing.)"""
        raw, words = session.settings.raw, tag.split(" ")
        if words[0] in _UNCOUNTED or raw("pg_stat_statements.track") == "none":
            return
        if found_name := _EXECUTE.match(text):
            prepared = session.statements.get(found_name[1].strip('"'))
            text = prepared.text if prepared is not None else text
        query, number, utility = self.called(text)
        if utility and raw("pg_stat_statements.track_utility") == "off":
            return
        role = session.catalog.role(session.user)
        key = role.oid if role is not None else 0, session.catalog.database_oid, number
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= STATEMENTS_MAX or self._lengths + len(query) > LENGTHS_MAX:
                self._make_room()
            found = self._known[key] = Statement(query)
            self._lengths += len(query)
        counts = words[0] in _WITH_ROWS and words[-1].isdigit()
        found.add(took_ms, int(words[-1]) if counts else 0)

    def _make_room(self) -> None:
        rarest = sorted(self._known, key=lambda key: self._known[key].calls)
        for key in rarest[: max(10, len(rarest) // 20)]:
            self._forget(key)
        self._dealloc += 1

    def _forget(self, key: _Key) -> None:
        self._lengths -= len(self._known.pop(key).query)

    # --- what is told of them ----------------------------------------------------------------

    def rows(self, catalog: Catalog, asking: str, *, with_text: bool) -> list[dict[str, Datum]]:
        """By the columns of the view. Others' statements are told to `pg_read_all_stats` alone."""
        role = catalog.role(asking)
        own = role.oid if role is not None else 0
        everything = rights.has_role(catalog, asking, predefined.READ_ALL_STATS)
        found: list[dict[str, Datum]] = []
        for (user, database, number), counted in self._known.items():
            shown = everything or user == own
            row: dict[str, Datum] = {
                "userid": user,
                "dbid": database,
                "toplevel": True,
                "queryid": number if shown else None,
                "query": None if not with_text else counted.query if shown else "<insufficient privilege>",
                "calls": counted.calls,
                "total_exec_time": counted.total,
                "min_exec_time": counted.least,
                "max_exec_time": counted.most,
                "mean_exec_time": counted.mean,
                "stddev_exec_time": counted.deviation,
                "rows": counted.rows,
            }
            found.append(row)
        return found

    def info(self) -> dict[str, int]:
        return {"dealloc": self._dealloc, "stats_reset": self._reset_us}

    def reset(self, role: int, database: int, number: int) -> None:
        """Forgets what has all of these; 0 is any."""
        if not (role or database or number):
            self._known.clear()
            self._lengths = 0
            self._dealloc, self._reset_us = 0, self._executor.env.clock.now_us()
            return
        asked = role, database, number
        for key in [k for k in self._known if all(not a or a == b for a, b in zip(asked, k, strict=True))]:
            self._forget(key)


__all__ = ["EXTENSION", "Statement", "Statements"]
