"""Approvals that a runtime waits for: the user's word answers them, and nothing else allows one."""

import asyncio
from dataclasses import dataclass, field

import pytest

from jarvis_voice.boundary import ProposedAction, Ruling, Verdict
from jarvis_voice.runs.live.base import Approval, Approvals, Call, action_of

BY_USER = Ruling(Verdict.ALLOW, "The user agreed. [decision r-0123456789abcdef]", by_user=True)


@dataclass
class Connection:
    """A Control that remembers."""

    approvals: Approvals
    resolved: list[tuple[str, Ruling]] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)

    def reaches(self, run_id: str) -> bool:
        return True

    async def steer(self, run_id: str, text: str) -> None:
        raise AssertionError("nothing is told here")

    async def stop(self, run_id: str) -> None:
        raise AssertionError("nothing is stopped here")

    async def resolve(self, action_id: str, ruling: Ruling) -> None:
        approval = self.approvals.take(action_id)
        self.resolved.append((action_id, ruling))
        self.approvals.closed(approval.request)

    def trouble(self, run_id: str, reason: str) -> None:
        self.troubles.append(reason)


def approval(name: str, request: object = 7) -> Approval:
    call = Call("codex", "thread-1", name, "shell", {"command": f"make {name}"}, "/w")
    return Approval(action_of(call, 100.0), request)


async def settled(ruling: Ruling, *asked: Approval) -> Connection:
    async def review(action: ProposedAction) -> Ruling:
        await asyncio.sleep(1.0)
        return ruling

    connection = Connection(Approvals(review))
    async with asyncio.TaskGroup() as group:
        for item in asked:
            connection.approvals.asked(item, connection, group)
    return connection


async def test_a_call_that_waits_says_so() -> None:
    assert approval("build").action.waits_for_user


async def test_the_users_yes_approves_it_once() -> None:
    connection = await settled(BY_USER, approval("build"))
    assert connection.resolved == [("build", BY_USER)]
    assert connection.approvals.open == {}


async def test_a_policy_that_allows_leaves_it_to_the_user() -> None:
    for ruling in (Ruling(Verdict.ALLOW), Ruling(Verdict.ALLOW, degraded="nobody answered")):
        connection = await settled(ruling, approval("build"))
        assert connection.resolved == []
        assert list(connection.approvals.open) == ["build"]


async def test_one_yes_never_approves_the_calls_beside_it() -> None:
    connection = await settled(BY_USER, approval("build"), approval("deploy"))
    assert connection.resolved == []
    assert len(connection.troubles) == 2
    assert "several calls" in connection.troubles[0]


async def test_an_answer_elsewhere_ends_the_question_here() -> None:
    ended: list[str] = []

    async def review(action: ProposedAction) -> Ruling:
        try:
            await asyncio.sleep(1000.0)
        except asyncio.CancelledError:
            ended.append(action.action_id)
            raise
        return BY_USER

    connection = Connection(Approvals(review))
    async with asyncio.TaskGroup() as group:
        connection.approvals.asked(approval("build", 1), connection, group)
        connection.approvals.asked(approval("deploy", 2), connection, group)
        await asyncio.sleep(0.1)
        connection.approvals.closed(1)
        await asyncio.sleep(0.1)
        assert ended == ["build"]
        connection.approvals.closed(2)
    assert ended == ["build", "deploy"]
    assert connection.resolved == []


@pytest.mark.parametrize("verdict", [Verdict.ALLOW, Verdict.DENY])
async def test_what_cannot_be_answered_any_more_is_said(verdict: Verdict) -> None:
    class Gone(Connection):
        async def resolve(self, action_id: str, ruling: Ruling) -> None:
            self.approvals.open.pop(action_id)
            self.approvals.take(action_id)

    async def review(action: ProposedAction) -> Ruling:
        return Ruling(verdict, "as the user said", by_user=True)

    connection = Gone(Approvals(review))
    async with asyncio.TaskGroup() as group:
        connection.approvals.asked(approval("build"), connection, group)
    (trouble,) = connection.troubles
    assert ("refused" if verdict is Verdict.DENY else "approved") in trouble
