"""Expressions of the keyed path become Python functions: one generated function per plan.

    balance + $1          def f(p, r, s):
                              return (None if (t0 := r[2]) is None or (t1 := p[0]) is None else add(t0, t1))

`p` are the parameters, `r` the row, `s` the session (for `now`, the zone, sequences). Operators are
the plain Python functions of `registry`; what is lazy in SQL (AND, OR, CASE, COALESCE) is lazy in the
generated text. An expression outside the closed set raises `NotCompilable`, and the statement is
answered by DuckDB instead: never by something that is nearly right.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, Final

from executor.keyed import (  # noqa: F401 - they fill the registry
    angles,
    arrays,
    casts,
    catalog_calls,
    collated_keys,
    comparison,
    containment,
    extensions,
    json_rows,
    long_calls,
    numbers,
    ordered_forms,
    patterns,
    prelude_calls,
    text,
    times,
)
from executor.keyed.numbers import INT_BOUNDS
from executor.keyed.registry import LAX, STRICT
from planner import types as t
from planner.abc import Ask, Call, Col, Const, Expr, Param, TypeRef

Compiled = Callable[[Sequence[Any], Any, Any], Any]
"""(params, row, session) -> value"""


class NotCompilable(Exception):
    """The expression is outside the closed set; DuckDB answers it."""


ASKED = {"exists": "exists", "scalar": "scalar", "in": "among", "list": "listed", "array": "array"}
"""What `Ask`s of each kind are asked by."""
_INLINE = {"=": "==", "<>": "!=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_INLINE_TYPES = frozenset({"int2", "int4", "int8", "text", "varchar", "bool", "date", "timestamp", "timestamptz", "uuid", "oid"})  # fmt: skip
_SINGLE_TEXT = {"varchar": "text", "name": "text", "unknown": "text"}


OPERANDS_MAX = 90
"""Of AND and OR, each a pair of parentheses within the last: Python's parser follows some hundred."""


class _Writer:
    """Collects the names that the generated text refers to, and hands out temporaries."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self._temporaries = 0

    def name(self, value: Any) -> str:
        name = f"c{len(self.names)}"
        self.names[name] = value
        return name

    def temporary(self) -> str:
        self._temporaries += 1
        return f"t{self._temporaries}"

    # --- expressions -----------------------------------------------------------------------

    def write(self, e: Expr) -> str:
        if isinstance(e, Const):
            if e.value is None or e.value is True or e.value is False:
                return repr(e.value)
            if type(e.value) is int:
                return f"({e.value})"
            return self.name(e.value)
        if isinstance(e, Param):
            return f"p[{e.number - 1}]"
        if isinstance(e, Col):
            return f"r[{e.index}]"
        return self.ask(e) if isinstance(e, Ask) else self.call(e)

    def truth(self, e: Expr) -> str:
        """Whether it is true, neither false nor NULL: what is asked first and is not ends it, as it does for PostgreSQL's filters."""
        if isinstance(e, Call) and e.op == "and":
            _refuse_many(e)
            return f"({' and '.join(map(self.truth, e.args))})"
        return f"({self.write(e)}) is True"

    def ask(self, e: Ask) -> str:
        """A subquery: who runs the statement stands behind its parameters and knows the answer (`join.Run`)."""
        given = "".join(f"{self.write(g)}, " for g in e.given)
        value = f", {self.write(e.value)}" if e.value is not None else ""
        value = f", {e.type.oid}" if e.kind == "array" else value
        return f"p[-1].{ASKED[e.kind]}({e.number}, ({given}){value})"

    def call(self, e: Call) -> str:
        op, args = e.op, e.args
        special = getattr(self, "_" + op.lower().replace(" ", "_"), None) if op in _SPECIAL else None
        if special is not None:
            return str(special(e))
        if op.startswith("cast ") or op == "cast":
            return self.cast(args[0], e.type)
        if op.startswith("act "):
            return f"s.act({op.removeprefix('act ')!r}, ({''.join(f'{self.write(a)}, ' for a in args)}))"
        if op.startswith("assign "):
            return self.cast(args[0], e.type, explicit=False)
        of_catalog = catalog_calls.function_of(op)
        if of_catalog is not None:
            values = "".join(f", {self.write(a)}" for a in args)
            return f"{self.name(of_catalog)}(s.system_context(){values})"
        if op == "catalog setting":
            return self.strict(args, lambda values: f"s.value_of('setting:' + {values[0]}.lower())")
        if op == "catalog same":
            return self.write(args[0])
        if op in long_calls.LONG:
            limited = self.name(long_calls.LONG[op])
            return self.strict(args, lambda values: f"{limited}(s, {', '.join(values)})")
        lax = LAX.get(op)
        if lax is not None:
            return f"{self.name(lax)}({', '.join(map(self.write, args))})"
        parts = op.split(" ")
        if len(parts) == 3 and parts[1] in _INLINE and parts[0] == parts[2] and parts[0] in _INLINE_TYPES:
            symbol = _INLINE[parts[1]]
            return self.strict(args, lambda values: f"{values[0]} {symbol} {values[1]}")
        function = STRICT.get(op) or prelude_calls.function_of(op) or STRICT.get(_as_text(op))
        if function is None:
            raise NotCompilable(op)
        name = self.name(function)
        if len(parts) == 3 and parts[1] in "+-" and parts[0] in INT_BOUNDS and parts[2] in INT_BOUNDS:
            return self.strict(args, lambda values: self.whole_number(e.type, parts[1], values, name))
        return self.strict(args, lambda values: f"{name}({', '.join(values)})")

    def whole_number(self, target: TypeRef, symbol: str, values: list[str], function: str) -> str:
        """A sum or difference on the spot; out of range it is for the function, which says so."""
        low, high, _ = INT_BOUNDS[t.BY_OID[target.oid].typname]
        v = self.temporary()
        made = f"{v} := {values[0]} {symbol} {values[1]}"
        return f"({v} if {low} <= ({made}) <= {high} else {function}({', '.join(values)}))"

    def strict(self, args: Sequence[Expr], result: Callable[[list[str]], str]) -> str:
        """`result` over values that are not NULL; NULL if any is."""
        checks, values = [], []
        for a in args:
            if isinstance(a, Const) and a.value is not None:
                values.append(self.write(a))
                continue
            v = self.temporary()
            checks.append(f"({v} := {self.write(a)}) is None")
            values.append(v)
        if not checks:
            return f"({result(values)})"
        # All arguments are evaluated, as PostgreSQL does: an error in the second is an error even
        # where the first is NULL. `|` does not short-circuit.
        test = checks[0] if len(checks) == 1 else " | ".join(f"({c})" for c in checks)
        return f"(None if {test} else {result(values)})"

    def cast(self, arg: Expr, target: TypeRef, *, explicit: bool = True) -> str:
        if arg.type == target:
            return self.write(arg)
        if isinstance(arg, Const) and arg.value is None:
            return "None"
        function = casts.cast_function(arg.type, target, explicit=explicit)
        if function is None:
            raise NotCompilable(f"cast {arg.type.oid} to {target.oid}")
        same = arg.type.oid == target.oid and target.typmod < 0 and target.oid != t.NUMERIC
        if same or function is casts.unchanged:
            return self.write(arg)
        name = self.name(function)
        return self.strict((arg,), lambda values: f"{name}({values[0]}, s)")

    # --- the lazy ones ---------------------------------------------------------------------

    def one_of(self, arg: Expr, whole: Call) -> str:
        """A value that may be the whole's: without a modifier a numeric is spelled as a text, with one it is a Decimal."""
        plain = whole.type.oid == t.NUMERIC and whole.type.typmod < 0
        return self.cast(arg, whole.type) if plain and arg.type.typmod >= 0 else self.write(arg)

    def _and(self, e: Call) -> str:
        _refuse_many(e)
        out = self.write(e.args[-1])
        for arg in reversed(e.args[:-1]):
            a, b = self.temporary(), self.temporary()
            out = (
                f"(False if ({a} := {self.write(arg)}) is False else False if ({b} := {out}) is False "
                f"else None if {a} is None or {b} is None else True)"
            )
        return out

    def _or(self, e: Call) -> str:
        _refuse_many(e)
        out = self.write(e.args[-1])
        for arg in reversed(e.args[:-1]):
            a, b = self.temporary(), self.temporary()
            out = (
                f"(True if ({a} := {self.write(arg)}) is True else True if ({b} := {out}) is True "
                f"else None if {a} is None or {b} is None else False)"
            )
        return out

    def _not(self, e: Call) -> str:
        return self.strict(e.args, lambda v: f"not {v[0]}")

    def _is_null(self, e: Call) -> str:
        return f"({self.write(e.args[0])} is None)"

    def _is_not_null(self, e: Call) -> str:
        return f"({self.write(e.args[0])} is not None)"

    def _is_true(self, e: Call) -> str:
        return f"({self.write(e.args[0])} is True)"

    def _is_not_true(self, e: Call) -> str:
        return f"({self.write(e.args[0])} is not True)"

    def _is_false(self, e: Call) -> str:
        return f"({self.write(e.args[0])} is False)"

    def _is_not_false(self, e: Call) -> str:
        return f"({self.write(e.args[0])} is not False)"

    _is_unknown = _is_null
    _is_not_unknown = _is_not_null

    def _case(self, e: Call) -> str:
        """Conditions and values in turn, then the value of ELSE (absent: NULL)."""
        args = list(e.args)
        out = self.one_of(args.pop(), e) if len(args) % 2 else "None"
        while args:
            value, condition = self.one_of(args.pop(), e), self.write(args.pop())
            out = f"({value} if {condition} is True else {out})"
        return out

    def _coalesce(self, e: Call) -> str:
        out = self.one_of(e.args[-1], e)
        for arg in reversed(e.args[:-1]):
            a = self.temporary()
            out = f"({a} if ({a} := {self.one_of(arg, e)}) is not None else {out})"
        return out

    def _nullif(self, e: Call) -> str:
        a, b = self.temporary(), self.temporary()
        order = self._order(e.args[0])
        equal = f"{order}({a}) == {order}({b})" if order else f"{a} == {b}"
        left, right = self.one_of(e.args[0], e), self.write(e.args[1])
        return (
            f"(None if (({a} := {left}) is None) | (({b} := {right}) is not None) and "
            f"{a} is not None and {equal} else {a})"
        )

    def _extreme(self, e: Call, which: Callable[..., Any]) -> str:
        order = comparison.order_of(t.BY_OID[e.args[0].type.oid].typname)
        if order is None:
            raise NotCompilable(f"order of type {e.args[0].type.oid}")

        def extreme(*values: Any) -> Any:
            return which((v for v in values if v is not None), key=order, default=None)

        return f"{self.name(extreme)}({', '.join(self.one_of(a, e) for a in e.args)})"

    def _greatest(self, e: Call) -> str:
        return self._extreme(e, max)

    def _least(self, e: Call) -> str:
        return self._extreme(e, min)

    def _order(self, arg: Expr) -> str:
        order = comparison.order_of(t.BY_OID[arg.type.oid].typname)
        if order is None:
            raise NotCompilable(f"order of type {arg.type.oid}")
        return "" if order is comparison.order_of("int4") else self.name(order)

    def _assign(self, e: Call) -> str:
        """As a column of that type takes it."""
        return self.cast(e.args[0], e.type, explicit=False)

    def _now(self, _e: Call) -> str:
        return "s.transaction_began_us()"

    def _session(self, e: Call) -> str:
        name = e.args[0]
        assert isinstance(name, Const)
        return f"s.value_of({name.value!r})"

    def _run_routine(self, e: Call) -> str:
        oid, *given = e.args
        return f"s.routine_value({self.write(oid)}, ({''.join(f'{self.write(g)}, ' for g in given)}))"

    def _chance(self, _e: Call) -> str:
        return "s.number_of_chance()"

    def _clock(self, _e: Call) -> str:
        return "s.clock_us()"

    def _nextval(self, e: Call) -> str:
        return f"s.nextval({self.write(e.args[0])})"


_SPECIAL = frozenset(
    {
        "and", "or", "not", "is null", "is not null", "is true", "is not true", "is false", "is not false",
        "is unknown", "is not unknown", "case", "coalesce", "nullif", "greatest", "least", "now", "chance", "clock", "nextval", "session", "run routine", "assign",
    }
)  # fmt: skip


def _as_text(op: str) -> str:
    """varchar, name and unknown take the operators and functions of text."""
    out = op
    for kind, text_kind in _SINGLE_TEXT.items():
        out = out.replace(kind, text_kind)
    return out


_ORIGIN = "<keyed plan>"
warnings.filterwarnings(
    "ignore", category=SyntaxWarning, module=_ORIGIN
)  # `1 is not None`, of what was said so


def _refuse_many(e: Call) -> None:
    """Before their text is written, whose length goes by the square of their number."""
    if len(e.args) > OPERANDS_MAX:
        raise NotCompilable(f"{len(e.args)} operands of {e.op}")


CODES_MAX: Final = 1_000
"""Functions of Python that are remembered,"""
CODE_LENGTH_MAX: Final = 2_000
"""each of at most so many characters."""


def _build(writer: _Writer, body: str, arguments: str, before: str = "") -> Any:
    """`before`: lines that are run first."""
    return FunctionType(_code(f"def f({arguments}):\n{before}    return {body}\n"), dict(writer.names))


def _code(source: str) -> CodeType:
    """The code of a function. Raises NotCompilable."""
    return _known_code(source) if len(source) <= CODE_LENGTH_MAX else _compiled(source)


def _compiled(source: str) -> CodeType:
    try:
        module = compile(source, _ORIGIN, "exec")
    except (SyntaxError, RecursionError, MemoryError) as e:  # nested more deeply than Python's parser follows
        raise NotCompilable(f"as a function of Python: {e}") from None
    return next(c for c in module.co_consts if isinstance(c, CodeType))


_known_code = lru_cache(CODES_MAX)(_compiled)
"""What differs from statement to statement are the values of names: `(r[0], r[1], r[2])` is the output of many, and Python's compiler takes
longer for it than all else here."""


def compile_expression(e: Expr) -> Compiled:
    """(params, row, session) -> value. Raises NotCompilable."""
    writer = _Writer()
    return _build(writer, writer.write(e), "p, r, s")  # type: ignore[no-any-return]


def compile_tuple(expressions: Sequence[Expr]) -> Compiled:
    """(params, row, session) -> tuple of values."""
    writer = _Writer()
    items = [writer.write(e) for e in expressions]
    return _build(writer, f"({', '.join(items)}{',' if len(items) == 1 else ''})", "p, r, s")  # type: ignore[no-any-return]


def compile_condition(e: Expr | None) -> Callable[[Sequence[Any], Any, Any], bool] | None:
    """(params, row, session) -> is it true (not false, not NULL)? None for no condition."""
    if e is None:
        return None
    writer = _Writer()
    return _build(writer, writer.truth(e), "p, r, s")  # type: ignore[no-any-return]


def compile_condition_not_false(e: Expr) -> Callable[[Sequence[Any], Any, Any], bool]:
    """As CHECK wants it: NULL passes."""
    writer = _Writer()
    return _build(writer, f"({writer.write(e)}) is not False", "p, r, s")  # type: ignore[no-any-return]


def compile_key(
    key: Sequence[Expr], columns: Sequence[TypeRef], arguments: str = "p, s"
) -> Callable[..., Any]:
    """(params, session) -> key as images want it: a datum, or a tuple for several columns.

    None if any part is NULL: such a key names no row. `arguments`: "p, s, r" for a key that is made of a row, too.
    """
    writer = _Writer()
    parts = [writer.write(_key_part(e, c)) for e, c in zip(key, columns, strict=False)]
    if len(parts) == 1 and len(columns) == 1:
        return _build(writer, parts[0], arguments)  # type: ignore[no-any-return]
    values = [writer.temporary() for _ in parts]
    checks = " or ".join(f"({v} := {x}) is None" for v, x in zip(values, parts, strict=True))
    return _build(writer, f"None if {checks} else ({', '.join(values)},)", arguments)  # type: ignore[no-any-return]


def _key_part(e: Expr, column: TypeRef) -> Expr:
    """A key's datum must be spelled as the column's: numeric(p,s) as a Decimal with s places."""
    if column.oid == t.NUMERIC and e.type != column:
        raise NotCompilable("a numeric key of another scale")
    return e


def compile_row(expressions: Sequence[Expr], columns: Sequence[TypeRef]) -> Compiled:
    """A whole row, each value fitted to its column (varchar(n), numeric(p,s), ...).

    Numbers of sequences are drawn last: a row with a constant that is no value of its column takes none in PostgreSQL, which
    finds that when it plans.
    """
    writer = _Writer()
    items = [writer.cast(e, c, explicit=False) for e, c in zip(expressions, columns, strict=True)]
    drawn = [i for i, e in enumerate(expressions) if _draws(e)]
    made = ""
    if drawn:
        for i in range(drawn[0] + 1, len(items)):
            if i not in drawn and _may_fail(items[i]):
                value = writer.temporary()
                made += f"    {value} = {items[i]}\n"
                items[i] = value
    row = f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    return _build(writer, row, "p, r, s", made)  # type: ignore[no-any-return]


def _draws(e: Expr) -> bool:
    return isinstance(e, Call) and (e.op == "nextval" or any(map(_draws, e.args)))


def _may_fail(item: str) -> bool:
    """Whether the text of a cell calls something, and is no mere value."""
    return "(" in item


def compile_update(
    width: int, assignments: Sequence[tuple[int, Expr]], columns: Sequence[TypeRef]
) -> Compiled:
    """The new row over the old one: (params, old row, session) -> new row."""
    writer = _Writer()
    new = dict(assignments)
    items = [writer.cast(new[i], columns[i], explicit=False) if i in new else f"r[{i}]" for i in range(width)]
    return _build(writer, f"({', '.join(items)}{',' if width == 1 else ''})", "p, r, s")  # type: ignore[no-any-return]


__all__ = [
    "Compiled",
    "NotCompilable",
    "compile_condition",
    "compile_condition_not_false",
    "compile_expression",
    "compile_key",
    "compile_row",
    "compile_tuple",
    "compile_update",
]
