"""What domains ask of a program's values. A slot holds a value of the type underneath, and obeys when it is given one.

    DECLARE n posint := 1;          n := n - 1         assigned to the slot, then  (VALUE > 0)  is false: 23514

A condition is an expression of the program over one variable more, `value`, which has a slot behind all others: so it is a function of
Python's where the keyed engine knows what is in it. Elements of arrays over a domain are put there one by one. Who declares nothing of
a domain has no `domains`, and is asked nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from executor.abc import ExecutionError
from executor.procedural.texts import Texts
from planner import types as t
from planner.abc import DomainUse, Oid, TypeRef
from planner.binding.routines.variables import Shape
from planner.catalog import domains
from planner.statements import plpgsql as pl
from storage.abc import Datum

_BOOL = TypeRef(t.BOOL)


@dataclass(frozen=True, slots=True)
class Rule:
    """A domain as one program meets it: where VALUE lies, and the conditions."""

    use: DomainUse
    array: Oid
    """The type of arrays whose elements obey; 0: the value itself does."""
    slot: int
    tests: tuple[tuple[str, pl.Text], ...]


class DomainSteps(Texts):
    """What a `Walk` does of domains."""

    async def give(self, slot: int, value: Datum) -> None:
        """A variable's value, which obeys the variable's domain. Raises 23502, 23514."""
        domain = self.code.domains.get(slot)
        if domain is not None:
            await self.obey(value, domain)
        self.frame.values[slot] = value

    async def obey_row(self, row: tuple[Datum, ...], shape: Shape) -> None:
        for value, domain in zip(row, shape.domains, strict=True):
            if domain:
                await self.obey(value, domain)

    async def obey(self, value: Datum, domain: Oid) -> None:
        """Raises 23502, 23514, and what conditions raise."""
        rule = self.code.rules.get(domain) or self._rule(domain)
        if not rule.array:
            await self._one(rule, value)
        elif value is not None:
            for item in t.array_items(value, rule.array):
                await self._one(rule, item)

    async def _one(self, rule: Rule, value: Datum) -> None:
        if value is None and rule.use.not_null:
            raise _refusal(rule.use, "")
        frame = self.frame
        while len(frame.values) <= rule.slot:
            frame.values.append(None)
            frame.kinds.append(self.code.kinds[len(frame.kinds)])
        frame.values[rule.slot] = value
        for name, text in rule.tests:
            if await self.value(text, _BOOL) is False:
                raise _refusal(rule.use, name)

    def _rule(self, domain: Oid) -> Rule:
        """Made when it is first asked for."""
        code = self.code
        base, use = domains.underneath(self.session.catalog, TypeRef(domain))
        assert use is not None, "what was declared of a domain"
        element = t.element_of(base.oid) if use.over_elements else base.oid
        slot = len(code.kinds)
        code.kinds.append(TypeRef(element))
        code.names.append(domains.VALUE)
        level = pl.Level("", {domains.VALUE: slot})
        tests = []
        for name, text in use.checks:
            tests.append((name, pl.Text(text, 0, len(code.plans), level, slot + 1)))
            code.plans.append(None)
        made = Rule(use, base.oid if use.over_elements else 0, slot, tuple(tests))
        code.rules[domain] = made
        return made


def _refusal(use: DomainUse, check: str) -> ExecutionError:
    code, message = domains.refusal(use, check)
    return ExecutionError(code, message, constraint=check, datatype=use.name, about_oid=use.oid)


__all__ = ["DomainSteps", "Rule"]
