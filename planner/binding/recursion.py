"""WITH RECURSIVE: in which order its queries are bound, and what a query may not do with itself.

    WITH RECURSIVE b AS (SELECT * FROM a), a AS (...)      queries may name later ones: they are bound in order of need
    t AS (base UNION [ALL] step)                           the only form; `step` names t once, where its rows are joined

A recursion that is not of this form has no meaning that everybody agrees on (an aggregate over what is not there yet,
a row that goes when others come), so SQL refuses it and with it much that would never end. The rules and words are
PostgreSQL's (parse_cte.c, `checkWellFormedRecursion`); errors are 42P19.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, ResultColumn
from planner.binding import collating, collations_met, ir
from planner.binding.comparable import refuse_unequal
from planner.binding.facts import procs
from planner.binding.naming import function_name, identifier
from planner.catalog.collations import is_collatable, nondeterministic, shown
from planner.parse import position as first_position

if TYPE_CHECKING:
    from planner.binding.expressions import ExpressionBinder

_OF_THE_WHOLE: Final = (
    ("order", "ORDER BY"),
    ("offset", "OFFSET"),
    ("limit", "LIMIT"),
)


def mentions(node: exp.Expression, name: str) -> list[exp.Table]:
    """Where a query names the WITH query of that name, and no other one inside of it that hides it."""
    return [
        x
        for x in node.find_all(exp.Table)
        if isinstance(x.this, exp.Identifier)
        and x.args.get("db") is None
        and identifier(x.this) == name
        and not _hidden(x, node, name)
    ]


def _hidden(table: exp.Expression, top: exp.Expression, name: str) -> bool:
    at: exp.Expression | None = table
    while at is not None and at is not top:
        at = at.parent
        inner = at.args.get("with_") if at is not None else None
        if inner is not None and any(_name(cte) == name for cte in inner.expressions):
            return True
    return False


def _name(cte: exp.CTE) -> str:
    return identifier(cte.args["alias"].this)


def in_order_of_need(ctes: Sequence[exp.CTE]) -> list[exp.CTE]:
    """The queries of a WITH RECURSIVE, each after those it names. Raises 0A000 where two need each other."""
    left, out = list(ctes), list[exp.CTE]()
    while left:
        ready = next(
            (c for c in left if not any(mentions(c.this, _name(o)) for o in left if o is not c)), None
        )
        if ready is None:
            raise PlanError(
                "0A000",
                "mutual recursion between WITH items is not implemented",
                position=first_position(left[0].args["alias"]),
            )
        left.remove(ready)
        out.append(ready)
    return out


def check(cte: exp.CTE, name: str, own: Callable[[str], bool]) -> None:
    """Raises 42P19 (0A000 for what SQL has and PostgreSQL has not) unless the recursion is well formed.

    `own`: whether aggregates of users are called so.
    """
    whole, found = cte.this, mentions(cte.this, name)
    if not found:
        return
    if isinstance(whole, exp.DML):
        raise _ill(f'recursive query "{name}" must not contain data-modifying statements', cte.args["alias"])
    if not isinstance(whole, exp.Union):
        raise _ill(
            f'recursive query "{name}" does not have the form non-recursive-term UNION [ALL] recursive-term',
            cte.args["alias"],
        )
    for key, words in _OF_THE_WHOLE:
        clause = whole.args.get(key)
        if clause:
            at = clause[0] if isinstance(clause, list) else clause
            raise PlanError(
                "0A000", f"{words} in a recursive query is not implemented", position=first_position(at)
            )
    if whole.expression.args.get("locks"):  # which nothing but parentheses would make the last query's own
        raise PlanError("0A000", "FOR UPDATE/SHARE in a recursive query is not implemented")
    for table in found:
        where = _where(table, whole)
        if where:
            raise _ill(f'recursive reference to query "{name}" must not appear within {where}', table.this)
    if len(found) > 1:
        raise _ill(f'recursive reference to query "{name}" must not appear more than once', found[1].this)
    query = found[0].find_ancestor(exp.Select)
    aggregate = query is not None and _aggregate(query, own)
    if aggregate:
        raise _ill("aggregate functions are not allowed in a recursive query's recursive term", aggregate)
    if _in_a_step(cte) and not whole.args.get("distinct") and _has_no_end(whole.expression, name):
        # PostgreSQL asks it for as many rows as a LIMIT outside needs; here each step is computed whole.
        raise PlanError(
            "0A000",
            f'recursion without an end ("{name}") within the step of another one is not supported',
            position=first_position(found[0]),
        )


def _in_a_step(cte: exp.CTE) -> bool:
    """Whether another recursion is around this one."""
    around = cte.find_ancestor(exp.CTE)
    while around is not None and not mentions(around.this, _name(around)):
        around = around.find_ancestor(exp.CTE)
    return around is not None


def _has_no_end(step: exp.Expression, name: str) -> bool:
    """Whether all rows of the last step are those of the next one, too."""
    if isinstance(step, exp.Subquery | exp.Paren):
        return set(_said(step)) == {"this"} and _has_no_end(step.this, name)
    if isinstance(step, exp.Union):
        ends = step.args.get("distinct") or set(_said(step)) & {"limit", "offset"}
        return not ends and any(_has_no_end(side, name) for side in (step.this, step.expression))
    if not isinstance(step, exp.Select) or set(_said(step)) - {"expressions", "from_", "kind"}:
        return False
    table = step.args["from_"].this if step.args.get("from_") else None
    return isinstance(table, exp.Table) and bool(mentions(step, name)) and table in mentions(step, name)


def _said(node: exp.Expression) -> list[str]:
    return [key for key, value in node.args.items() if value]


def check_types(
    expressions: ExpressionBinder,
    name: str,
    union: exp.Union,
    base: Sequence[ResultColumn],
    step: Sequence[ResultColumn],
) -> None:
    """Raises 42804 unless both terms together are of the types that the first one gives the columns: rows of the
    recursion have been read as those already."""
    sides = [union.this, union.expression]
    for i, (a, b) in enumerate(zip(base, step, strict=True)):
        nodes = [ir.Var(a.type, 0, i), ir.Var(b.type, 0, i)]
        _, overall = expressions.to_common(nodes, "UNION", [first_position(s) for s in sides])
        if overall != a.type:
            raise PlanError(
                "42804",
                f'recursive query "{name}" column {i + 1} has type {t.format_type(a.type)} in non-recursive '
                f"term but type {t.format_type(overall)} overall",
                hint="Cast the output of the non-recursive term to the correct type.",
                position=_place(union.this, i),
            )
        if collations_met.told() and is_collatable(overall.oid):
            _check_collation(expressions, name, union, i, (base, step))
        if union.args.get("distinct"):
            refuse_unequal(overall, first_position(sides[0]))
        if union.args.get("distinct") and (letters := _other_letters(a)):
            # DuckDB tells the rows apart by what is kept of them: 'a' and 'A' would both go on.
            raise PlanError(
                "0A000",
                f"UNION of {letters} in a recursive query is not supported",
                hint="Cast the column to text, or write UNION ALL.",
                position=_place(union.this, i),
            )


def _check_collation(
    expressions: ExpressionBinder,
    name: str,
    union: exp.Union,
    i: int,
    terms: Sequence[Sequence[ResultColumn]],
) -> None:
    """Raises 42P21 where a column would have another collation by the second term than by the first."""
    a, b = (
        collating.said(expressions, side, columns)[i]
        for side, columns in zip((union.this, union.expression), terms, strict=True)
    )
    overall = collating.united(a, b, may_be_none=not union.args.get("distinct"))
    if overall != a.name:
        raise PlanError(
            "42P21",
            f'recursive query "{name}" column {i + 1} has collation "{shown(a.name or "default")}" in non-recursive '
            f'term but collation "{shown(overall or "default")}" overall',
            hint="Use the COLLATE clause to set the collation of the non-recursive term.",
            position=_place(union.this, i),
        )


def _other_letters(column: ResultColumn) -> str:
    """What makes texts equal that are not the same, if anything does."""
    if t.CITEXT in (column.type.oid, t.element_of(column.type.oid)):
        return f"type {t.format_type(column.type)}"
    if column.collation in nondeterministic:
        return f'nondeterministic collation "{shown(column.collation)}"'
    return ""


def _place(query: exp.Expression, column: int) -> int:
    """Where a column of a query is written; where the query begins, if that cannot be counted."""
    items = query.expressions if isinstance(query, exp.Select) else []
    counts = len(items) > column and not any(i.is_star for i in items[: column + 1])
    return first_position(items[column] if counts else query)


def _ill(message: str, at: exp.Expression) -> PlanError:
    return PlanError("42P19", message, position=first_position(at))


def _where(table: exp.Expression, whole: exp.Union) -> str:
    """Where a mention stands that it may not stand; "" for what is well."""
    child, at = table, table.parent
    while at is not None and child is not whole:
        every = isinstance(at, exp.SetOperation) and not at.args.get("distinct")
        if isinstance(at, exp.Except) and (every or child.arg_key == "expression"):
            return "EXCEPT"
        if isinstance(at, exp.Intersect) and every:
            return "INTERSECT"
        if at is whole and child.arg_key == "this":
            return "its non-recursive term"
        if at is whole and child.arg_key == "with_":
            return "a subquery"
        if _is_nullable(child, at):
            return "an outer join"
        if isinstance(child, exp.Query) and not isinstance(
            at, exp.From | exp.Join | exp.SetOperation | exp.Subquery | exp.CTE | exp.Lateral | exp.Paren
        ):
            return "a subquery"
        if isinstance(child, exp.Subquery) and isinstance(at, exp.Select | exp.Paren):
            return "a subquery"  # a value of the target list
        child, at = at, at.parent
    return ""


def _is_nullable(child: exp.Expression, at: exp.Expression) -> bool:
    """Whether a join may put NULLs in place of the rows of this item."""
    if isinstance(at, exp.Join) and child.arg_key == "this":
        if str(at.args.get("side") or "").upper() in ("LEFT", "FULL"):
            return True
        child, parent = at, at.parent
    elif isinstance(at, exp.From):
        child, parent = at, at.parent
    else:
        return False
    joins = list(parent.args.get("joins") or ()) if parent is not None else []
    after = joins[joins.index(child) + 1 :] if child in joins else joins
    return any(str(j.args.get("side") or "").upper() in ("RIGHT", "FULL") for j in after)


def _aggregate(query: exp.Select, own: Callable[[str], bool]) -> exp.Expression | None:
    """An aggregate of this very SELECT."""
    for item in [*query.expressions, *(query.args[k] for k in ("having", "order") if query.args.get(k))]:
        for found in item.find_all(exp.Anonymous):
            if (
                (
                    any(p.kind == "a" for p in procs().get(str(found.this).lower(), ()))
                    or own(function_name(found))
                )
                and found.find_ancestor(exp.Select) is query
                and found.find_ancestor(exp.Window) is None
            ):
                return found
    return None
