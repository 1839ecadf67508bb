"""Python functions on xml (`planner.types.xmls`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planner.types import xmls

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_V = "VARCHAR"

FUNCTIONS: list[Entry] = [
    ("tw_in_xml", xmls.xml_in, (_V,), _V),
    ("tw_out_xml", xmls.xml_out, (_V,), _V),
    ("tw_xml_well_formed", xmls.is_well_formed, (_V,), "BOOLEAN"),
    ("tw_xml_document", xmls.is_document, (_V,), "BOOLEAN"),
]
