"""Runs seeds again and tells what happened: `python -m tests.simulation [shared | sql | guarded | shaped] SEED...`"""

from __future__ import annotations

import sys

from tests.simulation.shared_world import run_shared_seed
from tests.simulation.sql_world import run_guarded_seed, run_shaped_seed, run_sql_seed
from tests.simulation.world import run_seed

arguments = sys.argv[1:]
of_sessions = {"sql": run_sql_seed, "guarded": run_guarded_seed, "shaped": run_shaped_seed}
if arguments and arguments[0] in of_sessions:
    run_one = of_sessions[arguments[0]]
    for seed in map(int, arguments[1:]):
        sql_world, anomalies = run_one(seed)
        print(f"seed {seed}: {sql_world.scenario}")
        for txn in sql_world.txns:
            print(
                f"  {txn.began_s:4.0f}-{txn.ended_s:4.0f} T{txn.id} {txn.outcome:7} {txn.operations} {txn.error}"
            )
        for problem in anomalies:
            print(f"  !! {problem}")
    sys.exit()
shared = arguments[:1] == ["shared"]
for seed in map(int, arguments[shared:]):
    world, problems = run_shared_seed(seed) if shared else run_seed(seed)
    print(f"seed {seed}: {world.scenario}")
    for op in world.history:
        print(
            f"  {op.begin:4}-{op.end:4} {op.process} {op.kind:9} {op.outcome:7} ts={op.ts}"
            f" writes={op.writes} {op.error}"
        )
    for problem in problems:
        print(f"  !! {problem}")
