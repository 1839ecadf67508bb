"""PL/pgSQL as it is read: a program is blocks of steps, and texts of SQL with the names that are known where they stand.

    Program     the outermost block, and how many slots its variables take
    Text        an expression or a statement, planned when it is first reached, with `names` for its variables
    Target      what is assigned: a variable, a field of one, an element of an array

A variable is a slot. Names are found level by level, from the inside out, as blocks are nested; a level may have a label.
"""

from __future__ import annotations

import itertools
from dataclasses import field

from planner.records import dataclass
from planner.statements.written import TypeName


@dataclass(slots=True)
class Level:
    """The names of a block, a loop, or a routine. `above`: the level around it."""

    label: str = ""
    slots: dict[str, int] = field(default_factory=dict)
    above: Level | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """SQL in a program. `seen`: slots from this number on are not declared yet where it stands. `number`: its own.

    `said`: the whole assignment that it is the value of.
    """

    text: str
    start: int
    number: int
    names: Level
    seen: int
    said: str = ""


@dataclass(frozen=True, slots=True)
class CopiedType:
    """`x%TYPE`, of a column or a variable; with `row`, `x%ROWTYPE`."""

    words: tuple[str, ...]
    row: bool = False
    names: Level | None = None
    said: str = ""
    """As it is written,"""
    position: int = 0
    """and where its sign is."""


@dataclass(frozen=True, slots=True)
class Dynamic:
    """A variable that is of its value's type: RECORD, and what CASE compares."""

    record: bool = True


Kind = TypeName | CopiedType | Dynamic


@dataclass(frozen=True, slots=True)
class Variable:
    slot: int
    name: str
    line: int
    kind: Kind
    constant: bool = False
    not_null: bool = False
    default: Text | None = None
    query: Text | None = None
    """Of a cursor: what it is of,"""
    arguments: tuple[Variable, ...] = ()
    """and its parameters."""
    scroll: bool | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """`slot.field`, or with `part` (`x[1]`, as it is written) an element of it."""

    slot: int
    field: str = ""
    part: Text | None = None


@dataclass(frozen=True, slots=True)
class Into:
    targets: tuple[Target, ...]
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """`line`: of the body, from 1, for the context of errors."""

    line: int


@dataclass(frozen=True, slots=True)
class Nothing(Step):
    """NULL;"""


@dataclass(frozen=True, slots=True)
class Assign(Step):
    target: Target
    value: Text


@dataclass(frozen=True, slots=True)
class RunSql(Step):
    """A statement of SQL, and where its row goes."""

    text: Text
    into: Into | None = None


@dataclass(frozen=True, slots=True)
class RunAny(Step):
    """A statement of a function in SQL; `line` is its number."""

    text: Text


@dataclass(frozen=True, slots=True)
class RunLast(Step):
    """The last one: what it finds is the function's result."""

    text: Text


@dataclass(frozen=True, slots=True)
class Perform(Step):
    text: Text


@dataclass(frozen=True, slots=True)
class Call(Step):
    """CALL, whose row of INOUT parameters goes to the variables that stand there."""

    text: Text
    arguments: tuple[Target | None, ...]


@dataclass(frozen=True, slots=True)
class Dynamically:
    """EXECUTE text USING values."""

    query: Text
    using: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Execute(Step):
    what: Dynamically
    into: Into | None = None


@dataclass(frozen=True, slots=True)
class If(Step):
    """Each branch: its condition, and what it does."""

    branches: tuple[tuple[Text, tuple[Step, ...]], ...]
    otherwise: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Case(Step):
    """`otherwise` None: there is no ELSE, and 20000 is raised. `subject` is kept in `slot` meanwhile."""

    subject: Text | None
    slot: int
    branches: tuple[tuple[Text, tuple[Step, ...]], ...]
    otherwise: tuple[Step, ...] | None


@dataclass(frozen=True, slots=True)
class Loop(Step):
    label: str
    condition: Text | None
    """Of WHILE."""
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class ForRange(Step):
    label: str
    slot: int
    first: Text
    last: Text
    by: Text | None
    reverse: bool
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class ForRows(Step):
    """Over a query, a computed one, or the rows of a cursor."""

    label: str
    targets: tuple[Target, ...]
    query: Text | Dynamically | OpenCursor
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class ForEach(Step):
    label: str
    targets: tuple[Target, ...]
    slices: int
    array: Text
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Exit(Step):
    """EXIT, or CONTINUE."""

    leaves: bool
    label: str
    when: Text | None


@dataclass(frozen=True, slots=True)
class Return(Step):
    """`value` None: RETURN alone; `whole`: a record variable that is returned as it is."""

    value: Text | None = None
    whole: int = -1


@dataclass(frozen=True, slots=True)
class ReturnNext(Step):
    value: Text | None = None
    whole: int = -1


@dataclass(frozen=True, slots=True)
class ReturnQuery(Step):
    query: Text | Dynamically


@dataclass(frozen=True, slots=True)
class Raise(Step):
    """RAISE. `level` "again": the error that is being handled. `options`: message, detail, hint, errcode, ..."""

    level: str
    template: str | None
    sqlstate: str = ""  # of its condition
    condition: str = ""  # as it was said, by name or by SQLSTATE
    arguments: tuple[Text, ...] = ()
    options: tuple[tuple[str, Text], ...] = ()


@dataclass(frozen=True, slots=True)
class Assert(Step):
    condition: Text
    message: Text | None


@dataclass(frozen=True, slots=True)
class GetDiagnostics(Step):
    stacked: bool
    items: tuple[tuple[Target, str], ...]


@dataclass(frozen=True, slots=True)
class EndTransaction(Step):
    """COMMIT, ROLLBACK."""

    commit: bool
    chain: bool


@dataclass(frozen=True, slots=True)
class OpenCursor(Step):
    slot: int
    query: Text | Dynamically | None
    arguments: tuple[Text, ...] = ()
    scroll: bool | None = None


@dataclass(frozen=True, slots=True)
class FetchCursor(Step):
    """FETCH and MOVE: `into` None. `count`: how far, or where; None: as many as `rows`, and that None: all of them."""

    slot: int
    into: Into | None
    direction: str = "forward"
    rows: int | None = 1
    count: Text | None = None


@dataclass(frozen=True, slots=True)
class CloseCursor(Step):
    slot: int


@dataclass(frozen=True, slots=True)
class Handler:
    """WHEN ... THEN. `sqlstates`: what it takes, those of a class ending in 000; none: OTHERS."""

    sqlstates: frozenset[str]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Nested(Step):
    """DECLARE ... BEGIN ... EXCEPTION ... END. `said`: the slots of SQLSTATE and SQLERRM in its handlers."""

    label: str
    variables: tuple[Variable, ...]
    steps: tuple[Step, ...]
    handlers: tuple[Handler, ...] = ()
    said: tuple[int, int] = (-1, -1)


def steps_in(step: Step) -> list[Step]:
    """The steps right within one: of its branches and handlers, too."""
    found: list[Step] = []
    for name in ("steps", "otherwise"):
        found += getattr(step, name, None) or ()
    for branch in getattr(step, "branches", ()):
        found += branch[1]
    for handler in getattr(step, "handlers", ()):
        found += handler.steps
    return found


@dataclass(frozen=True, slots=True)
class Program:
    """`body`'s text is `text`; its parameters and FOUND have the first slots, by the names of `outer`."""

    text: str
    body: Nested
    slots: int
    texts: int
    outer: Level
    commonest: str = "error"
    """What a name is that a variable and a column have: error, use_variable, use_column."""
    dynamic: frozenset[int] = frozenset()
    """Slots of type RECORD, and other ones whose type is that of their values."""
    scrolls: bool = False
    """Some FETCH or MOVE goes elsewhere than to the next row."""
    at_cursors: bool = False
    """Some statement is WHERE CURRENT OF."""
    ends: bool = False
    """Some statement is COMMIT or ROLLBACK, or a CALL of what may say that."""
    prints_strict: bool | None = None
    """Whether an INTO STRICT that fails says what its statement was given; None: as the session has it."""
    shadows: tuple[tuple[str, int], ...] = ()
    """Variables that are called as one of a block around, or a parameter, is; and where."""
    serial: int = field(default_factory=itertools.count().__next__, compare=False)
    """Nobody else's, ever: what is remembered of its texts goes by it."""


@dataclass(frozen=True, slots=True)
class Do:
    """DO: the block's text; it is read with the statement, so that what is wrong with it is said at its place."""

    program: Program


__all__ = [name for name in dir() if name[0].isupper() and name not in ("TypeName",)]
