"""Typed trees become Spark SQL, or are refused by name.

The grammar around expressions is written by the binder for DuckDB and is nearly all standard SQL; what reaches here of
it is checked word by word when the text is finished: a function that is not known to mean the same, a quote, a
bracket, and the statement is refused rather than sent. What this room itself wrote is `Verbatim` and is not read again.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import Final

from planner import types as t
from planner.abc import Param, PlanError, SessionValue, Slot, TypeRef
from planner.binding import ir
from planner.binding.emit import Emitter, display_signature
from planner.binding.fragments import Frag, Ref, Verbatim, sql
from planner.binding.numeric_forms import as_text_numeric, decimal_form, literal_form
from planner.binding.prelude.installation import PRELUDE_UDFS, Udf
from planner.binding.spark import casts
from planner.binding.spark.functions import TABLE, unpadded
from planner.binding.spark.values import literal, refused, type_name
from planner.types.texts import TYPMOD_HEADER

_SCALARS: Final = {
    "VARCHAR",
    "BIGINT",
    "INTEGER",
    "SMALLINT",
    "DOUBLE",
    "FLOAT",
    "BOOLEAN",
    "DATE",
    "TIMESTAMP",
    "BLOB",
}

_AGGREGATES: Final = {
    "count()", "count(any)", "sum(int2)", "sum(int4)", "sum(numeric)", "avg(int2)", "avg(int4)", "avg(numeric)",
    "bool_and(bool)", "every(bool)", "bool_or(bool)", "grouping",
    *(f"{f}({k})" for f in ("min", "max") for k in ("int2", "int4", "int8", "float4", "float8", "numeric", "text", "date", "timestamp", "timestamptz")),
}  # fmt: skip
_PADDED_EXTREMES: Final = ("min(bpchar)", "max(bpchar)")
_WINDOWS: Final = {
    "row_number()": "BIGINT", "rank()": "BIGINT", "dense_rank()": "BIGINT", "percent_rank()": "DOUBLE",
    "cume_dist()": "DOUBLE", "ntile(int4)": "INTEGER", "lag(anyelement)": "", "lag(anyelement, int4)": "",
    "lead(anyelement)": "", "lead(anyelement, int4)": "", "first_value(anyelement)": "", "last_value(anyelement)": "",
}  # fmt: skip

_GRAMMAR: Final = {
    "select", "from", "where", "and", "or", "not", "in", "exists", "on", "as", "by", "over", "when", "then", "else", "case",
    "filter", "having", "values", "union", "all", "except", "intersect", "join", "lateral", "cast", "coalesce", "sets", "decimal",
    "grouping", "count", "sum", "min", "max", "bool_and", "bool_or", "any_value", "greatest", "least", "distinct", "is", "limit", "offset",
    "row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead", "first_value", "last_value",
}  # fmt: skip
"""Words that may stand before a parenthesis in what the binder wrote."""
_PYTHON = re.compile(r"\btw_\w+(?=\()")
_TOTAL: Final = {
    "tw_num_cmp", "tw_num_key", "tw_num_add", "tw_num_sub", "tw_num_mul", "tw_num_neg", "tw_num_abs", "tw_num_avg", "tw_num_round",
    "tw_num_trunc", "tw_num_floor", "tw_num_ceil", "tw_num_sign", "tw_num_float8", "tw_num_from_float8", "tw_num_from_float4", "tw_lower", "tw_upper",
}  # fmt: skip
"""Python functions that have a result for every value."""
_CALLED = re.compile(r"([A-Za-z_]\w*)\s*\(")
_FOREIGN = re.compile(
    r"['\[\]{}:\\`]|//|\blambda\b|\bDISTINCT ON\b|\bRECURSIVE\b|\bEXCLUDE\b|\bGROUPS\b|\bMATERIALIZED\b|\btw_side\b|\bTABLESAMPLE\b",
)
_NAME = re.compile(r'"((?:[^"]|"")*)"')
_TYPE = re.compile(r"\bAS (VARCHAR|TIMESTAMP WITH TIME ZONE|TIMESTAMP|BLOB)\)")
_TYPES = {
    "VARCHAR": "STRING",
    "TIMESTAMP WITH TIME ZONE": "TIMESTAMP",
    "TIMESTAMP": "TIMESTAMP_NTZ",
    "BLOB": "BINARY",
}
_COMMON = re.compile(r"\bw\d+\($")
_AGGREGATED = re.compile(r"a\d+")
"""What the columns of a GROUP BY are called that are aggregates (`grouping`). Those of tables are in quotes."""


@functools.cache
def python_functions() -> dict[str, Udf]:
    """The functions of `prelude` on scalars, by name."""
    return {u.name: u for u in PRELUDE_UDFS if {*u.arguments, u.result} <= _SCALARS}


class SparkEmitter(Emitter):
    """As `Emitter`; every node that Spark does not answer the same way raises 0A000."""

    for_duckdb = False

    def takes_queries_of_functions(self, position: int) -> None:
        raise refused("a function whose body is a query", position)

    def frag(self, node: ir.Node) -> Frag:
        position = getattr(node, "position", 0)
        if isinstance(node, ir.SetReturning | ir.AnyAll | ir.DomainCheck | ir.Let):
            raise refused("this expression", position)
        if isinstance(node, ir.Lit):
            return self.literal(node)
        type_name(node.type, position)
        if node.type.oid == t.BPCHAR and node.type.typmod < 0 and not self._is_of_one_width(node):
            raise refused(f"type {t.format_type(node.type)}", position)
        if isinstance(node, ir.Collated):
            raise refused("an order of ICU's", position)
        if isinstance(node, ir.Cast):
            return casts.convert(self.frag(node.arg), node.arg.type, node.type, node.explicit, position)
        return super().frag(node)

    def _is_of_one_width(self, node: ir.Node) -> bool:
        """Whether a char without a length is one of a column that has one, so that it is told apart as it is: an extreme."""
        if isinstance(node, ir.Var):
            return _AGGREGATED.fullmatch(self.columns[node.relation][node.column].sql) is not None
        return isinstance(node.call if isinstance(node, ir.Window) else node, ir.Aggregate)

    def literal(self, node: ir.Lit) -> Frag:
        ref = node.type
        form = decimal_form(ref)
        if ref.oid == t.NUMERIC and node.value is not None and ref.typmod < 0:
            form = literal_form(str(node.value))
        if ref.oid == t.NUMERIC and form is None and node.value is None:
            return Frag((Verbatim("CAST(NULL AS STRING)"),))
        return Frag((Verbatim(literal(node.value, ref)),), form)

    def duck(self, ref: TypeRef) -> str:
        return type_name(ref).replace("TIMESTAMP_NTZ", "TIMESTAMP_NTZ ").strip()

    def text(self, node: ir.Node) -> Frag:
        return self.frag(node)

    def call(self, node: ir.Call) -> Frag:
        if node.volatile:
            raise refused(display_signature(node.op), node.position)
        made = TABLE.get(node.op)
        if made is not None:
            return made(self, node)
        return self._python_call(node)

    def _python_call(self, node: ir.Call) -> Frag:
        """A function whose DuckDB text is one call of a Python function: Spark calls the same one."""
        from planner.binding.functions.registry import implementation

        duck = implementation(node.op)
        if duck is None:
            raise refused(display_signature(node.op), node.position)
        args = [self.frag(a) for a in node.args]
        holes = [Frag((Verbatim(str(i)),), a.form) for i, a in enumerate(args)]
        try:
            made = duck(self, node, [as_text_numeric(h) if h.form is None else h for h in holes])
        except PlanError:
            raise refused(display_signature(node.op), node.position) from None
        shape = "".join(
            f"\0{p.text}\0" if isinstance(p, Verbatim) else p if isinstance(p, str) else "?"
            for p in made.parts
        )
        shape = re.sub(r"CAST\(\0(\d)\0 AS VARCHAR\)", "\0t\\1\0", shape)
        match = re.fullmatch(r"(tw_\w+)\(((?:\0t?\d\0|-?\d+|'[A-Za-z0-9 ]*'|, )*)\)", shape)
        if match is None or match[1] not in python_functions():
            raise refused(display_signature(node.op), node.position)
        items: list[str | Frag | Verbatim] = [Verbatim(f"{match[1]}(")]
        for i, part in enumerate(match[2].split("\0")):
            if i % 2 == 0:
                items.append(Verbatim(part))
            else:
                frag = args[int(part.removeprefix("t"))]
                items.append(as_text_numeric(frag) if frag.form is not None else frag)
        return sql(*items, ")", form=made.form)

    def logic(self, node: ir.Logic) -> Frag:
        if node.op in ("array", "row"):
            raise refused("an array or a row")
        if node.op in ("greatest", "least") and node.type.oid == t.BPCHAR:
            raise refused(f"{node.op} of {t.format_type(node.type)}")
        if node.op in ("greatest", "least") and node.type.oid == t.NUMERIC:
            frags, form = self.unified(node.args, node.type)
            if form is None:
                raise refused(f"{node.op} of numerics of several scales")
            return sql(f"{node.op}(", *_listed(frags), ")", form=form)
        made = super().logic(node)
        if node.op in ("case", "coalesce"):
            called = {
                n
                for p in made.parts
                if isinstance(p, str | Verbatim)
                for n in _PYTHON.findall(str(getattr(p, "text", p)))
            }
            if called - _TOTAL:
                # Spark computes Python's functions for every row, before it knows which branch is taken.
                raise refused(
                    f"{node.op.upper()} around something that may fail ({', '.join(sorted(called - _TOTAL))})"
                )
        return made

    def subquery(self, node: ir.SubQuery) -> Frag:
        if node.kind in ("array", "row"):
            raise refused("this subquery")
        return super().subquery(node)

    def aggregate(self, node: ir.Aggregate, over: Frag | None = None) -> Frag:
        return _finished(node, super().aggregate(self._supported(node), over))

    def _supported(self, node: ir.Aggregate) -> ir.Aggregate:
        """The aggregate as Spark is to compute it. Raises 0A000 for one that it does not compute alike."""
        if node.op in ("sum(int8)", "avg(int8)"):
            wide = ir.Cast(TypeRef(t.NUMERIC), node.args[0], False)
            node = dataclasses.replace(node, op=node.op.replace("int8", "numeric"), args=(wide,))
        elif node.op in _PADDED_EXTREMES and node.args[0].type.typmod >= 0:
            bare = ir.Cast(TypeRef(t.TEXT), node.args[0], False)
            node = dataclasses.replace(
                node, type=bare.type, op=node.op.replace("bpchar", "text"), args=(bare,), distinct=False
            )
        if node.op not in _AGGREGATES or node.order or node.direct:
            shown = display_signature(node.op).replace("function ", "aggregate ", 1)
            raise refused(shown, node.position)
        if (
            node.distinct
            and node.args
            and node.args[0].type.oid == t.NUMERIC
            and self.frag(node.args[0]).form is None
        ):
            raise refused("DISTINCT over a numeric without a scale", node.position)
        return node

    def window(self, node: ir.Window) -> Frag:
        call = node.call
        if node.frame is not None:
            kind, start, end, exclude = node.frame
            bounded = any(b[1] is not None for b in (start, end))
            if exclude or kind == "GROUPS" or (bounded and kind != "ROWS"):
                raise refused("this window frame")
            if bounded:  # ROWS: PostgreSQL counts in bigint, Spark in int
                node = dataclasses.replace(node, frame=(kind, _as_int4(start), _as_int4(end), exclude))
        if isinstance(call, ir.Call):
            kind = _WINDOWS.get(call.op)
            if kind is None:
                raise refused(display_signature(call.op), call.position)
            made = super().window(node)
            return sql(Verbatim("CAST("), made, Verbatim(f" AS {kind})")) if kind else made
        if isinstance(call, ir.Aggregate):
            return _finished(call, super().window(dataclasses.replace(node, call=self._supported(call))))
        return super().window(node)

    def sort_key(self, node: ir.Node) -> Frag:
        if node.type.oid == t.BPCHAR:
            return unpadded(self, node)
        return super().sort_key(node)

    def written(self, ref: Ref) -> str | Verbatim:
        name = self.columns[ref.relation][ref.column].sql
        if name.startswith('"'):
            name = "`" + name[1:-1].replace('""', '"').replace("`", "``") + "`"
        return Verbatim(f"{self.aliases[ref.relation]}.{name}")


def _finished(node: ir.Aggregate, made: Frag) -> Frag:
    """What was computed, as a value of the aggregate's type: a char(n) without its trailing blanks gets them back."""
    if node.op not in _PADDED_EXTREMES:
        return made
    return sql(Verbatim("rpad("), made, Verbatim(f", {node.args[0].type.typmod - TYPMOD_HEADER}, ' ')"))


def _as_int4(bound: tuple[str, ir.Node | None]) -> tuple[str, ir.Node | None]:
    word, offset = bound
    return word, None if offset is None else ir.Cast(TypeRef(t.INT4), offset, True)


def _listed(frags: list[Frag]) -> list[str | Frag]:
    out: list[str | Frag] = []
    for i, f in enumerate(frags):
        out += [", ", f] if i else [f]
    return out


Rendered = str | Slot | Param | SessionValue


def finished(pieces: tuple[object, ...]) -> tuple[tuple[Rendered, ...], frozenset[str]]:
    """The text for Spark with its holes, and the Python functions that it calls. Raises 0A000."""
    out: list[Rendered] = []
    for piece in pieces:
        if isinstance(piece, Verbatim):
            text = piece.text
        elif isinstance(piece, str):
            text = _checked(piece)
        else:
            assert isinstance(piece, Slot | Param | SessionValue)
            out.append(piece)
            continue
        if out and isinstance(out[-1], str):
            out[-1] += text
        else:
            out.append(text)
    known = python_functions().keys() | {"tw_lower", "tw_upper"}
    called = {name for p in out if isinstance(p, str) for name in re.findall(r"\btw_\w+(?=\()", p)}
    return tuple(out), frozenset(called & known)


def _checked(text: str) -> str:
    """What the binder wrote, in Spark's words."""
    foreign = _FOREIGN.search(_NAME.sub("", text))
    if foreign is not None:
        raise refused(f"this statement (its {foreign[0]})")
    for name in _CALLED.findall(_NAME.sub("", text)):
        lowered = name.lower()
        if (
            lowered not in _GRAMMAR
            and lowered not in python_functions()
            and not re.fullmatch(r"[wr]\d+", lowered)
        ):
            raise refused(f"{name}()")
    text = _NAME.sub(lambda m: "`" + m[1].replace('""', '"').replace("`", "``") + "`", text)
    return _TYPE.sub(lambda m: f"AS {_TYPES[m[1]]})", text)
