"""NEW and OLD in a rule's statements: columns of one relation, which stands in front of what the statement is of.

    INSERT INTO log VALUES (NEW.a, 'x')        INSERT INTO log SELECT "\0".n0, 'x' FROM "\0"
    UPDATE base SET b = NEW.b WHERE a = OLD.a  UPDATE base SET b = "\0".n1 FROM "\0" WHERE a = "\0".o0
    SELECT f(OLD.a)                            SELECT f("\0".o0) FROM "\0"

Its columns are not part of `*`. A rule's condition joins that of each of its statements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from sqlglot import exp

from planner.abc import Column, Oid, PlanError, Table
from planner.binding.naming import identifier
from planner.binding.scope import Relation, RelationColumn, Scope, ambiguous_column, no_column, similar_column
from planner.catalog import View
from planner.parse import parse_expression
from planner.parse import position as first_position
from planner.relations import typed

ROWS: Final = "\0rule"
"""How statements call the rows that a rule is about: no name of anybody's."""
_SIDES: Final = {"new": "n", "old": "o"}
_HAS: Final = {"2": ("new", "old"), "3": ("new",), "4": ("old",)}
EVENT_WORDS: Final = {"1": "SELECT", "2": "UPDATE", "3": "INSERT", "4": "DELETE"}


def columns_of(holder: Table | View, event: str) -> list[tuple[str, Column, RelationColumn]]:
    """The relation's columns: which side each is of, which column of the holder, and how it is called."""
    return [
        (side, c, RelationColumn(f"{_SIDES[side]}{i}", typed(c), hidden=True, collation=c.collation))
        for side in _HAS[event]
        for i, c in enumerate(holder.columns)
    ]


def columns_named(tree: exp.Expression, holder: Table | View) -> frozenset[tuple[Oid, int]]:
    """The relation's columns that a statement of a rule, or its condition, names of NEW or OLD."""
    said = {"*" if isinstance(c.this, exp.Star) else identifier(c.this) for c, _ in _named(tree)}
    return frozenset(
        (holder.oid, c.attnum) for c in holder.columns if not c.hidden and (c.name in said or "*" in said)
    )


def names_rows(tree: exp.Expression) -> bool:
    """Whether a statement of a rule, or its condition, names NEW or OLD."""
    return any(True for _ in _named(tree))


def _named(tree: exp.Expression) -> Iterator[tuple[exp.Column, str]]:
    for column in tree.find_all(exp.Column):
        table = column.args.get("table")
        said = identifier(table) if table is not None else ""
        if said in _SIDES and column.args.get("db") is None:
            yield column, said


def replaced(
    tree: exp.Expression,
    holder: Table | View,
    event: str,
    value: Callable[[str, int], exp.Expression] | None = None,
) -> exp.Expression:
    """The tree (which is changed) with NEW's and OLD's columns as those of the rows, or as `value` says.

    Raises 42P17 for a row that the event does not have, 42703, 0A000 for whole rows.
    """
    by_name = {c.name: i for i, c in enumerate(holder.columns) if not c.hidden}
    for column, side in list(_named(tree)):
        if side not in _HAS[event]:
            raise PlanError("42P17", f"ON {EVENT_WORDS[event]} rule cannot use {side.upper()}")
        made = value or _of_rows
        if isinstance(column.this, exp.Star):
            every = [made(side, i) for i in by_name.values()]
            _spread(column, every)
            continue
        name = identifier(column.this)
        if name not in by_name:
            seen = Relation(
                0, side, [RelationColumn(c.name, typed(c), hidden=c.hidden) for c in holder.columns]
            )
            hint = similar_column(Scope(None, 0, [seen]), name, side)
            raise no_column(f"{side}.{name}", first_position(column), hint)
        fresh = made(side, by_name[name])
        parent = column.parent
        listed = isinstance(parent, exp.Select | exp.Returning) and column.arg_key == "expressions"
        if column is tree:
            return fresh
        column.replace(exp.alias_(fresh, exp.to_identifier(name, quoted=True)) if listed else fresh)
    for column in tree.find_all(exp.Column):
        bare = column.args.get("table") is None and isinstance(column.this, exp.Identifier)
        if bare and identifier(column.this) in _SIDES and not _is_target(column):
            raise PlanError(
                "0A000",
                f"{identifier(column.this).upper()} as a whole row in rules is not supported",
                position=first_position(column),
            )
    return tree


def condition(text: str, holder: Table | View, event: str) -> exp.Expression:
    """A rule's WHERE, in which columns need not say whose they are. Raises 42702 where that may be either row's."""
    tree = exp.Paren(this=parse_expression(text))
    known = {c.name for c in holder.columns if not c.hidden}
    for column in list(tree.find_all(exp.Column)):
        bare = column.args.get("table") is None and isinstance(column.this, exp.Identifier)
        if not bare or identifier(column.this) not in known or column.find_ancestor(exp.Query) is not None:
            continue
        if len(_HAS[event]) > 1:
            raise ambiguous_column(identifier(column.this), first_position(column))
        column.set("table", exp.to_identifier(_HAS[event][0]))
    return tree.this


def _is_target(column: exp.Column) -> bool:
    """`UPDATE t SET new = 1` names a column of that name."""
    return isinstance(column.parent, exp.EQ) and isinstance(column.parent.parent, exp.Update)


def _spread(star: exp.Column, every: list[exp.Expression]) -> None:
    """`NEW.*` as the columns that it stands for."""
    parent = star.parent
    if not isinstance(parent, exp.Select | exp.Tuple | exp.Returning) or star.arg_key != "expressions":
        if isinstance(parent, exp.Paren) and isinstance(parent.parent, exp.Values):
            parent.replace(exp.Tuple(expressions=every))
            return
        raise PlanError("0A000", "a whole row in rules is not supported", position=first_position(star))
    items = list(parent.expressions)
    at = next(i for i, x in enumerate(items) if x is star)
    parent.set("expressions", [*items[:at], *every, *items[at + 1 :]])


def _of_rows(side: str, index: int) -> exp.Expression:
    return exp.column(
        exp.to_identifier(f"{_SIDES[side]}{index}", quoted=True), exp.to_identifier(ROWS, quoted=True)
    )


def _looking(item: exp.Expression) -> exp.Expression:
    """An item of FROM, LATERAL where it is a query that names the rows."""
    for at in list(item.find_all(exp.Subquery)):
        outside = at.find_ancestor(exp.Query) if at is not item else None
        if outside is not None or not any(c.table == ROWS for c in at.find_all(exp.Column)):
            continue
        if at is not item and not isinstance(at.parent, exp.Join):
            continue
        alias, joins = at.args.get("alias"), at.args.get("joins")
        inner = at.copy()
        inner.set("alias", None)
        inner.set("joins", None)
        made = exp.Lateral(this=inner, alias=alias)
        made.set("joins", joins)
        if at is item:
            item = made
        else:
            at.replace(made)
    return item


def _rows() -> exp.Table:
    return exp.Table(this=exp.to_identifier(ROWS, quoted=True))


def joined(tree: exp.Expression, conditions: list[exp.Expression]) -> exp.Expression:
    """A rule's statement (which is changed) over these rows, under conditions. Raises 0A000."""
    if isinstance(tree, exp.Insert):
        tree.set("expression", _selected(tree, conditions))
        tree.set("default", False)
    elif isinstance(tree, exp.Update):
        tree.set("from_", exp.From(this=_behind(tree.args.get("from_"))))
        _also(tree, conditions)
    elif isinstance(tree, exp.Delete):
        tree.set("using", [_rows(), *(tree.args.get("using") or [])])
        _also(tree, conditions)
    else:
        return _over(tree, conditions)
    return tree


def _behind(said: exp.Expression | None) -> exp.Expression:
    """What FROM is of with the rows in front of it."""
    rows = _rows()
    if said is not None:
        first = _looking(said.this)
        rows.set("joins", [exp.Join(this=first)])
    return rows


def _also(tree: exp.Expression, conditions: list[exp.Expression]) -> None:
    said = tree.args.get("where")
    every = [*([said.this] if said is not None else []), *conditions]
    if every:
        tree.set("where", exp.Where(this=exp.and_(*every, copy=False)))


def _selected(tree: exp.Insert, conditions: list[exp.Expression]) -> exp.Expression:
    """What an INSERT inserts, as a query over the rows."""
    source = tree.expression
    if isinstance(source, exp.Values) and not any(source.args.get(k) for k in ("order", "limit", "offset")):
        if len(source.expressions) > 1:
            return _over(_several(source), conditions)
        return _over(exp.Select(expressions=_cells(source.expressions[0])), conditions)
    if source is None or tree.args.get("default"):
        raise PlanError("0A000", "INSERT ... DEFAULT VALUES in a rule is not supported")
    return _over(source, conditions)


def _cells(row: exp.Expression) -> list[exp.Expression]:
    return list(row.expressions) if isinstance(row, exp.Tuple) else [row.this]


_SEVERAL: Final = "several rows"


def _several(source: exp.Values) -> exp.Select:
    """Several rows of VALUES as a query that finds them for each of the rows that it names."""
    for cell in (cell for row in source.expressions for cell in _cells(row)):
        if (
            isinstance(cell, exp.Column | exp.Var)
            and cell.name.upper() == "DEFAULT"
            and not cell.args.get("table")
        ):
            raise PlanError("0A000", "DEFAULT in several rows of VALUES in a rule is not supported")
    columns = [exp.to_identifier(f"c{i}", quoted=True) for i in range(len(_cells(source.expressions[0])))]
    rows = exp.Values(expressions=list(source.expressions))
    name = exp.to_identifier(_SEVERAL, quoted=True)
    alias = exp.TableAlias(this=name, columns=[c.copy() for c in columns])
    items: list[exp.Expression] = [exp.column(c, name.copy()) for c in columns]
    select = exp.Select(expressions=items)
    select.set("from_", exp.From(this=exp.Lateral(this=exp.Subquery(this=rows), alias=alias)))
    return select


def _over(tree: exp.Expression, conditions: list[exp.Expression]) -> exp.Expression:
    while isinstance(tree, exp.Subquery) and not any(
        tree.args.get(k) for k in ("order", "limit", "offset", "with_")
    ):
        tree = tree.this
    if not isinstance(tree, exp.Select):
        if isinstance(tree, exp.SetOperation):
            raise PlanError("0A000", "conditional UNION/INTERSECT/EXCEPT statements are not implemented")
        raise PlanError("0A000", f"{type(tree).__name__.upper()} in a rule is not supported")
    said = tree.args.get("from_")
    if said is not None:
        others = [_looking(j) for j in tree.args.get("joins") or []]
        tree.set("joins", [exp.Join(this=_looking(said.this)), *others])
    tree.set("from_", exp.From(this=_rows()))
    _also(tree, conditions)
    return tree


__all__ = ["EVENT_WORDS", "ROWS", "columns_of", "condition", "joined", "names_rows", "replaced"]
