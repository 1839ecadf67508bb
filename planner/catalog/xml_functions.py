"""query_to_xml, table_to_xml and their kin: functions that run, as PL/pgSQL does, each call once (`executor.session.xml_documents`)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from planner.abc import Oid
from planner.catalog import running_functions
from planner.catalog.routine_objects import Function

_NAMES: Final = frozenset((
    "cursor_to_xml", "cursor_to_xmlschema", "database_to_xml", "database_to_xml_and_xmlschema", "database_to_xmlschema",
    "query_to_xml", "query_to_xml_and_xmlschema", "query_to_xmlschema", "schema_to_xml", "schema_to_xml_and_xmlschema",
    "schema_to_xmlschema", "table_to_xml", "table_to_xml_and_xmlschema", "table_to_xmlschema",
))  # fmt: skip


@lru_cache(maxsize=1)
def functions() -> Mapping[Oid, Function]:
    """By OID, as pg_proc has them."""
    return running_functions.of_names(_NAMES)


__all__ = ["functions"]
