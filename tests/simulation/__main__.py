"""Runs one seed again and tells what happened: `python -m tests.simulation SEED`."""

from __future__ import annotations

import sys

from tests.simulation.world import run_seed

for seed in map(int, sys.argv[1:]):
    world, problems = run_seed(seed)
    print(f"seed {seed}: {world.scenario}")
    for op in world.history:
        print(
            f"  {op.begin:4}-{op.end:4} {op.process} {op.kind:9} {op.outcome:7} ts={op.ts}"
            f" writes={op.writes} {op.error}"
        )
    for problem in problems:
        print(f"  !! {problem}")
