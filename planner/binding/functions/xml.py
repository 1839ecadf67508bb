"""xml as a value: what tells whether a text is one, and casts by name (`planner.types.xmls`)."""

from __future__ import annotations

from planner.binding.functions.registry import templates

templates("""
xml(text) => tw_in_xml({0})
text(xml) => {0}
xml_is_well_formed(text) => tw_xml_well_formed({0})
xml_is_well_formed_content(text) => tw_xml_well_formed({0})
xml_is_well_formed_document(text) => tw_xml_document({0})
xml_send(xml) => encode(tw_out_xml({0}))
""")
