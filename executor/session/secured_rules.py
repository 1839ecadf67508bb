"""A table's constraints with what policies ask in front of them: INSERT of a few rows under row-level security, without a query.

    INSERT INTO notes VALUES ($1, $2)                row -> INSERT's policies -> NOT NULL, CHECK -> keys
    ... ON CONFLICT (id) DO UPDATE SET body = $2     ... -> the row that is there: UPDATE's -> what it becomes: UPDATE's -> as any row

The keyed engine asks a table's rules of each row that it writes, so policies it can compute are asked there, in PostgreSQL's place: behind
what triggers make of the row, before any constraint. Where a policy needs a query, its whole statement is one (`executor.session.row_security`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from executor.abc import ExecutionError
from executor.constraints.rules import TableRules
from executor.keyed.compile import NotCompilable
from executor.session.restricted import refuse_off
from executor.session.row_security import compiled_tests
from planner.relations import GuardedTable
from storage.abc import Row


class SecuredRules(TableRules):
    """Rules of the form of a table that an INSERT under policies writes. Raises NotCompilable where these are not for the keyed engine."""

    __slots__ = ("_changed", "_inserted", "_met", "_secured")

    def __init__(self, rules: TableRules, secured: GuardedTable) -> None:
        for name in TableRules.__slots__:
            setattr(self, name, getattr(rules, name))
        asked = secured.row_checks
        self._secured = secured
        self._inserted, self._changed, self._met = map(_asked, (asked.inserted, asked.updated, asked.met))

    def check(self, row: Row, session: Any) -> None:
        """Raises 42501 in front of what the table's constraints raise."""
        self._ask(self._inserted, row, session)
        super().check(row, session)

    def check_proposed(self, row: Row, session: Any) -> None:
        self._ask(self._inserted, row, session)
        if self.guards:
            super().check_proposed(row, session)
        else:
            super().check(row, session)

    def check_met(self, row: Row, session: Any) -> None:
        self._ask(self._met, row, session)

    def check_changed(self, row: Row, session: Any) -> None:
        self._ask(self._changed, row, session)
        super().check(row, session)

    def _ask(self, asked: Sequence[tuple[Any, str]], row: Row, session: Any) -> None:
        refuse_off(session, self._secured)
        for test, message in asked:
            if not test((), row, session):
                raise ExecutionError("42501", message)


def _asked(check: Any) -> tuple[tuple[Any, str], ...]:
    if check is None:
        return ()
    tests = compiled_tests(check.tests)
    if not tests:
        raise NotCompilable("policies")
    return tuple(zip(tests, check.messages, strict=True))


__all__ = ["SecuredRules"]
