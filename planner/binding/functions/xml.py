"""xml: values and what tells whether a text is one (`planner.types.xmls`), XML put together and taken apart."""

from __future__ import annotations

from planner import types as t
from planner.abc import SessionValue, TypeRef
from planner.binding import ir
from planner.binding.dimensions import as_text
from planner.binding.emit import Emitter
from planner.binding.fragments import Frag, Item, join, quote_text, sql
from planner.binding.functions.registry import implements, register, templates
from planner.binding.functions.value_texts import to_text

templates("""
xml(text) => tw_in_xml({0})
text(xml) => {0}
xml_is_well_formed(text) => tw_xml_well_formed({0})
xml_is_well_formed_content(text) => tw_xml_well_formed({0})
xml_is_well_formed_document(text) => tw_xml_document({0})
xml_send(xml) => encode(tw_out_xml({0}))
xmlcomment(text) => tw_xml_comment({0})
xmlconcat2(xml, xml) => tw_xml_concat([{0}, {1}])
xml is document => tw_xml_document({0})
xpath(text, xml) => tw_xpath({0}, {1}, '')
xpath_exists(text, xml) => tw_xpath_exists({0}, {1}, '')
xmlexists(text, xml) => tw_xpath_exists({0}, {1}, '')
xml parse => tw_xml_parse({0}, {1})
xml serialize => tw_xml_serialize({0}, {1})
""")
for _name in ("xpath", "xpath_exists"):

    def _with_namespaces(emitter: Emitter, call: ir.Call, args: list[Frag], name: str = _name) -> Frag:
        namespaces = as_text(emitter.frag(call.args[2]), call.args[2].type)
        return sql(f"tw_{name}(", args[0], ", ", args[1], ", ", namespaces, ")")

    register(f"{_name}(text, xml, _text)", _with_namespaces)


def _shown(frag: Frag, ref: TypeRef) -> Frag:
    """A value's text in XML, not yet escaped."""
    style: Item = "'ISO, MDY'"
    if ref.oid == t.BOOL:
        return sql("CASE WHEN ", frag, " THEN 'true' WHEN NOT ", frag, " THEN 'false' END")
    if ref.oid in (t.DATE, t.TIMESTAMP):
        kind = "date" if ref.oid == t.DATE else "timestamp"
        return sql(f"tw_xml_moment(tw_shown_{kind}(", frag, ", ", style, f"), '{kind}')")
    if ref.oid == t.TIMESTAMPTZ:
        zone = SessionValue("setting:timezone", TypeRef(t.TEXT))
        return sql("tw_xml_moment(tw_shown_timestamptz(", frag, ", ", style, ", ", zone, "), 'timestamp')")
    return to_text(frag, ref, t.CSTRING)


def _value(emitter: Emitter, node: ir.Node) -> Frag:
    """What stands for a value between tags."""
    frag = emitter.frag(node)
    return frag if node.type.oid == t.XML else sql("tw_xml_text(", _shown(frag, node.type), ")")


def _literal(node: ir.Node) -> str:
    assert isinstance(node, ir.Lit)
    return str(node.value)


@implements("xml attributes")
def _attributes(emitter: Emitter, call: ir.Call, _args: list[Frag]) -> Frag:
    half = len(call.args) // 2
    items: list[Frag] = []
    for label, value in zip(call.args[:half], call.args[half:], strict=True):
        shown = _shown(emitter.frag(value), value.type)
        head = quote_text(f' {_literal(label)}="')
        items.append(sql(f"coalesce({head} || tw_xml_attribute(", shown, ") || '\"', '')"))
    return sql("(", join(" || ", items), ")")


@implements("xml element")
def _element(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    name = _literal(call.args[0])
    opened = sql(quote_text(f"<{name}"), " || ", args[1])
    content = [_value(emitter, x) for x in call.args[2:]]
    if not content:
        return sql("(", opened, " || '/>')")
    inside = sql("array_to_string([", join(", ", content), "], '')")
    nothing = join(" AND ", [sql(x, " IS NULL") for x in content])
    closed = quote_text(f"</{name}>")
    return sql(
        "(", opened, " || CASE WHEN ", nothing, " THEN '/>' ELSE '>' || ", inside, f" || {closed} END)"
    )


@implements("xml forest")
def _forest(emitter: Emitter, call: ir.Call, _args: list[Frag]) -> Frag:
    half = len(call.args) // 2
    items: list[Frag] = []
    for label, value in zip(call.args[:half], call.args[half:], strict=True):
        name = _literal(label)
        items.append(
            sql(quote_text(f"<{name}>"), " || ", _value(emitter, value), f" || {quote_text(f'</{name}>')}")
        )
    nothing = join(" AND ", [sql(x, " IS NULL") for x in items])
    return sql("CASE WHEN NOT (", nothing, ") THEN array_to_string([", join(", ", items), "], '') END")


@implements("xml concat")
def _concat(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    return sql("tw_xml_concat([", join(", ", [sql("CAST(", a, " AS VARCHAR)") for a in args]), "])")


@implements("xml pi")
def _pi(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    target = quote_text(_literal(call.args[0]))
    if len(args) == 1:
        return sql(quote_text(f"<?{_literal(call.args[0])}?>"))
    return sql(f"tw_xml_pi({target}, CAST(", args[1], " AS VARCHAR))")


@implements("xml root")
def _root(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return sql("tw_xml_root(", args[0], ", coalesce(CAST(", args[1], " AS VARCHAR), ''), ", args[2], ")")
