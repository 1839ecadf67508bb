"""Several servers on one log, run from one seed: every one of them reads and writes, joins, dies, and is stalled.

It is `tests.simulation.world` with other processes. At any time there are two or three servers; each client goes to any
of them. A server that dies is replaced; a stalled one (SIGSTOP) does not get through its doors for a while, may be
taken for dead by the others, and wakes. Every read that must be current looks at the log first.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass

from storage.abc import StorageError
from storage.parts import PartLimits, inline_offload
from storage.shard.log import LogLimits
from tests.simulation.faults import BlobDoor, ConsensusDoor, Odds, Process
from tests.simulation.history import Op
from tests.simulation.image import Image
from tests.simulation.loop import simulate
from tests.simulation.world import Scenario, Server, World
from txn.abc import Commit, TxnError
from txn.limits import Limits
from txn.shared import SharedEnvironment


@dataclass
class SharedScenario(Scenario):
    """What a seed makes of a run with several servers."""

    servers: int = 3
    stalls: int = 0

    @classmethod
    def of(cls, seed: int) -> SharedScenario:
        plain = Scenario.of(seed)
        rng = random.Random(f"shared {seed}")
        return cls(
            seed,
            clients=rng.randint(2, 7),
            ops_per_client=10,
            synchronous=plain.synchronous,
            odds=plain.odds,
            clock_jump_us=plain.clock_jump_us,
            servers=rng.randint(2, 3),
            stalls=rng.choice((0, 0, 2, 4)),
        )


class SharedWorld(World):
    """See the module."""

    scenario: SharedScenario

    async def _open(self, process: Process) -> Server:
        env = await SharedEnvironment.open(
            blob=BlobDoor(self.blob, process),
            consensus=ConsensusDoor(self.consensus, process, synchronous=self.scenario.synchronous),
            clock=process.clock,
            rng=process.rng,
            limits=Limits(
                resolve_limit_s=self.rng.choice((0.05, 5.0)),
                apply_entries=12,
                rollup_entries=self.rng.choice((6, 15)),
                apply_idle_s=0.2,
                pass_s=0.01,
                since_step_s=0.5,
                retention_s=3600.0,
                group_max=self.rng.choice((2, 4096)),
                member_lease_s=1.0,
            ),
            background=False,
            offload=inline_offload,
            monotonic_s=asyncio.get_running_loop().time,
            part_limits=PartLimits(inline_bytes_max=self.rng.choice((64, 65536))),
            log_limits=LogLimits(rollup_entries=8),
        )
        assert isinstance(env, SharedEnvironment)
        image = Image()

        def learn(commit: Commit) -> None:
            image.learn(commit)  # marks tell the index

        env.on_commit.append(learn)
        await image.hydrate(env)
        return Server(process, env, image)

    async def background(self, server: Server) -> None:
        env = server.env
        assert isinstance(env, SharedEnvironment)
        while not self.done and server.usable:
            await asyncio.sleep(0.01)
            try:
                if env.members.due:
                    await env.beat()
                if self.rng.random() < 0.2:
                    await env.lead()
            except (StorageError, TxnError):
                continue  # tried again, or the committer is closed and this server is replaced
            await env.upkeep.work()
            await env.upkeep.maintain()

    async def reign(self) -> None:
        """There are always some servers, and now and then one of them is stalled."""
        stalls = self.scenario.stalls
        while not self.done:
            usable = [s for s in self.servers if s.usable]
            if len(usable) < self.scenario.servers:
                server = await self.start(self.scenario.odds)
                self.tasks.append(asyncio.ensure_future(self.background(server)))
                continue
            if stalls and self.rng.random() < 0.1:
                stalls -= 1
                self.rng.choice(usable).process.stall(self.rng.choice((0.1, 0.5, 3.0)))
            await asyncio.sleep(0.02)

    # --- clients: whoever must see the present looks at the log first --------------------------

    async def do_transfer(self, server: Server, op: Op) -> None:
        await server.env.lead()
        await super().do_transfer(server, op)

    async def do_phantom(self, server: Server, op: Op) -> None:
        await server.env.lead()
        await super().do_phantom(server, op)

    async def do_read(self, server: Server, op: Op) -> None:
        await server.env.lead()
        await super().do_read(server, op)

    async def do_create(self, server: Server, op: Op) -> None:
        await server.env.lead()
        await super().do_create(server, op)


def run_shared_seed(seed: int) -> tuple[SharedWorld, list[str]]:
    """One world of several servers, from beginning to judgement."""
    world = SharedWorld(SharedScenario.of(seed))
    return world, simulate(world.run(), turns_max=400_000)


__all__ = ["Odds", "SharedScenario", "SharedWorld", "run_shared_seed"]
