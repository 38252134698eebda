"""An agent runtime as the worker of a task: Claude Code or Codex, attached through the app's gate.

The run takes real time. The runtime works in a copy of the task's public materials, in a home of
its own: no setting, key or session of the user is read or written, but for the variables that name
its model (``bench.agent_models``). It is attached by ``jarvis attach``, and its hooks reach a gate
whose review is the boundary of the run (``keeper``).

A single agent is one session. A project is one session too, whose prompt holds all workstreams: it
starts native children where its runtime has them (Claude Code's subagents, which show up as runs of
their own), and else does the workstreams itself, one after the other. So it has the time limit
twice, once for the workstreams and once to integrate. Holds do not count.

What is the model's fault makes the run invalid (ProviderFailed): no key, an error that the runtime
reports, or no end within the time limit. A task that acts on an app is refused: the app is not
within reach of another process.

The runtime has the rights of who started it, network included: nothing but its own settings keeps
it from reading other files. Let it do tasks on a machine that holds nothing it should not see.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bench import agent_models, behind_gate
from bench.errors import BenchError, ProviderFailed, WorkerFailed
from bench.real_agents import (
    Sandbox,
    check_installed,
    command,
    environment,
    json_lines,
    started,
)
from bench.suite.bundle import Bundle, Topology
from bench.tracks.boundary import ANYBODY
from bench.tracks.crew import Boundary, Site, Tally
from bench.tracks.eyes import Eyes
from bench.tracks.keeper import Keeper
from bench.workers.afterwards import AFTER, Afterwards
from bench.workers.assignment import assignment
from bench.workers.view import View
from jarvis_voice.runtimes import RUNTIMES

LOOK_S = 0.2  # between two looks at whether the time is up
_TAIL_CHARS = 300  # of standard error, when there is nothing else to tell

Attach = Callable[[str, Sandbox], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class External:
    """An installed runtime (``crew.Crew``). Raises RuntimeMissing or WorkerFailed when made."""

    name: str  # as ``bench.real_agents.NAMES`` has it
    bundle: Bundle
    attach: Attach = behind_gate.attach

    def __post_init__(self) -> None:
        check_installed(self.name)
        if self.bundle.is_app:
            raise WorkerFailed(
                f"{self.bundle.task_id} acts on an app, which {self.name} cannot reach.",
                "Leave such tasks to other workers.",
            )

    @property
    def in_real_time(self) -> bool:
        """Another process knows no virtual time."""
        return True

    @property
    def one_call_a_turn(self) -> bool:
        """Its model may call several tools at once."""
        return False

    async def work(self, site: Site, review: Boundary) -> Tally:
        """Let it do the whole task."""
        lacking = agent_models.lacking(self.name, environment())
        if lacking:
            raise ProviderFailed(f"{lacking}.", "Set it for this command.")
        sandbox = Sandbox.made(site.workspace.folder.parent / "agent")
        view = View(site.workspace.scope(), sandbox.project)
        eyes = Eyes(site, self.name, sandbox.project)
        keeper = Keeper(site, review, view, eyes, lambda: sandbox.transcripts(self.name))
        jarvis = behind_gate.Jarvis(keeper.review, keeper.observe)
        async with behind_gate.gate(sandbox, jarvis, {self.name: Afterwards(RUNTIMES[self.name])}):
            await self._attached(sandbox)
            began_s = site.now()
            await _Attempt(self.name, sandbox, site, keeper).whole()
        eyes.read_on(sandbox.transcripts(self.name))
        keeper.close()
        eyes.close(sandbox.record(self.name))
        own_s = site.now() - began_s - site.holds.so_far(ANYBODY, site.now())
        return Tally(keeper.calls, keeper.held_s, own_s)

    async def _attached(self, sandbox: Sandbox) -> None:
        try:
            await self.attach(self.name, sandbox)
        except RuntimeError as error:
            raise WorkerFailed(str(error)) from error
        behind_gate.be_patient(self.name, sandbox, AFTER)
        if self.name == "codex":
            settings = agent_models.codex_settings(environment())
            (sandbox.codex_home / "config.toml").write_text(settings, "utf-8")


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One run of the program."""

    name: str
    sandbox: Sandbox
    site: Site
    keeper: Keeper

    async def whole(self) -> None:
        """Start it and wait for its end. Raises what makes the run invalid."""
        words = command(self.name, assignment(self.site.bundle))
        environ = self.sandbox.private() | agent_models.variables(self.name, environment())
        told, errors = self.sandbox.folder / "told.jsonl", self.sandbox.folder / "errors.txt"
        with told.open("wb") as out, errors.open("wb") as err:
            async with started(words, self.sandbox.project, environ, out, err) as process:
                await self._until_over(process)
        status = process.returncode or 0
        problem = agent_models.fault(self.name, status, json_lines(told.read_bytes()))
        if problem is None:
            return
        if problem:
            raise ProviderFailed(f"{self.name} could not go on: {problem.rstrip('.')}.")
        last = errors.read_text("utf-8", "replace").strip()[-_TAIL_CHARS:]
        raise WorkerFailed(f"{self.name} ended in the middle with status {status}. {last}")

    async def _until_over(self, process: asyncio.subprocess.Process) -> None:
        """Wait, within the time limit and while nothing is at fault. Holds do not count."""
        limit_s = _limit_s(self.site.bundle)
        began_s = self.site.now()
        async with asyncio.TaskGroup() as group:
            end = group.create_task(process.wait())
            fault: BenchError | None = None
            while not end.done() and fault is None:
                now_s = self.site.now()
                own_s = now_s - began_s - self.site.holds.so_far(ANYBODY, now_s)
                fault = self.keeper.fault or (self._late(limit_s) if own_s > limit_s else None)
                await asyncio.wait((end,), timeout=LOOK_S)
            end.cancel()
        fault = fault or self.keeper.fault
        if fault is not None:
            raise fault

    def _late(self, limit_s: float) -> BenchError:
        return ProviderFailed(
            f"{self.name} did not come to its end within {limit_s:g} seconds, holds not counted; "
            f"it had made {self.keeper.calls} calls.",
            "Is its model overloaded, or too slow for the time limit of the task?",
        )


def _limit_s(bundle: Bundle) -> float:
    times = 2 if bundle.topology is Topology.MULTI else 1
    return float(times * bundle.manifest.runtime.worker_timeout_seconds)
