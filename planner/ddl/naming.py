"""The names that PostgreSQL gives to what nobody named: `t_pkey`, `t_a_b_key`, `t_a_check1`, `t_a_seq`.

table, columns and label joined by underscores, cut to 63 bytes by shortening the longer of the first two, and
numbered until free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from planner.binding.naming import figure_name
from planner.lexer import IDENTIFIER_BYTES_MAX
from planner.parse import parse_expression


def object_name(first: str, second: str, label: str) -> str:
    """PostgreSQL's makeObjectName."""
    overhead = (1 + len(label.encode()) if label else 0) + (1 if second else 0)
    room = IDENTIFIER_BYTES_MAX - overhead
    a, b = first.encode(), second.encode()
    size_a, size_b = len(a), len(b)
    while size_a + size_b > room:
        if size_a > size_b:
            size_a -= 1
        else:
            size_b -= 1
    parts = [a[:size_a].decode(errors="ignore"), b[:size_b].decode(errors="ignore"), label]
    return "_".join(p for p in parts if p)


def choose(first: str, second: str, label: str, is_taken: Callable[[str], bool]) -> str:
    """The first free name: label, label1, label2, ..."""
    number = 0
    while True:
        name = object_name(first, second, label + (str(number) if number else ""))
        if not is_taken(name):
            return name
        number += 1


def of_expression(text: str) -> str:
    """What an index's name says of an expression: the name that it would have as a column, or `expr`."""
    name = figure_name(parse_expression(text))
    return "expr" if name == "?column?" else name


def distinct(columns: Iterable[str]) -> list[str]:
    """What an index calls its columns: one that another is called already has a number behind."""
    names: list[str] = []
    for column in columns:
        name, number = column, 0
        while name in names:
            number += 1
            kept = column.encode()[: IDENTIFIER_BYTES_MAX - len(str(number))]
            name = f"{kept.decode(errors='ignore')}{number}"
        names.append(name)
    return names


def joined(columns: Iterable[str]) -> str:
    """The columns' part of a name; it stops growing when it is as long as a name can be."""
    name = ""
    for column in columns:
        name = f"{name}_{column}" if name else column
        if len(name.encode()) >= IDENTIFIER_BYTES_MAX:
            break
    return name
