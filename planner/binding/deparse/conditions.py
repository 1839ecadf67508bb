"""Conditions, cases and lists as PostgreSQL writes them out: what its grammar has words for, and its trees have no calls of.

a AND (b AND c)      ((a AND b) AND c) is one list, (a AND (b AND c)) is two
x IN (1, 2)          (x = ANY (ARRAY[1, 2]))
x NOT IN (1, 2)      (x <> ALL (ARRAY[1, 2]))
NULLIF(a, b)         which the tree has as CASE WHEN a = b THEN NULL ELSE a END
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from planner import types as t
from planner.abc import TypeRef
from planner.binding import ir
from planner.binding.deparse.constants import ConstantWriter, NotWritable

TESTS: Final = {
    "is null": "IS NULL", "is not null": "IS NOT NULL", "is true": "IS TRUE", "is not true": "IS NOT TRUE",
    "is false": "IS FALSE", "is not false": "IS NOT FALSE", "is unknown": "IS UNKNOWN",
    "is not unknown": "IS NOT UNKNOWN",
}  # fmt: skip
CALLED: Final = {"coalesce": "COALESCE", "greatest": "GREATEST", "least": "LEAST"}


class ConditionWriter(ConstantWriter):
    """Writes nodes of logic; of what they are made, `write` and its kin do."""

    @abstractmethod
    def write(self, node: ir.Node) -> str:
        """A node, with parentheses of its own where it needs some in any place."""

    @abstractmethod
    def item(self, node: ir.Node) -> str:
        """A value of a list."""

    @abstractmethod
    def operand(self, node: ir.Node, parent: ir.Node, left: bool = True) -> str:
        """A part of something larger."""

    @abstractmethod
    def whole(self, text: str) -> str:
        """In parentheses, unless these are left out where they are needless."""

    def logic(self, node: ir.Logic) -> str:
        if node.op in ("and", "or"):
            found = self.listed(node)
            if found is not None:
                return found
            parts = []
            for i, part in enumerate(node.args):
                if i == 0 and isinstance(part, ir.Logic) and self._goes_on(part, node.op):
                    inner = self.logic(part)
                    parts.append(inner if self.pretty else inner[1:-1])
                else:
                    parts.append(self.operand(part, node))
            return self.whole(f" {node.op.upper()} ".join(parts))
        if node.op == "not":
            inner_node = ir.one_by_one(node.args[0])
            if isinstance(inner_node, ir.Logic) and inner_node.op == "or" and self._says_not(inner_node):
                found = self.listed(inner_node, negated=True)
                if found is not None:
                    return found
            return self.whole(f"NOT {self.operand(inner_node, node)}")
        if node.op in TESTS:
            return self.whole(f"{self.operand(node.args[0], node)} {TESTS[node.op]}")
        if node.op in CALLED:
            return f"{CALLED[node.op]}({', '.join(self.write(a) for a in node.args)})"
        if node.op == "array":
            cells = ", ".join(self.write(a) for a in node.args)
            return f"ARRAY[{cells}]" + ("" if node.args else f"::{self.type_name(node.type)}")
        if node.op == "row":
            return f"ROW({', '.join(self.item(a) for a in node.args)})"
        if node.op == "case":
            pair = nullif(node)
            if pair is not None:
                return f"NULLIF({self.write(pair[0])}, {self.write(pair[1])})"
            return self.case(node)
        raise NotWritable(node.op)

    def _says_not(self, node: ir.Logic) -> bool:
        """Whether the operator that was made into these comparisons is said with NOT (`a NOT IN ...`), which stands before it."""
        first = node.args[0]
        at = first.position if isinstance(first, ir.Call) else 0
        return not at or self.text[at - 1 : at + 2].lower() == "not"

    def _goes_on(self, part: ir.Logic, op: str) -> bool:
        """Whether `(a AND b) AND c` is one list: PostgreSQL's parser makes it of what stands on the left."""
        return part.op == op and self.listed(part) is None and not _is_between(part)

    def case(self, node: ir.Logic) -> str:
        args = node.args
        lines = ["", "CASE"]
        for i in range(0, len(args) - 1, 2):
            lines.append(f"    WHEN {self.write(args[i])} THEN {self.write(args[i + 1])}")
        if len(args) % 2:
            lines.append(f"    ELSE {self.write(args[-1])}")
        return "\n".join([*lines, "END"])

    def is_list(self, node: ir.Logic) -> bool:
        """Whether it is written as = ANY (ARRAY[...]) or <> ALL (ARRAY[...])."""
        inner = ir.one_by_one(node.args[0]) if node.op == "not" else node
        return isinstance(inner, ir.Logic) and self.listed(inner) is not None

    def listed(self, node: ir.Logic, negated: bool = False) -> str | None:
        """`x IN (...)`, which the tree has as `x = a OR x = b` made at one position; None for any other OR."""
        calls = [c for c in node.args if isinstance(c, ir.Call) and len(c.args) == 2 and " = " in c.op]
        if node.op != "or" or len(calls) != len(node.args) or len(calls) < 2:
            return None
        first = calls[0]
        if any(c.position != first.position or c.args[0] != first.args[0] or c.op != first.op for c in calls):
            return None
        left = first.args[0]
        element = TypeRef(first.args[1].type.oid)
        cast = ""
        if isinstance(left, ir.Cast) and not left.explicit and element.oid == t.TEXT:
            cast = f"::{self.type_name(element)}[]"
            element = TypeRef(left.arg.type.oid)
        cells = []
        for c in calls:
            value = c.args[1]
            cells.append(
                self.write(
                    ir.Lit(element, value.value, value.position) if isinstance(value, ir.Lit) else value
                )
            )
        array = f"ARRAY[{', '.join(cells)}]"
        if cast:
            array = f"{array}{cast}" if self.pretty else f"({array}){cast}"
        sign, word = ("<>", "ALL") if negated else ("=", "ANY")
        return self.whole(f"{self.operand(left, node)} {sign} {word} ({array})")


def nullif(node: ir.Logic) -> tuple[ir.Node, ir.Node] | None:
    """The arguments of NULLIF, which the tree has as `CASE WHEN a = b THEN NULL ELSE a END`."""
    if node.op != "case" or len(node.args) != 3:
        return None
    test, nothing, value = node.args
    if not (isinstance(test, ir.Call) and len(test.args) == 2 and isinstance(nothing, ir.Lit)):
        return None
    if nothing.value is not None or nothing.position or test.args[0] != value:
        return None
    return test.args[0], test.args[1]


def _is_between(node: ir.Logic) -> bool:
    """Two comparisons of one thing, made at one position."""
    calls = [n for n in node.args if isinstance(n, ir.Call) and len(n.args) == 2]
    if len(calls) != 2 or len(node.args) != 2:
        return False
    return calls[0].position == calls[1].position and calls[0].args[0] == calls[1].args[0]


__all__ = ["CALLED", "TESTS", "ConditionWriter", "nullif"]
