"""A value that varies, or is long, is computed once, however often an expression names it (`evaluation` has the rule).

DuckDB's text of a function often names an argument several times (`CASE WHEN x < 0 THEN error(...) ELSE x END`), and so does that
of grammar: BETWEEN, IN, NULLIF and CASE with an operand are comparisons of one thing with several. Where such a value is named
more than once it becomes the parameter of a lambda:

    nullif(nextval('s'), 1)     list_transform([nextval('s')], lambda tw_once1_: CASE WHEN tw_once1_ = 1 THEN NULL ELSE tw_once1_ END)[1]

What may not stand in a lambda (subqueries, aggregates, windows) is computed before as well, and handed in beside it. Only
what PostgreSQL computes in any case is taken out of its place: a function's arguments, and what a condition begins with.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from planner import types as t
from planner.binding import growth, ir, shapes
from planner.binding.emit import EmittedColumn, Emitter
from planner.binding.evaluation import has_query, let
from planner.binding.fragments import Frag, Item, join, sql
from planner.binding.prelude.installation import PRELUDE_STATEMENTS
from planner.records import replace


def written(emitter: Emitter, node: ir.Node) -> Frag | None:
    """The text of a tree in which something varies or is deep; None where it is nothing special."""
    if isinstance(node, ir.AnyAll):
        return _any_all(emitter, node)
    if isinstance(node, ir.Logic) and node.op not in _EAGER:
        return _shared(emitter, node)
    if not isinstance(node, ir.Call | ir.Cast | ir.Logic | ir.DomainCheck):
        return None
    arguments = ir.children(node)
    varying = isinstance(node, ir.Call | ir.Cast) and emitter.varying and any(ir.varies(a) for a in arguments)
    records = [a for a in arguments if a.type.oid == t.RECORD]
    if records and not any(map(_is_run, records)):
        return None
    taken = {
        id(a): a
        for a in arguments
        if (a.type.oid != t.RECORD or _is_run(a))
        and (
            shapes.is_deep(a, emitter.shapes)
            or (varying and (ir.varies(a) or shapes.shape(a, emitter.shapes).computed_before))
        )
    }
    if not taken:
        return None
    return _let(
        emitter,
        list(taken.values()),
        lambda put: ir.replace_children(node, put),
        again=False,
        varying=bool(varying),
    )


def _is_run(node: ir.Node) -> bool:
    """Whether a record is what a function that runs has answered: nobody looks into such a call for its fields."""
    return isinstance(node, ir.Call) and node.op in (ir.RUN, "record of text")


_EAGER = frozenset({"not", "greatest", "least", "is null", "is not null", "is true", "is not true", "is false",
                    "is not false", "is unknown", "is not unknown", "is present"})  # fmt: skip
"""Grammar that computes all its arguments, as functions do."""


def _any_all(emitter: Emitter, node: ir.AnyAll) -> Frag | None:
    """`random() = ANY (array)`: one value for all elements."""
    test = node.compare
    if not isinstance(test, ir.Call) or not test.args:
        return None
    left = test.args[0]
    varying = bool(emitter.varying) and ir.varies(left)
    if not varying and (left.type.oid == t.RECORD or not shapes.is_deep(left, emitter.shapes)):
        return None
    return _let(
        emitter,
        [left, node.array],
        lambda put: replace(
            node, compare=replace(test, args=(put(left), *test.args[1:])), array=put(node.array)
        ),
        again=varying,
        varying=varying,
    )


def _shared(emitter: Emitter, node: ir.Logic) -> Frag | None:
    """`x BETWEEN a AND b`, `x IN (...)`, `CASE x WHEN ...`, NULLIF: one tree `x` in several of the arguments."""
    known = emitter.shapes
    below = shapes.shape(node, known)
    before = [n for n in ir.walk(node) if isinstance(n, shapes.BEFORE)] if below.computed_before else []
    # PostgreSQL has BETWEEN's operand twice, and so two subqueries; NULLIF's, CASE's and IN's it has once.
    varying = bool(emitter.varying) and not (
        before and (node.op == "and" or not all(map(shapes.varies, before)))
    )
    if varying:
        node = _of_one_piece(node)
    elif not any(shapes.is_deep(a, known) for a in node.args):
        return None
    several = [
        tree
        for tree in _in_several(node.args)
        if (
            varying
            if shapes.shape(tree, known).varies
            else tree.type.oid != t.RECORD and shapes.is_deep(tree, known)
        )
    ]
    inside = {id(n) for x in several for n in ir.walk(x)[1:]}
    taken = [x for x in several if id(x) not in inside]
    given = {id(n) for x in taken for n in ir.walk(x)}
    if not taken or any(id(n) not in given for n in before):
        return None

    def put_all(put: Callable[[ir.Node], ir.Node]) -> ir.Node:
        def change(n: ir.Node) -> ir.Node:
            made = put(n)
            return made if made is not n else ir.replace_children(n, change)

        return ir.replace_children(node, change)

    varying = varying and any(shapes.shape(x, known).varies for x in taken)
    return _let(emitter, taken, put_all, again=varying, varying=varying)


def _of_one_piece(node: ir.Logic) -> ir.Logic:
    """The node with copies of one value that varies as one tree again: who puts something into a tree leaves a copy of it wherever it is."""
    met: dict[frozenset[int], list[ir.Node]] = {}

    def one(n: ir.Node) -> ir.Node:
        numbers = frozenset(ir.draws(n))
        if not numbers:
            return n
        n = ir.replace_children(n, one)
        alike = met.setdefault(numbers, [])
        found = next((x for x in alike if x == n), n)
        if found is n:
            alike.append(n)
        return found

    return ir.replace_children(node, one)  # type: ignore[return-value]


def _in_several(arguments: Sequence[ir.Node]) -> list[ir.Node]:
    """The largest trees that are in more than one of the arguments."""
    of: dict[int, int] = {}
    found: dict[int, ir.Node] = {}
    for i, argument in enumerate(arguments):
        pending = [argument]
        while pending:
            n = pending.pop()
            first = of.get(id(n))
            if first is None:
                of[id(n)] = i
            elif first != i and id(n) not in found:
                found[id(n)] = n
            if first is None or (first != i and n.type.oid == t.RECORD):
                pending.extend(ir.children(n))
    return list(found.values())


def _let(
    emitter: Emitter,
    taken: Sequence[ir.Node],
    rebuilt: Callable[[Callable[[ir.Node], ir.Node]], ir.Node],
    *,
    again: bool,
    varying: bool,
) -> Frag | None:
    """The text of `rebuilt` with each of `taken` computed once, where it matters. `again`: the text may ask for it again
    where it names it once; `varying`: among them is what varies, so that it matters at any length."""
    values = [emitter.frag(x) for x in taken]
    emitter.lets += 1
    try:
        # A name that no text has that is written already: the subqueries among the arguments name values by their depth, too.
        name, number = f"tw_hole{emitter.lets}_", -100 - emitter.lets
        names = [name] if len(taken) == 1 else [f"{name}.a{i}_" for i in range(len(taken))]
        columns = [EmittedColumn(n, v.form, whole=True) for n, v in zip(names, values, strict=True)]
        emitter.columns[number] = columns
        standing = {id(x): ir.Var(x.type, number, i) for i, x in enumerate(taken)}
        body = emitter.plain(rebuilt(lambda n: standing.get(id(n), n)))
    finally:
        emitter.lets -= 1
    text = "".join(p for p in body.parts if isinstance(p, str))
    named = dict(zip(names, values, strict=True))
    if not varying and not growth.repeats(body, named):
        return _put_back(body, named)
    if varying and not again and not _repeats(text) and all(text.count(n) == 1 for n in names):
        return _put_back(body, named)
    if has_query(body):
        return _put_back(body, named)
    fields = [sql(f"'a{i}_': ", v) for i, v in enumerate(values)]
    given: Item = values[0] if len(values) == 1 else sql("{", join(", ", fields), "}")
    # By depth, so that the same tree has the same text, as GROUP BY needs it.
    known = f"tw_once{emitter.lets + 1}_"
    kept = Frag((p.replace(name, known) if isinstance(p, str) else p for p in body.parts), body.form)
    return let(known, given, kept)


def _put_back(body: Frag, values: dict[str, Frag]) -> Frag:
    """The text with the values themselves instead of their names."""
    cut = re.compile("(" + "|".join(re.escape(n) for n in values) + ")")
    items: list[Item] = []
    for p in body.parts:
        if isinstance(p, str):
            items += [values.get(x, x) for x in cut.split(p)]
        else:
            items.append(p)
    return sql(*items, form=body.form)


_CALLED = re.compile(rf"\b(?:tw_\w+|{'|'.join(growth.OF_DUCKDB)})(?=\()")


def _repeats(text: str) -> bool:
    """Whether a macro in the text names an argument other than once."""
    return not _repeating().isdisjoint(_CALLED.findall(text))


@cache
def _repeating() -> frozenset[str]:
    bodies: dict[str, str] = {}
    found = {
        macro
        for macro, (names, body) in growth.OF_DUCKDB.items()
        if any(len(re.findall(rf"\b{n}\b", body)) > 1 for n in names)
    }
    for statement in PRELUDE_STATEMENTS:
        made = re.match(r"CREATE OR REPLACE MACRO (\w+)\(([^)]*)\) AS (.*)", statement, re.DOTALL)
        assert made is not None, statement
        macro, names, bodies[made[1]] = made[1], made[2], made[3]
        if any(len(re.findall(rf"\b{re.escape(n.strip())}\b", made[3])) != 1 for n in names.split(",")):
            found.add(macro)
    while True:
        more = {m for m, body in bodies.items() if m not in found and found & set(_CALLED.findall(body))}
        if not more:
            return frozenset(found)
        found |= more
