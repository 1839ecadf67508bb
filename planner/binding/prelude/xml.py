"""Python functions on xml (`planner.types.xmls`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planner.types import xml_documents, xml_making, xml_paths, xml_rows, xmls

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_V = "VARCHAR"
_L = "VARCHAR[]"


def _concat(values: list[str | None]) -> str | None:
    return xml_making.concatenated(values)


FUNCTIONS: list[Entry] = [
    ("tw_in_xml", xmls.xml_in, (_V,), _V),
    ("tw_out_xml", xmls.xml_out, (_V,), _V),
    ("tw_xml_well_formed", xmls.is_well_formed, (_V,), "BOOLEAN"),
    ("tw_xml_text", xml_making.text, (_V,), _V),
    ("tw_xml_attribute", xml_making.attribute, (_V,), _V),
    ("tw_xml_moment", xml_documents.moment, (_V, _V), _V),
    ("tw_xml_comment", xml_making.comment, (_V,), _V),
    ("tw_xml_concat", _concat, ("VARCHAR[]",), _V),
    ("tw_xml_pi", xml_making.instruction, (_V, _V), _V),
    ("tw_xml_root", xml_making.rooted, (_V, _V, _V), _V),
    ("tw_xml_parse", xml_making.parsed, (_V, _V), _V),
    ("tw_xml_serialize", xml_making.serialized, (_V, _V), _V),
    ("tw_xpath", xml_paths.xpath, (_V, _V, _V), "VARCHAR[]"),
    ("tw_xpath_exists", xml_paths.exists, (_V, _V, _V), "BOOLEAN"),
    ("tw_xml_table", xml_rows.rows, (_V, _V, _L, _L, _L, _V), _L),
    ("tw_xml_document", xmls.is_document, (_V,), "BOOLEAN"),
]
