"""ltree: the place of something in a tree, as labels from the root.

    Top.Science.Astronomy          labels of letters, digits and underscores, a point between two

A point sorts before all that a label is made of, and so the order of ltrees is that of their bytes: keys and indexes
need no form of their own. Patterns over them are in `ltree_patterns`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from planner.abc import SqlError
from planner.extensions.letters import is_word

LEVELS_MAX: Final = 65_535
LABEL_CHARS_MAX: Final = 255


def in_label(c: str) -> bool:
    """Whether labels may have the character."""
    return c == "_" or is_word(c)


def unexpected_end(kind: str) -> SqlError:
    return SqlError("42601", f"{kind} syntax error", detail="Unexpected end of input.")


def unexpected(kind: str, place: int) -> SqlError:
    return SqlError("42601", f"{kind} syntax error at character {place}")


def check_label(kind: str, label: str, place: int) -> None:
    """A label whose last character is before `place` (from 1). Raises 42601 and 42622."""
    if not label:
        raise SqlError(
            "42601", f"{kind} syntax error at character {place}", detail="Empty labels are not allowed."
        )
    if len(label) > LABEL_CHARS_MAX:
        raise SqlError(
            "42622",
            "label string is too long",
            detail=f"Label length is {len(label)}, must be at most {LABEL_CHARS_MAX}, at character {place}.",
        )


def labels(tree: str) -> list[str]:
    return tree.split(".") if tree else []


def _path(levels: Sequence[str]) -> str:
    if len(levels) > LEVELS_MAX:
        raise SqlError(
            "54000", f"number of ltree levels ({len(levels)}) exceeds the maximum allowed ({LEVELS_MAX})"
        )
    return ".".join(levels)


def ltree_in(text: str) -> str:
    """The input function of ltree. Raises 42601, 42622 and 54000, as PostgreSQL does."""
    if not text:
        return text
    parts = text.split(".")
    if len(parts) > LEVELS_MAX:
        raise SqlError(
            "54000", f"number of ltree labels ({len(parts)}) exceeds the maximum allowed ({LEVELS_MAX})"
        )
    place = 1
    for i, label in enumerate(parts):
        if not label and i == len(parts) - 1:
            raise unexpected_end("ltree")
        for at, c in enumerate(label or "."):
            if not in_label(c):
                raise unexpected("ltree", place + at)
        place += len(label)
        check_label("ltree", label, place)
        place += 1
    return text


def is_ancestor(above: str, below: str) -> bool:
    """Of each other, or the same."""
    return not above or below == above or below.startswith(above + ".")


def compared(a: str, b: str) -> int:
    """ltree_cmp: less, equal or more, and the more so the nearer to the root they differ."""
    ours, theirs = labels(a), labels(b)
    for i, (x, y) in enumerate(zip(ours, theirs, strict=False)):
        if x != y:
            left, right = x.encode(), y.encode()
            short = min(len(left), len(right))
            by = len(left) - len(right) if left[:short] == right[:short] else 1 if left > right else -1
            return by * 10 * (len(ours) - i + 1)
    return (len(ours) - len(theirs)) * 10 * (max(len(ours) - len(theirs), 0) + 1)


def part(tree: str, begin: int, end: int) -> str:
    """subltree: from level `begin` up to, not including, `end`. Raises 22023."""
    levels = labels(tree)
    if begin < 0 or end < 0 or begin >= len(levels) or begin > end:
        raise SqlError("22023", "invalid positions")
    return _path(levels[begin:end])


def _from_the_end(offset: int, count: int) -> int:
    """Where a negative offset is, counted twice around at most, as PostgreSQL does."""
    for _ in range(2):
        offset = offset + count if offset < 0 else offset
    return offset


def part_of_length(tree: str, offset: int, length: int) -> str:
    """subpath: from the end if the offset is negative; a negative length leaves so many labels off at the end."""
    count = len(labels(tree))
    begin = _from_the_end(offset, count)
    return part(tree, begin, count + length if length < 0 else begin + length)


def part_from(tree: str, offset: int) -> str:
    """subpath without a length: all that follows."""
    return part(tree, _from_the_end(offset, len(labels(tree))), LEVELS_MAX)


def place(tree: str, sought: str, begin: int) -> int:
    """index: where labels are among others, from `begin` on; -1: nowhere."""
    within, wanted = labels(tree), labels(sought)
    if begin < 0:
        begin = max(len(within) + begin, 0)
    if not wanted:
        return -1
    for i in range(begin, len(within) - len(wanted) + 1):
        if within[i : i + len(wanted)] == wanted:
            return i
    return -1


def joined(a: str, b: str) -> str:
    """Raises 54000."""
    return _path([*labels(a), *labels(b)])


def in_common(trees: Iterable[str | None]) -> str | None:
    """lca: the nearest that is above all, and is none of them; None if one is the root."""
    given = [labels(tree) for tree in members(trees)]
    if not given or not all(given):
        return None
    above = given[0][:-1]
    for levels in given[1:]:
        count = 0
        for x, y in zip(above, levels[:-1], strict=False):
            if x != y:
                break
            count += 1
        above = above[:count]
    return _path(above)


def members(values: Iterable[str | None]) -> list[str]:
    """The elements of an array. Raises 22004."""
    found: list[str] = []
    for value in values:
        if value is None:
            raise SqlError("22004", "array must not contain nulls")
        found.append(value)
    return found


def to_binary(value: str) -> bytes:
    """A version, and the text."""
    return b"\x01" + value.encode()


def from_binary(kind: str, read: Callable[[str], str]) -> Callable[[bytes], str]:
    def made(data: bytes) -> str:
        if data[:1] != b"\x01":
            raise SqlError("XX000", f"unsupported {kind} version number {data[0] if data else 0}")
        return read(data[1:].decode())

    return made
