"""Time zones as they are at this moment: pg_timezone_names, as a function and as a view."""

from __future__ import annotations

import zoneinfo
from datetime import datetime, timedelta
from typing import Any

from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import system
from planner.types.oids import BOOL, INTERVAL, RECORD, TEXT


def zone_rows() -> list[dict[str, Any]]:
    """Every zone that is known: its name, and abbreviation, offset and whether it is summer now."""
    now = datetime.now(zoneinfo.ZoneInfo("UTC"))
    found = []
    for name in sorted(zoneinfo.available_timezones()):
        there = now.astimezone(zoneinfo.ZoneInfo(name))
        offset = there.utcoffset() or timedelta()
        found.append(
            {
                "name": name,
                "abbrev": there.tzname(),
                "utc_offset": (0, 0, offset // timedelta(microseconds=1)),
                "is_dst": bool(there.dst()),
            }
        )
    return found


@system(
    "pg_timezone_names",
    (),
    RECORD,
    columns=(("name", TEXT), ("abbrev", TEXT), ("utc_offset", INTERVAL), ("is_dst", BOOL)),
)
def _timezone_names(context: SystemContext) -> list[dict[str, Any]]:
    # A text, which DuckDB reads: Python's own differences of times would come with days where they are negative.
    return [{**z, "utc_offset": f"{z['utc_offset'][2]} microseconds"} for z in zone_rows()]
