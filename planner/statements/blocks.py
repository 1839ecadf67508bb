"""DO: a block of statements in PL/pgSQL, as migrations send it.

DO $$ BEGIN CREATE TYPE mood AS ENUM ('sad', 'ok'); EXCEPTION WHEN duplicate_object THEN NULL; END $$
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """`line`: of the block's text, from 1, for the context of errors."""

    line: int


@dataclass(frozen=True, slots=True)
class RunSql(Step):
    """A statement of SQL. `discards`: PERFORM, whose rows nobody wants."""

    text: str
    discards: bool = False


@dataclass(frozen=True, slots=True)
class RunComputed(Step):
    """EXECUTE expression: the statement that a query comes to."""

    query: str


@dataclass(frozen=True, slots=True)
class If(Step):
    """Each branch: a query for its condition, and what it does."""

    branches: tuple[tuple[str, tuple[Step, ...]], ...]
    otherwise: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Raise(Step):
    """RAISE. `level` "again": the error that is being handled. `arguments` and the values of `options` (message, detail, hint, errcode, ...) are queries."""

    level: str
    template: str | None
    sqlstate: str = ""  # of its condition
    condition: str = ""  # as it was said, by name or by SQLSTATE
    arguments: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Nothing(Step):
    """NULL;"""


@dataclass(frozen=True, slots=True)
class Return(Step):
    """RETURN;"""


@dataclass(frozen=True, slots=True)
class Handler:
    """WHEN ... THEN. `sqlstates`: what it takes, those of a class ending in 000; none: OTHERS."""

    sqlstates: frozenset[str]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Nested(Step):
    """BEGIN ... EXCEPTION ... END"""

    steps: tuple[Step, ...]
    handlers: tuple[Handler, ...] = ()


@dataclass(frozen=True, slots=True)
class Do:
    """DO: the outermost block."""

    body: Nested
