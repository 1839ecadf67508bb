"""SQL/XML written down again in its own grammar: XMLELEMENT(NAME a, XMLATTRIBUTES(x AS b), y)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from planner import types as t
from planner.binding import ir
from planner.catalog import quote_identifier

Write = Callable[[ir.Node], str]
OF_XML = "xml "
"""How the names of these calls begin."""


def written(node: ir.Call, write: Write, pretty: bool) -> str:
    """One of the calls of `planner.binding.xml.forms`."""
    op, args = node.op.removeprefix(OF_XML), node.args
    if op == "element":
        parts = [f"NAME {_name(args[0])}"]
        if isinstance(args[1], ir.Call):
            parts.append(f"XMLATTRIBUTES({_labelled(args[1].args, write)})")
        return f"XMLELEMENT({', '.join([*parts, *(_plain(a, write) for a in args[2:])])})"
    if op == "forest":
        return f"XMLFOREST({_labelled(args, write)})"
    if op == "concat":
        return f"XMLCONCAT({', '.join(map(write, args))})"
    if op == "pi":
        return f"XMLPI({', '.join([f'NAME {_name(args[0])}', *map(write, args[1:])])})"
    if op == "root":
        version = "NO VALUE" if isinstance(args[1], ir.Lit) and args[1].value is None else write(args[1])
        alone = _said(args[2]).upper()
        return f"XMLROOT({write(args[0])}, VERSION {version}{f', STANDALONE {alone}' if alone else ''})"
    if op == "parse":
        return f"XMLPARSE({_said(args[1]).upper()} {write(args[0])} {_said(args[2]).upper()} WHITESPACE)"
    if op == "serialize":
        return f"XMLSERIALIZE({_said(args[1]).upper()} {write(args[0])} AS text)"
    return f"({write(args[0])}) IS DOCUMENT" if pretty else f"{write(args[0])} IS DOCUMENT"


def _said(node: ir.Node) -> str:
    assert isinstance(node, ir.Lit)
    return str(node.value)


def _name(node: ir.Node) -> str:
    said = re.sub(r"_x([0-9A-F]{4,8})_", lambda m: chr(int(m[1], 16)), _said(node))
    return str(quote_identifier(said))


def _plain(node: ir.Node, write: Write) -> str:
    """A constant that nobody gave a type stays without."""
    if isinstance(node, ir.Lit) and node.type.oid == t.TEXT and node.value is not None:
        return write(node).removesuffix("::text")
    return write(node)


def _labelled(args: Sequence[ir.Node], write: Write) -> str:
    half = len(args) // 2
    pairs = zip(args[:half], args[half:], strict=True)
    return ", ".join(f"{_plain(value, write)} AS {_name(label)}" for label, value in pairs)


__all__ = ["OF_XML", "written"]
