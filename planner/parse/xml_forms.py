"""SQL/XML's own grammar, said as calls: what is a word there is an argument here, in the place where it stood.

    xmlelement(NAME a, xmlattributes(x AS b, y), z)      xmlelement('a', xmlattributes(x, 'b', y, NULL), z)
    xmlforest(x AS b, y)                                 xmlforest(x, 'b', y, NULL)
    xmlpi(NAME a, x)                                     xmlpi('a', x)
    xmlroot(x, VERSION NO VALUE, STANDALONE YES)         xmlroot(x, NULL, 'yes')
    xmlparse(DOCUMENT x STRIP WHITESPACE)                xmlparse('document', x, 'strip')
    xmlserialize(CONTENT x AS text)                      CAST(xmlserialize('content', x) AS text)
    xmlexists(p PASSING BY VALUE x)                      xmlexists(p, x)
    xmltable(p PASSING x COLUMNS ...)                    `xml.tables`
    x IS NOT DOCUMENT                                    x IS NOT "document normalized"

`planner.binding.xml.forms` gives these calls their meaning.
"""

from __future__ import annotations

from collections.abc import Callable

from planner.lexer import END, QUOTED, WORD, Token, is_sign
from planner.parse import xml_tables
from planner.parse.errors import syntax_error
from planner.parse.written_calls import Tokens, call, depth_of, passed, sign, split, text, word

IS_DOCUMENT = "document normalized"


def rewritten(tokens: Tokens) -> Tokens:
    """Raises 42601."""
    out: Tokens = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        made = _FORMS.get(token.keyword)
        if made is not None and i + 1 < len(tokens) and is_sign(tokens[i + 1], "("):
            end = _closing(tokens, i + 1)
            out += made(token, rewritten(tokens[i + 2 : end]), tokens[end])
            i = end + 1
            continue
        if token.keyword == "document" and out and _after_is(out):
            token = Token(QUOTED, IS_DOCUMENT, token.start, token.end)
        out.append(token)
        i += 1
    return out


def _after_is(out: Tokens) -> bool:
    last = out[-1].keyword
    return last == "is" or (last == "not" and len(out) > 1 and out[-2].keyword == "is")


def _closing(tokens: Tokens, at: int) -> int:
    depth = 0
    for i in range(at, len(tokens)):
        if tokens[i].kind == END:
            raise syntax_error(tokens[i])
        depth += depth_of(tokens[i])
        if not depth:
            return i
    raise syntax_error(tokens[-1])


def _named(name: Token, inside: Tokens, end: Token) -> Tokens:
    """NAME and a label first."""
    parts = split(inside)
    first = parts[0]
    if len(first) != 2 or first[0].keyword != "name" or first[1].kind not in (WORD, QUOTED):
        raise syntax_error(first[1] if len(first) > 1 else first[0] if first else end)
    return call(name, [[text(first[1].value, first[1])], *_filled(parts[1:], end)], end)


def _labelled(name: Token, inside: Tokens, end: Token) -> Tokens:
    args: list[Tokens] = []
    for part in _filled(split(inside), end):
        if len(part) > 2 and part[-2].keyword == "as" and part[-1].kind in (WORD, QUOTED):
            args += [part[:-2], [text(part[-1].value, part[-1])]]
        else:
            args += [part, [word("null", part[-1])]]
    return call(name, args, end)


def _filled(parts: list[Tokens], end: Token) -> list[Tokens]:
    if not all(parts):
        raise syntax_error(end)
    return parts


def _root(name: Token, inside: Tokens, end: Token) -> Tokens:
    parts = _filled(split(inside), end)
    if not 2 <= len(parts) <= 3 or parts[1][0].keyword != "version":
        raise syntax_error(parts[1][0] if len(parts) > 1 else end)
    version = parts[1][1:]
    if [t.keyword for t in version] == ["no", "value"]:
        version = [word("null", version[0])]
    args = [parts[0], *_filled([version], end)]
    if len(parts) == 3:
        words = [t.keyword for t in parts[2]]
        if words not in (["standalone", "yes"], ["standalone", "no"], ["standalone", "no", "value"]):
            raise syntax_error(parts[2][0])
        args.append([text(" ".join(words[1:]), parts[2][0])])
    return call(name, args, end)


def _kind(inside: Tokens, end: Token) -> tuple[Token, Tokens]:
    if len(inside) < 2 or inside[0].keyword not in ("document", "content"):
        raise syntax_error(inside[0] if inside else end)
    return inside[0], inside[1:]


def _parse(name: Token, inside: Tokens, end: Token) -> Tokens:
    kind, rest = _kind(inside, end)
    how = "strip"
    if [t.keyword for t in rest[-2:]] in (["preserve", "whitespace"], ["strip", "whitespace"]):
        how, rest = rest[-2].keyword, rest[:-2]
    return call(name, [[text(kind.keyword, kind)], *_filled([rest], end), [text(how, kind)]], end)


def _serialize(name: Token, inside: Tokens, end: Token) -> Tokens:
    kind, rest = _kind(inside, end)
    depth, at = 0, -1
    for i, token in enumerate(rest):
        depth += is_sign(token, "(") - is_sign(token, ")")
        if not depth and token.keyword == "as":
            at = i
    if at < 1 or at + 1 >= len(rest):
        raise syntax_error(end)
    made = call(name, [[text(kind.keyword, kind)], rest[:at]], sign(")", rest[at]))
    cast = Token(WORD, "cast", name.start, name.start, "cast")
    return [cast, sign("(", name), *made, *rest[at:], end]


def _exists(name: Token, inside: Tokens, end: Token) -> Tokens:
    depth, at = 0, -1
    for i, token in enumerate(inside):
        depth += is_sign(token, "(") - is_sign(token, ")")
        if not depth and token.keyword == "passing":
            at = i
            break
    if at < 1:
        raise syntax_error(end)
    return call(name, [inside[:at], *_filled([passed(inside[at + 1 :])], end)], end)


_FORMS: dict[str, Callable[[Token, Tokens, Token], Tokens]] = {
    "xmlelement": _named,
    "xmlpi": _named,
    "xmlattributes": _labelled,
    "xmlforest": _labelled,
    "xmlroot": _root,
    "xmlparse": _parse,
    "xmlserialize": _serialize,
    "xmlexists": _exists,
    "xmltable": xml_tables.written,
}
WORDS = frozenset((*_FORMS, "document"))

__all__ = ["IS_DOCUMENT", "WORDS", "rewritten"]
