"""XMLTABLE over one document: the nodes that its row path finds, and what each column's path finds there, as texts of records.

    xml_rows("/r", "<d/>", ...)      ["(1,a)", "(2,)"]

A column of type xml takes all that its path finds, any other one what the only node says (`string(.)`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planner.abc import SqlError
from planner.types.composites import join_record
from planner.types.xml_making import text
from planner.types.xml_path_starts import may_ask_for_document
from planner.types.xml_paths import compiled, document, evaluated, refuse_costly, shown, unshown


def rows(
    path: str | None, value: str | None, spaces: Sequence[str | None], paths: Sequence[str | None], names: Sequence[str],
    flags: str,
) -> list[str]:  # fmt: skip
    """`flags`, one for each column: ordinality, xml, number, text. Raises 2200M, 22004, 22000, 21000, 42601."""
    if value is None:
        return []
    bound = []
    for uri, prefix in zip(spaces[::2], spaces[1::2], strict=True):
        if uri is None:
            raise SqlError("22004", "namespace URI must not be null")
        if not prefix or not uri:
            raise SqlError("0A000", "empty namespace names and URIs in XPath are not supported")
        bound.append((prefix, uri))
    namespaces = tuple(bound)
    tree = document(value)
    if path is None:
        raise SqlError("22004", "row filter expression must not be null")
    if not path:
        raise SqlError("22000", "row path filter must not be empty string")
    row_path = compiled(path, namespaces, sqlstate="42601")
    refuse_costly(path, tree)
    columns: list[Any] = []
    for name, column, flag in zip(names, paths, flags, strict=True):
        if flag == "o":
            columns.append(None)
            continue
        if column is None:
            raise SqlError(
                "22004",
                "column filter expression must not be null",
                detail=f'Filter for column "{name}" is null.',
            )
        if not column:
            raise SqlError("22000", "column path filter must not be empty string")
        columns.append([compiled(column, namespaces, relative, "22000") for relative in (True, False)])
    found = evaluated(row_path, tree)
    if not isinstance(found, list):
        return []
    if not found or may_ask_for_document(path):  # lxml leaves the document out
        found = [
            *[None] * (int(evaluated(compiled(f"count({path})", namespaces), tree)) - len(found)),
            *found,
        ]
    out = []
    for number, node in enumerate(found, 1):
        if node is not None and not hasattr(node, "iter"):
            raise SqlError("0A000", "rows of XMLTABLE that are no elements are not supported")
        items = [
            str(number)
            if one is None
            else _value(
                evaluated(one[1], tree) if node is None else evaluated(one[0], node),
                flag,
                "<![CDATA[" in value,
            )
            for one, flag in zip(columns, flags, strict=True)
        ]
        out.append(join_record(items))
    return out


def _value(found: Any, flag: str, sections: bool) -> str | None:
    if isinstance(found, bool) and flag == "n":
        return str(int(found))
    if isinstance(found, str):  # a value, no node
        return text(found) if flag == "x" else str(found)
    if not isinstance(found, list):
        return shown(found)
    if not found:
        return None
    if flag == "x":
        if sections and any(getattr(x, "is_text", False) for x in found):
            raise unshown()  # a text of its own, or a section: nobody says which
        return "".join(shown(x) for x in found)
    if len(found) > 1:
        raise SqlError("21000", "more than one value returned by column XPath expression")
    (node,) = found
    if isinstance(node, tuple):  # a namespace: its prefix, and what it stands for
        return str(node[1])
    return str(node) if isinstance(node, str) else str(compiled("string(.)", (), relative=True)(node))


__all__ = ["rows"]
