"""Where an XPath begins to walk: PostgreSQL begins at the document, lxml at its first element.

    from_document("a | count(b/c[d])")      /a | count(/b/c[d])

What is in brackets is asked of each node that was found, so it stays. A function without arguments that asks for the context node
(`string()`) gets the document. Tokens are told apart as XPath 1.0 says (3.7): whether `*` multiplies depends on what is before it.
"""

from __future__ import annotations

import re
from typing import Final

from planner.abc import SqlError

_TOKEN: Final = re.compile(
    r"\s+|(?P<literal>\"[^\"]*\"|'[^']*')|(?P<number>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)|(?P<dots>\.\.?)|(?P<sign>::|//|!=|<=|>=|[()\[\]@,/|+=<>$*-])"
    r"|(?P<name>[^\W\d][\w.\-\u00b7]*(?::(?!:)(?:\*|[^\W\d][\w.\-\u00b7]*))?)"
)
_NO_OPERATOR_AFTER: Final = frozenset(
    (
        "",
        "@",
        "::",
        "(",
        "[",
        ",",
        "and",
        "or",
        "mod",
        "div",
        "/",
        "//",
        "|",
        "+",
        "-",
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "*op",
        "$",
    )
)
_WITHIN_A_PATH: Final = frozenset(("/", "//", "::", "@", "$"))
_NODE_KINDS: Final = frozenset(("comment", "text", "processing-instruction", "node"))
_OPERATORS: Final = frozenset(("and", "or", "mod", "div"))
_OF_TEXT: Final = frozenset(("string", "normalize-space", "string-length", "number"))
_OF_CONTEXT: Final = _OF_TEXT | {"name", "local-name", "namespace-uri"}
_REFUSED: Final = frozenset(("position", "last", "lang", "id"))


_DOCUMENT: Final = re.compile(r"ancestor|parent|self|\.\.|//\s*\.|(?<![\w*\])./'\"])/\s*\.?\s*(?![\w*@/.:])")


def may_ask_for_document(path: str) -> bool:
    """Whether a path may find the document itself, rather than what is in it."""
    return _DOCUMENT.search(from_document(path)) is not None


def from_document(path: str) -> str:
    """The same path for who begins at the first element. What is no XPath stays, for who says so. Raises 0A000."""
    out: list[str] = []
    before, depth, at = "", 0, 0
    while at < len(path):
        m = _TOKEN.match(path, at)
        if m is None:
            return path
        text, kind = m[0], m.lastgroup
        at = m.end()
        if kind is None:
            out.append(text)
            continue
        follows = path[at:].lstrip()
        operator_may_follow = before not in _NO_OPERATOR_AFTER
        starts = False
        if kind == "name" or text == "*":
            if operator_may_follow:
                text_before = "*op" if text == "*" else text if text in _OPERATORS else "name"
                out.append(text)
                before = text_before
                continue
            called = kind == "name" and follows.startswith("(") and text not in _NODE_KINDS
            starts = not called
            if called and not depth and before not in _WITHIN_A_PATH:
                if text in _REFUSED:
                    raise SqlError("0A000", f"{text}() of a document in XPath is not supported")
                empty = re.match(r"\(\s*\)", follows)
                if text in _OF_CONTEXT and empty is not None:
                    at += len(path[at:]) - len(follows) + empty.end()
                    # A document is no more text than its element, but libxml2 counts what entities stand for with it.
                    out.append(f"{text}(/*)" if text in _OF_TEXT else f"{text}(/)")
                    before = ")"
                    continue
        elif kind == "dots" or text == "@":
            starts = True
        if starts and operator_may_follow:
            return path
        if text == "[":
            depth += 1
        elif text == "]":
            depth -= 1
        if starts and not depth and before not in _WITHIN_A_PATH:
            out.append("/")
        out.append(text)
        before = text if kind == "sign" and text != "*" else "operand"
    return "".join(out)
