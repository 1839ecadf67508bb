"""SEARCH and CYCLE of a recursive WITH: columns that a rewriting adds (PostgreSQL manual, 7.8.2.1 and 7.8.2.2).

    WITH RECURSIVE t(a) AS (L UNION ALL R) SEARCH DEPTH FIRST BY a SET o
    ->  t(a, o) AS (SELECT x.a, ARRAY[ROW(x.a)] FROM (L) x(a)
                    UNION ALL
                    SELECT x.a, array_append(x.o, ROW(x.a)) FROM (R, with t.o) x(a, o))

BREADTH FIRST keeps `ROW(depth, a)` instead; CYCLE keeps the path like DEPTH FIRST, and a mark that says whether the
row is on its own path, where R goes no further. The rewriting is one of trees: nothing of the queries is written as
text and read again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from planner.abc import PlanError
from planner.binding.fragments import quote_name
from planner.binding.naming import identifier
from planner.catalog import quote_identifier
from planner.parse import parse_query
from planner.parse.column_lists import SEPARATOR

_AROUND = "x"


def rewritten(cte: exp.CTE, clause: exp.Expression) -> exp.CTE:
    """The query of WITH with the columns of `clause` (SEARCH, CYCLE or both). 42601, 0A000."""
    search, cycle = _both(clause)
    alias = cte.args["alias"]
    name = identifier(alias.this)
    union = cte.this
    if not clause.args.get("recursive") or not isinstance(union, exp.Union):
        raise PlanError("42601", "WITH query is not recursive")
    for side, query in (("left", union.this), ("right", union.expression)):
        if not isinstance(query, exp.Select):
            raise PlanError(
                "0A000",
                f"with a SEARCH or CYCLE clause, the {side} side of the UNION must be a SELECT",
            )
    names = [identifier(c) for c in alias.args.get("columns") or ()] or list(union.this.named_selects)
    if "*" in names or "" in names:
        raise PlanError("0A000", "SEARCH and CYCLE are supported where the query's columns are named")
    first, further, kept = [], [], []
    stop = ""
    if search is not None:
        row, column = (
            _row(search, names, "search"),
            _added(search, "expression", names, "search sequence"),
        )
        kept.append(column)
        if str(search.args["kind"]).upper() == "DEPTH":
            first.append(f"ARRAY[{row}]")
            further.append(f"array_append({_of(column)}, {row})")
        else:
            values = row.removeprefix("ROW(")
            first.append(f"ROW(0::bigint, {values}")
            further.append(f"ROW(({_of(column)}).f1 + 1, {values}")
    if cycle is not None:
        row = _row(cycle, names, "cycle")
        mark = _added(cycle, "expression", names, "cycle mark")
        path = _added(cycle, "using", names, "cycle path")
        columns = {"search sequence": kept[0] if kept else None, "cycle mark": mark, "cycle path": path}
        _told_apart(columns, cycle, search)
        on, off = (_constant(cycle.args.get(k), d) for k, d in (("to", "TRUE"), ("default", "FALSE")))
        kept += [mark, path]
        first += [off, f"ARRAY[{row}]"]
        further += [
            f"CASE WHEN ARRAY[{row}] <@ {_of(path)} THEN {on} ELSE {off} END",
            f"array_append({_of(path)}, {row})",
        ]
        stop = f"{quote_name(mark)} <> {on}"
    step = union.expression.copy()
    source = _source(step, name)
    step.set(
        "expressions",
        [
            *_as_declared(step, source, names),
            *(exp.column(exp.to_identifier(c, True), exp.to_identifier(source, True)) for c in kept),
        ],
    )
    if stop:
        step = step.where(
            _parsed(f"SELECT 1 FROM {quote_name(source)} WHERE {quote_name(source)}.{stop}")
            .args["where"]
            .this
        )
    made = cte.copy()
    made.this.set("this", _wrapped(union.this.copy(), names, names, first))
    made.this.set("expression", _wrapped(step, names, [*names, *kept], further))
    made.args["alias"].set("columns", [exp.to_identifier(c, True) for c in (*names, *kept)])
    return made


def _both(clause: exp.Expression) -> tuple[exp.Expression | None, exp.Expression | None]:
    search, cycle = clause.args.get("search"), clause.args.get("cycle")
    if search is not None and str(search.args["kind"]).upper() == "CYCLE":
        return None, search
    return search, cycle


@dataclass(frozen=True, slots=True)
class Written:
    """What the clauses say, as a view's text has it."""

    search: str = ""
    """Up to where CYCLE begins."""
    cycle: str = ""
    mark: tuple[exp.Expression, exp.Expression] | None = None
    """Of CYCLE, what follows TO and DEFAULT, where either was said."""
    path: str = ""


def written(clause: exp.Expression) -> Written:
    search, cycle = _both(clause)
    said = at = path = ""
    mark = None
    if search is not None:
        order = str(search.args["kind"]).upper()
        column = quote_identifier(identifier(search.args["expression"]))
        said = f" SEARCH {order} FIRST BY {_names(search)} SET {column}"
    if cycle is not None:
        at = f" CYCLE {_names(cycle)} SET {quote_identifier(identifier(cycle.args['expression']))}"
        path = f" USING {quote_identifier(identifier(cycle.args['using']))}"
        on, off = cycle.args.get("to"), cycle.args.get("default")
        if isinstance(on, exp.Expression) and isinstance(off, exp.Expression):
            as_it_is = (isinstance(x, exp.Boolean) for x in (on, off))
            mark = None if all(as_it_is) and on.this and not off.this else (on, off)
    return Written(said, at, mark, path)


def _names(clause: exp.Expression) -> str:
    return ", ".join(map(quote_identifier, _listed(clause)[1]))


def declared(cte: exp.CTE) -> exp.Expression:
    """The query as it stands, whose `*` of itself are the columns that it declares, and none that are added."""
    made = cte.copy()
    union, alias = made.this, made.args["alias"]
    names = [identifier(c) for c in alias.args.get("columns") or ()] or list(union.this.named_selects)
    step = union.expression
    step.set("expressions", _as_declared(step, _source(step, identifier(alias.this)), names))
    return union


def _parsed(text: str) -> exp.Expression:
    return parse_query(text)


def _wrapped(
    query: exp.Expression, names: Sequence[str], given: Sequence[str], extra: Sequence[str]
) -> exp.Expression:
    """`SELECT names, extra FROM (query) AS x(given)`."""
    outputs = ", ".join([*(_of(n) for n in names), *extra])
    columns = ", ".join(quote_name(n) for n in given)
    made = _parsed(f"SELECT {outputs} FROM (SELECT 1) AS {_AROUND}({columns})")
    inner = made.find(exp.Subquery)
    assert inner is not None
    inner.set("this", query)
    return made


def _of(column: str) -> str:
    return f"{_AROUND}.{quote_name(column)}"


def _listed(clause: exp.Expression) -> tuple[int, list[str]]:
    """Where the clause begins, and its columns (`planner.parse.column_lists`)."""
    place, *columns = identifier(clause.this).split(SEPARATOR)
    return (int(place), columns) if columns else (0, [place])


def _row(clause: exp.Expression, names: Sequence[str], what: str) -> str:
    at, columns = _listed(clause)
    for i, column in enumerate(columns):
        if column not in names:
            raise PlanError("42601", f'{what} column "{column}" not in WITH query column list', position=at)
        if column in columns[:i]:
            raise PlanError("42701", f'{what} column "{column}" specified more than once', position=at)
    return f"ROW({', '.join(map(_of, columns))})"


def _added(clause: exp.Expression, part: str, taken: Sequence[str], what: str) -> str:
    column = identifier(clause.args[part])
    if column in taken:
        raise PlanError(
            "42601",
            f'{what} column name "{column}" already used in WITH query column list',
            position=_listed(clause)[0],
        )
    return column


def _told_apart(columns: dict[str, str | None], cycle: exp.Expression, search: exp.Expression | None) -> None:
    """Raises 42601 where two of the columns that are added are called the same; the marks come first, as in PostgreSQL."""
    kinds = list(columns)
    for a, b in ((kinds[1], kinds[2]), (kinds[0], kinds[1]), (kinds[0], kinds[2])):
        if columns[a] == columns[b]:
            at = _listed(cycle if a == kinds[1] or search is None else search)[0]
            raise PlanError("42601", f"{a} column name and {b} column name are the same", position=at)


def _constant(node: exp.Expression | bool | None, default: str) -> str:
    return str(node.sql("postgres")) if isinstance(node, exp.Expression) else default


def _as_declared(step: exp.Select, source: str, names: Sequence[str]) -> list[exp.Expression]:
    """What the recursive query selects: `*` of itself are the columns that it declares, and none that are added."""
    own = [exp.column(exp.to_identifier(n, True), exp.to_identifier(source, True)) for n in names]
    joins = step.args.get("joins") or []
    merged = any(j.args.get("using") or j.args.get("method") for j in joins)
    sources = [step.args["from_"].this.alias_or_name, *(j.this.alias_or_name for j in joins)]
    found: list[exp.Expression] = []
    for item in step.expressions:
        if isinstance(item, exp.Star) and not merged and all(sources):
            for each in sources:
                star = exp.Column(this=exp.Star(), table=exp.to_identifier(each, True))
                found += [c.copy() for c in own] if each == source else [star]
        elif isinstance(item, exp.Column) and isinstance(item.this, exp.Star) and item.table == source:
            found += [c.copy() for c in own]
        else:
            found.append(item)
    return found


def _source(step: exp.Select, name: str) -> str:
    """What the recursive query calls the one mention of itself in its own FROM."""
    found = [
        n.alias_or_name
        for n in step.find_all(exp.Table)
        if identifier(n.this) == name and not n.args.get("db") and n.parent_select is step
    ]
    if len(found) != 1:
        raise PlanError(
            "0A000",
            f'with a SEARCH or CYCLE clause, the recursive reference to WITH query "{name}" must be at the top level of its right-hand SELECT',
        )
    return str(found[0])
