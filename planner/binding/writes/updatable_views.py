"""Writing to a view over one table: INSERT, UPDATE and DELETE are those of the table, said in the view's words.

    CREATE VIEW adults AS SELECT id, name AS called, age + 1 AS next FROM people WHERE age >= 18

    UPDATE adults SET called = 'x' WHERE next = 20
    UPDATE people SET name = 'x' WHERE age >= 18 AND age + 1 = 20       what is bound

So a written view is its table's rows seen through a `Relation` whose columns have values (`shown`): columns of the
table under other names, or expressions over them, which can be read and not assigned. Its conditions are bound as the
view's own text, and join those of the statement. A view over such a view is seen through both.

Which views can be written is PostgreSQL's rule: one table or view in FROM, and each row of it at most one of the view's. Where a view
under it has INSTEAD OF triggers, the rows are that view's, which the triggers write (`instead_of`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from planner.abc import Column, PlanError, Table
from planner.binding import ir, system_columns
from planner.binding.facts import procs
from planner.binding.naming import identifier
from planner.binding.scope import Relation, RelationColumn
from planner.binding.writes import instead_of
from planner.catalog import Catalog, View
from planner.catalog.reads import Remembered
from planner.parse import parse_query

if TYPE_CHECKING:
    from planner.binding.rights.accesses import Accesses
    from planner.binding.writes.written_rows import WrittenRows

_WORDS: Final = {
    "insert into": ("inserting into", "INSERT"),
    "update": ("updating", "UPDATE"),
    "delete from": ("deleting from", "DELETE"),
}
_EVENTS: Final = {"insert into": "3", "update": "2", "delete from": "4"}
_INSERT, _UPDATE, _DELETE = 1 << 3, 1 << 2, 1 << 4
_BITS: Final = {"insert into": _INSERT, "update": _UPDATE, "delete from": _DELETE}
_ALL: Final = _INSERT | _UPDATE | _DELETE
_REMEMBERED_MAX: Final = 4_096
_remembered: Remembered[tuple[Table | View | None, dict[str, str]]] = Remembered(_REMEMBERED_MAX)
"""What tools ask of every view again and again."""


@dataclass(frozen=True, slots=True)
class ViewTarget:
    """A view that can be written: the table under it, and what its columns are.

    `alias` is what the view calls `source`, in whose columns `values` and `where` are said. `indexes` has a row
    position of the table for each column, -1 for one that cannot be assigned.
    """

    view: View
    table: Table
    source: Table | ViewTarget
    alias: str
    values: tuple[exp.Expression, ...]
    indexes: tuple[int, ...]
    where: exp.Expression | None
    triggered: View | None = None
    """The view under it whose triggers write: `table` has that view's rows."""
    only: bool = False
    """It shows ONLY the table's own rows, so these are what is written, whether the statement says ONLY or not."""

    def position(self, name: str) -> int | None:
        """Where in a row of the table a column of the view is, -1 if nowhere; None: there is no such column."""
        for c, index in zip(self.view.columns, self.indexes, strict=True):
            if c.name == name:
                return index
        return None

    def default(self, index: int) -> str | None:
        """What this view, or the nearest under it, gives the column at this position of a row; None: what the table does."""
        return next((said for level in self.levels() if (said := level.own_default(index)) is not None), None)

    def own_default(self, index: int) -> str | None:
        """What this view itself says of that."""
        columns = zip(self.view.columns, self.indexes, strict=True)
        return next((c.default for c, at in columns if at == index and c.default is not None), None)

    def attnums(self, indexes: Sequence[int]) -> list[int]:
        """The view's numbers of columns at these positions of a row."""
        return [c.attnum for c, i in zip(self.view.columns, self.indexes, strict=True) if i in indexes]

    def unassignable(self, name: str, what: str) -> PlanError:
        """Of a column that is no column of the table."""
        level: Table | ViewTarget = self
        while isinstance(level, ViewTarget) and isinstance(level.source, ViewTarget):
            value = level.values[[c.name for c in level.view.columns].index(name)]
            if not isinstance(value, exp.Column):
                break
            level, name = level.source, identifier(value.this)
        assert isinstance(level, ViewTarget)
        value = level.values[[c.name for c in level.view.columns].index(name)]
        of_system = isinstance(value, exp.Column) and identifier(value.this) in system_columns.NUMBERS
        why = "refer to system columns" if of_system else "are not columns of their base relation"
        return PlanError(
            "0A000",
            f'cannot {what} column "{name}" of view "{level.view.name}"',
            detail=f"View columns that {why} are not updatable.",
        )

    def below(self) -> Table | View:
        """What this view itself selects from."""
        if isinstance(self.source, ViewTarget):
            return self.source.view
        return self.source if self.triggered is None else self.triggered

    def levels(self) -> Iterator[ViewTarget]:
        """This view and those under it."""
        level: Table | ViewTarget = self
        while isinstance(level, ViewTarget):
            yield level
            level = level.source


def view_target(catalog: Catalog, view: View, what: str) -> ViewTarget:
    """The table that a view's rows are of. `what`: "insert into", "update" or "delete from". Raises 55000."""
    if what not in _WORDS:
        raise PlanError(
            "0A000",
            f'cannot execute MERGE on relation "{view.name}"',
            detail="This operation is not supported for views.",
        )
    tree = _unwrapped(parse_query(view.query))
    obstacle, source = _obstacle(tree), None
    if not obstacle:
        source = _source(catalog, view, tree)
        if source is None:
            obstacle = "that do not select from a single table or view"
    if obstacle:
        doing, verb = _WORDS[what]
        raise PlanError(
            "55000",
            f'cannot {what} view "{view.name}"',
            detail=f"Views {obstacle} are not automatically updatable.",
            hint=f"To enable {doing} the view, provide an INSTEAD OF {verb} trigger or an unconditional ON {verb} DO INSTEAD rule.",
        )
    assert source is not None
    under: Table | ViewTarget
    triggered = None
    if isinstance(source, Table):
        under = source
    elif instead_of.handles(source, what):
        under, triggered = instead_of.rows_of(source), source
    else:
        under = view_target(catalog, source, what)
        triggered = under.triggered
    where = tree.args.get("where")
    values = tuple(x.this if isinstance(x, exp.Alias) else x for x in tree.expressions)
    indexes = tuple(_index(under, v) for v in values)
    if len(values) != len(view.columns):
        raise PlanError("0A000", f'writing to view "{view.name}", which selects whole rows, is not supported')
    target = ViewTarget(
        view,
        under.table if isinstance(under, ViewTarget) else under,
        under,
        _alias(tree),
        values,
        indexes,
        where.this if where is not None else None,
        triggered,
        under.only if isinstance(under, ViewTarget) else bool(tree.args["from_"].this.args.get("only")),
    )
    named = {c.name for c in target.below().columns}
    if what != "delete from" and not any(_names(v, named) for v in values):
        doing, verb = _WORDS[what]
        raise PlanError(
            "55000",
            f'cannot {what} view "{view.name}"',
            detail="Views that have no updatable columns are not automatically updatable.",
            hint=f"To enable {doing} the view, provide an INSTEAD OF {verb} trigger or an unconditional ON {verb} DO INSTEAD rule.",
        )
    return target


def refuse_rules(target: ViewTarget, what: str) -> None:
    """Raises 0A000 for a view over a relation whose rules would have to be asked."""
    event = _EVENTS[what]
    for level in target.levels():
        under = level.below()
        if any(r.event == event and r.enabled in "OA" for r in under.rules):
            raise PlanError(
                "0A000",
                f'writing to view "{target.view.name}", which is over "{under.name}" with its rules, is not supported',
            )


def assignable(target: ViewTarget) -> tuple[list[int], PlanError | None]:
    """The columns that INSERT means where it names none, and what is said of the first one that cannot be given a value."""
    for place, (column, index) in enumerate(zip(target.view.columns, target.indexes, strict=True)):
        if index < 0:
            return list(target.indexes[:place]), target.unassignable(column.name, "insert into")
    return list(target.indexes), None


def refuse_defaults(target: ViewTarget, *, overriding: bool) -> None:
    """Raises 0A000 and 428C9 where INSERT gives columns the views' defaults, and they can have no value of their own."""
    for level in target.levels():
        for column, index in zip(level.view.columns, level.indexes, strict=True):
            if column.default is None:
                continue
            if index < 0:
                raise level.unassignable(column.name, "insert into")
            below = target.table.columns[index]
            if below.generated or (below.identity == "a" and not overriding):
                raise not_by_default(below)


def not_by_default(column: Column) -> PlanError:
    """INSERT gives a column a value that can only be computed."""
    of_sequence = not column.generated
    what = "an identity column defined as GENERATED ALWAYS" if of_sequence else "a generated column"
    return PlanError(
        "428C9",
        f'cannot insert a non-DEFAULT value into column "{column.name}"',
        detail=f'Column "{column.name}" is {what}.',
        hint="Use OVERRIDING SYSTEM VALUE to override." if of_sequence else "",
    )


def events(catalog: Catalog, view: View, *, triggers: bool = False) -> int:
    """For the catalog's own questions: what can be done to a view, as bits of PostgreSQL's (8 INSERT, 4 UPDATE, 16 DELETE).

    `triggers`: by its INSTEAD OF triggers as well as by its rules and its query.
    """
    return _done(catalog, view, [c.name for c in view.columns], triggers)


def updatable_columns(catalog: Catalog, view: View) -> list[int]:
    """The attribute numbers of a view's columns that UPDATE may set: all of them where rules say what UPDATE and DELETE are."""
    every = _UPDATE | _DELETE
    return [c.attnum for c in view.columns if _done(catalog, view, [c.name], False) & every == every]


def _done(catalog: Catalog, view: View, names: Sequence[str], triggers: bool) -> int:
    """What can be done to a view by naming these columns, by it itself or by what it is over."""
    bits = _by_rules(view)
    if triggers:
        bits |= sum(bit for what, bit in _BITS.items() if instead_of.handles(view, what))
    if bits == _ALL:
        return bits
    source, columns = _written_columns(catalog, view)
    if source is None:
        return bits
    below = [columns[n] for n in names if n in columns]
    own = _ALL if below else _DELETE
    return bits | (own & _done(catalog, source, below, triggers) if isinstance(source, View) else own)


def _written_columns(catalog: Catalog, view: View) -> tuple[Table | View | None, dict[str, str]]:
    """What a view's rows are of, None if they cannot be written, and which column of it each of its columns is."""

    def made(seen: Catalog) -> tuple[Table | View | None, dict[str, str]]:
        tree = _unwrapped(parse_query(view.query))
        if _obstacle(tree):
            return None, {}
        try:
            source = _source(seen, view, tree)
        except PlanError:  # which writing to it is refused with
            source = None
        if source is None or len(tree.expressions) != len(view.columns):
            return None, {}
        values = [x.this if isinstance(x, exp.Alias) else x for x in tree.expressions]
        known = {c.name for c in source.columns}
        return source, {
            c.name: identifier(v.this) for c, v in zip(view.columns, values, strict=True) if _names(v, known)
        }

    return _remembered.of(catalog, view, made)


def _names(value: exp.Expression, columns: Collection[str]) -> bool:
    """Whether a view's column is one of these columns of what it selects from."""
    return (
        isinstance(value, exp.Column)
        and not isinstance(value.this, exp.Star)
        and identifier(value.this) in columns
    )


def _by_rules(view: View) -> int:
    bits = 0
    for rule in view.rules:
        if rule.instead and not rule.condition:
            bits |= 1 << int(rule.event)
    return bits & _ALL


def _unwrapped(tree: exp.Expression) -> exp.Expression:
    while isinstance(tree, exp.Subquery | exp.Paren) and not any(
        tree.args.get(k) for k in ("limit", "offset", "with_")
    ):
        tree = tree.this
    return tree


def _obstacle(tree: exp.Expression) -> str:
    """What of a query makes its rows others than those of one table, in the order in which PostgreSQL looks."""
    if isinstance(tree, exp.SetOperation):
        return "containing UNION, INTERSECT, or EXCEPT"
    clauses = (
        ("distinct", "containing DISTINCT"), ("group", "containing GROUP BY"), ("having", "containing HAVING"),
        ("with_", "containing WITH"), ("limit", "containing LIMIT or OFFSET"), ("offset", "containing LIMIT or OFFSET"),
    )  # fmt: skip
    for key, words in clauses:
        if tree.args.get(key) is not None:
            return words
    kinds = {kind for x in tree.expressions for kind in _kinds(x)}
    for kind, words in (("a", "that return aggregate functions"), ("w", "that return window functions"),
                        ("s", "that return set-returning functions")):  # fmt: skip
        if kind in kinds:
            return words
    source = tree.args["from_"].this if tree.args.get("from_") is not None else None
    if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Identifier):
        return "that do not select from a single table or view"
    if tree.args.get("joins") or tree.args.get("laterals") or source.args.get("joins"):
        return "that do not select from a single table or view"
    return "containing TABLESAMPLE" if source.args.get("sample") is not None else ""


def _kinds(node: exp.Expression, window: bool = False) -> Iterator[str]:
    """Letters for the aggregates, windows and sets in a target, not those of subqueries."""
    if isinstance(node, exp.Query):
        return
    if isinstance(node, exp.Window):
        yield "w"
    elif isinstance(node, exp.AggFunc) and not window:
        yield "a"
    elif isinstance(node, exp.Anonymous):
        found = procs().get(str(node.this).lower(), ())
        if any(p.kind == "a" for p in found) and not window:
            yield "a"
        if found and all(p.returns_set for p in found):
            yield "s"
    for child in node.iter_expressions():
        yield from _kinds(
            child, isinstance(node, exp.Window) or (window and isinstance(node, exp.Filter | exp.WithinGroup))
        )


def _source(catalog: Catalog, view: View, tree: exp.Expression) -> Table | View | None:
    source = tree.args["from_"].this
    schema = source.args.get("db")
    found = catalog.find_relation(
        identifier(source.this),
        identifier(schema) if schema is not None else "",
        view.path or ("public",),
    )
    if isinstance(found, Table) and found.materialized is not None:
        return None
    alias = source.args.get("alias")
    if alias is not None and alias.args.get("columns"):
        raise PlanError(
            "0A000",
            f'writing to view "{view.name}", which renames its table\'s columns in FROM, is not supported',
        )
    return found if isinstance(found, Table | View) else None


def _alias(tree: exp.Expression) -> str:
    source = tree.args["from_"].this
    alias = source.args.get("alias")
    return identifier(alias.this) if alias is not None and alias.this is not None else identifier(source.this)


def _index(under: Table | ViewTarget, value: exp.Expression) -> int:
    if not isinstance(value, exp.Column) or isinstance(value.this, exp.Star):
        return -1
    name = identifier(value.this)
    if isinstance(under, ViewTarget):
        found = under.position(name)
        return -1 if found is None else found
    return next((i for i, c in enumerate(under.columns) if c.name == name and not c.hidden), -1)


def shown(binder: WrittenRows, target: ViewTarget, rows: Relation, name: str) -> Relation:
    """The table's rows as the view shows them, under a name."""
    under = _under(binder, target, rows)
    scope = binder.plain_scope(under)
    with _as_view(binder, target.view):
        values = tuple(binder.expressions.bind(v, scope) for v in target.values)
    columns = [
        RelationColumn(c.name, v.type, target.view.oid, c.attnum)
        for c, v in zip(target.view.columns, values, strict=True)
    ]
    return Relation(rows.number, name, columns, None, "", rows.slot, values=values)


def conditions(binder: WrittenRows, target: ViewTarget, rows: Relation) -> list[ir.Node]:
    """What holds for the table's rows that the view shows."""
    return [condition(binder, level, rows) for level in target.levels() if level.where is not None]


def condition(binder: WrittenRows, level: ViewTarget, rows: Relation) -> ir.Node:
    """What one view's WHERE says of the table's rows."""
    assert level.where is not None
    scope = binder.plain_scope(_under(binder, level, rows))
    scope.clause = "WHERE"
    with _as_view(binder, level.view):
        return binder.expressions.boolean(level.where, scope, "WHERE")


def both(where: ir.Node | None, others: Sequence[ir.Node]) -> ir.Node | None:
    """A statement's own condition and the view's."""
    return ir.all_of([*([where] if where is not None else []), *others])


def in_the_tables_words(keys: Sequence[exp.Expression], target: ViewTarget) -> list[exp.Expression]:
    """ON CONFLICT's keys, columns of the view, as columns of its table."""
    out = []
    for key in keys:
        copy = key.copy()
        for column in copy.find_all(exp.Column):
            index = target.position(identifier(column.this))
            if index is not None and index >= 0:
                column.set("this", exp.to_identifier(target.table.columns[index].name, quoted=True))
        out.append(copy)
    return out


def note(accesses: Accesses, target: ViewTarget, privilege: str, indexes: Sequence[int]) -> None:
    """The right to write: the user's to the view, and each view's owner's to what is under it."""
    user = accesses.role
    accesses.writes(target.view, privilege, target.attnums(indexes))
    depth = accesses.depth
    for level in target.levels():
        if (owner := accesses.owner_of(level.view)) is not None:
            accesses.role = owner
        accesses.depth += 1
        under = level.source
        if isinstance(under, ViewTarget):
            accesses.writes(under.view, privilege, under.attnums(indexes))
        else:
            accesses.writes(level.below(), privilege, [under.columns[i].attnum for i in indexes])
    accesses.role, accesses.depth = user, depth


def note_read(accesses: Accesses, target: ViewTarget) -> None:
    """Who writes looks at the view's rows, too: each view's owner must be allowed to read all that the view names."""
    user, depth = accesses.role, accesses.depth
    for level in target.levels():
        if (owner := accesses.owner_of(level.view)) is not None:
            accesses.role = owner
        accesses.depth += 1
        accesses.names_columns(level.below(), level.alias, [*level.values, level.where])
    accesses.role, accesses.depth = user, depth


def _under(binder: WrittenRows, target: ViewTarget, rows: Relation) -> Relation:
    """What a view selects from, under the name by which it calls it."""
    if isinstance(target.source, ViewTarget):
        return shown(binder, target.source, rows, target.alias)
    return Relation(rows.number, target.alias, rows.columns, rows.table, "", rows.slot)


@contextmanager
def _as_view(binder: WrittenRows, view: View) -> Iterator[None]:
    """Names and literals are the view's, and so are the rights of the subqueries in it."""
    queries, expressions = binder.queries, binder.expressions
    saved = queries.text, queries.search_path, expressions.text, queries.accesses.role
    queries.text = expressions.text = view.query
    queries.search_path = view.path or queries.search_path
    if (owner := queries.accesses.owner_of(view)) is not None:
        queries.accesses.role = owner
    try:
        yield
    finally:
        queries.text, queries.search_path, expressions.text, queries.accesses.role = saved


__all__ = [
    "ViewTarget", "assignable", "both", "condition", "conditions", "events", "in_the_tables_words",
    "not_by_default", "note", "note_read", "refuse_defaults", "refuse_rules", "shown", "updatable_columns", "view_target",
]  # fmt: skip
