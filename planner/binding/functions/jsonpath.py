"""jsonpath: `@?`, `@@` and jsonb_path_exists, _match, _query, _query_array, _query_first, with `_tz` and without."""

from __future__ import annotations

from planner import types as t
from planner.abc import SessionValue, TypeRef
from planner.binding import ir
from planner.binding.emit import Emitter, Implementation
from planner.binding.fragments import Frag, sql
from planner.binding.functions.registry import register, templates

_ZONE = SessionValue("time_zone", TypeRef(t.TEXT))

templates("""
jsonb @? jsonpath => tw_jsonpath_exists({0}, {1}, '-', true, '')
jsonb @@ jsonpath => tw_jsonpath_match({0}, {1}, '-', true, '')
""")


def _function(name: str, zoned: bool) -> Implementation:
    def made(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
        given = [*args, *(sql("'{}'"), sql("false"))[len(args) - 2 :]]
        zone: Frag = Frag((_ZONE,)) if zoned else sql("''")
        items = [x for g in given for x in (g, ", ")]
        return sql(f"tw_jsonpath_{name}(", *items, zone, ")")

    return made


for _name in ("exists", "match", "query", "query_array", "query_first"):
    for _suffix in ("", "_tz"):
        for _arguments in ("jsonb, jsonpath", "jsonb, jsonpath, jsonb", "jsonb, jsonpath, jsonb, bool"):
            register(f"jsonb_path_{_name}{_suffix}({_arguments})", _function(_name, bool(_suffix)))
