"""Expressions as PostgreSQL writes them out: every implicit cast, type and parenthesis in its place.

    price >= 0               (price >= (0)::numeric)
    name IN ('a', 'b')       ((name)::text = ANY ((ARRAY['a'::character varying, 'b'::character varying])::text[]))
    qty BETWEEN 1 AND 5      ((qty >= 1) AND (qty <= 5))

An expression is bound as it would be for a query, and its typed tree is written down again. `pretty` leaves out the
parentheses that precedence makes needless. What the tree no longer shows (whether a constant was a number or a
quoted string) is looked up in the text. `NotWritable` for what cannot be told: the caller keeps the text as given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from planner import types as t
from planner.abc import SqlError, Table, TypeRef
from planner.binding import ir
from planner.binding.deparse import arguments, sql_syntax, xml_words
from planner.binding.deparse.conditions import CALLED, TESTS, ConditionWriter, nullif
from planner.binding.deparse.constants import NotWritable, TypeName
from planner.binding.offered import owner as member_of
from planner.binding.parameters import Parameters
from planner.binding.queries import QueryBinder
from planner.binding.routines.inlined import ROUTINE
from planner.binding.writes.dml import DmlBinder
from planner.catalog import Function, collations, quote_identifier
from planner.catalog.row_types import relation_of
from planner.parse import parse_expression
from planner.types import TypeSettings

_SQL_SYNTAX: Final = frozenset(("trim", "pg_collation_for", "system_user"))
_NO_OPERATORS: Final = frozenset(("array subscript", "record field", "composite field"))
_INSTANTS: Final = {
    t.TIMESTAMP: "LOCALTIMESTAMP", t.TIMESTAMPTZ: "CURRENT_TIMESTAMP", t.TIME: "LOCALTIME", t.TIMETZ: "CURRENT_TIME",
}  # fmt: skip
_FIELDS: Final = ("composite field", "record field")
_OBJECTS: Final = frozenset(
    (
        t.REGCLASS,
        t.REGPROC,
        t.REGPROCEDURE,
        t.REGOPER,
        t.REGOPERATOR,
        t.REGNAMESPACE,
        t.REGROLE,
        t.REGTYPE,
        t.REGCOLLATION,
    )
)
_LOW, _HIGH = frozenset("+-"), frozenset("*/%")


def bound_expression(ctx: Any, table: Table, text: str) -> tuple[ir.Node, list[str]]:
    """The typed tree of an expression over a table's columns, and the columns' names by position."""
    queries = QueryBinder(ctx, text, Parameters((), None))
    queries.routines.expand = False
    queries.only_written = True
    binder = DmlBinder(queries)
    relation = binder.relation(table, table.name, of_table=False)
    return binder.stored_expression(text, binder.scope_of(relation)), [c.name for c in table.columns]


def called_functions(ctx: Any, table: Table, text: str) -> frozenset[int]:
    """The functions in SQL that an expression over a table's columns calls. Raises SqlError."""
    queries = QueryBinder(ctx, text, Parameters((), None))
    queries.routines.expand = False
    binder = DmlBinder(queries)
    queries.text = queries.expressions.text = text
    queries.expressions.bind(
        parse_expression(text), binder.scope_of(binder.relation(table, table.name, of_table=False))
    )
    return frozenset(queries.routines.used)


def expression_text(ctx: Any, table: Table, text: str, type_name: TypeName, pretty: bool = False) -> str:
    """A condition, an index's expression or a generated column's. Raises NotWritable."""
    try:
        node, names = bound_expression(ctx, table, text)
    except SqlError as e:
        raise NotWritable(text) from e
    writer = Writer(names, text, type_name, pretty)
    writer.catalog, writer.table = ctx.catalog, table
    return writer.top(node)


def default_text(ctx: Any, table: Table, text: str, target: TypeRef, type_name: TypeName) -> str | None:
    """A DEFAULT for a column of a type; None for one that is NULL, which is no default. Raises NotWritable."""
    try:
        node, names = bound_expression(ctx, table, text)
    except SqlError as e:
        raise NotWritable(text) from e
    writer = Writer(names, text, type_name, False)
    writer.catalog = ctx.catalog
    if isinstance(node, ir.Lit) and node.type.oid == t.UNKNOWN:
        if node.value is None:
            return None
        base = TypeRef(target.oid)
        value = t.input_text(str(node.value), base, TypeSettings())
        if base.oid == t.BOOL:
            return "true" if value else "false"
        return writer.quoted(value, base)
    return writer.top(node)


class Writer(ConditionWriter):
    """Writes typed trees; `names` are the columns of their one relation."""

    def __init__(self, names: list[str], text: str, type_name: TypeName, pretty: bool) -> None:
        super().__init__(text, type_name, pretty)
        self.names = names
        self.table: Table | None = None
        """The one relation, where its whole rows have a name: `t.*`."""

    def collation(self, key: str) -> str:
        """A collation's name, in the schema of which it is if that is not PostgreSQL's own."""
        made = collations.made(key)
        return quote_identifier(key) if made is None else self.type_name(TypeRef(made.oid))

    def top(self, node: ir.Node) -> str:
        """The whole: an implicit cast around it goes without saying."""
        return self.write(uncast(node))

    def item(self, node: ir.Node) -> str:
        """A value of a list in which `t.*` would be all columns of `t`."""
        return self.write(node)

    def write(self, node: ir.Node) -> str:
        """With parentheses of its own, where it needs some in any place; `pretty`: without."""
        node = ir.one_by_one(node)
        if isinstance(node, ir.Var):
            return quote_identifier(self.names[node.column])
        if isinstance(node, ir.Lit):
            return self.constant(node)
        if isinstance(node, ir.Session):
            return self.session(node)
        if isinstance(node, ir.Cast):
            return self.cast(node) if not self._is_whole(node) else f"{quote_identifier(self.table.name)}.*"  # type: ignore[union-attr]
        if isinstance(node, ir.Collated):
            if not node.explicit:
                return self.write(node.arg)
            return self.whole(f"{self.operand(node.arg, node)} COLLATE {self.collation(node.collation)}")
        if isinstance(node, ir.Call):
            return self.call(node)
        if isinstance(node, ir.Logic):
            return self.logic(node)
        if isinstance(node, ir.AnyAll):
            compare = node.compare
            assert isinstance(compare, ir.Call)
            word = "ALL" if node.all else "ANY"
            left = self.operand(compare.args[0], node)
            array = self.write(node.array)
            if isinstance(node.array, ir.SubQuery):  # or it would be `= ANY (SELECT ...)`
                array = f"({array})::{self.type_name(node.array.type)}"
            return self.whole(f"{left} {self.sign(compare.op)} {word} ({array})")
        raise NotWritable(type(node).__name__)

    def _is_whole(self, node: ir.Cast) -> bool:
        """Whether it is the relation's whole row, as what it is of."""
        made = node.arg
        if self.table is None or not isinstance(made, ir.Logic) or made.op != "row":
            return False
        shown = [i for i, c in enumerate(self.table.columns) if not c.hidden]
        given = [a.column if isinstance(a, ir.Var) else -1 for a in made.args]
        return given == shown and relation_of(node.type.oid) == self.table.oid

    def whole(self, text: str) -> str:
        return text if self.pretty else f"({text})"

    def operand(self, node: ir.Node, parent: ir.Node, left: bool = True) -> str:
        """A part of something larger: in `pretty` parentheses are its only where they are needed."""
        text = self.write(node)
        return text if not self.pretty or self.is_simple(node, parent, left) else f"({text})"

    def is_simple(self, node: ir.Node, parent: ir.Node, left: bool) -> bool:
        node = ir.one_by_one(node)
        if isinstance(node, ir.Collated) and not node.explicit:
            return self.is_simple(node.arg, parent, left)
        if isinstance(node, ir.Collated):
            return isinstance(parent, ir.Logic) and parent.op in ("case", *CALLED, "array", "row")
        if isinstance(node, ir.Var | ir.Lit | ir.Session | ir.Cast):
            return True
        if isinstance(node, ir.Call):
            if not _is_operator(node.op):
                return True
            if isinstance(parent, ir.Logic) and parent.op == "not":
                return " is not distinct from " not in node.op  # which is written with a NOT itself
            if isinstance(parent, ir.Logic):
                return parent.op in ("and", "or", "case", *CALLED, "array", "row")
            if not isinstance(parent, ir.Call) or not _is_operator(parent.op):
                return not isinstance(parent, ir.Cast | ir.AnyAll | ir.Collated)
            mine, theirs = (operator_sign(n.op).partition(":")[0] for n in (node, parent))
            if len(node.args) < 2 or len(parent.args) < 2:
                return False
            if mine in _LOW:
                return theirs in _LOW and left
            if mine in _HIGH:
                return theirs in _LOW or (theirs in _HIGH and left)
            return False
        if isinstance(node, ir.Logic):
            if node.op in CALLED or node.op in ("array", "row") or nullif(node) is not None:
                return True
            if isinstance(parent, ir.Logic) and parent.op == "not":
                return node.op in TESTS
            if isinstance(parent, ir.Logic) and parent.op in ("and", "or", "case", *CALLED):
                if self.is_list(node):
                    return parent.op not in ("and", "or")
                if node.op in ("and", "or"):
                    return node.op == "and" or parent.op != "and"
                return True
            return False
        return False  # ANY and ALL of an array among them, also within AND and OR

    # --- casts, calls, grammar --------------------------------------------------------------------------

    def cast(self, node: ir.Cast) -> str:
        inner = node.arg
        if node.whole and isinstance(inner, ir.Cast):
            inner = inner.arg
        if (exact := self._instant(node)) is not None:
            return exact
        if isinstance(inner, ir.Call) and _is_field(node):
            return self.field(inner)
        if isinstance(inner, ir.Session) and inner.name == "now":
            words = {
                t.DATE: "CURRENT_DATE",
                t.TIMESTAMP: "LOCALTIMESTAMP",
                t.TIME: "LOCALTIME",
                t.TIMETZ: "CURRENT_TIME",
            }
            word = words.get(node.type.oid, "")
            if word and word.lower() in self.text.lower():
                return word
        if (
            isinstance(inner, ir.Lit)
            and node.reads
            and node.type.oid in _OBJECTS
            and isinstance(inner.value, str)
        ):
            said = self.of_relation(inner.value) if node.type.oid == t.REGCLASS else inner.value
            return f"{self.quoted(said, TypeRef(t.UNKNOWN))}::{self.type_name(node.type)}"
        if (
            isinstance(inner, ir.Lit)
            and isinstance(inner.value, str)
            and not self.is_number(inner.position)
            and inner.type == TypeRef(node.type.oid)
            and node.type.typmod >= 0
        ):
            literal = self.quoted(inner.value, inner.type)
            bare = literal.rpartition("::")[0] if literal.startswith("'") else literal
            return f"{bare}::{self.type_name(node.type)}"
        text = self.operand(inner, node) if self.pretty else self.write(inner)
        own = f"::{self.type_name(TypeRef(node.type.oid))}"
        if isinstance(inner, ir.Lit) and node.type.typmod >= 0 and text.endswith(own):
            return f"{text.removesuffix(own)}::{self.type_name(node.type)}"
        if text.startswith("ROW(") and isinstance(inner, ir.Logic) and inner.op == "row":
            return f"{text}::{self.type_name(node.type)}"
        if not self.pretty and not (self.speaks_for_itself(inner, text) and inner.type.oid == node.type.oid):
            text = f"({text})"
        return f"{text}::{self.type_name(node.type)}"

    def _instant(self, node: ir.Cast) -> str | None:
        """LOCALTIMESTAMP(3) and its kin; None for any other cast."""
        inner = node.arg
        while isinstance(inner, ir.Cast):
            inner = inner.arg
        if node.type.typmod < 0 or not (isinstance(inner, ir.Session) and inner.name == "now"):
            return None
        word = _INSTANTS.get(node.type.oid)
        shown = f"{word}({node.type.typmod})"
        return shown if shown.lower() in "".join(self.text.lower().split()) else None

    def call(self, node: ir.Call) -> str:
        if node.op.startswith(xml_words.OF_XML):
            return xml_words.written(node, self.write, self.pretty)
        if node.op == "array subscript" or node.op.startswith("subscript("):
            return self.held(node.args[0]) + "".join(f"[{self.write(a)}]" for a in _subscripts(node))
        if node.op == "array slice":
            head, *bounds = node.args
            ends = ["" if _is_open(b) else self.write(b) for b in bounds]
            parts = [f"[{low}:{high}]" for low, high in zip(ends[::2], ends[1::2], strict=True)]
            return self.held(head) + "".join(parts)
        if node.op in _FIELDS:
            return self.field(node)
        if node.op.startswith("cast:"):  # of a user's, which the cast around it says
            return self.write(node.args[0])
        if _is_operator(node.op):
            return self.operation(node)
        name, _, rest = node.op.partition("(")
        if name.startswith(ROUTINE):
            return self.routine(name, node.args)
        if name == "xmlexists":
            path, document = map(self.write, node.args)
            return f"XMLEXISTS(({path}) PASSING ({document}))"
        if name in ("normalize", "is_normalized"):
            return self._normalized(name, node.args)
        if not rest or " " in name or name in _SQL_SYNTAX:
            raise NotWritable(node.op)
        if name == "extract" and isinstance(node.args[0], ir.Lit):
            return f"EXTRACT({node.args[0].value} FROM {self.write(node.args[1])})"
        if name in sql_syntax.NAMES:
            said = sql_syntax.spelled(
                name,
                [uncast(a) for a in node.args],
                self.text,
                node.position,
                self.write,
                self.beside_words,
            )
            if said is not None:
                return said
        shown = self.type_name(node.type) if name.startswith("#") else quote_identifier(name)
        return f"{self.home(node.op)}{shown}({', '.join(self.given(node.op, node.args))})"

    def given(self, op: str, args: Sequence[ir.Node]) -> list[str]:
        return arguments.written(op, args, self.text, self.write, self.quoted)

    def _normalized(self, name: str, args: Sequence[ir.Node]) -> str:
        """The forms are words there."""
        form = str(args[1].value) if len(args) > 1 and isinstance(args[1], ir.Lit) else ""
        if len(args) > 1 and not form:
            raise NotWritable(name)
        if form.lower() not in self.text.lower():  # NFC goes without saying
            form = ""
        if name == "normalize":
            return f"NORMALIZE({self.write(args[0])}{f', {form}' if form else ''})"
        return f"({self.write(args[0])} IS {f'{form} ' if form else ''}NORMALIZED)"

    def held(self, node: ir.Node) -> str:
        """What a subscript is of."""
        bare = isinstance(uncast(node), ir.Var) or _is_field(node)
        return self.write(node) if bare else f"({self.write(node)})"

    def field(self, node: ir.Call) -> str:
        """`(row).field`; of an element of an array, and of a field, without parentheses."""
        record, which = node.args
        assert isinstance(which, ir.Lit)
        composite = t.composite_fields(record.type.oid)
        name = composite[int(str(which.value))][0] if composite is not None else str(which.value)
        below = uncast(record)
        bare = _is_field(record) or (isinstance(below, ir.Call) and below.op == "array subscript")
        text = self.write(record)
        return f"{text if bare else f'({text})'}.{quote_identifier(self.field_name(record.type, name))}"

    def field_name(self, of: TypeRef, name: str) -> str:
        """What a field of a type is called."""
        return name

    def beside_words(self, node: ir.Node) -> str:
        """What stands next to words of the standard, AT TIME ZONE for one."""
        text = self.write(node)
        operation = isinstance(node, ir.Call) and _is_operator(node.op)
        condition = isinstance(node, ir.Logic) and (node.op in ("and", "or", "not") or node.op in TESTS)
        return f"({text})" if self.pretty and (operation or condition) else text

    def routine(self, name: str, args: Sequence[ir.Node]) -> str:
        """A call of a function in SQL, which is called like a type: qualified if the search path does not find it."""
        oid = int(name.removeprefix(ROUTINE))
        shown = self.type_name(TypeRef(oid))
        written = [self.write(a) for a in args]
        f = self.catalog.get(oid) if self.catalog is not None else None
        if isinstance(f, Function) and f.is_variadic and len(written) == len(f.inputs):
            written[-1] = f"VARIADIC {written[-1]}"
        return f"{shown}({', '.join(written)})"

    def home(self, op: str) -> str:
        """What stands before the name of an extension's member: its schema, if the search path does not find it."""
        owner = member_of(op)
        found = self.catalog.extension(owner) if owner and self.catalog is not None else None
        return self.type_name(TypeRef(found.oid)) if found is not None else ""

    def sign(self, op: str) -> str:
        """An operator as it is written: of a user's, with its schema where the search path does not find it."""
        sign, _, oid = operator_sign(op).partition(":")
        home = self.type_name(TypeRef(int(oid))) if oid else ""
        return f"OPERATOR({home}{sign})" if home else sign

    def operation(self, node: ir.Call) -> str:
        sign = self.sign(node.op)
        if home := self.home(node.op):
            sign = f"OPERATOR({home}{sign})"
        if len(node.args) == 1:
            return self.whole(f"{sign} {self.operand(node.args[0], node)}")
        a, b = self.operand(node.args[0], node), self.operand(node.args[1], node, left=False)
        if sign == "is not distinct from":
            inner = f"{a} IS DISTINCT FROM {b}"
            return f"NOT {inner}" if self.pretty else f"(NOT ({inner}))"
        return self.whole(f"{a} {sign.upper() if sign == 'is distinct from' else sign} {b}")


def _is_open(bound: ir.Node) -> bool:
    """Whether a slice has no bound on that side."""
    return isinstance(bound, ir.Lit) and bound.value is None and bound.type.oid == t.UNKNOWN


def _is_field(node: ir.Node) -> bool:
    """Whether it is a field of a row; its text may be read as what it is by a cast."""
    made = node.arg if isinstance(node, ir.Cast) else node
    return isinstance(made, ir.Call) and made.op in _FIELDS and (made is node or made.op == _FIELDS[0])


def _subscripts(node: ir.Call) -> Sequence[ir.Node]:
    """Those of jsonb are a path of texts, numbers among them made such."""
    path = node.args[1]
    if not isinstance(path, ir.Logic):
        return node.args[1:]
    return [
        step.arg if isinstance(step, ir.Cast) and step.arg.type.oid == t.INT4 else step for step in path.args
    ]


def uncast(node: ir.Node) -> ir.Node:
    """What an implicit cast is of."""
    while isinstance(node, ir.Cast) and not node.explicit:
        node = node.arg
    return node


def is_operation(node: ir.Call) -> bool:
    """Whether it is an operator's, rather than a function's."""
    return _is_operator(node.op)


def _is_operator(op: str) -> bool:
    """`int4 + int4`, `- int4`; no function has a space before its parenthesis."""
    return "(" not in op and " " in op and op not in _NO_OPERATORS


def operator_sign(op: str) -> str:
    """The sign of `int4 + int4` or `- int4`. Raises NotWritable."""
    words = op.split(" ")
    if "distinct" in words:
        return " ".join(words[1:-1])
    sign = next((w for w in words if w and not w[0].isalnum() and w[0] not in '_"'), None)
    if sign is None:  # words, which nobody has said how to write
        raise NotWritable(op)
    return sign


__all__ = [
    "NotWritable",
    "TypeName",
    "Writer",
    "default_text",
    "expression_text",
    "is_operation",
    "operator_sign",
]
