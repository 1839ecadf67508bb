"""What Spark and its kind ask for before they read a table's parts themselves: `executor.session.native_reads`."""

from __future__ import annotations

from planner.binding import ir
from planner.binding.emit import Emitter
from planner.binding.fragments import Frag, sql
from planner.binding.functions.registry import implements
from planner.binding.functions.sequences import PID


@implements(
    "tidewire_open_snapshot(text, text, int4)",
    "tidewire_renew_snapshot(text, int4)",
    "tidewire_close_snapshot(text)",
    "tidewire_describe(text)",
)
def _native(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    name = call.op.partition("(")[0].removeprefix("tidewire_")
    items = [x for a in args for x in (a, ", ")]
    return sql(f"tw_{name}(", *items, PID, ")")
