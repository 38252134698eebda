"""What the user says to a run is told at once where there is a line, and once in any case."""

import asyncio
import itertools
from dataclasses import dataclass, field, replace

import pytest

from jarvis_voice.attention.desk import Desk
from jarvis_voice.attention.desk_settings import DeskSettings, Outside
from jarvis_voice.attention.facts import SteeringBegan
from jarvis_voice.attention.journal import ScriptedJournal
from jarvis_voice.attention.lifecycle import fold
from jarvis_voice.attention.policy import EmbeddedPolicy
from jarvis_voice.attention.state import GuidancePhase
from jarvis_voice.boundary import ProposedAction, Verdict
from jarvis_voice.cli.carrying import Carrying
from jarvis_voice.errors import JarvisError, OutputError, RunUnreachable

RUN = "thread-1"
ACTION = ProposedAction("codex", "/w", RUN, "call-1", "shell", "run: ls", "f" * 64, 0.0)


@dataclass
class Line:
    """A connection that takes a second, and may be dead."""

    dead: bool = False
    told: list[str] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)

    async def steer(self, run_id: str, text: str) -> None:
        await asyncio.sleep(1.0)
        if self.dead:
            raise RunUnreachable("The connection broke.", "Say it again later.")
        self.told.append(text)

    async def stop(self, run_id: str) -> None:
        self.stopped.append(run_id)


class Room:
    """A desk with a line to its only run."""

    def __init__(self, group: asyncio.TaskGroup, line: Line | None) -> None:
        loop, numbers = asyncio.get_running_loop(), itertools.count()
        self.journal = ScriptedJournal()
        self.faults: list[JarvisError] = []
        outside = Outside(loop.time, lambda: 720, lambda: f"nonce-{next(numbers)}")
        self.desk = Desk(EmbeddedPolicy(), self.journal, DeskSettings(), outside)
        self.desk.on_fault = self.faults.append
        self.desk.start()
        self.line = line
        self.carrying = Carrying(self.desk, lambda run_id: self.line, self.faults.append, group)
        self.desk.on_guided = self.carrying.look

    def phases(self) -> list[GuidancePhase]:
        return [item.phase for item in self.desk.state.sessions[RUN].guidance]


async def test_words_go_out_at_once_in_order_and_no_ruling_brings_them_again() -> None:
    line = Line()
    async with asyncio.TaskGroup() as group:
        room = Room(group, line)
        room.desk.guide(RUN, "Use UTC.")
        room.desk.guide(RUN, "And skip the docs.")
        await asyncio.sleep(0.5)
        assert room.phases() == [GuidancePhase.SENT, GuidancePhase.PENDING]
        ruling = await room.desk.review(ACTION)  # what is not on its way yet goes with this
        assert "skip the docs" in ruling.reason
        assert "Use UTC." not in ruling.reason
        await asyncio.sleep(5.0)
        again = replace(ACTION, action_id="call-2")
        assert (await room.desk.review(again)).reason == ""
        assert room.phases() == [GuidancePhase.DELIVERED] * 2
        room.desk.close()
    (said,) = line.told
    assert "Use UTC." in said


async def test_a_stop_is_told_and_then_done() -> None:
    line = Line()
    async with asyncio.TaskGroup() as group:
        room = Room(group, line)
        room.desk.guide(RUN, "Stop, the schema changed.", stop=True)
        await asyncio.sleep(2.0)
        assert "the schema changed" in line.told[0]
        assert line.stopped == [RUN]
        assert (await room.desk.review(ACTION)).verdict is Verdict.ALLOW
        room.desk.close()


@pytest.mark.parametrize("line", [None, Line(dead=True)])
async def test_without_a_line_the_next_action_brings_it(line: Line | None) -> None:
    async with asyncio.TaskGroup() as group:
        room = Room(group, line)
        room.desk.guide(RUN, "Use UTC.")
        await asyncio.sleep(3.0)
        assert room.phases() == [GuidancePhase.PENDING]
        assert "Use UTC." in (await room.desk.review(ACTION)).reason
        assert [type(fault) for fault in room.faults] == [RunUnreachable] * (line is not None)
        room.desk.close()


async def test_a_line_that_comes_back_is_used() -> None:
    async with asyncio.TaskGroup() as group:
        room = Room(group, None)
        room.desk.guide(RUN, "Use UTC.")
        await asyncio.sleep(1.0)
        room.line = Line()
        room.carrying.look(RUN)
        await asyncio.sleep(2.0)
        assert "Use UTC." in room.line.told[0]
        room.carrying.stop()
        room.desk.guide(RUN, "One more.")
        await asyncio.sleep(2.0)
        assert len(room.line.told) == 1
        room.desk.close()


async def test_what_cannot_be_written_down_is_not_sent() -> None:
    async with asyncio.TaskGroup() as group:
        line = Line()
        room = Room(group, None)
        room.desk.guide(RUN, "Use UTC.")
        await asyncio.sleep(0)
        room.line = line
        room.journal.failure = OutputError("The disk is full.", "Make room.")
        room.carrying.look(RUN)
        await asyncio.sleep(2.0)
        assert line.told == []
        assert room.phases() == [GuidancePhase.PENDING]
        room.desk.close()


async def test_a_crash_while_it_is_told_leaves_it_to_be_told() -> None:
    async with asyncio.TaskGroup() as group:
        room = Room(group, Line())
        room.desk.guide(RUN, "Use UTC.")
        await asyncio.sleep(0.5)
        facts = list(room.journal.facts())
        assert any(isinstance(fact, SteeringBegan) for fact in facts)
        assert fold(facts).sessions[RUN].guidance[0].phase is GuidancePhase.SENT
        journal = ScriptedJournal(facts)
        room.carrying.stop()
        later = Desk(
            EmbeddedPolicy(),
            journal,
            DeskSettings(),
            Outside(lambda: 100.0, lambda: 720, lambda: "n"),
        )
        later.start()
        assert "Use UTC." in (await later.review(ACTION)).reason
        later.close()
        room.desk.close()
