"""A value that varies is asked for once.

DuckDB's text of a function often names an argument several times (`CASE WHEN x < 0 THEN error(...) ELSE x END`), and so does that
of grammar: BETWEEN, IN, NULLIF and CASE with an operand are comparisons of one thing with several. That is free for columns, but
`nextval('s')` and `random()` are another value each time. Where such a value is named more than once it becomes
the parameter of a lambda:

    nullif(nextval('s'), 1)     list_transform([nextval('s')], lambda tw_once1_: CASE WHEN tw_once1_ = 1 THEN NULL ELSE tw_once1_ END)[1]

What may not stand in a lambda (subqueries, aggregates, windows) is computed before as well, and handed in beside it. Only
what PostgreSQL computes in any case is taken out of its place: a function's arguments, and what a condition begins with.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from planner import types as t
from planner.binding import ir
from planner.binding.emit import EmittedColumn, Emitter
from planner.binding.fragments import Frag, Item, join, sql
from planner.binding.prelude import PRELUDE_STATEMENTS

_BEFORE = ir.SubQuery | ir.Aggregate | ir.Window | ir.SetReturning


def written(emitter: Emitter, node: ir.Node) -> Frag | None:
    """The text of a tree in which something varies; None where it is nothing special."""
    if isinstance(node, ir.AnyAll):
        return _any_all(emitter, node)
    if isinstance(node, ir.Logic):
        return _shared(emitter, node)
    if not isinstance(node, ir.Call | ir.Cast):
        return None
    arguments = ir.children(node)
    if not any(ir.varies(a) for a in arguments) or any(a.type.oid == t.RECORD for a in arguments):
        return None
    taken = {id(a): a for a in arguments if ir.varies(a) or any(isinstance(n, _BEFORE) for n in ir.walk(a))}
    return _let(emitter, list(taken.values()), lambda put: ir.replace_children(node, put), again=False)


_ASKS = re.compile(r"\b(?:tw_nextval|tw_setval|random|gen_random_uuid|uuid)\(")


def varies(node: ir.Node) -> bool:
    """Whether this node itself may be another value each time: a volatile call, or a subquery whose text has one."""
    if isinstance(node, ir.SubQuery):
        return node.kind == "scalar" and any(isinstance(p, str) and _ASKS.search(p) for p in node.query.parts)
    return ir.is_volatile(node)


def _any_all(emitter: Emitter, node: ir.AnyAll) -> Frag | None:
    """`random() = ANY (array)`: one value for all elements."""
    test = node.compare
    if not isinstance(test, ir.Call) or not test.args or not ir.varies(test.args[0]):
        return None
    left = test.args[0]
    return _let(
        emitter,
        [left, node.array],
        lambda put: replace(
            node, compare=replace(test, args=(put(left), *test.args[1:])), array=put(node.array)
        ),
        again=True,
    )


def _shared(emitter: Emitter, node: ir.Logic) -> Frag | None:
    """`x BETWEEN a AND b`, `x IN (...)`, `CASE x WHEN ...`, NULLIF: one tree `x` in several of the arguments."""
    before = [n for n in ir.walk(node) if isinstance(n, _BEFORE)]
    # PostgreSQL has BETWEEN's operand twice, and so two subqueries; NULLIF's, CASE's and IN's it has once.
    if before and (node.op == "and" or not all(map(varies, before))):
        return None
    seen: Counter[int] = Counter()
    trees: dict[int, ir.Node] = {}
    for a in node.args:
        for n in {id(n): n for n in ir.walk(a)}.values():
            seen[id(n)] += 1
            trees[id(n)] = n
    several = [trees[i] for i, count in seen.items() if count > 1 and any(map(varies, ir.walk(trees[i])))]
    inside = {id(n) for x in several for n in ir.walk(x)[1:]}
    taken = [x for x in several if id(x) not in inside]
    given = {id(n) for x in taken for n in ir.walk(x)}
    if not taken or any(isinstance(n, _BEFORE) and id(n) not in given for n in ir.walk(node)):
        return None

    def put_all(put: Callable[[ir.Node], ir.Node]) -> ir.Node:
        def change(n: ir.Node) -> ir.Node:
            made = put(n)
            return made if made is not n else ir.replace_children(n, change)

        return ir.replace_children(node, change)

    return _let(emitter, taken, put_all, again=True)


def _let(
    emitter: Emitter,
    taken: Sequence[ir.Node],
    rebuilt: Callable[[Callable[[ir.Node], ir.Node]], ir.Node],
    *,
    again: bool,
) -> Frag | None:
    """The text of `rebuilt` with each of `taken` computed once. `again`: the text may ask for it again where it names it once."""
    values = [emitter.frag(x) for x in taken]
    emitter.lets += 1
    try:
        # By depth, so that the same tree has the same text, as GROUP BY needs it.
        name, number = f"tw_once{emitter.lets}_", -100 - emitter.lets
        names = [name] if len(taken) == 1 else [f"{name}.a{i}_" for i in range(len(taken))]
        columns = [EmittedColumn(n, v.form, whole=True) for n, v in zip(names, values, strict=True)]
        emitter.columns[number] = columns
        standing = {id(x): ir.Var(x.type, number, i) for i, x in enumerate(taken)}
        body = emitter.plain(rebuilt(lambda n: standing.get(id(n), n)))
    finally:
        emitter.lets -= 1
    text = "".join(p for p in body.parts if isinstance(p, str))
    if not again and not _repeats(text) and all(text.count(n) == 1 for n in names):
        return _put_back(body, dict(zip(names, values, strict=True)))
    if "SELECT " in text:  # not in a lambda
        return _put_back(body, dict(zip(names, values, strict=True)))
    fields = [sql(f"'a{i}_': ", v) for i, v in enumerate(values)]
    given: Item = values[0] if len(values) == 1 else sql("{", join(", ", fields), "}")
    return sql("list_transform([", given, f"], lambda {name}: ", body, ")[1]", form=body.form)


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


_CALLED = re.compile(r"\btw_\w+(?=\()")


def _repeats(text: str) -> bool:
    """Whether a macro in the text names an argument other than once."""
    return not _repeating().isdisjoint(_CALLED.findall(text))


@cache
def _repeating() -> frozenset[str]:
    bodies: dict[str, str] = {}
    found: set[str] = set()
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
