"""Statements that need no DuckDB: one table, its whole primary key pinned, simple expressions.

    SELECT abalance FROM accounts WHERE aid = $1        KeyedRead   Points(($1,))
    SELECT * FROM t WHERE a = 1 AND b IN (2, 3)         KeyedRead   Points((1, 2), (1, 3)) of key (a, b)
    SELECT * FROM t WHERE a > $1 ORDER BY a LIMIT 10    KeyedRead   Range(low=$1), ordered

A typed tree is translated to `planner.abc.Expr` if every operator in it belongs to the closed set below;
`NotKeyed` says that it does not, and the statement goes to DuckDB. The set is what the keyed
engine compiles, by PostgreSQL's signatures.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from planner import types as t
from planner.abc import Ask, Call, Col, Const, Expr, Param, TypeRef
from planner.binding import ir
from planner.binding.collating import collation_of, matters
from planner.binding.facts import type_name
from planner.binding.keyed import acts as keyed_acts
from planner.binding.keyed import arrays as keyed_arrays
from planner.binding.keyed import calls as keyed_calls
from planner.binding.keyed import catalog as keyed_catalog
from planner.binding.keyed import enums as keyed_enums
from planner.binding.keyed import json as keyed_json
from planner.binding.keyed import long_calls
from planner.binding.keyed.closed_set import (
    COMPARE,
    EXTREMES,
    KEY_TYPES,
    KEYED_OPS,
    LAZY_OPS,
    OF_JSONB,
    SAME_ARRAYS,
    SESSION_VALUES,
    SORT_KEY,
    TEXTS,
    castable,
)
from planner.binding.known_conditions import decided
from planner.catalog.collations import nondeterministic
from planner.records import replace

GROUP: Final = 30
"""Operands of AND and OR that are computed one within the other; more than its square are DuckDB's."""
_DEPTH_MAX: Final = 48
"""Calls within one another that a function of Python may have: its parser follows 200 brackets."""
_ALTERNATIVES_MAX: Final = 100
"""Each stands in the parentheses of the one before."""


class NotKeyed(Exception):
    """Outside the closed set, or not a keyed statement at all."""


_SETTINGS: Final = ("setting:", "setting_or_null:")
"""Of a name that is said; a text that sets some has no such values (`planner.binding.calls`)."""


def in_groups(op: str, operands: tuple[Expr, ...], ref: TypeRef) -> Expr:
    """AND and OR of many as groups of them: each operand is computed within the one before, as deep as Python's parser follows."""
    if len(operands) <= 2 * GROUP:
        return Call(op, operands, ref)
    if len(operands) > GROUP**2:
        raise NotKeyed("many operands")
    groups = [operands[i : i + GROUP] for i in range(0, len(operands), GROUP)]
    return Call(op, tuple(Call(op, g, ref) if len(g) > 1 else g[0] for g in groups), ref)


class WithAnother(dict[int, int]):
    """The same of a query that DuckDB answers as well: the keyed engine may begin, and give up (`long_calls`)."""


class WithQueries(WithAnother):
    """Relation number -> where its columns begin, of rows for which subqueries may be asked, too (`KeyedJoin`)."""


def expression(node: ir.Node, offsets: Mapping[int, int]) -> Expr:
    """The tree as an Expr. `offsets`: relation number -> where its columns begin in the row. Raises NotKeyed, also where
    it names deep trees several times in one another, or what varies: nothing here computes a thing once (DuckDB's text does, see `growth`
    and `once`)."""
    if type(node) not in _ALONE and ir.is_tangled(node, _DEPTH_MAX):
        raise NotKeyed("one tree in very many places, or very deep")
    made = _expression(node, offsets)
    if type(made) is Call and (places := _drawn_in(made)) > 1 and places > _drawn_at_most(node):
        raise NotKeyed("a value that varies, in several places")
    return made


def _drawn_in(expression: Call) -> int:
    """In how many places there is a call that may have another value each time."""
    found, pending = 0, [expression]
    while pending:
        call = pending.pop()
        found += call.op in _DRAWING
        pending += [a for a in call.args if type(a) is Call]
    return found


def _drawn_at_most(node: ir.Node) -> int:
    """How many such calls a tree has, each once, and in how many places there are calls of routines that have the same value each time."""
    steady, pending = 0, [node]
    while pending:
        n = pending.pop()
        steady += isinstance(n, ir.Call) and n.op == ir.RUN and not n.volatile
        pending += ir.children(n)
    return steady + len(ir.draws(node))


_ALONE: Final = frozenset((ir.Var, ir.Parm, ir.Lit))
_MAY_BE_KNOWN: Final = frozenset(("and", "or", "case", "coalesce"))


def _expression(node: ir.Node, offsets: Mapping[int, int]) -> Expr:
    if isinstance(node, ir.Parm):
        return Param(node.number, node.type)
    if isinstance(node, ir.Var):
        if node.relation not in offsets or node.column < 0:
            raise NotKeyed("column of another relation, or of the system")
        return Col(offsets[node.relation] + node.column, node.type)
    if isinstance(offsets, WithQueries):
        of_catalog = keyed_catalog.expression(node, lambda n: _expression(n, offsets))
        if of_catalog is not None:
            return of_catalog
    if isinstance(offsets, keyed_acts.WithActs):
        act = keyed_acts.expression(node, lambda n: _expression(n, offsets))
        if act is not None:
            return act
    if isinstance(node, ir.Lit):
        if node.type.oid == t.UNKNOWN:
            raise NotKeyed("unknown literal")
        return Const(node.value, node.type)
    if isinstance(node, ir.Cast):
        return _cast(node, offsets)
    if isinstance(node, ir.Collated):
        if node.collation in nondeterministic:
            raise NotKeyed("a nondeterministic collation")
        return _expression(node.arg, offsets)
    if isinstance(node, ir.Session):
        if node.name == "now":
            return Call("now", (), node.type)
        if node.name in SESSION_VALUES or node.name.startswith(_SETTINGS):
            return Call("session", (Const(node.name, TypeRef(t.TEXT)),), node.type)
        raise NotKeyed(node.name)
    if isinstance(node, ir.Logic):
        if node.op in _MAY_BE_KNOWN and (left := decided(node)) is not node:
            return _expression(left, offsets)
        if node.op == "array":
            made = keyed_arrays.expression(node, lambda n: _expression(n, offsets))
            if made is not None:
                return made
        if node.op == "row" and isinstance(offsets, WithQueries):
            return Call("record", tuple(_expression(a, offsets) for a in node.args), node.type)
        records = [a for a in node.args if a.type.oid == t.RECORD]
        if records and node.op in ("is null", "is not null"):
            return Call(f"record {node.op}", (_expression(records[0], offsets),), node.type)
        if records and node.op not in _OF_RECORDS:
            raise NotKeyed("what records come to field by field")
        op = _OF_NO_ROW.get(node.op, node.op)
        if (
            op not in LAZY_OPS
            or matters(node)
            or (node.op in ("greatest", "least") and node.type.oid not in EXTREMES)
            or any(t.composite_fields(a.type.oid) is not None for a in node.args)
        ):
            raise NotKeyed(node.op)
        if op in ("case", "coalesce") and len(node.args) > _ALTERNATIVES_MAX:
            raise NotKeyed("many alternatives")
        operands = tuple(_expression(a, offsets) for a in node.args)
        return in_groups(op, operands, node.type) if op in ("and", "or") else Call(op, operands, node.type)
    if isinstance(node, ir.Call):
        args = node.args
        if node.op == "nextval(regclass)":
            if not (isinstance(args[0], ir.Lit) and isinstance(args[0].value, int)):
                raise NotKeyed("nextval of a computed name")
            return Call("nextval", (Const(args[0].value, TypeRef(t.OID)),), node.type)
        if isinstance(offsets, Alone) and node.op in ANEW:
            return Call(ANEW[node.op], (), node.type)
        if isinstance(offsets, WithRoutines) and node.op == "run routine":
            if any(a.type.oid == t.RECORD for a in args):
                raise NotKeyed("a record that a routine is given")  # as its text
            return Call(node.op, tuple(_expression(a, offsets) for a in args), node.type)
        as_json = keyed_json.as_json(node, lambda n: _expression(n, offsets))
        if as_json is not None:
            return as_json
        if node.op in _BY_CALENDAR:
            first, second = (_expression(a, offsets) for a in args)
            if args[0].type.oid == t.INTERVAL:
                first, second = second, first
            zone = Call("session", (Const("time_zone", TypeRef(t.TEXT)),), TypeRef(t.TEXT))
            return Call(_BY_CALENDAR[node.op], (first, second, zone), node.type)
        if node.op in _SHOWN_IN and not matters(node):
            return Call(_SHOWN_IN[node.op], tuple(_as_shown(a, offsets) for a in args), node.type)
        if node.op in _WITH_TEXT and not matters(node):
            return Call("text || text", tuple(_as_text(a, offsets) for a in args), node.type)
        of_labels = keyed_enums.expression(node, lambda n: _expression(n, offsets))
        if of_labels is not None:
            return of_labels
        if matters(node):
            raise NotKeyed(node.op)
        if node.op in _BY_ZONE and not matters(node):
            operands = tuple(_moment(a, offsets) for a in args)
            return Call(f"timestamptz {_BY_ZONE[node.op]} timestamptz", operands, node.type)
        if node.op not in KEYED_OPS:
            of_array = keyed_arrays.expression(node, lambda n: _expression(n, offsets))
            if of_array is not None:
                return of_array
            made = keyed_calls.expression(node, lambda n: _expression(n, offsets))
            if made is None and isinstance(offsets, WithAnother):
                made = long_calls.expression(node, lambda n: _expression(n, offsets))
            if made is None:
                raise NotKeyed(node.op)
            return long_calls.limited(made) if isinstance(offsets, WithAnother) else made
        made = Call(node.op, tuple(_expression(a, offsets) for a in args), node.type)
        return long_calls.limited(made) if isinstance(offsets, WithAnother) else made
    if isinstance(node, ir.SubQuery) and isinstance(offsets, WithQueries):
        row = keyed_json.plain_row(node)
        return _ask(node, offsets) if row is node else _expression(row, offsets)
    if isinstance(node, ir.AnyAll):
        among = keyed_arrays.expression(node, lambda n: _expression(n, offsets))
        if among is not None:
            return among
    raise NotKeyed(type(node).__name__)


_BY_ZONE: Final = {
    f"{a} {op} {b}": op
    for op in COMPARE
    for local in ("date", "timestamp")
    for a, b in ((local, "timestamptz"), ("timestamptz", local))
}
"""Comparisons with moments that the session's zone makes of days and wall clocks."""
_BY_CALENDAR: Final = {
    "timestamptz + interval": "timestamptz + interval at zone",
    "interval + timestamptz": "timestamptz + interval at zone",
    "timestamptz - interval": "timestamptz - interval at zone",
}
"""What depends on the session's time zone: it is told which."""
_SHOWN_IN: Final = {
    "concat(any)": "concat of texts",
    "concat_ws(text, any)": "concat_ws of texts",
    "format(text, any)": "format of texts",
    "format(text)": "format of texts",
}
"""Of any values, as they are shown."""
_WITH_TEXT: Final = ("text || anynonarray", "anynonarray || text")


def _moment(node: ir.Node, offsets: Mapping[int, int]) -> Expr:
    """When a day or wall clock is in the session's zone, to be compared: before or after all moments where it is none of them."""
    made = _expression(node, offsets)
    if node.type.oid == t.TIMESTAMPTZ:
        return made
    zone = Call("session", (Const("time_zone", TypeRef(t.TEXT)),), TypeRef(t.TEXT))
    return Call(
        f"{'date' if node.type.oid == t.DATE else 'timestamp'} at zone", (made, zone), TypeRef(t.TIMESTAMPTZ)
    )


def _as_text(node: ir.Node, offsets: Mapping[int, int]) -> Expr:
    """A value beside a text that it is put together with."""
    text = TypeRef(t.TEXT)
    return _expression(node if node.type.oid in TEXTS else ir.Cast(text, node, True), offsets)


def _as_shown(node: ir.Node, offsets: Mapping[int, int]) -> Expr:
    """A value as its type's output function has it: of booleans a letter."""
    text = TypeRef(t.TEXT)
    if node.type.oid == t.BPCHAR:
        raise NotKeyed("blanks that are shown")
    if node.type.oid != t.BOOL:
        return _as_text(node, offsets)
    value = _expression(node, offsets)
    letters = Const("t", text), Call("not", (value,), node.type), Const("f", text)
    return Call("case", (value, *letters), text)


_OF_RECORDS: Final = ("case", "coalesce", "is present")
"""Which take a record as a whole, as it is held."""
_OF_NO_ROW: Final = {"is present": "is not null", "is unknown": "is null", "is not unknown": "is not null"}
"""Tests that are the same as others, of what is no row."""


class WithRoutines(dict[int, int]):
    """Of one row of nothing, whose routines the executor runs as they are asked for."""


class Alone(WithRoutines):
    """Of one row of nothing that is computed once: what is another value each time may be asked for."""


ANEW: Final = {"random()": "chance", "clock_timestamp()": "clock"}
"""Calls of the session's that have another value each time."""
VARYING: Final = frozenset(
    (*ANEW, "gen_random_uuid()", "uuid_generate_v4()", "uuid_generate_v1()", "uuid_generate_v1mc()")
)
"""All such calls that the one row of a query of no table may have."""
_DRAWING: Final = VARYING.union(ANEW.values(), ("nextval", ir.RUN), (f"act {op}" for op in keyed_acts.ACTS))
"""What calls are named here that may have another value each time."""


def _ask(node: ir.SubQuery, offsets: WithQueries) -> Expr:
    """A subquery in an expression: EXISTS, a value, or IN of values whose equality is that of datums."""
    if node.by_key is None:
        raise NotKeyed("a subquery")
    exists, scalar = node.kind == "exists", node.kind == "scalar"
    number, query = node.by_key.number, node.by_key.plan(node.outer_from, exists=exists, within=scalar)
    if any(o.type.oid in keyed_catalog.VECTORS for o in node.outer):
        raise NotKeyed("answers are kept by what they are given, and lists are no keys")
    given = tuple(expression(o, offsets) for o in node.outer)
    if node.kind == "array" and (
        t.element_of(node.type.oid) not in keyed_catalog.ELEMENTS or t.element_of(query_type(node).oid)
    ):
        raise NotKeyed("an array of other values")
    if node.kind in ("exists", "scalar", "array"):
        return Ask(node.kind, number, query, given, node.type)
    member = comparison(node.compare, node.relation, offsets) if node.compare is not None else None
    if member is None or (node.kind, member[1]) not in (("any", "="), ("all", "<>")):
        raise NotKeyed("a comparison with all rows of a subquery")
    among = Ask("in", number, query, given, node.type, expression(member[2], offsets))
    return among if node.kind == "any" else Call("not", (among,), node.type)


def query_type(node: ir.SubQuery) -> TypeRef:
    """The type of a subquery's one column."""
    return node.by_key.columns[0]  # type: ignore[no-any-return]


def _cast(node: ir.Cast, offsets: Mapping[int, int]) -> Expr:
    a, b = node.arg.type, node.type
    label = b.oid in TEXTS and t.labels_of(a.oid) is not None
    if label and b.typmod < 0:  # the datum stays, but it is ordered and told apart as a text
        arg = _expression(node.arg, offsets)  # a call reads a text as the type that it is of
        return Call("catalog same", (arg,), b) if isinstance(arg, Call) else replace(arg, type=b)
    apart = a.oid == t.NUMERIC and a.typmod >= 0  # numeric(p,s) is held otherwise than numeric
    if b.typmod < 0 and ((a.oid == b.oid and not apart) or (a.oid in TEXTS and b.oid in TEXTS)):
        return _expression(node.arg, offsets)
    if a.oid == t.JSONB and b.oid in OF_JSONB and b.typmod < 0:
        return Call(f"tw_jsonb_{OF_JSONB[b.oid]}", (_expression(node.arg, offsets),), b)
    if (a.oid, b.oid) in SAME_ARRAYS and b.typmod < 0:
        return Call("catalog same", (_expression(node.arg, offsets),), b)
    if not castable(a.oid, b.oid) and a.oid != b.oid:
        raise NotKeyed(f"cast {type_name(a.oid)} {type_name(b.oid)}")
    arg = _expression(node.arg, offsets)
    word = "cast" if node.explicit or b.typmod < 0 else "assign"  # what does not fit is cut, or is an error
    return Call(f"{word} {type_name(a.oid)} {type_name(b.oid)}", (arg,), b)


# --- comparisons with what is known ------------------------------------------------------------


def as_column(value: Expr, own: TypeRef, column: TypeRef) -> Expr:
    """A value as a column of a table holds it."""
    return value if own == column else Call("assign", (value,), column)


def conjuncts(node: ir.Node | None) -> list[ir.Node]:
    if node is None:
        return []
    if isinstance(node, ir.Logic) and node.op == "and":
        return [c for a in node.args for c in conjuncts(a)]
    if isinstance(node, ir.AnyAll):
        spread = _spread(node)
        return [spread] if spread is node else conjuncts(spread)
    return [node]


def _spread(node: ir.AnyAll) -> ir.Node:
    """`x = ANY (ARRAY[a, b])` as `x = a OR x = b`, `x <> ALL (ARRAY[a, b])` as `x <> a AND x <> b`."""
    array, compare = node.array, node.compare
    if (
        not isinstance(array, ir.Logic)
        or array.op != "array"
        or not array.args
        or not isinstance(compare, ir.Call)
    ):
        return node
    if any(a.type.oid != t.element_of(array.type.oid) for a in array.args):
        return node

    def of(node: ir.Node, element: ir.Node) -> ir.Node:
        if isinstance(node, ir.Var) and node.relation in ELEMENT:
            return element
        return ir.replace_children(node, lambda n: of(n, element))

    tests = tuple(of(compare, a) for a in array.args)
    return tests[0] if len(tests) == 1 else ir.Logic(node.type, "and" if node.all else "or", tests)


_WIDER: Final = ((t.INT2, t.INT4), (t.INT2, t.INT8), (t.INT4, t.INT8))


def _plain(node: ir.Node) -> ir.Node:
    """Without casts that leave the datum as it is (varchar to text, int4 to int8)."""
    while isinstance(node, ir.Cast) and (
        (node.arg.type.oid in TEXTS and node.type.oid in TEXTS and node.type.typmod < 0)
        or (node.arg.type.oid, node.type.oid) in _WIDER
    ):
        node = node.arg
    return node


NONE_KNOWN: Final[Mapping[int, int]] = {}
"""No relation's row is at hand: a key is made of parameters and constants."""


ELEMENT: Final[Mapping[int, int]] = {-1: 0}
"""An element of the array is (`ir.AnyAll`)."""


_OTHER_WAY: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


@lru_cache(1_000)
def _compared(op: str) -> tuple[str, ...] | None:
    """The words of an operation that compares two values."""
    words = tuple(op.split(" "))
    return words if len(words) == 3 and words[1] in COMPARE else None


def comparison(
    node: ir.Node, relation: int, known: Mapping[int, int], *, of_key: bool = False
) -> tuple[int, str, ir.Node] | None:
    """(column, operator, value) of `column op value`, either way round, where the value has no columns but known ones'.

    `of_key`: the value is looked for in a key, which holds small letters of citext, and sort keys of what a nondeterministic
    collation tells apart.
    """
    if type(node) is not ir.Call or len(node.args) != 2:
        return None
    words = _compared(node.op)
    if words is None:
        return None
    op = words[1]
    a, b = node.args
    if type(a) is not ir.Var:
        a = _plain(a)
    if type(b) is not ir.Var:
        b = _plain(b)
    if not isinstance(a, ir.Var) or a.relation != relation:
        a, b = b, a
        op = _OTHER_WAY.get(op, op)
    if not isinstance(a, ir.Var) or a.relation != relation:
        if of_key and op == "=" and (isinstance(a, ir.Collated) or isinstance(b, ir.Collated)):
            return _under_collation(node, relation, known) if matters(node) else None
        return None
    if matters(node):  # in an order of some language, which is not that of keys
        return _under_collation(node, relation, known) if of_key and op == "=" else None
    folded = of_key and a.type.oid == b.type.oid == t.CITEXT and words[0] == words[2] == "citext"
    if a.type.oid not in KEY_TYPES and not folded:
        return None
    ints = (t.INT2, t.INT4, t.INT8)
    same = (
        a.type.oid == b.type.oid
        or (a.type.oid in ints and b.type.oid in ints)
        or (a.type.oid in TEXTS and b.type.oid in TEXTS)
    )
    if not same:
        return None
    for n in ir.walk(b) if type(b) is not ir.Parm else ():
        if _is_open(n, known) or (isinstance(n, ir.Call) and n.volatile):
            return None
    return a.column, op, ir.Call(TypeRef(t.TEXT), "lower(text)", (b,)) if folded else b


def _under_collation(
    node: ir.Call, relation: int, known: Mapping[int, int]
) -> tuple[int, str, ir.Node] | None:
    """The same of an equality under a column's own nondeterministic collation: the key's value is the text's sort key."""
    collation = collation_of(*node.args)
    if collation not in nondeterministic:
        return None
    for of_column, value in (node.args, reversed(node.args)):
        if isinstance(of_column, ir.Collated) and of_column.collation == collation:
            a, b = _plain(of_column.arg), _uncollated(value)
            if (
                isinstance(a, ir.Var)
                and a.relation == relation
                and {a.type.oid, b.type.oid} <= {*TEXTS}
                and not of_column.explicit
                and not any(
                    isinstance(n, ir.Collated)
                    or _is_open(n, known)
                    or (isinstance(n, ir.Call) and n.volatile)
                    for n in ir.walk(b)
                )
            ):
                name = ir.Lit(TypeRef(t.TEXT), collation)
                return a.column, "=", ir.Call(TypeRef(t.TEXT), SORT_KEY, (b, name))
    return None


def _uncollated(node: ir.Node) -> ir.Node:
    while isinstance(node, ir.Collated):
        node = _plain(node.arg)
    return _plain(node)


def _is_open(node: ir.Node, known: Mapping[int, int]) -> bool:
    """Whether a value depends on more than the rows at hand."""
    if isinstance(node, ir.Var):
        return node.relation not in known
    if not isinstance(node, ir.SubQuery):
        return False
    return not isinstance(known, WithQueries) or node.kind != "scalar" or node.by_key is None
