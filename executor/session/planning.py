"""How a session comes from a text to a plan, and from a plan to what is run.

    plan_simple   a text that the planner knows by heart, or by its literals alone
    plan          any text, looked at anew
    prepare       a named text, with parameters of which some types may be told
    compiled      a plan's form for the catalog that this session sees just now

In a failed block nothing is planned but what ends it: 25P02 for all else, whatever is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from executor.abc import ExecutionError, Prepared, aborted
from executor.keyed.plans import CompiledPlan
from executor.plans import require_same_columns
from executor.session.blocks.block_owner import BlockOwner
from planner import statements as st
from planner.abc import Plan, SqlError, Utility
from planner.current_plans import is_current
from planner.listed_parameters import Listing
from planner.truncated_names import NOTICES, told_of
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.session.session import Session

_ENDINGS = (st.Commit, st.PrepareTransaction, st.Rollback, st.RollbackTo)


class PlanningSession(BlockOwner):
    """A session, as far as it plans."""

    def plan_simple(self, text: str) -> list[tuple[Plan, tuple[Datum, ...]]] | None:
        context, block, executor = self._context, self.block, self.executor
        catalog = self.newest_catalog() if block is None or block.catalog is None else block.catalog
        if context is None or context.catalog is not catalog:
            context = self.context()
        found = executor.planner.lookup(text, context)
        if found is None:
            return None
        if NOTICES in found[0].extra:
            self._tell(found[0].extra[NOTICES])
        return [found]

    def split(self, text: str) -> list[tuple[str, int]]:
        if len(text) > self.executor.limits.statement_bytes_max:
            raise ExecutionError(
                "54000", f"the query string is longer than {self.executor.limits.statement_bytes_max} bytes"
            )
        return self.executor.planner.split(text)

    def plan(
        self, text: str, parameter_types: Sequence[int] = (), offset: int = 0
    ) -> tuple[Plan, tuple[Datum, ...]]:
        with self._planning(text):
            plan, params = self.executor.planner.plan(text, self.context(), parameter_types, offset=offset)
        self._tell(plan.extra.get(NOTICES, ()))
        self._refuse_in_failed(plan)
        return plan, params

    def _tell(self, of_names: Sequence[str]) -> None:
        """What whoever has a text read is told of its names."""
        for message in of_names:
            self.notice("NOTICE", "42622", message)

    @property
    def _failed(self) -> bool:
        return self.block is not None and self.block.failed

    @contextmanager
    def _planning(self, text: str) -> Iterator[None]:
        """Within the statement's time; but what ends a failed block must not come too late for that. In such a block nothing is looked up
        any more: only what cannot be parsed is another error than 25P02."""
        patience = self.executor.planner.patience
        patience.timeout_ms = 0 if self._failed else self.settings.statement_timeout_ms
        try:
            yield
        except SqlError as e:
            if e.sqlstate == "42601":
                raise
            self._tell(told_of(text))
            if self._failed:
                raise aborted() from None
            raise
        finally:
            patience.timeout_ms = 0

    def _refuse_in_failed(self, plan: Plan) -> None:
        """Raises 25P02 for what does not end a failed block."""
        if self._failed and not ends_block(plan):
            raise aborted()

    def prepare(self, name: str, text: str, parameter_types: Sequence[int]) -> Prepared:
        if len(self.statements) >= self.executor.limits.statements_per_session_max:
            raise ExecutionError(
                "54000",
                f"more than {self.executor.limits.statements_per_session_max} prepared statements",
            )
        plans, context = self.executor.plans, self.context()
        with self._planning(text):
            many = None if parameter_types else plans.rows_of_literals(text, context)
            listing: Listing | None = None
            if many is not None:
                plan = many[0]
            elif self.settings.execution_engine == "distributed":  # which answers no lists that are arrays
                plan = plans.prepared(text, context, tuple(parameter_types))
            else:
                plan, listing = plans.prepared_listed(text, context, tuple(parameter_types))
        self._tell(plan.extra.get(NOTICES, ()))
        self._refuse_in_failed(plan)
        if many is not None:
            return Prepared(name, text, plan, (), literals=many[1])
        if listing is not None:
            return Prepared(name, text, plan, listing.told(plan), listing=listing)
        return Prepared(name, text, plan, plan.extra.get("described", plan.parameters))

    def renewed(self: Session, prepared: Prepared) -> Prepared:  # type: ignore[misc]
        """A statement whose literals were read for another catalog, or other settings: read anew in its place. Else itself. So is one
        with lists of parameters: with another catalog they need not be arrays any more."""
        own = self.own is not None  # in a function with settings of its own
        if prepared.literals is None and (prepared.listing is None or own):
            return prepared
        if not own and is_current(prepared.plan, self.catalog):
            return prepared
        types = [ref.oid for ref in prepared.parameter_types]
        made = self.prepare(prepared.name, prepared.text, types)
        require_same_columns(prepared.plan, made.plan, self)
        if not own:
            self.statements[prepared.name] = made
        return made

    def compiled(self: Session, plan: Plan) -> CompiledPlan:  # type: ignore[misc]
        """The plan's compiled form for the catalog as this session sees it."""
        catalog = self.catalog
        known = plan.compiled
        if known is not None and known.catalog is catalog:
            return known  # type: ignore[no-any-return]
        made = self.executor.plans.compile(plan, catalog, self)
        if self.block is None or self.block.catalog is None or self.executor.plans.is_of_all(made):
            plan.compiled = made
        return made


def ends_block(plan: Plan) -> bool:
    """COMMIT, ROLLBACK, ROLLBACK TO and PREPARE TRANSACTION: what a failed block still takes."""
    return isinstance(plan.body, Utility) and isinstance(plan.body.statement, _ENDINGS)
