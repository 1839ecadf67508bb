"""XPath 1.0 over xml, by libxml2 as in PostgreSQL (lxml carries it; it is loaded when the first path is asked for).

    xpath("//b", "<a><b>1</b></a>", {})      ["<b>1</b>"]

Nothing that a document names is read: no external entity, no DTD, no network; entities that it declares itself stay as they are
written, and libxml2's own limits on size and depth hold.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

from planner.abc import SqlError
from planner.types.array_values import parse
from planner.types.floats import float8_out
from planner.types.xml_making import referred, text
from planner.types.xml_path_starts import from_document, may_ask_for_document
from planner.types.xmls import without_declaration

_EXPANDED_MAX: Final = 10_000_000
_VISITED_MAX: Final = 10**10
"""So many nodes are looked at in a minute or two."""
_MULTIPLYING: Final = re.compile(
    r"(?:following|preceding|ancestor|descendant)(?:-or-self|-sibling)?\s*::|//\s*(?:\*|node\s*\()"
)
_MARKUP: Final = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<[^<>\"']*(?:\"[^\"]*\"|'[^']*'|[^<>\"'])*>", re.DOTALL
)


@lru_cache(maxsize=1)
def _etree() -> Any:
    try:
        from lxml import etree
    except ImportError:
        raise SqlError("0A000", "XPath is not supported where lxml is not installed") from None
    return etree


def document(value: str) -> Any:
    """A parsed document. Raises 2200M."""
    etree = _etree()
    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, dtd_validation=False, huge_tree=False,
        strip_cdata=False, remove_blank_text=False, encoding="utf-8",
    )  # fmt: skip
    try:
        tree = etree.fromstring(without_declaration(value).encode(), parser).getroottree()
    except etree.XMLSyntaxError as e:
        raise SqlError("2200M", "could not parse XML document", detail=_without_column(e)) from None
    if tree.docinfo.internalDTD is not None:
        _refuse_multiplied(value, tree.docinfo.internalDTD)
    return tree


def _refuse_multiplied(value: str, dtd: Any) -> None:
    """`string(.)` puts in what entities stand for, and no limit of libxml2's holds there. Raises 54000."""
    said = [e.content or "" for e in dtd.iterentities()]
    nested = any("&" in x for x in said)
    if nested or value.count("&") * max(map(len, said), default=0) > _EXPANDED_MAX:
        raise SqlError("54000", "XPath over a document whose entities stand for that much is not supported")


def _without_column(error: Any) -> str:
    """libxml2's words, the line before them."""
    return f"line {error.lineno}: {re.sub(r', line [0-9]+, column [0-9]+$', '', str(error.msg))}"


def _namespaces(array: str) -> tuple[tuple[str, str], ...]:
    """Raises 22023, 22004."""
    value = parse(array) if array else None
    if value is None or not value.dims:
        return ()
    if len(value.dims) != 2 or value.dims[1] != 2:
        raise SqlError(
            "22023",
            "invalid array for XML namespace mapping",
            detail="The array must be two-dimensional with length of the second axis equal to 2.",
        )
    found = []
    for prefix, uri in zip(value.items[::2], value.items[1::2], strict=True):
        if prefix is None or uri is None:
            raise SqlError("22004", "neither namespace name nor URI may be null")
        if not prefix or not uri:
            raise SqlError("0A000", "empty namespace names and URIs in XPath are not supported")
        found.append((prefix, uri))
    return tuple(found)


@lru_cache(maxsize=256)
def compiled(
    path: str, namespaces: tuple[tuple[str, str], ...], relative: bool = False, sqlstate: str = "XX000"
) -> Any:
    """An expression, which begins at the document, or where it is evaluated. Raises `sqlstate`."""
    etree = _etree()
    try:
        return etree.XPath(
            path if relative else from_document(path),
            namespaces=dict(namespaces),
            regexp=False,
            smart_strings=True,
        )
    except etree.XPathSyntaxError as e:
        raise SqlError(sqlstate, "invalid XPath expression", detail=str(e)) from None


def _found(path: str, value: str, array: str) -> list[Any]:
    """What the path finds; None is what there is no object for. Raises 0A000 where that is what lxml has no object for."""
    namespaces = _namespaces(array)
    if not path:
        raise SqlError("22000", "empty XPath expression")
    tree = document(value)
    expression = compiled(path, namespaces)
    refuse_costly(path, tree)
    dtd = tree.docinfo.internalDTD
    if dtd is not None and any(True for _ in dtd.iterentities()) and may_ask_for_document(path):
        raise unshown()  # libxml2 takes what entities stand for as the document's text
    found = evaluated(expression, tree)
    if not isinstance(found, list):
        return [found]
    if not found or may_ask_for_document(path):  # lxml leaves the document out
        count = evaluated(compiled(f"count({path})", namespaces), tree)
        return [*found, *[None] * (int(count) - len(found))]
    return found


def refuse_costly(path: str, document: Any) -> None:
    """Steps that lead from each node to all others multiply, and nobody can interrupt libxml2. Raises 54001."""
    steps = len(_MULTIPLYING.findall(path))
    if steps > 1 and (nodes := sum(1 for _ in document.iter())) ** steps > _VISITED_MAX:
        raise SqlError(
            "54001",
            "XPath expression is too complex",
            detail=f"It would look at {nodes} nodes to the power of {steps}.",
        )


def unshown() -> SqlError:
    """What lxml has no object for."""
    return SqlError("0A000", "XPath results that are whole documents or CDATA sections are not supported")


def evaluated(expression: Any, at: Any) -> Any:
    """What an expression finds. Raises XX000, 0A000."""
    try:
        return expression(at)
    except _etree().XPathError as e:
        raise SqlError("XX000", "could not create XPath object", detail=str(e)) from None
    except NotImplementedError:
        raise unshown() from None


def xpath(path: str, value: str, namespaces: str) -> list[str]:
    """`xpath`. Raises 22000, 22004, 22023, 2200M, XX000, 0A000."""
    found = _found(path, value, namespaces)
    if "<![CDATA[" in value and any(getattr(x, "is_text", False) for x in found):
        raise unshown()  # a text of its own, or a section: nobody says which
    return [shown(x) for x in found]


def exists(path: str, value: str, namespaces: str) -> bool:
    """`xpath_exists`, XMLEXISTS: false too is something that was found."""
    return bool(_found(path, value, namespaces))


def shown(item: Any) -> str:
    """What a path has found, as xml. Raises 0A000, XX000."""
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, float):
        return float8_out(item)
    if isinstance(item, str):
        return text(item)
    if item is None:
        raise unshown()
    if isinstance(item, tuple):
        raise SqlError("XX000", "could not copy node")
    from copy import deepcopy

    alone = deepcopy(item)  # declares what it uses of its surroundings' namespaces, and no more
    return _numbered(_etree().tostring(alone, encoding="unicode", with_tail=False))


def _numbered(markup: str) -> str:
    """What is not ASCII within tags by its number: libxml2 writes attributes of a node by itself so."""
    if markup.isascii():
        return markup

    def tag(m: re.Match[str]) -> str:
        if m[0].startswith(("<!", "<?", "</")):
            return m[0]
        return re.sub(r"\"[^\"]*\"|'[^']*'", lambda q: referred(q[0]), m[0])

    return _MARKUP.sub(tag, markup)
