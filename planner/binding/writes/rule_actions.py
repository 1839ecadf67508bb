"""What a statement with rules, and what is in a rule, say by themselves: of which event and relation they are, what they call it, what
RETURNING is of, of which types bare constants are.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from planner import statements as st
from planner import types as t
from planner.abc import PlanError, Rule, Table, TypeRef
from planner.binding.naming import identifier
from planner.binding.writes.assignments import is_default
from planner.catalog import Catalog, View, quote_identifier
from planner.parse import parse_expression, parse_query

_EVENTS: Final = {exp.Update: "2", exp.Insert: "3", exp.Delete: "4"}


def event_of(tree: exp.Expression) -> str:
    return next((e for kind, e in _EVENTS.items() if isinstance(tree, kind)), "")


def target_of(tree: exp.Expression, catalog: Catalog, path: tuple[str, ...]) -> Table | View | None:
    """The relation that a statement writes."""
    node = tree.this
    node = node.this if isinstance(node, exp.Schema) else node
    if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
        return None
    schema = identifier(node.args["db"]) if node.args.get("db") is not None else ""
    if schema and catalog.find_schema(schema) is None:
        return None  # the relation is said to be missing where it is looked for
    found = catalog.find_relation(identifier(node.this), schema, path)
    return found if isinstance(found, Table | View) else None


def called(tree: exp.Expression) -> str:
    """The name by which a statement calls what it writes."""
    node = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    alias = node.args.get("alias")
    return identifier(alias.this) if alias is not None else identifier(node.this)


def parse_notify(text: str) -> st.Notify | None:
    """NOTIFY, the one statement in rules that is no query."""
    if text.split(None, 1)[0].lower() != "notify":
        return None
    from planner.parse.statement import parse_statement

    found = parse_statement(text)
    assert isinstance(found, st.Notify)
    return found


def returning_of(rule: Rule) -> exp.Expression | None:
    for text in rule.actions:
        if parse_notify(text) is None and (found := parse_query(text).args.get("returning")) is not None:
            return found
    return None


def returned(
    wanted: exp.Expression, said: exp.Expression, tree: exp.Expression, holder: Table | View
) -> exp.Expression:
    """RETURNING of the statement in terms of what the rule's RETURNING says for each column. Raises 0A000."""
    values = dict(zip((c.name for c in holder.columns if not c.hidden), said.expressions, strict=False))
    name = called(tree)

    def value(column: str, *, named: bool) -> exp.Expression:
        found = values[column]
        found = found.this if isinstance(found, exp.Alias) else found
        made = exp.paren(found.copy()) if not isinstance(found, exp.Column) else found.copy()
        return exp.alias_(made, exp.to_identifier(column, quoted=True)) if named else made

    items: list[exp.Expression] = []
    for item in wanted.expressions:
        star = isinstance(item, exp.Star) or (
            isinstance(item, exp.Column) and isinstance(item.this, exp.Star)
        )
        if star:
            items += [value(c, named=True) for c in values]
            continue
        holderless = exp.Tuple(expressions=[item.copy()])
        for column in list(holderless.find_all(exp.Column)):
            table = column.args.get("table")
            known = not isinstance(column.this, exp.Star) and identifier(column.this) in values
            if not known or (table is not None and identifier(table) != name):
                raise PlanError(
                    "0A000",
                    f'RETURNING of other than columns of "{holder.name}", which has INSTEAD rules, is not supported',
                )
            top = column.parent is holderless
            column.replace(value(identifier(column.this), named=top))
        items += holderless.expressions
    return exp.Returning(expressions=items)


def type_rows(tree: exp.Expression, catalog: Catalog, path: tuple[str, ...]) -> None:
    """Constants in several rows of VALUES are of the columns that they are for, whatever stands in the other rows."""
    source = tree.args.get("expression")
    if not isinstance(tree, exp.Insert) or not isinstance(source, exp.Values) or len(source.expressions) < 2:
        return
    target = target_of(tree, catalog, path)
    if target is None:
        return
    columns = {c.name: c for c in target.columns if not c.hidden}
    named = (
        [identifier(x) for x in tree.this.expressions] if isinstance(tree.this, exp.Schema) else list(columns)
    )
    parts = tree.args.get("targets") or {}
    for row in source.expressions:
        cells = row.expressions if isinstance(row, exp.Tuple) else [row.this]
        for i, (name, cell) in enumerate(zip(named, cells, strict=False)):
            constant = isinstance(cell, exp.Null) or (isinstance(cell, exp.Literal) and cell.is_string)
            if constant and name in columns and i not in parts:  # a part's other rows say what it is
                cast = parse_expression(f"CAST(NULL AS {type_text(TypeRef(columns[name].type.oid))})")
                cell.replace(cast)
                cast.set("this", cell)


def without_defaults(tree: exp.Expression, catalog: Catalog, path: tuple[str, ...]) -> None:
    """One row of VALUES becomes a query over the rows of the event, where there is no DEFAULT: the others' columns are named instead."""
    source = tree.args.get("expression")
    if not isinstance(tree, exp.Insert) or not isinstance(source, exp.Values) or len(source.expressions) != 1:
        return
    row = source.expressions[0]
    cells = row.expressions if isinstance(row, exp.Tuple) else [row.this]
    given = [i for i, cell in enumerate(cells) if not is_default(cell)]
    if not given:
        tree.set("expression", None)  # as DEFAULT VALUES
        return
    target = target_of(tree, catalog, path)
    if target is None or len(given) == len(cells) or any(x.find(exp.Star) for x in cells):
        return
    if isinstance(tree.this, exp.Schema):
        names = list(tree.this.expressions)
    else:
        names = [exp.to_identifier(c.name, quoted=True) for c in target.columns if not c.hidden]
    parts = tree.args.get("targets") or {}
    if len(cells) > len(names) or not parts.keys() <= set(given):
        return  # which is said to be wrong where the values are assigned
    written = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    tree.set("this", exp.Schema(this=written, expressions=[names[i] for i in given]))
    tree.set("targets", {at: parts[i] for at, i in enumerate(given) if i in parts})
    source.set("expressions", [exp.Tuple(expressions=[cells[i] for i in given])])


def type_text(ref: TypeRef) -> str:
    if t.is_known(ref.oid):
        return t.type_in_words(ref.oid)
    raise PlanError("0A000", f"type {quote_identifier(str(ref.oid))} in such a rule is not supported")


__all__ = [
    "called", "event_of", "parse_notify", "returned", "returning_of", "target_of", "type_rows", "type_text", "without_defaults",
]  # fmt: skip
