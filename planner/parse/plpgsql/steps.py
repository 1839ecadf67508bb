"""The statements of a body, one function each; blocks and loops call the whole again."""

from __future__ import annotations

from typing import Final

from planner.abc import PlanError
from planner.parse.plpgsql import cursors, queries, raising
from planner.parse.plpgsql.declarations import declarations
from planner.parse.plpgsql.reader import Reader
from planner.statements.plpgsql import (
    Case,
    Dynamic,
    Dynamically,
    EndTransaction,
    Exit,
    ForEach,
    ForRange,
    ForRows,
    GetDiagnostics,
    Handler,
    If,
    Loop,
    Nested,
    Nothing,
    OpenCursor,
    Perform,
    Return,
    ReturnNext,
    ReturnQuery,
    Step,
    Target,
    Text,
    Variable,
)
from planner.statements.written import TypeName

DEPTH_MAX: Final = 50
_ITEMS: Final = {
    False: ("row_count", "pg_context"),
    True: ("returned_sqlstate", "message_text", "pg_exception_detail", "pg_exception_hint", "pg_exception_context",
           "column_name", "constraint_name", "pg_datatype_name", "table_name", "schema_name"),
}  # fmt: skip


class StepReader(Reader):
    """`returns`: "void", "one", "set", "trigger", "procedure", "block": what RETURN may say."""

    returns = "block"
    has_outputs = False

    def block(self, label: str = "") -> Nested:
        c, line = self.c, self.line()
        self.deeper()
        self.names.enter(label)
        self.names.labels.append((label, False))
        variables = declarations(self) if c.accept("declare") else ()
        line = self.line() if not variables else line
        if not c.accept("begin"):
            self.fail()
        steps = self.steps("end", "exception")
        handlers, said = self._handlers()
        self.expect("end")
        self.names.labels.pop()
        self.names.leave()
        self.end_label(label)
        self.depth -= 1
        return Nested(line, label, variables, steps, handlers, said)

    depth = 0

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise PlanError("54001", "blocks are nested too deeply")

    def _handlers(self) -> tuple[tuple[Handler, ...], tuple[int, int]]:
        c = self.c
        if not c.accept("exception"):
            return (), (-1, -1)
        self.names.enter()
        said = self.names.slot("sqlstate"), self.names.slot("sqlerrm")
        found: list[Handler] = []
        while c.accept("when"):
            sqlstates = self._conditions()
            found.append(Handler(sqlstates, self.steps("when", "end")))
        self.names.leave()
        if not found:
            self.fail()
        return tuple(found), said

    def _conditions(self) -> frozenset[str]:
        c = self.c
        found: set[str] = set()
        others = False
        while True:
            if c.accept("sqlstate"):
                found.add(self.sqlstate())
            elif c.accept("others"):
                others = True
            else:
                found |= self.condition()
            if c.accept("then"):
                return frozenset() if others else frozenset(found)
            if not c.accept("or"):
                self.fail()

    def steps(self, *stops: str) -> tuple[Step, ...]:
        made: list[Step] = []
        while self.c.word not in stops:
            if self.c.ended:
                self.fail()
            made.append(self.step())
        return tuple(made)

    def step(self) -> Step:
        c, line = self.c, self.line()
        assigned = queries.assignment(self, line)
        if assigned is not None:
            return assigned
        label = self.label()
        word = c.word
        if word in ("begin", "declare"):
            block = self.block(label)
            self.semicolon()
            return block
        if word in ("loop", "while", "for", "foreach"):
            return self._loop(self.line(), label, word)
        if label:
            self.fail()
        method = _STEPS.get(word)
        if method is not None:
            before = c.at
            c.at += 1
            made = method(self, line)
            if made is not None:
                return made
            c.at = before
        if not word:
            self.fail()
        return queries.statement(self, line)

    # --- branches ----------------------------------------------------------------------------------------

    def _if(self, line: int) -> If:
        branches = [(self.expression("then"), self.steps("elsif", "elseif", "else", "end"))]
        while self.c.accept_one("elsif", "elseif"):
            branches.append((self.expression("then"), self.steps("elsif", "elseif", "else", "end")))
        otherwise = self.steps("end") if self.c.accept("else") else ()
        self.expect("end", "if")
        self.semicolon()
        return If(line, tuple(branches), otherwise)

    def _case(self, line: int) -> Case:
        c, subject, slot = self.c, None, -1
        self.names.enter()
        if c.word != "when":
            subject = self.until("when")
            name = f"__Case__Variable_{len(self.names.variables_seen)}__"
            slot = self.names.slot(name)
            self.names.variables_seen[slot] = Variable(slot, name, line, Dynamic(record=False))
        branches = []
        while c.accept("when"):
            condition = self.expression("then")
            if subject is not None:
                condition = Text(
                    f'"{name}" IN ({condition.text})',
                    condition.start,
                    condition.number,
                    condition.names,
                    condition.seen,
                )
            branches.append((condition, self.steps("when", "else", "end")))
        if not branches:
            self.fail()
        otherwise = self.steps("end") if c.accept("else") else None
        self.expect("end", "case")
        self.names.leave()
        self.semicolon()
        return Case(line, subject, slot, tuple(branches), otherwise)

    # --- loops ---------------------------------------------------------------------------------------------

    def _loop(self, line: int, label: str, word: str) -> Step:
        c = self.c
        self.deeper()
        self.names.enter(label)
        self.names.labels.append((label, True))
        c.at += 1
        made: Step
        if word == "loop":
            made = Loop(line, label, None, self._body(label))
        elif word == "while":
            condition = self.expression("loop")
            made = Loop(line, label, condition, self._body(label))
        elif word == "foreach":
            made = self._for_each(line, label)
        else:
            made = self._for(line, label)
        self.names.labels.pop()
        self.names.leave()
        self.depth -= 1
        self.semicolon()
        return made

    def _body(self, label: str) -> tuple[Step, ...]:
        found = self.steps("end")
        self.expect("end", "loop")
        self.end_label(label)
        return found

    def _for_each(self, line: int, label: str) -> ForEach:
        targets = queries.targets(self)
        slices = 0
        if self.c.accept("slice"):
            slices = self.c.integer()
        self.expect("in", "array")
        array = self.expression("loop")
        return ForEach(line, label, targets, slices, array, self._body(label))

    def _for(self, line: int, label: str) -> Step:
        c = self.c
        names_at = c.at
        while c.word != "in":
            if c.ended or c.symbol_is(";"):
                self.fail()
            c.at += 1
        in_at = c.at
        c.at += 1
        if c.accept("execute"):
            query: Text | Dynamically | OpenCursor = dynamically_up_to_loop(self)
            targets = self._at(names_at, in_at)
            return ForRows(line, label, targets, query, self._body(label))
        bound = self.names.find(self.words_here())
        variable = self.names.variables_seen[bound[0]] if bound is not None and not bound[1] else None
        if variable is not None and variable.query is not None:
            c.at += 1
            given = cursors.arguments(self, variable)
            self.expect("loop")
            self.names.enter()
            slot = self._declare(c.tokens[names_at].value, line)
            made = ForRows(
                line, label, (Target(slot),), OpenCursor(line, variable.slot, None, given), self._body(label)
            )
            self.names.leave()
            return made
        if (
            variable is not None
            and isinstance(variable.kind, TypeName)
            and variable.kind.names[-1] == "refcursor"
        ):
            self.refuse("cursor FOR loop must use a bound cursor variable", token=c.token)
        reverse = c.accept("reverse")
        if self._is_range(c.at):
            first = self.expression("..")
            last = self.until("by", "loop")
            by = self.until("loop") if c.accept("by") else None
            self.expect("loop")
            if in_at - names_at != 1:
                self.refuse("integer FOR loop must have only one target variable", token=c.tokens[names_at])
            self.names.enter()
            slot = self.names.slot(c.tokens[names_at].value)
            steps = self._body(label)
            self.names.leave()
            return ForRange(line, label, slot, first, last, by, reverse, steps)
        if reverse:
            self.refuse("cannot specify REVERSE in query FOR loop", token=c.tokens[c.at - 1])
        query = self.until("loop", statement=True)
        targets = self._at(names_at, in_at)
        self.expect("loop")
        return ForRows(line, label, targets, query, self._body(label))

    def _declare(self, name: str, line: int) -> int:
        slot = self.names.slot(name)
        self.names.variables_seen[slot] = Variable(slot, name, line, Dynamic())
        return slot

    def _at(self, first: int, last: int) -> tuple[Target, ...]:
        """The targets between two places."""
        here = self.c.at
        self.c.at = first
        if self.target() is None:
            self.refuse(
                "loop variable of loop over rows must be a record variable or list of scalar variables",
                token=self.c.tokens[first],
            )
        self.c.at = first
        found = queries.targets(self)
        if self.c.at != last:
            self.fail()
        self.c.at = here
        return found

    def _is_range(self, at: int) -> bool:
        depth = 0
        tokens = self.c.tokens
        while at < len(tokens) - 1 and not (tokens[at].value in ("loop", ";") and not depth):
            depth += (tokens[at].value in ("(", "[")) - (tokens[at].value in (")", "]"))
            if tokens[at].value == ".." and not depth:
                return True
            at += 1
        return False

    def _exit(self, line: int) -> Exit:
        return self._leaves(line, leaves=True)

    def _continue(self, line: int) -> Exit:
        return self._leaves(line, leaves=False)

    def _leaves(self, line: int, *, leaves: bool) -> Exit:
        c, label, token = self.c, "", self.c.tokens[self.c.at - 1]
        if not c.symbol_is(";") and c.word != "when":
            named = c.token
            label = self.any_name()
            known = [is_loop for name, is_loop in self.names.labels if name == label]
            if not known:
                self.refuse(
                    f'there is no label "{label}" attached to any block or loop enclosing this statement',
                    token=named,
                )
            if not leaves and not known[-1]:
                self.refuse(f'block label "{label}" cannot be used in CONTINUE', token=named)
        elif not any(is_loop for _, is_loop in self.names.labels):
            message = (
                "EXIT cannot be used outside a loop, unless it has a label"
                if leaves
                else "CONTINUE cannot be used outside a loop"
            )
            self.refuse(message, token=token)
        when = self.until(";") if c.accept("when") else None
        self.semicolon()
        return Exit(line, leaves, label, when)

    # --- returning -----------------------------------------------------------------------------------------

    def _return(self, line: int) -> Step:
        c = self.c
        if c.accept("next"):
            return self._return_next(line)
        if c.accept("query"):
            if self.returns != "set":
                self.refuse("cannot use RETURN QUERY in a non-SETOF function", "42804", c.tokens[c.at - 1])
            query: Text | Dynamically = (
                queries.dynamically(self, ";") if c.accept("execute") else self.until(";", statement=True)
            )
            self.semicolon()
            return ReturnQuery(line, query)
        if c.symbol_is(";"):
            if self.returns in ("one", "trigger") and not self.has_outputs:
                self.refuse_missing("expression")
            self.semicolon()
            return Return(line)
        refused = {
            "set": "RETURN cannot have a parameter in function returning set",
            "procedure": "RETURN cannot have a parameter in a procedure",
            "void": "RETURN cannot have a parameter in function returning void",
            "event_trigger": "RETURN cannot have a parameter in function returning void",
            "block": "RETURN cannot have a parameter in function returning void",
        }.get(self.returns)
        if self.returns == "one" and self.has_outputs:
            refused = "RETURN cannot have a parameter in function with OUT parameters"
        if refused is not None:
            hint = "Use RETURN NEXT or RETURN QUERY." if self.returns == "set" else ""
            self.refuse(refused, "42804", c.token, hint=hint)
        whole = self._whole()
        value = self.expression(";")
        return Return(line, value, whole)

    def _return_next(self, line: int) -> ReturnNext:
        c = self.c
        if self.returns != "set":
            self.refuse("cannot use RETURN NEXT in a non-SETOF function", "42804", c.tokens[c.at - 1])
        if self.has_outputs:
            if not c.symbol_is(";"):
                message = "RETURN NEXT cannot have a parameter in function with OUT parameters"
                self.refuse(message, "42804", c.token)
            self.semicolon()
            return ReturnNext(line)
        whole = self._whole()
        return ReturnNext(line, self.expression(";"), whole)

    def _whole(self) -> int:
        """The slot of the one variable that is named here, up to the semicolon; -1 where it is something else."""
        words = self.words_here()
        found = self.names.find(words)
        if found is None or found[1] or self.c.ahead(2 * len(words) - 1).value != ";":
            return -1
        return found[0]

    # --- others ----------------------------------------------------------------------------------------------

    def _null(self, line: int) -> Nothing:
        self.semicolon()
        return Nothing(line)

    def _perform(self, line: int) -> Perform:
        text = self.until(";")
        self.semicolon()
        return Perform(line, text)

    def _call(self, line: int) -> Step:
        self.c.at -= 1
        return queries.call(self, line)

    def _get(self, line: int) -> GetDiagnostics:
        c = self.c
        stacked = bool(c.accept("stacked"))
        if not stacked:
            c.accept("current")
        self.expect("diagnostics")
        items = []
        while True:
            target = self.require_target()
            if not (c.accept_symbol("=") or c.accept_symbol(":=")):
                self.fail()
            token = c.token
            item = self.any_name()
            if item not in _ITEMS[False] and item not in _ITEMS[True]:
                self.refuse("unrecognized GET DIAGNOSTICS item", token=token)
            if item not in _ITEMS[stacked] and item != "pg_context":
                kind = "STACKED" if stacked else "CURRENT"
                self.refuse(
                    f"diagnostics item {item.upper()} is not allowed in GET {kind} DIAGNOSTICS", token=token
                )
            items.append((target, item))
            if not c.accept_symbol(","):
                break
        self.semicolon()
        return GetDiagnostics(line, stacked, tuple(items))

    def _commit(self, line: int) -> EndTransaction:
        return self._ends(line, commit=True)

    def _rollback(self, line: int) -> Step | None:
        if self.c.word == "to":
            return None
        return self._ends(line, commit=False)

    def _ends(self, line: int, *, commit: bool) -> EndTransaction:
        chain = bool(self.c.accept("and", "chain"))
        if not chain:
            self.c.accept("and", "no", "chain")
        self.semicolon()
        self.ends = True
        return EndTransaction(line, commit, chain)

    def _cursor(self, line: int) -> Step:
        word = self.c.tokens[self.c.at - 1].value
        if word == "open":
            return cursors.opened(self, line)
        if word == "close":
            return cursors.closed(self, line)
        return cursors.fetched(self, line, moves=word == "move")


def dynamically_up_to_loop(r: StepReader) -> Dynamically:
    found = queries.dynamically(r, "loop")
    r.expect("loop")
    return found


_STEPS: Final = {
    "if": StepReader._if,
    "case": StepReader._case,
    "exit": StepReader._exit,
    "continue": StepReader._continue,
    "return": StepReader._return,
    "null": StepReader._null,
    "perform": StepReader._perform,
    "call": StepReader._call,
    "get": StepReader._get,
    "commit": StepReader._commit,
    "rollback": StepReader._rollback,
    "open": StepReader._cursor,
    "fetch": StepReader._cursor,
    "move": StepReader._cursor,
    "close": StepReader._cursor,
    "raise": raising.raised,
    "assert": raising.asserted,
    "execute": queries.execute,
}

__all__ = ["DEPTH_MAX", "StepReader"]
