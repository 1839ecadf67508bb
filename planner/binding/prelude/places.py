"""What tells one version of a row from all others, made of its row id; and tid as text.

A row id is given once, to one version of one row, so everything that PostgreSQL's users take for a row's identity or
version follows from it:

    ctid    (block,offset)     65,535 row ids a block, offsets from 1
    xmin    a number > 2       another one for another version: PostgreSQL's say who made it, which here nobody keeps
"""

from __future__ import annotations

from planner import types as t
from planner.abc import TypeRef

FUNCTIONS = [("tw_in_tid", t.text_input(TypeRef(t.TID)), ("VARCHAR",), "BIGINT")]

MACROS = (
    "CREATE OR REPLACE MACRO tw_ctid(rid) AS rid + (rid - 1) // 65535",
    "CREATE OR REPLACE MACRO tw_xmin(rid) AS 3 + rid % 4294967293",
    "CREATE OR REPLACE MACRO tw_xmax(ended) AS CASE WHEN ended = 0 THEN 0 ELSE tw_xmin(ended) END",
    "CREATE OR REPLACE MACRO tw_of_row(rid, value) AS CASE WHEN rid IS NOT NULL THEN CAST(value AS BIGINT) END",
    "CREATE OR REPLACE MACRO tw_out_tid(v) AS '(' || (v >> 16) || ',' || (v & 65535) || ')'",
)
