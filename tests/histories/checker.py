"""A history -> the anomalies in it, by name, each with the cycle that proves it.

From the lists that were read, the order of the versions of every key is known; from that the edges
between transactions:

    ww   b's append follows a's on some key           a -> b
    wr   b read the version that a's append made      a -> b
    rw   a read the version that b's append replaced  a -> b     (anti-dependency)
    rt   a was answered before b was sent             a -> b     (real time)

A cycle means that no serial order explains what was seen. Its name says how bad it is:

    G0         only ww                          excluded by every level
    G1c        ww and wr                        excluded by read committed and up
    G-single   exactly one rw                   excluded by repeatable read (snapshot) and up
    G2         two rw or more                   excluded by serializable
    ...-realtime   the same with rt edges       excluded by strict serializable only

And without any graph: G1a (a value of a failed transaction was read), G1b (a value that its own
transaction overwrote was read), lost append (acknowledged, yet missing from a later list),
duplicate, internal (a transaction did not see its own append), incompatible order (two reads
disagree on the order of one list), lost update (two committed transactions changed the same version
that both had read).
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass

from tests.histories.history import Append, History, Key, Read, Txn, Value


@dataclass(frozen=True, slots=True)
class Anomaly:
    name: str
    explanation: str
    txns: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}: {self.explanation}"


Edges = dict[int, dict[int, set[str]]]

EXCLUDED: dict[str, frozenset[str]] = {}
_ALWAYS = {"G0", "G1a", "G1b", "G1c", "internal", "lost append", "duplicate", "incompatible order"}
EXCLUDED["read committed"] = frozenset(_ALWAYS)
EXCLUDED["repeatable read"] = EXCLUDED["read committed"] | {"G-single", "lost update"}
EXCLUDED["serializable"] = EXCLUDED["repeatable read"] | {"G2"}
EXCLUDED["strict serializable"] = EXCLUDED["serializable"] | {
    "G0-realtime",
    "G1c-realtime",
    "G-single-realtime",
    "G2-realtime",
}


def check(history: History, level: str = "strict serializable") -> list[Anomaly]:
    """The anomalies of the history that the level excludes."""
    excluded = EXCLUDED[level]
    return [a for a in anomalies(history) if a.name in excluded]


def anomalies(history: History) -> list[Anomaly]:
    """Every anomaly that can be proven from the history, whatever the level."""
    return _Analysis(history).run()


class _Analysis:
    def __init__(self, history: History) -> None:
        self.txns = {t.id: t for t in history.txns}
        self.found: list[Anomaly] = []
        self.writer: dict[tuple[Key, Value], Txn] = {}
        self.last_of: dict[tuple[int, Key], Value] = {}
        for t in history.txns:
            for a in t.appends():
                if (a.key, a.value) in self.writer:
                    raise ValueError(
                        f"value {a.value} is appended twice to {a.key}: the history is no evidence"
                    )
                self.writer[a.key, a.value] = t
                self.last_of[t.id, a.key] = a.value
        self.order: dict[Key, tuple[Value, ...]] = {}
        self.edges: Edges = defaultdict(lambda: defaultdict(set))

    def run(self) -> list[Anomaly]:
        self.internal()
        self.version_orders()
        self.direct_reads()
        self.lost_updates()
        self.dependencies()
        self.cycles(self.edges, "")
        if not any(a.name in ("G0", "G1c", "G-single", "G2") for a in self.found):
            self.real_time()
            self.cycles(self.edges, "-realtime")
        return self.found

    def report(self, name: str, explanation: str, *txns: int) -> None:
        self.found.append(Anomaly(name, explanation, txns))

    def internal(self) -> None:
        for t in self.txns.values():
            if t.outcome == "fail":
                continue
            seen: dict[Key, tuple[Value, ...]] = {}
            mine: dict[Key, list[Value]] = defaultdict(list)
            for o in t.operations:
                if isinstance(o, Append):
                    mine[o.key].append(o.value)
                    if o.key in seen:
                        seen[o.key] = (*seen[o.key], o.value)
                elif o.seen is not None:
                    expected_end = tuple(mine[o.key])
                    if expected_end and o.seen[-len(expected_end) :] != expected_end:
                        self.report(
                            "internal", f"T{t.id} read {o.key}={o.seen} after appending {expected_end}", t.id
                        )

    def version_orders(self) -> None:
        for t in self.txns.values():
            for r in t.reads():
                assert r.seen is not None
                if len(set(r.seen)) != len(r.seen):
                    self.report("duplicate", f"T{t.id} read {r.key}={r.seen}", t.id)
                if t.outcome == "fail":
                    continue
                seen = r.seen
                while t.outcome == "unknown" and seen and self.writer.get((r.key, seen[-1])) is t:
                    seen = seen[:-1]  # it saw its own append, which need not have happened
                longest = self.order.get(r.key, ())
                short, long = sorted((longest, seen), key=len)
                if long[: len(short)] != short:
                    self.report("incompatible order", f"key {r.key}: {longest} and {seen} (T{t.id})", t.id)
                self.order[r.key] = long

    def direct_reads(self) -> None:
        for t in self.txns.values():
            if t.outcome == "fail":
                continue
            for r in t.reads():
                assert r.seen is not None
                for v in r.seen:
                    w = self.writer.get((r.key, v))
                    if w is None:
                        self.report("G1a", f"T{t.id} read {r.key}={v}, which nobody wrote", t.id)
                    elif w.outcome == "fail":
                        self.report("G1a", f"T{t.id} read {r.key}={v} of T{w.id}, which failed", t.id, w.id)
                if r.seen:
                    w = self.writer.get((r.key, r.seen[-1]))
                    if w is not None and w.id != t.id and self.last_of[w.id, r.key] != r.seen[-1]:
                        self.report(
                            "G1b", f"T{t.id} read {r.key}={r.seen}, which T{w.id} went on changing", t.id
                        )
        # An acknowledged append must be in every list read by whoever began after the acknowledgement.
        for t in self.txns.values():
            if t.outcome != "ok":
                continue
            for a in t.appends():
                if a.value not in self.order.get(a.key, ()) and self._read_after(a.key, t):
                    self.report("lost append", f"T{t.id} appended {a.value} to {a.key}; it is gone", t.id)

    def _read_after(self, key: Key, writer: Txn) -> bool:
        return any(
            r.key == key
            for t in self.txns.values()
            if t.outcome == "ok" and t.began_s > writer.ended_s
            for r in t.reads()
        )

    def lost_updates(self) -> None:
        readers: dict[tuple[Key, Value | None], list[int]] = defaultdict(list)
        for t in self.txns.values():
            if t.outcome != "ok":
                continue
            first: dict[Key, Read] = {}
            own: set[Key] = set()
            for o in t.operations:
                if isinstance(o, Append):
                    if o.key in first and o.key not in own:
                        seen = first[o.key].seen
                        assert seen is not None
                        readers[o.key, seen[-1] if seen else None].append(t.id)
                    own.add(o.key)
                elif o.seen is not None and o.key not in own:
                    first.setdefault(o.key, o)
        for (key, version), ids in readers.items():
            if len(ids) > 1:
                self.report(
                    "lost update",
                    f"{[f'T{i}' for i in ids]} all changed {key} from version {version}",
                    *ids,
                )

    def dependencies(self) -> None:
        alive = {t.id for t in self.txns.values() if t.outcome != "fail"}
        place: dict[tuple[Key, Value], int] = {}
        for key, versions in self.order.items():
            for i, v in enumerate(versions):
                place[key, v] = i
            for a, b in itertools.pairwise(versions):
                self._edge(self.writer.get((key, a)), self.writer.get((key, b)), "ww", alive)
        for t in self.txns.values():
            if t.id not in alive:
                continue
            for r in t.reads():
                assert r.seen is not None
                seen = r.seen
                while seen and self.writer.get((r.key, seen[-1])) is t:
                    seen = seen[:-1]  # its own appends say nothing of others
                versions = self.order.get(r.key, ())
                if seen:
                    self._edge(self.writer.get((r.key, seen[-1])), t, "wr", alive)
                after = place.get((r.key, seen[-1]), -1) + 1 if seen else 0
                if after < len(versions):
                    self._edge(t, self.writer.get((r.key, versions[after])), "rw", alive)

    def _edge(self, a: Txn | None, b: Txn | None, kind: str, alive: set[int]) -> None:
        if a is not None and b is not None and a is not b and a.id in alive and b.id in alive:
            self.edges[a.id][b.id].add(kind)

    def real_time(self) -> None:
        """Edges between neighbours in real time; what follows from two of them is left out."""
        done = sorted((t for t in self.txns.values() if t.outcome == "ok"), key=lambda t: t.ended_s)
        starts = sorted((t for t in self.txns.values() if t.outcome != "fail"), key=lambda t: t.began_s)
        frontier: list[
            Txn
        ] = []  # answered, and not answered before the start of another that is answered too
        i = 0
        for t in starts:
            while i < len(done) and done[i].ended_s < t.began_s:
                newest = done[i]
                frontier = [f for f in frontier if not f.ended_s < newest.began_s]
                frontier.append(newest)
                i += 1
            for f in frontier:
                if f.id != t.id:
                    self.edges[f.id][t.id].add("rt")

    def cycles(self, edges: Edges, suffix: str) -> None:
        """The worst cycle of each strongly connected component, by widening sets of edges."""
        extra = {"rt"} if suffix else set()
        for name, kinds in (("G0", {"ww"}), ("G1c", {"ww", "wr"})):
            for component in _components(edges, kinds | extra):
                cycle = _cycle(edges, component, kinds | extra)
                self.report(name + suffix, _spell(cycle, edges), *cycle)
            if any(a.name == name + suffix for a in self.found):
                return
        for component in _components(edges, {"ww", "wr", "rw"} | extra):
            single = _single(edges, component, {"ww", "wr"} | extra)
            if single is not None:
                self.report("G-single" + suffix, _spell(single, edges), *single)
            else:
                cycle = _cycle(edges, component, {"ww", "wr", "rw"} | extra)
                self.report("G2" + suffix, _spell(cycle, edges), *cycle)


def _next(edges: Edges, a: int, kinds: set[str]) -> list[int]:
    return [b for b, found in edges.get(a, {}).items() if found & kinds]


def _components(edges: Edges, kinds: set[str]) -> list[set[int]]:
    """Strongly connected components of two or more (Tarjan, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    on_stack: set[int] = set()
    stack: list[int] = []
    found: list[set[int]] = []
    for root in list(edges):
        if root in index:
            continue
        work = [(root, iter(_next(edges, root, kinds)))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, successors = work[-1]
            for b in successors:
                if b not in index:
                    index[b] = low[b] = len(index)
                    stack.append(b)
                    on_stack.add(b)
                    work.append((b, iter(_next(edges, b, kinds))))
                    break
                if b in on_stack:
                    low[node] = min(low[node], index[b])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component: set[int] = set()
                    while True:
                        b = stack.pop()
                        on_stack.discard(b)
                        component.add(b)
                        if b == node:
                            break
                    if len(component) > 1:
                        found.append(component)
    return found


def _path(edges: Edges, start: int, goal: int, inside: set[int], kinds: set[str]) -> list[int] | None:
    """The shortest path, breadth first."""
    before: dict[int, int] = {start: start}
    queue = [start]
    for a in queue:
        for b in _next(edges, a, kinds):
            if b == goal:
                path = [a]
                while path[-1] != start:
                    path.append(before[path[-1]])
                return path[::-1]
            if b in inside and b not in before:
                before[b] = a
                queue.append(b)
    return None


def _cycle(edges: Edges, component: set[int], kinds: set[str]) -> list[int]:
    best: list[int] | None = None
    for a in sorted(component)[:50]:
        path = _path(edges, a, a, component, kinds)
        if path is not None and (best is None or len(path) < len(best)):
            best = path
    assert best is not None, "a component of two or more has a cycle"
    return best


def _single(edges: Edges, component: set[int], others: set[str]) -> list[int] | None:
    """A cycle with exactly one rw edge, if there is one."""
    for a in sorted(component):
        for b, found in edges.get(a, {}).items():
            if b in component and "rw" in found:
                back = _path(edges, b, a, component, others)
                if back is not None:
                    return [a, *back]
    return None


def _spell(cycle: list[int], edges: Edges) -> str:
    parts = []
    for a, b in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        parts.append(f"T{a} -{'/'.join(sorted(edges[a][b]))}-> ")
    return "".join(parts) + f"T{cycle[0]}"
