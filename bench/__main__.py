"""`python -m bench`: run the workloads on all sides in turn, print and save the table, the plots, and the profiles.

--only PATTERN      those whose names contain it (several times: any of them)
--full              also what takes long
--minutes N         begin no workload after so many; what was left out is said, and keeps its last result
--explain           profile what misses its aim, once more, and say in the report where the time went
--profile FOLDER    sample the server during each timed run (`bench/profiles.py`); nothing is saved
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from bench import plots
from bench.peers import Peer, postgres_peer, tidewire_peer
from bench.profiles import explained, profiled
from bench.report import Result, kept, markdown, save
from bench.suite import chosen, figures
from bench.workload import NOTED, Curve, Workload

SERVERS = {"tidewire": tidewire_peer, "postgres": postgres_peer}


def _options() -> argparse.Namespace:
    arguments = argparse.ArgumentParser(
        prog="bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--full", action="store_true", help="every workload, not only the quick ones")
    arguments.add_argument("--only", action="append", default=[], metavar="PATTERN")
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--seconds", type=float, default=3.0, help="length of one timed run")
    arguments.add_argument("--minutes", type=float, default=float("inf"))
    arguments.add_argument("--list", action="store_true", help="print the workloads' names")
    arguments.add_argument("--peer", action="append", default=[], help="measure these sides only")
    arguments.add_argument("--out", type=Path, default=Path(__file__).parent)
    arguments.add_argument("--no-save", action="store_true")
    arguments.add_argument("--explain", action="store_true")
    arguments.add_argument("--profile", type=Path, metavar="FOLDER")
    return arguments.parse_args()


def main() -> int:
    options = _options()
    workloads = chosen(options.only, options.full)
    if options.list:
        print("\n".join(w.name for w in workloads))
        return 0
    wanted = {p for w in workloads for p in w.peers}
    if options.peer:
        wanted &= set(options.peer)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the servers are stopped then, too
    results: list[Result] = []
    left_out: list[str] = []
    begun_s = time.monotonic()
    with contextlib.ExitStack() as stack:
        peers = [
            stack.enter_context(SERVERS[name]()) if name in SERVERS else Peer(name)
            for name in dict.fromkeys(["tidewire", "postgres", *sorted(wanted)])
            if name in wanted
        ]
        prepared: dict[str, str] = {}
        try:
            for workload in workloads:
                if time.monotonic() - begun_s > 60 * options.minutes:
                    left_out.append(workload.name)
                    continue
                result = Result.of(workload)
                _one(workload, peers, result, prepared, options)
                results.append(result)
                _keep(results, options)
        finally:  # also when somebody has had enough
            _keep(results, options, whole=True)
    if left_out:
        print(f"no time was left for {len(left_out)}: {'; '.join(left_out)}")
    failures = [r.workload for r in results if r.failure]
    print(
        f"{len(results)} workloads in {(time.monotonic() - begun_s) / 60:.1f} minutes; failed: {failures or 'none'}"
    )
    return 1 if failures else 0


def _one(
    workload: Workload,
    peers: list[Peer],
    result: Result,
    prepared: dict[str, str],
    options: argparse.Namespace,
) -> None:
    """Measures one workload; what goes wrong is in its row, and the next ones go on."""
    started_s = time.monotonic()
    mine = [p for p in peers if p.name in workload.peers]
    try:
        _prepare(workload, mine, prepared)
        _measure(workload, mine, result, options)
        if options.explain and result.misses:
            _explain(workload, mine, result, options)
    except Exception as error:  # noqa: BLE001 - reported in its row
        result.failure = f"{type(error).__name__}: {error}".replace("\n", " ").replace("|", "/")[:400]
        prepared.clear()
    result.notes += NOTED.take()
    _revive(mine, prepared)
    _print(result, time.monotonic() - started_s)


def _keep(results: list[Result], options: argparse.Namespace, *, whole: bool = False) -> None:
    """After each workload, so that nothing that ends the run costs what it has measured; pictures once, with the `whole`."""
    if options.no_save or options.profile:
        if whole:
            print("\n" + markdown(results))
        return
    everything = kept(options.out, results, [w.name for w in figures()])
    save(everything, options.out, (plots.draw if whole else plots.drawn)(everything, options.out))


def _prepare(workload: Workload, peers: Iterable[Peer], prepared: dict[str, str]) -> None:
    """What a group shares is made once, on each peer by itself, until another group's takes its place."""
    if workload.prepare is None:
        return
    for peer in peers:
        if workload.group and prepared.get(peer.name) == workload.group:
            continue
        prepared.pop(peer.name, None)
        with peer.limited(workload.time_limit_s):
            workload.prepare(peer)
        prepared[peer.name] = workload.group


def _measure(workload: Workload, peers: list[Peer], result: Result, options: argparse.Namespace) -> None:
    result.seconds = options.seconds
    for _ in range(workload.rounds or options.rounds):
        for peer in peers:
            cpu_s = peer.cpu_s()
            with contextlib.ExitStack() as stack:
                stack.enter_context(peer.limited(workload.time_limit_s))
                if options.profile is not None and peer.process is not None:
                    stack.enter_context(profiled(peer.process.pid, workload.name, options.profile))
                found = workload.run(peer, options.seconds)
            if isinstance(found, Curve):
                result.curves[peer.name] = asdict(found)
                found = found.figure
            result.rounds.setdefault(peer.name, []).append(found)
            if peer.process is not None:
                result.cpu_s.setdefault(peer.name, []).append(round(max(0.0, peer.cpu_s() - cpu_s), 2))


def _explain(workload: Workload, peers: list[Peer], result: Result, options: argparse.Namespace) -> None:
    """Once more on our side, while somebody watches. The figure is not kept."""
    for peer in peers:
        if peer.name != "tidewire" or peer.process is None or not workload.profiled:
            continue
        pid = peer.process.pid if workload.profiled == "server" else os.getpid()
        with peer.limited(workload.time_limit_s):
            result.profile = explained(pid, lambda p=peer: workload.run(p, options.seconds))  # type: ignore[misc]


def _revive(peers: Iterable[Peer], prepared: dict[str, str]) -> None:
    for peer in peers:
        if peer.process is not None and peer.process.poll() is not None:
            print(
                f"  {peer.name} is gone (exit code {peer.process.returncode}) and is started again",
                flush=True,
            )
            prepared.pop(peer.name, None)
            peer.revive()


def _print(result: Result, took_s: float) -> None:
    medians = ", ".join(f"{n} {m:,.4g}" for n in result.rounds if (m := result.median(n)) is not None)
    ratios = " ".join(
        f"{r:.2f}" for n in result.rounds if n != "tidewire" and (r := result.ratio(n)) is not None
    )
    said = f"FAILED {result.failure}" if result.failure else "; ".join(result.notes)
    print(f"{result.workload:55} {medians:45} {ratios:8} {took_s:4.0f} s  {said}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
