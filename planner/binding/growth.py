"""How often DuckDB will have to read an argument: what keeps the text of nested calls from doubling with each of them.

Templates name an argument several times (`CASE WHEN {0} < 0 THEN error(...) ELSE sqrt({0}) END`), be it in the text or in a macro,
which DuckDB writes out before it looks at anything. For columns and constants that is free. For calls inside of calls it is a power
of their depth:

    sqrt(x)                     3 x's
    sqrt(sqrt(sqrt(x)))         27
    sqrt(... forty times ...)   3^40

So a call over a deep tree is written with names for its deep arguments first, and `appearances` counts them as DuckDB will, macros
written out. What would be repeated at length is computed once (`once`); otherwise the arguments take their places again, and the
text is what it would have been.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from planner.abc import PlanError
from planner.binding.fragments import Frag
from planner.binding.prelude.installation import PRELUDE_STATEMENTS
from planner.binding.shapes import A_PLACE, Shape

REPEATED_MAX: Final = 1_000
"""Letters, macros written out, that a text may have more because an argument is in it several times."""
TEXT_MAX: Final = 4 << 20
"""Letters of one query, macros written out, values and relations aside."""
_DEEP: Final = 8
"""Calls within one another without which nothing grows much."""

OF_DUCKDB: Final = {
    "nullif": (("a", "b"), "CASE WHEN a = b THEN NULL ELSE a END"),
    "fmod": (("x", "y"), "x - y * floor(x / y)"),
    "split_part": (("s", "d", "n"), "CASE WHEN s IS NOT NULL AND d IS NOT NULL AND n IS NOT NULL THEN coalesce(string_split(s, d)[n], '') END"),
    "array_to_string": (("l", "s"), "CASE WHEN len(CAST(l AS VARCHAR[])) = 0 THEN '' ELSE list_aggr(CAST(l AS VARCHAR[]), 'string_agg', s) END"),
    "array_pop_back": (("l",), "l[:len(l) - 1]"),
    "list_contains": (("l", "x"), "x IN (1, 2, 3, 4, 5, 6, 7, 8)"),
    "generate_subscripts": (("l", "d"), "unnest(generate_series(1, array_length(l, d)))"),
}  # fmt: skip
"""Functions that are macros of DuckDB's own and name an argument twice."""

_TOKEN: Final = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*|[(\[{,)\]}]")
_LENGTH: Final = ""


def within_limits(pieces: Sequence[object], known: Iterable[Shape]) -> None:
    """Raises 54001 where the text of a query is longer, macros written out, than DuckDB shall be asked to read. Only deep trees
    grow so."""
    if all(s.depth <= _DEEP for s in known):
        return
    text = "".join(p if isinstance(p, str) else "x" * A_PLACE for p in pieces)
    if appearances(text, ())[_LENGTH] > TEXT_MAX:
        raise PlanError(
            "54001",
            "statement too complex",
            detail=f"What is computed in it would take more than {TEXT_MAX >> 20} MiB to write down.",
            hint="Compute parts of it in subqueries or common table expressions.",
        )


def repeats(body: Frag, values: dict[str, Frag]) -> bool:
    """Whether the text of `body` would be much longer, when DuckDB has read it, with the values for their names."""
    seen = appearances(_readable(body), tuple(values))
    several = [(n - 1, values[name]) for name, n in seen.items() if name != _LENGTH and n > 1]
    return sum(n * _length(_readable(v)) for n, v in several) > REPEATED_MAX


def _length(text: str) -> int:
    """How long a text is with macros written out, as far as it matters."""
    return len(text) if len(text) > REPEATED_MAX else appearances(text, ())[_LENGTH]


def _readable(made: Frag) -> str:
    return "".join(p if isinstance(p, str) else "x" * A_PLACE for p in made.parts)


class _Open:
    """Brackets that have been opened, and what has been counted in them, argument by argument."""

    def __init__(self, name: str, is_list: bool) -> None:
        self.name, self.is_list = name, is_list
        self.arguments: list[Counter[str]] = [Counter()]
        self.in_lambda = False

    def next_argument(self) -> None:
        self._end_of_argument()
        self.arguments.append(Counter())

    def closed(self) -> Counter[str]:
        self._end_of_argument()
        return _written_out(self.name, self.arguments)

    def _end_of_argument(self) -> None:
        if self.in_lambda:
            _times(self.arguments[-1], 2)
            self.in_lambda = False


def _times(counted: Counter[str], n: int) -> None:
    for what in counted:
        counted[what] *= n


def appearances(text: str, names: Sequence[str]) -> Counter[str]:
    """How often each name is in a text when macros have been written out, and how long it is then (under "").

    What is in a lambda counts twice, for DuckDB binds it twice; what is looked for IN a list as often as the list is long, and
    what is BETWEEN two twice, for it becomes so many comparisons."""
    wanted = set(names)
    stack = [_Open("", False)]
    word, before = "", 0
    for found in _TOKEN.finditer(text):
        token = found[0]
        here = stack[-1].arguments[-1]
        here[_LENGTH] += found.end() - before
        if token in "([{":
            called = token == "(" and bool(word) and text[found.start() - 1] == word[-1]
            stack.append(_Open(word if called else "", token == "(" and word == "IN"))
        elif token in ")]}" and len(stack) > 1:
            inner = stack.pop()
            if inner.is_list:
                _times(stack[-1].arguments[-1], len(inner.arguments))
            stack[-1].arguments[-1].update(inner.closed())
        elif token == ",":
            stack[-1].next_argument()
        elif token == "lambda":
            stack[-1].in_lambda = True
        elif token == "BETWEEN":
            _times(here, 2)
        elif token in wanted:
            here[token] += 1
        word = token if token[0].isidentifier() else ""
        before = found.end()
    while len(stack) > 1:
        inner = stack.pop()
        stack[-1].arguments[-1].update(inner.closed())
    whole: Counter[str] = Counter()
    for part in stack[0].arguments:
        whole.update(part)
    whole[_LENGTH] += len(text) - before
    return whole


def _written_out(name: str, arguments: list[Counter[str]]) -> Counter[str]:
    parameters, body = _macro(name) if name else ((), Counter[str]())
    made: Counter[str] = Counter()
    if len(parameters) != len(arguments):
        for a in arguments:
            made.update(a)
        return made
    made[_LENGTH] = body[_LENGTH]
    for p, a in zip(parameters, arguments, strict=True):
        for what, n in a.items():
            made[what] += n * body[p]
    return made


@cache
def _macro(name: str) -> tuple[tuple[str, ...], Counter[str]]:
    """A macro's parameters, and how often each is named in the end."""
    text = _macros().get(name)
    return ((), Counter()) if text is None else (text[0], appearances(text[1], text[0]))


@cache
def _macros() -> dict[str, tuple[tuple[str, ...], str]]:
    found: dict[str, tuple[tuple[str, ...], str]] = dict(OF_DUCKDB)
    for statement in PRELUDE_STATEMENTS:
        made = re.match(r"CREATE OR REPLACE MACRO (\w+)\(([^)]*)\) AS (.*)", statement, re.DOTALL)
        assert made is not None, statement
        found[made[1]] = (tuple(n.strip() for n in made[2].split(",") if n.strip()), made[3])
    return found
