"""The shape of a measurement, and what it is held against.

    Workload   prepare(peer) once a group, run(peer, seconds) once a round -> a figure, or a curve with a figure
    Aim        how the figure stands to a peer's (a ratio), or to a bound in the workload's own unit (an absolute)

A ratio is "how many times better": above 1 Tidewire is ahead, whether more or less of the unit is good. A workload whose
figure is itself a comparison (a latency beside something as a multiple of that alone) has the unit `times` and a bound.
`run` raises when an answer is wrong, for a fast wrong answer is worth nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bench.peers import Peer

BOTH = ("tidewire", "postgres")
OURS = ("tidewire",)


@dataclass(frozen=True)
class Aim:
    """`ratio` to a peer's figure of the same run, at least; or `bound` in the workload's unit."""

    peer: str = "postgres"
    ratio: float | None = None
    bound: float | None = None


@dataclass(frozen=True)
class Curve:
    """A figure that depends on something: series of points for a plot, and one number for the table."""

    figure: float
    x: str
    y: str
    series: dict[str, list[tuple[float, float]]]


Run = Callable[[Peer, float], "float | Curve"]


@dataclass(frozen=True)
class Workload:
    """`seconds` (of one timed run) and `rounds` override what the command line says where the work sets its own length."""

    name: str
    unit: str
    run: Run
    prepare: Callable[[Peer], None] | None = None
    group: str = ""  # workloads of one group share what `prepare` made
    aims: tuple[Aim, ...] = ()
    lower_is_better: bool = False
    quick: bool = True  # part of `make bench`; the others only of `make bench-full`
    peers: tuple[str, ...] = BOTH
    rounds: int | None = None
    profiled: str = "server"
    """Which process tells where the time goes: the `server`, `here`, or (empty) none that lasts through the run."""
    time_limit_s: float = 900.0
    """Of `prepare`, and of each run: what takes longer has failed, and its server is started anew."""


def at_least(ratio: float, peer: str = "postgres") -> tuple[Aim, ...]:
    return (Aim(peer, ratio=ratio),)


def at_most(bound: float) -> tuple[Aim, ...]:
    return (Aim(bound=bound),)


@dataclass
class Noted:
    """What a workload wants to have said beside its figure; read and emptied after each run."""

    lines: list[str] = field(default_factory=list)

    def take(self) -> list[str]:
        taken, self.lines = list(dict.fromkeys(self.lines)), []
        return taken


NOTED = Noted()
