"""XML put together: names and texts as XML may have them, values behind each other, declarations before them.

name("a b")                      a_x0020_b
concatenated(["<a/>", "<b/>"])   <a/><b/>         a declaration only if all have one that says something
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from planner.abc import SqlError
from planner.types.xmls import DECLARATION, declared, is_document, problem, without_declaration

_TEXT: Final = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord("\r"): "&#x0d;"}
_ATTRIBUTE: Final = {
    **_TEXT, ord("\r"): "&#13;", ord('"'): "&quot;", ord("\n"): "&#10;", ord("\t"): "&#9;",
}  # fmt: skip
_NAME_START: Final = re.compile(
    "[A-Z_a-z:\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf"
    "\ufdf0-\ufffd]"
)
_NAME: Final = re.compile(_NAME_START.pattern[:-1] + "0-9.\xb7\u0300-\u036f\u203f-\u2040-]")


def name(identifier: str, *, of_column: bool = False) -> str:
    """A name in SQL as one in XML. `of_column`: it was not said for this purpose, so no colon nor `xml` is meant."""
    out: list[str] = []
    for i, c in enumerate(identifier):
        if c == ":" and (i == 0 or of_column):
            out.append("_x003A_")
        elif c == "_" and identifier[i + 1 : i + 2] == "x":
            out.append("_x005F_")
        elif of_column and i == 0 and identifier[:3].lower() == "xml":
            out.append("_x0078_" if c == "x" else "_x0058_")
        elif (_NAME if i else _NAME_START).match(c):
            out.append(c)
        else:
            out.append(f"_x{ord(c):04X}_")
    return "".join(out)


def text(value: str) -> str:
    return value.translate(_TEXT)


def attribute(value: str) -> str:
    """As libxml2 writes them: what is not ASCII by its number."""
    return referred(value.translate(_ATTRIBUTE))


def referred(value: str) -> str:
    if value.isascii():
        return value
    return "".join(c if c < "\x80" else f"&#x{ord(c):X};" for c in value)


def comment(value: str) -> str:
    """Raises 2200S."""
    if "--" in value or value.endswith("-"):
        raise SqlError("2200S", "invalid XML comment")
    return f"<!--{value}-->"


def instruction(target: str, value: str) -> str:
    """Raises 2200T."""
    if "?>" in value:
        raise SqlError(
            "2200T",
            "invalid XML processing instruction",
            detail='XML processing instruction cannot contain "?>".',
        )
    return f"<?{target} {value.lstrip(' ')}?>"


def instruction_target(identifier: str) -> str:
    """Raises 2200T."""
    if identifier.lower() == "xml":
        raise SqlError(
            "2200T",
            "invalid XML processing instruction",
            detail=f'XML processing instruction target name cannot be "{identifier}".',
        )
    return name(identifier)


def _declaration(version: str, standalone: str) -> str:
    """None where it would say nothing."""
    if version in ("", "1.0") and not standalone:
        return ""
    alone = f' standalone="{standalone}"' if standalone else ""
    return f'<?xml version="{version or "1.0"}"{alone}?>'


def concatenated(values: Sequence[str | None]) -> str | None:
    """`xmlconcat`; None: all are NULL."""
    given = [v for v in values if v is not None]
    if not given:
        return None
    heads = [declared(v) for v in given]
    versions = {version for version, _ in heads}
    version = versions.pop() if len(versions) == 1 else ""
    alone = [standalone for _, standalone in heads]
    standalone = "" if "" in alone else "no" if "no" in alone else "yes"
    return _declaration(version, standalone) + "".join(map(without_declaration, given))


def rooted(value: str, version: str, standalone: str) -> str:
    """`xmlroot`. `standalone` empty: as it was."""
    _, said = declared(value)
    alone = said if not standalone else "" if standalone == "no value" else standalone
    return _declaration(version, alone) + without_declaration(value)


def parsed(value: str, kind: str) -> str:
    """`xmlparse`. Raises 2200M, 2200N."""
    if kind == "document":
        whole = value if DECLARATION.match(value) is None else without_declaration(value)
        wrong = problem(whole.lstrip(" \t\r\n"), document=True)
        if wrong:
            raise SqlError("2200M", "invalid XML document", detail=wrong)
        return value
    wrong = problem(without_declaration(value), document=False)
    if wrong:
        raise SqlError("2200N", "invalid XML content", detail=wrong)
    return value


def serialized(value: str, kind: str) -> str:
    """`xmlserialize`. Raises 2200L."""
    if kind == "document" and not is_document(value):
        raise SqlError("2200L", "not an XML document")
    return value
