"""tsquery: words put together with &, |, ! and <->, as a tree and as PostgreSQL writes it.

    'fat' & ( 'cat':*A | 'rat' ) & !'dog' <-> 'bowl'

A query is kept as that text. Operators are parsed by their precedence: ! before <-> before & before |, all to the left.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

from planner.abc import SqlError
from planner.errors import BytesLeftOver
from planner.records import dataclass, replace
from planner.textsearch.words import WORD_BYTES_MAX, SyntaxFault, WordReader, quoted

DISTANCE_MAX: Final = 16_384
DEPTH_MAX: Final = 500
NOT, AND, OR, PHRASE = "!", "&", "|", "<->"
_PRIORITY: Final = {OR: 1, AND: 2, PHRASE: 3, NOT: 4}
_CODES: Final = {NOT: 1, AND: 2, OR: 3, PHRASE: 4}
_LETTERS: Final = "DCBA"


@dataclass(frozen=True, slots=True)
class Word:
    """A word to be found. `weights`: a bit for each of D, C, B, A; 0: any."""

    text: str
    weights: int = 0
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class Stop:
    """A word that is not looked for; it leaves the room that it takes."""


@dataclass(frozen=True, slots=True)
class Not:
    arg: Node


@dataclass(frozen=True, slots=True)
class Both:
    """`op` is AND, OR or PHRASE."""

    op: str
    left: Node
    right: Node
    distance: int = 1


Node = Word | Stop | Not | Both


# --- writing -----------------------------------------------------------------------------------------------


def shown(node: Node | None) -> str:
    """Raises 54001 for what nobody could read again: operators within operators are taken apart by calls within calls."""
    if node is None:
        return ""
    if _depth(node) > DEPTH_MAX:
        raise _too_deep()
    return _shown(node, -1, False)


def _depth(node: Node) -> int:
    deepest, left = 0, [(node, 1)]
    while left:
        item, depth = left.pop()
        deepest = max(deepest, depth)
        if isinstance(item, Not):
            left.append((item.arg, depth + 1))
        elif isinstance(item, Both):
            left += [(item.left, depth + 1), (item.right, depth + 1)]
    return deepest


def _too_deep() -> SqlError:
    return SqlError(
        "54001", f"a tsquery with more than {DEPTH_MAX} operators inside of one another is not supported"
    )


def _shown(node: Node, outside: int, right_of_phrase: bool) -> str:
    if isinstance(node, Word):
        letters = "".join(_LETTERS[i] for i in (3, 2, 1, 0) if node.weights & 1 << i)
        tail = ("*" if node.prefix else "") + letters
        return quoted(node.text) + (":" + tail if tail else "")
    assert not isinstance(node, Stop)
    if isinstance(node, Not):
        mine = _PRIORITY[NOT]
        text = "!" + _shown(node.arg, mine, False)
        return f"( {text} )" if mine < outside else text
    mine = _PRIORITY[node.op]
    sign = f"<{node.distance}>" if node.op == PHRASE and node.distance != 1 else node.op
    text = f"{_shown(node.left, mine, False)} {sign} {_shown(node.right, mine, node.op == PHRASE)}"
    return f"( {text} )" if mine < outside or (node.op == PHRASE and right_of_phrase) else text


# --- reading ------------------------------------------------------------------------------------------------

Operand = Callable[[str, int, bool], Node]
"""What a word of the text becomes."""


def as_written(text: str, weights: int, prefix: bool) -> Node:
    return Word(text, weights, prefix)


class Reader:
    """Reads operands and operators by precedence. `operand` raises SqlError for what cannot be a word."""

    def __init__(self, text: str, operand: Operand) -> None:
        self.text, self.operand = text, operand
        self.words = WordReader(text, of_query=True)
        self.out: list[Node] = []
        self.depth = 0
        self.first = True

    def fault(self) -> SqlError:
        return SqlError("42601", f'syntax error in tsquery: "{self.text}"')

    def tree(self) -> Node | None:
        try:
            self._level()
        except SyntaxFault:
            raise self.fault() from None
        return self.out[-1] if self.out else None

    # PostgreSQL's parser knows one state for the whole text: an operand or an operator is waited for.

    def _level(self) -> None:
        pending: list[tuple[str, int]] = []
        waiting_for_operand = True
        while True:
            self.words.blanks()
            c = self.text[self.words.at : self.words.at + 1]
            if waiting_for_operand:
                if c == "!":
                    self.words.at += 1
                    self._reduce(pending, NOT)
                    pending.append((NOT, 0))
                elif c == "(":
                    self.words.at += 1
                    self.depth += 1
                    if self.depth > DEPTH_MAX:
                        raise _too_deep()
                    self.first = False
                    self._level()
                    waiting_for_operand = False
                    continue
                elif c == ":":
                    raise SyntaxFault
                else:
                    word = self.words.word()
                    if word is None:
                        if self.first:
                            self._reduce(pending, OR)
                            return
                        raise SqlError("42601", f'no operand in tsquery: "{self.text}"')
                    weights, prefix = self._modifiers()
                    self._push(word, weights, prefix)
                    waiting_for_operand = False
                self.first = False
                continue
            if not c:
                if self.depth:
                    raise SyntaxFault
                self._reduce(pending, OR)
                return
            if c == ")":
                self.words.at += 1
                self.depth -= 1
                if self.depth < 0:
                    raise SyntaxFault
                self._reduce(pending, OR)
                return
            op, distance = self._operator()
            self._reduce(pending, op)
            pending.append((op, distance))
            waiting_for_operand = True

    def _push(self, word: str, weights: int, prefix: bool) -> None:
        if len(word.encode()) > WORD_BYTES_MAX:
            raise SqlError("54000", f'word is too long in tsquery: "{self.text}"')
        self.out.append(self.operand(word, weights, prefix))

    def _reduce(self, pending: list[tuple[str, int]], before: str) -> None:
        """Operators that bind what stands before `before`. NOT binds to the right."""
        mine = _PRIORITY[before]
        while pending:
            top = _PRIORITY[pending[-1][0]]
            if mine > top or (before == NOT and mine >= top):
                return
            op, distance = pending.pop()
            self._apply(op, distance)

    def _apply(self, op: str, distance: int) -> None:
        if op == NOT:
            self.out.append(Not(self.out.pop()))
            return
        right, left = self.out.pop(), self.out.pop()
        self.out.append(Both(op, left, right, distance))

    def _operator(self) -> tuple[str, int]:
        c = self.text[self.words.at]
        if c in "&|":
            self.words.at += 1
            return c, 0
        end = self.text.find(">", self.words.at)
        if end + 1 == len(self.text):
            raise SyntaxFault
        said = self.text[self.words.at + 1 : end] if c == "<" and end > 0 else ""
        if said == "-":
            self.words.at = end + 1
            return PHRASE, 1
        if not said or not said.isascii() or not said.isdigit():
            raise SyntaxFault
        self.words.at = end + 1
        return PHRASE, checked_distance(int(said))

    def _modifiers(self) -> tuple[int, bool]:
        weights, prefix = 0, False
        if self.text[self.words.at : self.words.at + 1] == ":":
            self.words.at += 1
            while (c := self.text[self.words.at : self.words.at + 1].upper()) and c in "ABCD*":
                if c == "*":
                    prefix = True
                else:
                    weights |= 1 << _LETTERS.index(c)
                self.words.at += 1
        return weights, prefix


def checked_distance(distance: int) -> int:
    if not 0 <= distance <= DISTANCE_MAX:
        raise SqlError(
            "22023",
            f"distance in phrase operator must be an integer value between zero and {DISTANCE_MAX} inclusive",
        )
    return distance


def query_in(text: str) -> str:
    """The input function. Raises 42601, 54000, 22023."""
    return shown(cleaned(Reader(text, as_written).tree()))


@lru_cache(maxsize=1024)
def tree_of(query: str) -> Node | None:
    """A query that is kept, as a tree; None: it asks for nothing."""
    return Reader(query, as_written).tree() if query else None


# --- stop words ------------------------------------------------------------------------------------------------


def cleaned(node: Node | None) -> Node | None:
    """Without stop words; phrases keep the room that these took."""
    if node is not None and _depth(node) > DEPTH_MAX:
        raise _too_deep()
    return None if node is None else _cleaned(node)[0]


def _cleaned(node: Node) -> tuple[Node | None, int, int]:
    """What is left, and by how much the distance to the left and to the right of it has grown."""
    if isinstance(node, Word):
        return node, 0, 0
    if isinstance(node, Stop):
        return None, 0, 0
    if isinstance(node, Not):
        arg, before, behind = _cleaned(node.arg)
        return (None if arg is None else Not(arg)), before, behind
    left, l_before, l_behind = _cleaned(node.left)
    right, r_before, r_behind = _cleaned(node.right)
    phrase = node.op == PHRASE
    own = node.distance if phrase else 0
    if left is None and right is None:
        both = l_before + own + r_before if phrase else max(l_before, r_before)
        return None, both, both
    if left is None:
        return right, (l_before + own + r_before if phrase else r_before), r_behind
    if right is None:
        return left, l_before, (l_behind + own + r_behind if phrase else l_behind)
    distance = own + l_behind + r_before if phrase else node.distance
    if left is not node.left or right is not node.right or distance != node.distance:
        node = replace(node, left=left, right=right, distance=distance)
    return (node, l_before, r_behind) if phrase else (node, 0, 0)


# --- operators and functions --------------------------------------------------------------------------------


def joined(op: str, a: str, b: str, distance: int = 1) -> str:
    """`a && b`, `a || b`, `a <-> b`. Raises 22023."""
    if op == PHRASE:
        checked_distance(distance)
    left, right = tree_of(a), tree_of(b)
    if left is None or right is None:
        return b if left is None else a
    return shown(Both(op, left, right, distance))


def negated(query: str) -> str:
    node = tree_of(query)
    return "" if node is None else shown(Not(node))


def nodes(node: Node | None) -> Iterator[Node]:
    """In the order in which PostgreSQL keeps them: an operator, what is right of it, what is left."""
    if node is None:
        return
    yield node
    if isinstance(node, Not):
        yield from nodes(node.arg)
    elif isinstance(node, Both):
        yield from nodes(node.right)
        yield from nodes(node.left)


def count(query: str) -> int:
    """`numnode`."""
    return sum(1 for _ in nodes(tree_of(query)))


def searchable(query: str) -> str:
    """`querytree`: what an index can look for; T: everything has to be looked at."""
    node = tree_of(query)
    if node is None:
        return ""
    kept = _without_not(node)
    return "T" if kept is None else shown(kept)


def _without_not(node: Node) -> Node | None:
    if isinstance(node, Word | Stop):
        return node
    if isinstance(node, Not):
        return None
    left, right = _without_not(node.left), _without_not(node.right)
    if node.op == OR:
        return None if left is None or right is None else replace(node, left=left, right=right)
    if left is None or right is None:
        return right if left is None else left
    return replace(node, left=left, right=right)


def words(node: Node | None) -> list[Word]:
    """The words asked for, from left to right."""
    return [n for n in reversed(list(nodes(node))) if isinstance(n, Word)]


def contains(a: str, b: str) -> bool:
    """`a @> b`: all words of b are words of a."""
    return {w.text for w in words(tree_of(b))} <= {w.text for w in words(tree_of(a))}


# --- bytes ------------------------------------------------------------------------------------------------------


def to_binary(query: str) -> bytes:
    items = list(nodes(tree_of(query)))
    out = bytearray(struct.pack(">i", len(items)))
    for item in items:
        if isinstance(item, Word):
            out += bytes((1, item.weights, item.prefix)) + item.text.encode() + b"\0"
        elif isinstance(item, Not):
            out += bytes((2, _CODES[NOT]))
        else:
            assert isinstance(item, Both)
            out += bytes((2, _CODES[item.op]))
            if item.op == PHRASE:
                out += struct.pack(">H", item.distance)
    return bytes(out)


def from_binary(data: bytes) -> str:
    """Raises XX000, 08P01, 22P03."""
    items: list[Word | tuple[str, int]] = []
    signs = {code: sign for sign, code in _CODES.items()}
    try:
        (size,) = struct.unpack_from(">i", data)
        at = 4
        if not 0 <= size <= len(data):
            raise SqlError("XX000", "invalid size of tsquery")
        for _ in range(size):
            if data[at] == 1:
                end = data.index(b"\0", at + 3)
                if data[at + 1] > 0xF:
                    raise SqlError("XX000", "invalid tsquery: invalid weight bitmap")
                items.append(Word(data[at + 3 : end].decode(), data[at + 1], bool(data[at + 2])))
                at = end + 1
            elif data[at] == 2:
                sign = signs.get(data[at + 1])
                if sign is None:
                    raise SqlError("XX000", f"invalid tsquery: unrecognized operator type {data[at + 1]}")
                distance = struct.unpack_from(">H", data, at + 2)[0] if sign == PHRASE else 0
                items.append((sign, distance))
                at += 4 if sign == PHRASE else 2
            else:
                raise SqlError("XX000", f"unrecognized tsquery node type: {data[at]}")
    except (struct.error, IndexError, ValueError):
        raise SqlError("08P01", "insufficient data left in message") from None
    if at != len(data):
        raise BytesLeftOver()
    stack: list[Node] = []
    for item in reversed(items):
        if isinstance(item, Word):
            stack.append(item)
            continue
        sign, distance = item
        if len(stack) < (1 if sign == NOT else 2):
            raise SqlError("XX000", "malformed tsquery: operand not found")
        if sign == NOT:
            stack.append(Not(stack.pop()))
        else:
            right = stack.pop()
            stack.append(Both(sign, stack.pop(), right, distance))
    if len(stack) > 1 or (items and not stack):
        raise SqlError("XX000", "malformed tsquery: extra nodes")
    return shown(stack[0] if stack else None)
