"""json and jsonb: operators, constructors and the functions of chapter 9.16.

Values are texts: json as it was written, jsonb in PostgreSQL's canonical form, so jsonb's functions end in `tw_jsonb`
where their result could be in another form.
"""

from __future__ import annotations

from planner import types as t
from planner.abc import PlanError, SessionValue, TypeRef
from planner.binding import ir
from planner.binding.dimensions import ONE_DIMENSIONAL, SHAPED, VECTORS, as_list, element_ref, held_form
from planner.binding.emit import Emitter
from planner.binding.fragments import ARRAY_TEXT, Frag, Item, join, quote_text, sql
from planner.binding.functions.conversions import convert
from planner.binding.functions.registry import implements, register, templates
from planner.binding.functions.value_texts import (
    record_text,
    record_value,
    stored_text,
    stored_value,
    to_text,
)
from planner.binding.numeric_forms import as_text_numeric
from planner.binding.records import Fields, called_fields, fields_of

templates("""
json -> text => tw_json_member({0}, {1})
json -> int4 => tw_json_element({0}, {1})
json ->> text => tw_json_text(tw_json_member({0}, {1}))
json ->> int4 => tw_json_text(tw_json_element({0}, {1}))
json #> _text => tw_json_path({0}, {1})
json #>> _text => tw_json_text(tw_json_path({0}, {1}))
json_typeof(json) => tw_json_typeof({0})
json_array_length(json) => tw_json_length({0})
""")
_BOTH = """
K_object_keys(K) => tw_K_keys({0})
K_array_elements(K) => tw_K_array_elements({0})
K_array_elements_text(K) => list_transform(tw_K_array_elements_text({0}), lambda tw_x: tw_json_text(tw_x))
"""
templates(_BOTH.replace("K", "json"))
templates(_BOTH.replace("K", "jsonb"))
templates("""
json_each(json) => list_transform(tw_json_each_members({0}), lambda tw_m: {'key': tw_m[1], 'value': tw_m[2]})
json_each_text(json) => list_transform(tw_json_each_text_members({0}), lambda tw_m: {'key': tw_m[1], 'value': tw_json_text(tw_m[2])})
jsonb_each(jsonb) => list_transform(tw_jsonb_each_keys({0}), lambda tw_k: {'key': tw_k, 'value': tw_json_member({0}, tw_k)})
jsonb_each_text(jsonb) => list_transform(tw_jsonb_each_text_keys({0}), lambda tw_k: {'key': tw_k, 'value': tw_json_text(tw_json_member({0}, tw_k))})
""")
templates("""
jsonb @> jsonb => tw_jsonb_contains({0}, {1})
jsonb <@ jsonb => tw_jsonb_contains({1}, {0})
jsonb ? text => tw_jsonb_has({0}, {1})
jsonb ?| _text => tw_jsonb_has_any({0}, {1})
jsonb ?& _text => tw_jsonb_has_all({0}, {1})
jsonb || jsonb => tw_jsonb_concat({0}, {1})
jsonb - text => tw_jsonb_minus_key({0}, {1})
jsonb - int4 => tw_jsonb_minus_index({0}, {1})
jsonb - _text => tw_jsonb_minus_keys({0}, {1})
jsonb put => tw_jsonb_put(coalesce({0}, CASE WHEN {3} THEN '[]' ELSE '{}' END), {1}, coalesce({2}, 'null'))
jsonb #- _text => tw_jsonb_minus_path({0}, {1})
jsonb_set(jsonb, _text, jsonb) => tw_jsonb_set({0}, {1}, {2}, true)
jsonb_set(jsonb, _text, jsonb, bool) => tw_jsonb_set({0}, {1}, {2}, {3})
jsonb_insert(jsonb, _text, jsonb) => tw_jsonb_insert({0}, {1}, {2}, false)
jsonb_insert(jsonb, _text, jsonb, bool) => tw_jsonb_insert({0}, {1}, {2}, {3})
json_strip_nulls(json) => tw_json_strip_nulls({0})
jsonb_strip_nulls(jsonb) => tw_jsonb_strip_nulls({0})
jsonb_pretty(jsonb) => tw_jsonb_pretty({0})
""")
ONE_DIMENSIONAL.update(
    (
        "jsonb - _text",
        "jsonb #- _text",
        "jsonb_delete(jsonb, _text)",
        "jsonb_delete_path(jsonb, _text)",
        "jsonb_set(jsonb, _text, jsonb)",
        "jsonb_set(jsonb, _text, jsonb, bool)",
        "jsonb_insert(jsonb, _text, jsonb)",
        "jsonb_insert(jsonb, _text, jsonb, bool)",
        "jsonb_set_lax(jsonb, _text, jsonb)",
        "jsonb_set_lax(jsonb, _text, jsonb, bool)",
        "jsonb_set_lax(jsonb, _text, jsonb, bool, text)",
    )
)


def value_json(frag: Frag, node: ir.Node, emitter: Emitter) -> Frag:
    """A value as JSON text, as to_json makes it; SQL NULL stays NULL."""
    if isinstance(node, ir.Lit) and node.value is None:
        return sql("CAST(NULL AS VARCHAR)")
    if isinstance(node, ir.Cast) and node.type.oid == t.RECORD:
        return type_json(frag, node.arg.type)
    if isinstance(node, ir.Logic) and node.op == "row":
        named = called_fields(node.type) or tuple(f"f{i}" for i in range(1, len(node.args) + 1))
        return _members(
            [(n, value_json(emitter.frag(a), a, emitter)) for n, a in zip(named, node.args, strict=True)]
        )
    return type_json(frag, node.type)


def _members(values: list[tuple[str, Frag]]) -> Frag:
    pairs = [sql("{'k': ", quote_text(n), ", 'v': coalesce(", v, ", 'null')}") for n, v in values]
    return sql("tw_json_row(CAST([", join(", ", pairs), "] AS STRUCT(k VARCHAR, v VARCHAR)[]))")


def type_json(frag: Frag, ref: TypeRef) -> Frag:
    """A value of a type as JSON text; SQL NULL stays NULL."""
    oid = ref.oid
    if oid in (t.INT2, t.INT4, t.INT8, t.BOOL):
        return sql("CAST(", frag, " AS VARCHAR)")
    if oid == t.OID:  # no number to PostgreSQL here
        return sql("tw_json_quote(CAST(", frag, " AS VARCHAR))")
    if oid in VECTORS:
        array = TypeRef(t.array_of(VECTORS[oid]))
        return type_json(convert(frag, ref, array, True), array)
    if oid == t.NUMERIC:
        if frag.form is not None:
            return as_text_numeric(frag).with_form(None)
        return sql("tw_json_number(", frag, ")")
    if oid in (t.FLOAT4, t.FLOAT8):
        return sql("tw_json_number(", to_text(frag, ref, t.TEXT), ")")
    if oid in (t.JSON, t.JSONB):
        return frag
    if oid == t.TIMESTAMPTZ:
        zone = SessionValue("time_zone", TypeRef(t.TEXT))
        shown = sql("tw_out_timestamptz(", frag, ", ", zone, ")")  # ISO, whatever DateStyle says
        # The first space alone: the one before BC stays.
        dated = sql("regexp_replace(", shown, ", ' ', 'T')")
        return sql("tw_json_quote(regexp_replace(", dated, r", '([+-]\d\d)( BC)?$', '\1:00\2'))")
    if oid == t.TIMESTAMP:
        return sql("tw_json_quote(regexp_replace(", stored_text(frag, ref), ", ' ', 'T'))")
    if oid == t.DATE:
        return sql("tw_json_quote(", stored_text(frag, ref), ")")
    if t.element_of(oid):
        element = element_ref(ref)
        items = sql(
            "list_transform(",
            as_list(frag, ref),
            ", lambda tw_x: coalesce(",
            type_json(Frag(("tw_x",)), element),
            ", 'null'))",
        )
        if frag.form == ARRAY_TEXT:
            return sql("tw_array_nested(", frag, ", ", items, ", '[', ',', ']')")
        return sql("tw_json_list(", items, ")")
    composite = t.composite_fields(oid)
    if composite is not None:
        members = []
        for i, (n, r) in enumerate(composite):
            cell = sql("tw_record_item(", frag, ", ", str(i), ")")
            is_array = bool(t.element_of(r.oid))
            value = cell.with_form(ARRAY_TEXT) if is_array else stored_value(cell, TypeRef(r.oid))
            members.append((n, type_json(value, TypeRef(r.oid))))
        return sql("CASE WHEN ", frag, " IS NOT NULL THEN ", _members(members), " END")
    if oid == t.RECORD:
        fields = fields_of(ref)
        if fields is None:
            raise PlanError("0A000", "a record of unknown fields as JSON is not supported")
        parts = [
            (sql("struct_extract(", frag, ", ", quote_text(n), ")", form=held_form(r)), r) for n, r in fields
        ]
        called = called_fields(ref)
        whole = _members([(n, type_json(cell, r)) for n, (cell, r) in zip(called, parts, strict=True)])
        return sql("CASE WHEN ", frag, " IS NOT NULL THEN ", whole, " END")
    if oid == t.HSTORE:
        return sql("tw_hstore_json(", frag, ")")
    return sql("tw_json_quote(", to_text(frag, ref, t.CSTRING), ")")


@implements("to_json(anyelement)")
def _to_json(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return value_json(args[0], call.args[0], emitter)


@implements("array_to_json(anyarray)", "row_to_json(record)")
def _container_to_json(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return value_json(args[0], call.args[0], emitter)


@implements("array_to_json(anyarray, bool)", "row_to_json(record, bool)")
def _container_to_lines(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    made = value_json(args[0], call.args[0], emitter)
    return sql(
        "CASE WHEN ", args[1], " THEN tw_json_lines(", made, ") WHEN NOT ", args[1], " THEN ", made, " END"
    )


@implements("to_jsonb(anyelement)")
def _to_jsonb(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return sql("tw_jsonb(", value_json(args[0], call.args[0], emitter), ")")


def _array(binary: bool) -> None:
    def made(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        items = [
            sql("coalesce(", value_json(f, n, emitter), ", 'null')")
            for f, n in zip(args, call.args, strict=True)
        ]
        text = sql("tw_json_array(CAST([", join(", ", items), "] AS VARCHAR[]))")
        return sql("tw_jsonb(", text, ")") if binary else text

    word = "jsonb" if binary else "json"
    register(f"{word}_build_array(any)", made)
    register(f"{word}_build_array()", made)


def key_json(frag: Frag, ref: TypeRef) -> Frag:
    """A value as the name of a member: dates and times as JSON has them."""
    if ref.oid in (t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ):
        return sql("tw_json_text(", type_json(frag, ref), ")")
    return to_text(frag, ref, t.CSTRING)


def _object(binary: bool) -> None:
    word = "jsonb" if binary else "json"

    def made(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        if len(args) % 2:
            raise PlanError(
                "22023",
                "argument list must have even number of elements",
                hint=f"The arguments of {word}_build_object() must consist of alternating keys and values.",
            )
        items: list[Item] = []
        for i in range(0, len(args), 2):
            key_type = call.args[i].type.oid
            if key_type in (t.RECORD, t.JSON, t.JSONB) or t.element_of(key_type):
                raise PlanError("22023", "key value must be scalar, not array, composite, or json")
            key = key_json(args[i], call.args[i].type)
            value = value_json(args[i + 1], call.args[i + 1], emitter)
            items.append(sql("{'k': ", key, ", 'v': coalesce(", value, ", 'null')}"))
        pairs = sql("CAST([", join(", ", items), "] AS STRUCT(k VARCHAR, v VARCHAR)[])")
        return sql(f"tw_{word}_built(", pairs, ")")

    register(f"{word}_build_object(any)", made)
    register(f"{word}_build_object()", made)


for _binary in (False, True):
    _array(_binary)
    _object(_binary)


def _extract_path(kind: str, text: bool) -> None:
    def made(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
        found = sql("tw_json_path(", args[0], ", [", join(", ", args[1:]), "])")
        return sql("tw_json_text(", found, ")") if text else found

    register(f"{kind}_extract_path{'_text' if text else ''}({kind}, _text)", made)


def _without(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    return sql("tw_jsonb_minus_keys(", args[0], ", [", join(", ", args[1:]), "])")


register("jsonb_delete(jsonb, _text)", _without)


for _kind in ("json", "jsonb"):
    _extract_path(_kind, False)
    _extract_path(_kind, True)


def populated_texts(base: Frag, objects: Frag, known: Fields) -> Frag:
    """For each of a list of objects the text of a record with these fields; `base`: such a text too."""
    names = sql("CAST([", join(", ", [quote_text(n) for n, _ in known]), "] AS VARCHAR[])")
    oids = f", CAST([{', '.join(str(ref.oid) for _, ref in known)}] AS INTEGER[]))"
    base = sql("CAST([", base, "] AS VARCHAR[])")
    made = sql("tw_json_populated_record(", base, ", tw_x, ", names, oids)
    return sql("list_transform(", objects, ", lambda tw_x: ", made, ")")


def objects_of(text: Frag, function: str) -> Frag:
    """The objects of an array, as a list of texts. `function`: who reads them, which errors name."""
    return sql("tw_json_records(", text, f", {quote_text(function)})")


def _populated_records(base: Frag, of: TypeRef, text: Frag, rows: bool, name: str) -> Frag:
    objects = objects_of(text, name) if rows else sql("[", text, "]")
    texts = populated_texts(record_text(base, of, stored_text), objects, fields_of(of) or ())
    made = sql("list_transform(", texts, ", lambda tw_filled: ", record_value(sql("tw_filled"), of), ")")
    return made if rows else sql("CASE WHEN ", text, " IS NULL THEN ", base, " ELSE ", made, "[1] END")


def _populates(rows: bool, declared: str) -> None:
    word = "record" + "set" * rows

    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        of, name = call.args[0].type, call.op.partition("(")[0]
        if call.type.oid == t.RECORD and fields_of(of):
            return _populated_records(args[0], of, args[1], rows, name)
        if call.type.oid == t.RECORD:
            record = call.args[0]
            given = record.arg if isinstance(record, ir.Cast) else record
            unknown = isinstance(given, ir.Lit) and given.value is None
            way = "Provide a non-null record argument" if unknown else "Cast the record to a composite type"
            raise PlanError(
                "0A000",
                f"could not determine row type for result of {name}",
                hint=f"{way}, or call the function in the FROM clause using a column definition list.",
            )
        if t.composite_fields(call.type.oid) is None:
            raise PlanError("42804", f"first argument of {name} must be a row type")
        base = sql("CAST([", args[0], "] AS VARCHAR[])")
        oid = str(call.type.oid)
        if not rows:
            filled = sql("tw_json_populated(", base, ", ", args[1], f", {oid})")
            return sql("CASE WHEN ", args[1], " IS NULL THEN ", args[0], " ELSE ", filled, " END")
        return sql(
            "list_transform(",
            objects_of(args[1], name),
            ", lambda tw_x: tw_json_populated(",
            base,
            f", tw_x, {oid}))",
        )

    kind = declared.split(",")[0]
    register(f"{kind}_populate_{word}(anyelement, {declared})", made)


for _kind in ("json", "json, bool", "jsonb"):
    _populates(False, _kind)
    _populates(True, _kind)


SHAPED.update(
    (
        "to_json(anyelement)",
        "to_jsonb(anyelement)",
        "array_to_json(anyarray)",
        "array_to_json(anyarray, bool)",
        "json_build_array(any)",
        "jsonb_build_array(any)",
        "json_build_object(any)",
        "jsonb_build_object(any)",
    )
)
