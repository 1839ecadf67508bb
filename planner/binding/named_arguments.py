"""`make_interval(days => 10)`: arguments by name, for functions whose parameters have names in pg_proc.

The arguments are put in the parameters' order, with defaults where one in the middle is left out; then the call is like
any other. `facts/arguments.tsv` has the names and the texts of the defaults, which belong to the last parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from sqlglot import exp

from planner.abc import PlanError
from planner.binding.facts import Proc, procs, rows_of
from planner.parse import parse_expression
from planner.parse import position as position_of


@dataclass(frozen=True, slots=True)
class Parameters:
    names: tuple[str, ...]
    defaults: tuple[str, ...]


@lru_cache(maxsize=1)
def _parameters() -> dict[int, Parameters]:
    return {
        int(oid): Parameters(tuple(names.split(",")), tuple(d for d in defaults.split("|") if d))
        for oid, names, defaults in rows_of("arguments.tsv")
    }


def ordered(name: str, arguments: Sequence[exp.Expression]) -> list[exp.Expression] | None:
    """The arguments in the parameters' order; None where no function has such parameters. Raises 42601."""
    first, named = cut(arguments)
    for proc in procs().get(name, ()):
        made = _arranged(proc, first, named)
        if made is not None:
            return made
    return None


def cut(arguments: Sequence[exp.Expression]) -> tuple[list[exp.Expression], dict[str, exp.Expression]]:
    """The arguments by place and those by name. Raises 42601."""
    first: list[exp.Expression] = []
    named: dict[str, exp.Expression] = {}
    for a in arguments:
        if isinstance(a, exp.Kwarg):
            key = str(a.this.name)
            if key in named:
                raise PlanError(
                    "42601", f'argument name "{key}" used more than once', position=position_of(a)
                )
            named[key] = a.expression
        elif named:
            raise PlanError(
                "42601", "positional argument cannot follow named argument", position=position_of(a)
            )
        else:
            first.append(a)
    return first, named


def _arranged(
    proc: Proc, first: list[exp.Expression], named: dict[str, exp.Expression]
) -> list[exp.Expression] | None:
    known = _parameters().get(proc.oid)
    if known is None or len(first) + len(named) > len(proc.args):
        return None
    out: list[exp.Expression] = list(first)
    used = 0
    optional_from = len(proc.args) - len(known.defaults)
    for i in range(len(first), len(proc.args)):
        given = named.get(known.names[i])
        if given is not None:
            used += 1
            out.append(given)
        elif i >= optional_from:
            out.append(parse_expression(known.defaults[i - optional_from]))
        else:
            return None
    return out if used == len(named) else None


def left_out(proc: Proc, given: int) -> list[exp.Expression]:
    """The defaults of the parameters behind so many arguments; none where they are not known."""
    known = _parameters().get(proc.oid)
    missing = len(proc.args) - given
    if known is None or not 0 < missing <= len(known.defaults):
        return []
    return [parse_expression(d) for d in known.defaults[-missing:]]
