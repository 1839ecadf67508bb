"""Records and composite values: their fields, and comparisons of whole records."""

from __future__ import annotations

from planner import types as t
from planner.binding import ir
from planner.binding.dimensions import SHAPED, held_form
from planner.binding.emit import Emitter, Implementation
from planner.binding.fragments import Frag, sql
from planner.binding.functions.registry import implements, register, template
from planner.binding.functions.value_texts import stored_text
from planner.binding.numeric_forms import as_text_numeric

template("composite field", "tw_record_item({0}, {1})")


@implements("composite put")
def _put_field(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    """UPDATE ... SET c.f = x: the composite, the field's value, its place, how many fields there are."""
    nothing = "(" + "," * (int(call.args[3].value) - 1) + ")" if isinstance(call.args[3], ir.Lit) else "()"
    cell = stored_text(
        as_text_numeric(args[1]) if call.args[1].type.oid == t.NUMERIC else args[1], call.args[1].type
    )
    return sql(
        "tw_record_put(coalesce(", args[0], f", '{nothing}'), ", args[2], ", CAST([", cell, "] AS VARCHAR[]))"
    )


@implements("record field")
def _field(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return sql(
        "struct_extract(",
        args[0],
        ", ",
        args[1],
        ")",
        form=held_form(call.type),
    )


def _comparison(op: str) -> Implementation:
    """By DuckDB's order of structs, which is that of records: NULLs are equal, and after everything else."""

    def made(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        a, b = (emitter.sort_key(x) for x in call.args)
        test = sql("(", a, f" {op} ", b, ")")
        if op not in ("=", "<>"):
            # DuckDB makes one BETWEEN of two bounds, and has none for structs.
            test = sql("(", test, " <> false)")
        made_here = [isinstance(x, ir.Logic) and x.op == "row" for x in call.args]
        unsure = [f for f, here in zip(args, made_here, strict=True) if not here]
        for f in unsure:  # it may be no record at all
            test = sql("CASE WHEN ", f, " IS NOT NULL THEN ", test, " END")
        return test

    return made


def _told_apart(negated: bool) -> Implementation:
    def made(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        # A record of NULLs is not the same as no record.
        keys = [
            sql("CASE WHEN ", f, " IS NOT NULL THEN ", emitter.sort_key(x), " END")
            for f, x in zip(args, call.args, strict=True)
        ]
        return sql("(", keys[0], f" IS {'NOT ' if negated else ''}DISTINCT FROM ", keys[1], ")")

    return made


for _op in ("=", "<>", "<", "<=", ">", ">="):
    register(f"record {_op} record", _comparison(_op))
register("record is distinct from record", _told_apart(False))
register("record is not distinct from record", _told_apart(True))
SHAPED.add("composite put")
