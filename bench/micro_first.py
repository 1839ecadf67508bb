"""What the plan of a text that nobody has sent before costs the server's interpreter, counted instead of timed.

    statements of bench.applications, their tables without rows  -->  Planner.plan with an empty cache  -->  bytecodes and calls

As in `bench.micro_commit`: the numbers are the same every time, whatever else runs, and say nothing of C: sqlglot's
parser, which is compiled, and regular expressions are not in them.

    python -m bench.micro_first [PATTERN ...]     # those whose names contain one of them; all functions, and the statements
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Iterator
from random import Random
from types import CodeType

from psycopg import sql

from bench.applications.ask import Ask
from bench.applications.schema import TABLES
from bench.applications.statements import STATEMENTS
from bench.micro_commit import Client, Count, in_memory, tell_functions
from executor.executor import Executor
from pgwire.server import Server
from planner.plan_context import PlanContext
from planner.planner import Planner

LISTED = 12


async def _define(executor: Executor) -> None:
    """The tables, their indexes and sequences. No rows: planning looks at none."""
    server = Server(executor)
    server.loop = asyncio.get_running_loop()
    client = Client(server, (), 0)
    await client.start()
    await client.query("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    for text in map(str.strip, TABLES.split(";\n")):
        if text and not text.startswith("INSERT"):
            await client.query(text)


def _texts(patterns: list[str]) -> Iterator[tuple[Ask, str]]:
    """Each statement as its driver sends it: with values in the text, or with parameters whose types are to be found."""
    random = Random(1)
    for ask in STATEMENTS:
        values, pieces = ask.values(random), ask.sql.split("%s")
        if patterns and not any(p in ask.name for p in patterns):
            continue
        marks = [
            sql.Literal(value).as_string(None) if ask.text else f"${i}" for i, value in enumerate(values, 1)
        ]
        between = [*marks, *[""] * (len(pieces) - len(marks))]
        yield ask, "".join(p + m for p, m in zip(pieces, between, strict=True)).replace("%%", "%")


async def measure(patterns: list[str]) -> None:
    async with in_memory() as executor:
        await _define(executor)
        context = PlanContext(executor.catalog)
        found: list[tuple[int, int, str]] = []
        bytecodes: Counter[CodeType] = Counter()
        calls: Counter[CodeType] = Counter()
        for counts in (False, True):  # what is found out once for all statements is found out before
            planner = Planner()
            planner.partition(context)
            for ask, text in _texts(patterns if counts else []):
                count = Count()
                if counts:
                    sys.settrace(count.begin)
                try:
                    planner.plan(text, context, normalise=ask.text)
                finally:
                    sys.settrace(None)
                bytecodes += count.bytecodes
                calls += count.calls
                if counts:
                    found.append((sum(count.bytecodes.values()), sum(count.calls.values()), ask.name))
        done = len(found)
        print(
            f"{done} statements: {sum(f[0] for f in found) / done:,.0f} bytecodes and {sum(f[1] for f in found) / done:,.0f} calls each"
        )
        tell_functions(bytecodes, calls, done, width=9)
        for one in sorted(found, reverse=True)[:LISTED]:
            print(f"{one[0]:9,} {one[1]:7,}   {one[2]}")


if __name__ == "__main__":
    asyncio.run(measure(sys.argv[1:]))
