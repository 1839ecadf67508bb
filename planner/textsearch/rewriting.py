"""Queries as PostgreSQL compares and rewrites them: trees whose & and | have as many arms as they connect, in an order.

    a & (b & c)      &(a, b, c)       arms sorted by a checksum of their words, which is what shows in the results
    rewrite: &(a, b, c), a & c, d     &(b, d)       some of the arms are what is looked for

A replacement is not looked into again in the same pass. What a word is to weigh and whether it is a beginning does not count when
words are compared.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from planner.textsearch.queries import AND, NOT, OR, PHRASE, Both, Node, Not, Word, nodes, shown, tree_of

_HEADER: Final = 8
_ITEM: Final = 12
_AFTER: Final = {NOT: 3, AND: 2, OR: 1, PHRASE: 0}
"""Operators, the first one highest."""


def _table() -> list[int]:
    out = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0xEDB88320 if n & 1 else 0)
        out.append(n)
    return out


_TABLE: Final = _table()


@lru_cache(maxsize=16_384)
def _checksum(word: str) -> int:
    """CRC-32 as it was computed once, with the table of another direction: words are kept in its order."""
    crc = 0xFFFFFFFF
    for byte in word.encode():
        crc = _TABLE[crc >> 24 ^ byte] ^ (crc << 8 & 0xFFFFFFFF)
    return crc ^ 0xFFFFFFFF


def _word_key(word: Word) -> bytes:
    signed = _checksum(word.text) ^ 0x80000000
    return b"\1" + struct.pack(">I", 0xFFFFFFFF - signed) + word.text.encode() + b"\0"


def _operator_key(op: str, arms: Iterable[bytes], count: int, distance: int) -> bytes:
    tail = struct.pack(">H", 0xFFFF - distance) if op == PHRASE else b""
    return b"\0" + bytes((_AFTER[op],)) + struct.pack(">I", 0xFFFFFFFF - count) + b"".join(arms) + tail


def _key(node: Node) -> bytes:
    if isinstance(node, Word):
        return _word_key(node)
    if isinstance(node, Not):
        return _operator_key(NOT, [_key(node.arg)], 1, 0)
    assert isinstance(node, Both)
    return _operator_key(node.op, [_key(node.right), _key(node.left)], 2, node.distance)


@lru_cache(maxsize=4096)
def order_key(query: str) -> bytes:
    """What compares as PostgreSQL compares queries: by how much they say first. Equal keys: `=` holds."""
    tree = tree_of(query)
    items = list(nodes(tree))
    size = _HEADER + _ITEM * len(items)
    size += sum(len(n.text.encode()) + 1 for n in items if isinstance(n, Word))
    return struct.pack(">II", len(items), size) + (b"" if tree is None else _key(tree))


def bare(query: str) -> str:
    """One text of all queries that are equal: without what its words are to weigh, and which are beginnings."""
    tree = tree_of(query)
    return query if tree is None or ":" not in query else shown(_bare(tree))


def _bare(node: Node) -> Node:
    if isinstance(node, Word):
        return Word(node.text)
    if isinstance(node, Not):
        return Not(_bare(node.arg))
    assert isinstance(node, Both)
    return replace(node, left=_bare(node.left), right=_bare(node.right))


# --- rewriting -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Tree:
    """`op` is empty for a word. Arms stand from right to left. `sign`: bits of the words that were in it when it was made."""

    op: str
    word: Word | None = None
    arms: list[_Tree] = field(default_factory=list)
    distance: int = 0
    sign: int = 0
    settled: bool = False

    def key(self) -> bytes:
        if self.word is not None:
            return _word_key(self.word)
        return _operator_key(self.op, [a.key() for a in self.arms], len(self.arms), self.distance)


def _made(node: Node) -> _Tree:
    if isinstance(node, Word):
        return _Tree("", node, sign=1 << _checksum(node.text) % 32)
    if isinstance(node, Not):
        arms = [_made(node.arg)]
        return _Tree(NOT, None, arms, 0, arms[0].sign)
    assert isinstance(node, Both)
    arms = [_made(node.right), _made(node.left)]
    return _Tree(node.op, None, arms, node.distance if node.op == PHRASE else 0, arms[0].sign | arms[1].sign)


def _ordered(tree: _Tree) -> _Tree:
    """& within & is one, and so is |; their arms are sorted."""
    for arm in tree.arms:
        _ordered(arm)
    if tree.op in (AND, OR):
        tree.arms = [inner for arm in tree.arms for inner in (arm.arms if arm.op == tree.op else [arm])]
    _sort(tree)
    return tree


def _sort(tree: _Tree) -> None:
    for arm in tree.arms:
        _sort(arm)
    if tree.op in (AND, OR):
        tree.arms.sort(key=_Tree.key)


def _copied(tree: _Tree) -> _Tree:
    return _Tree(tree.op, tree.word, [_copied(a) for a in tree.arms], tree.distance, tree.sign)


def _replaced(node: _Tree, wanted: _Tree, by: _Tree | None) -> _Tree | None:
    """A node that is what is wanted, or some of whose arms are."""
    if node.sign & wanted.sign != wanted.sign or node.op != wanted.op or node.settled:
        return node
    if len(node.arms) == len(wanted.arms):
        return _settled(by) if node.key() == wanted.key() else node
    if len(node.arms) > len(wanted.arms):
        left = _without(node.arms, wanted.arms)
        if left is not None:
            new = _settled(by)
            node.arms = left + ([new] if new is not None else [])
            _sort(node)
    return node


def _settled(by: _Tree | None) -> _Tree | None:
    if by is None:
        return None
    made = _copied(by)
    made.settled = True
    return made


def _without(arms: list[_Tree], wanted: list[_Tree]) -> list[_Tree] | None:
    """The arms that are left when all that are wanted are taken away; None: one of these is not there."""
    keys = [w.key() for w in wanted]
    left: list[_Tree] = []
    at = 0
    for i, arm in enumerate(arms):
        if at == len(keys):
            return left + arms[i:]
        key = arm.key()
        if key == keys[at]:
            at += 1
        elif key < keys[at]:
            left.append(arm)
        else:
            return None
    return left if at == len(keys) else None


def _everywhere(tree: _Tree, wanted: _Tree, by: _Tree | None) -> _Tree | None:
    found = _replaced(tree, wanted, by)
    if found is None or found.settled or not found.op:
        return found
    arms = [_everywhere(arm, wanted, by) for arm in found.arms]
    found.arms = [arm for arm in arms if arm is not None]
    if not found.arms:
        return None
    return found.arms[0] if len(found.arms) == 1 and found.op != NOT else found


def _node(tree: _Tree) -> Node:
    if tree.word is not None:
        return tree.word
    arms = [_node(arm) for arm in tree.arms]
    if tree.op == NOT:
        return Not(arms[0])
    distance = tree.distance if tree.op == PHRASE else 1
    made = arms[0]
    for arm in (arms[1], *reversed(arms[2:])):
        made = Both(tree.op, arm, made, distance)
    return made


def rewrite(query: str, target: str, substitute: str) -> str:
    """`ts_rewrite(query, target, substitute)`."""
    tree, wanted, by = tree_of(query), tree_of(target), tree_of(substitute)
    if tree is None or wanted is None:
        return query
    made = _everywhere(_ordered(_made(tree)), _ordered(_made(wanted)), _made(by) if by is not None else None)
    return shown(None if made is None else _node(made))


def rewrite_by(query: str, pairs: Iterable[tuple[str | None, str | None]]) -> str:
    """`ts_rewrite(query, select)`: by each row in turn."""
    first = tree_of(query)
    tree = None if first is None else _ordered(_made(first))
    if tree is None:
        return query
    for target, substitute in pairs:
        wanted = None if target is None else tree_of(target)
        if wanted is None or substitute is None:
            continue
        by = tree_of(substitute)
        tree = _everywhere(tree, _ordered(_made(wanted)), _made(by) if by is not None else None)
        if tree is None:
            return ""
        for part in _parts(tree):
            part.settled = False
        _ordered(tree)
    return shown(_node(tree))


def _parts(tree: _Tree) -> Iterator[_Tree]:
    yield tree
    for arm in tree.arms:
        yield from _parts(arm)


__all__ = ["bare", "order_key", "rewrite", "rewrite_by"]
