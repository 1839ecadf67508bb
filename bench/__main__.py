"""`python -m bench`: run the workloads on both servers in turn, print and save the table."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

from bench.peers import Peer, postgres_peer, tidewire_peer
from bench.report import Result, markdown, save
from bench.workloads import chosen


def main() -> int:
    arguments = argparse.ArgumentParser(prog="bench", description=__doc__)
    arguments.add_argument("--full", action="store_true", help="every workload, not only the quick ones")
    arguments.add_argument("--only", action="append", default=[], metavar="PATTERN")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--seconds", type=float, default=5.0, help="length of one timed run")
    arguments.add_argument("--list", action="store_true", help="print the workloads' names")
    arguments.add_argument("--peer", action="append", default=[], choices=["tidewire", "postgres"])
    arguments.add_argument("--out", type=Path, default=Path(__file__).parent)
    arguments.add_argument("--no-save", action="store_true")
    options = arguments.parse_args()
    workloads = chosen(options.only, options.full)
    if options.list:
        print("\n".join(w.name for w in workloads))
        return 0
    wanted = set(options.peer or ["tidewire", "postgres"])
    results: list[Result] = []
    failures = 0
    with contextlib.ExitStack() as stack:
        peers: list[Peer] = []
        if "tidewire" in wanted:
            peers.append(stack.enter_context(tidewire_peer()))
        if "postgres" in wanted:
            peers.append(stack.enter_context(postgres_peer()))
        prepared = ""
        for w in workloads:
            result = Result(w.name, w.unit, w.aim, w.lower_is_better)
            results.append(result)
            try:
                if w.prepare is not None and (w.group != prepared or not w.group):
                    for peer in peers:
                        if peer.name in w.peers:
                            w.prepare(peer)
                    prepared = w.group
                for _ in range(options.rounds):
                    for peer in peers:
                        if peer.name in w.peers:
                            result.rounds.setdefault(peer.name, []).append(w.run(peer, options.seconds))
            except Exception as error:  # noqa: BLE001 - a failed workload is reported in its row, the others go on
                failures += 1
                result.note = f"failed: {error}".replace("\n", " ").replace("|", "/")[:300]
            ratio = f"{result.ratio:.2f}" if result.ratio is not None else "-"
            medians = ", ".join(f"{n} {m:,.4g}" for n in result.rounds if (m := result.median(n)) is not None)
            print(f"{w.name:45} {medians:50} ratio {ratio} {result.note}", flush=True)
    print()
    print(markdown(results))
    if not options.no_save:
        save(results, options.out)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
