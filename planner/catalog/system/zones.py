"""Time zones as they are at this moment: pg_timezone_names and pg_timezone_abbrevs, as functions and as views."""

from __future__ import annotations

import zoneinfo
from datetime import datetime, timedelta
from typing import Any

from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import system
from planner.types.oids import BOOL, INTERVAL, RECORD, TEXT
from planner.types.timezones import ABBREVIATIONS, US_PER_S, abbreviation


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


def abbreviation_rows() -> list[dict[str, Any]]:
    """Every abbreviation that times are read with: what it means now, where that has changed."""
    now_us = (
        datetime.now(zoneinfo.ZoneInfo("UTC")).replace(tzinfo=None) - datetime(1970, 1, 1)
    ) // timedelta(microseconds=1)
    found = []
    for name, (east_s, summer) in sorted(ABBREVIATIONS.items()):
        moving = abbreviation(name)
        offset_s = moving.east(now_us) if moving is not None else east_s
        found.append({"abbrev": name.upper(), "utc_offset": (0, 0, offset_s * US_PER_S), "is_dst": summer})
    return found


@system(
    "pg_timezone_abbrevs",
    (),
    RECORD,
    columns=(("abbrev", TEXT), ("utc_offset", INTERVAL), ("is_dst", BOOL)),
)
def _timezone_abbrevs(context: SystemContext) -> list[dict[str, Any]]:
    return [{**a, "utc_offset": f"{a['utc_offset'][2]} microseconds"} for a in abbreviation_rows()]


@system(
    "pg_timezone_names",
    (),
    RECORD,
    columns=(("name", TEXT), ("abbrev", TEXT), ("utc_offset", INTERVAL), ("is_dst", BOOL)),
)
def _timezone_names(context: SystemContext) -> list[dict[str, Any]]:
    # A text, which DuckDB reads: Python's own differences of times would come with days where they are negative.
    return [{**z, "utc_offset": f"{z['utc_offset'][2]} microseconds"} for z in zone_rows()]
