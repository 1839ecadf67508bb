"""What pg_proc has for types' insides: send functions, hashes, the larger and the smaller of two (see `prelude.internals`)."""

from __future__ import annotations

from typing import Final

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir
from planner.binding.emit import Emitter
from planner.binding.fragments import Frag, join, sql
from planner.binding.functions.registry import implements, register, template, templates
from planner.binding.functions.value_texts import to_text
from planner.binding.records import fields_of

_SENDS: Final = {
    "bool": "boolsend", "int2": "int2send", "int4": "int4send", "int8": "int8send", "oid": "oidsend",
    "float4": "float4send", "float8": "float8send", "text": "textsend", "char": "charsend", "uuid": "uuid_send",
    "date": "date_send", "time": "time_send", "timestamp": "timestamp_send", "timestamptz": "timestamptz_send",
    "interval": "interval_send", "jsonb": "jsonb_send", "inet": "inet_send", "cidr": "cidr_send",
    "macaddr": "macaddr_send",
}  # fmt: skip
_AS_TEXT: Final = {"varchar": "varcharsend", "bpchar": "bpcharsend", "name": "namesend", "json": "json_send"}
_HASHES: Final = {
    "int2": "hashint2", "int4": "hashint4", "int8": "hashint8", "oid": "hashoid", "float8": "hashfloat8",
    "text": "hashtext", "bpchar": "hashbpchar", "char": "hashchar", "uuid": "uuid_hash", "macaddr": "hashmacaddr",
    "time": "time_hash", "timestamp": "timestamp_hash", "interval": "interval_hash",
}  # fmt: skip
_ORDERED: Final = {
    "date": "date_", "interval": "interval_", "time": "time_", "timestamp": "timestamp_",
    "timestamptz": "timestamptz_", "int2": "int2", "int4": "int4", "int8": "int8", "float4": "float4",
    "float8": "float8", "oid": "oid",
}  # fmt: skip


def _hash(kind: str, function: str, made: str) -> None:
    extended = function + ("_extended" if function.endswith("_hash") else "extended")
    template(f"{function}({kind})", f"{made}({{0}})")
    template(f"{extended}({kind}, int8)", f"{made}_extended({{0}}, {{1}})")


for _kind, _function in _SENDS.items():
    template(f"{_function}({_kind})", f"tw_send_{_kind}({{0}})")
for _kind, _function in _AS_TEXT.items():
    template(f"{_function}({_kind})", "tw_send_text({0})")
for _kind, _function in _HASHES.items():
    _hash(_kind, _function, f"tw_hash_{_kind}")
_hash("name", "hashname", "tw_hash_text")
_hash("macaddr8", "hashmacaddr8", "tw_hash_macaddr")
for _kind, _name in _ORDERED.items():
    template(
        f"{_name}larger({_kind}, {_kind})", "CASE WHEN {0} < {1} THEN {1} WHEN {1} IS NOT NULL THEN {0} END"
    )
    template(
        f"{_name}smaller({_kind}, {_kind})", "CASE WHEN {0} > {1} THEN {1} WHEN {1} IS NOT NULL THEN {0} END"
    )
templates("""
byteasend(bytea) => {0}
macaddr8_send(macaddr8) => tw_send_macaddr({0})
hashfloat4(float4) => tw_hash_float8(CAST({0} AS DOUBLE))
hashfloat4extended(float4, int8) => tw_hash_float8_extended(CAST({0} AS DOUBLE), {1})
booland_statefunc(bool, bool) => CASE WHEN {0} IS NOT NULL AND {1} IS NOT NULL THEN {0} AND {1} END
boolor_statefunc(bool, bool) => CASE WHEN {0} IS NOT NULL AND {1} IS NOT NULL THEN {0} OR {1} END
numeric_larger(numeric, numeric) => CASE WHEN {0} IS NOT NULL AND {1} IS NOT NULL THEN tw_num_greatest([{1}, {0}]) END
numeric_smaller(numeric, numeric) => CASE WHEN {0} IS NOT NULL AND {1} IS NOT NULL THEN tw_num_least([{1}, {0}]) END
numeric_inc(numeric) => tw_num_add({0}, '1')
""")


def _value_hash(declared: str, function: str, extended: str) -> None:
    """Of values of many types: what is hashed is told by the type that a call's argument has."""

    def made(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        from planner.binding.functions.conversions import convert

        node, value = call.args[0], args[0]
        while isinstance(node, ir.Cast) and node.type.oid == t.RECORD:  # of a type that knows its fields
            node = node.arg
            value = emitter.frag(node)
        ref = node.type
        what, told = "value", str(ref.oid)
        if ref.oid == t.RECORD:
            fields = fields_of(ref)
            if fields is None:
                raise PlanError("0A000", f"{function} of records of unknown columns is not supported")
            what, told = "record", f"'{' '.join(str(kind.oid) for _, kind in fields)}'"
        text = value if ref.oid == t.TEXT else convert(value, ref, TypeRef(t.TEXT), True)
        name = f"tw_hash_{what}" + ("_extended" if len(args) > 1 else "")
        return sql(f"{name}({told}, ", join(", ", [text, *args[1:]]), ")")

    register(f"{function}({declared})", made)
    register(f"{extended}({declared}, int8)", made)


for _declared, _function, _extended in (
    ("anyarray", "hash_array", "hash_array_extended"),
    ("anyenum", "hashenum", "hashenumextended"),
    ("anyrange", "hash_range", "hash_range_extended"),
    ("anymultirange", "hash_multirange", "hash_multirange_extended"),
    ("record", "hash_record", "hash_record_extended"),
    ("numeric", "hash_numeric", "hash_numeric_extended"),
    ("inet", "hashinet", "hashinetextended"),
    ("timetz", "timetz_hash", "timetz_hash_extended"),
    ("jsonb", "jsonb_hash", "jsonb_hash_extended"),
    ("oidvector", "hashoidvector", "hashoidvectorextended"),
):
    _value_hash(_declared, _function, _extended)


@implements("text of cstring")
def _input(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    """A cstring as the text that it is."""
    return args[0]


@implements("cstring of value")
def _output(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    """What a type's output function makes of a value (`planner.binding.input_and_output`)."""
    kind = call.args[0].type
    if kind.oid == t.BOOL:
        return sql("CASE WHEN ", args[0], " THEN 't' WHEN NOT ", args[0], " THEN 'f' END")
    return to_text(args[0], kind, t.CSTRING)
