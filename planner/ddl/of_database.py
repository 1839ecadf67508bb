"""Objects of a database that lie in no schema and are found by name: publications, subscriptions, event triggers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from planner.abc import PlanError
from planner.catalog import EventTrigger, Publication, Subscription, rights
from planner.ddl.scope import Scope

Thing = TypeVar("Thing", EventTrigger, Publication, Subscription)


@dataclass(frozen=True, slots=True)
class OfDatabase(Generic[Thing]):
    """One kind of them; `called` is PostgreSQL's word for it."""

    kind: type[Thing]
    called: str

    def named(self, scope: Scope, name: str) -> Thing | None:
        """The one of that name in this database."""
        return next((x for x in scope.catalog.objects(self.kind) if x.name == name), None)

    def existing(self, scope: Scope, name: str) -> Thing:
        """Raises 42704."""
        found = self.named(scope, name)
        if found is None:
            raise PlanError("42704", f'{self.called} "{name}" does not exist')
        return found

    def require_owner(self, scope: Scope, found: Thing) -> None:
        """Raises 42501."""
        if not rights.owns(scope.catalog, scope.user, found):
            raise PlanError("42501", f"must be owner of {self.called} {found.name}")


__all__ = ["OfDatabase"]
