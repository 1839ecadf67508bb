"""Macros of `functions.jsonb_parts`: paths of constant keys and places, and the parts that they lead to."""

from __future__ import annotations

from typing import Final

PLACE_MAX: Final = 1_000_000
"""Places of arrays that a path names."""

MACROS: Final = (
    r"""CREATE OR REPLACE MACRO tw_jsonb_is_key(k) AS regexp_full_match(k, '[^"\\*]+')""",
    """CREATE OR REPLACE MACRO tw_jsonb_by_key(k) AS CASE WHEN tw_jsonb_is_key(k) THEN '."' || k || '"' ELSE '."-"' END""",
    f"CREATE OR REPLACE MACRO tw_jsonb_is_place(n) AS n BETWEEN -{PLACE_MAX} AND {PLACE_MAX}",
    """CREATE OR REPLACE MACRO tw_jsonb_by_place(n) AS CASE WHEN tw_jsonb_is_place(n)
    THEN '[' || CASE WHEN n < 0 THEN '#' ELSE '' END || CAST(n AS VARCHAR) || ']' ELSE '[0]' END""",
    r"""CREATE OR REPLACE MACRO tw_jsonb_are_keys(k) AS len(k) > 0
    AND len(list_filter(k, lambda x: x IS NULL OR NOT regexp_full_match(x, '[^"\\*]+') OR regexp_matches(x, '^\s*[+-]?[0-9]'))) = 0""",
    """CREATE OR REPLACE MACRO tw_jsonb_by_keys(k) AS CASE WHEN tw_jsonb_are_keys(k)
    THEN '$' || list_aggregate(list_transform(k, lambda x: '."' || x || '"'), 'string_agg', '') ELSE '$' END""",
    """CREATE OR REPLACE MACRO tw_jsonb_text(doc, path, known, otherwise) AS CASE
    WHEN known AND coalesce(json_type(doc, path), 'NULL') IN ('VARCHAR', 'BIGINT', 'UBIGINT', 'BOOLEAN', 'NULL')
    THEN json_extract_string(doc, path) ELSE otherwise END""",
    r"""CREATE OR REPLACE MACRO tw_jsonb_part(doc, path, known, otherwise) AS CASE
    WHEN NOT known OR known IS NULL OR coalesce(json_type(doc, path), 'NULL') IN ('OBJECT', 'ARRAY', 'DOUBLE', 'HUGEINT', 'UHUGEINT') OR contains(doc, '\')
    THEN otherwise ELSE CAST(json_extract(doc, path) AS VARCHAR) END""",
    """CREATE OR REPLACE MACRO tw_jsonb_kind(doc, path, known, otherwise) AS CASE
    WHEN NOT known OR known IS NULL THEN otherwise
    ELSE CASE json_type(doc, path) WHEN 'OBJECT' THEN 'object' WHEN 'ARRAY' THEN 'array' WHEN 'VARCHAR' THEN 'string'
    WHEN 'BOOLEAN' THEN 'boolean' WHEN 'NULL' THEN 'null' ELSE otherwise END END""",
    """CREATE OR REPLACE MACRO tw_jsonb_count(doc, path, known, otherwise) AS CASE
    WHEN known AND json_type(doc, path) = 'ARRAY' THEN CAST(json_array_length(doc, path) AS INTEGER) ELSE otherwise END""",
)
