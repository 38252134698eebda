"""The gate answers each runtime in its own form, late when a call is held, and forgets none."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from jarvis_voice.boundary import Ruling, Verdict
from jarvis_voice.errors import GateError
from jarvis_voice.wire import canary

pytestmark = pytest.mark.real_time

DENY = Ruling(Verdict.DENY, "The user decided: not today.")
REFUSED = {
    "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": DENY.reason,
    }
}


async def test_an_allowed_call_is_answered_with_nothing(gate: Any, desk: Any, call: Any) -> None:
    desk.at_once = Ruling(Verdict.ALLOW)
    async with gate(desk) as caller:
        answer = await caller.post("/gate/claude-code", call())
    assert (answer.status, answer.body) == (200, {})
    assert desk.seen[0].command == "git push"


async def test_the_runtime_is_told_by_content(gate: Any, desk: Any, call: Any) -> None:
    desk.at_once = DENY
    async with gate(desk) as caller:
        claude = await caller.post("/gate", call())
        gemini = await caller.post(
            "/gate", {"hook_event_name": "BeforeTool", "tool_name": "write_file", "tool_input": {}}
        )
        neither = await caller.post("/gate", {"hello": "world"})
    assert claude.body == REFUSED
    assert gemini.body == {"decision": "deny", "reason": DENY.reason}
    assert neither.status == 400


async def test_a_held_call_is_answered_when_it_is_ruled_on(gate: Any, desk: Any, call: Any) -> None:
    async with gate(desk) as caller, asyncio.TaskGroup() as group:
        asked = group.create_task(caller.post("/gate/claude-code", call()))
        await desk.until(lambda: "toolu_1" in desk.held)
        assert not asked.done()
        desk.held["toolu_1"].set_result(DENY)
        assert (await asked).body == REFUSED
    assert desk.gone == []


async def test_a_parallel_batch_is_held_and_ruled_on_call_by_call(
    gate: Any, desk: Any, call: Any
) -> None:
    names = [f"toolu_{number}" for number in range(8)]
    async with gate(desk) as caller, asyncio.TaskGroup() as group:
        asked = {name: group.create_task(caller.post("/gate/codex", call(name))) for name in names}
        await desk.until(lambda: len(desk.held) == len(names))
        for name in reversed(names):
            desk.held[name].set_result(DENY if name == "toolu_3" else Ruling(Verdict.ALLOW))
        answers = {name: (await task).body for name, task in asked.items()}
    assert answers.pop("toolu_3") == REFUSED
    assert set(map(str, answers.values())) == {"{}"}


async def test_claude_codes_batches_are_told_apart(gate: Any, desk: Any, call: Any) -> None:
    desk.at_once = DENY
    end = {"session_id": "s1", "hook_event_name": "PostToolBatch", "tool_calls": []}
    async with gate(desk) as caller:
        for payload in (call("a"), call("b"), call("x", "s2"), end, call("c")):
            assert (await caller.post("/gate/claude-code", payload)).status == 200
    batch = {action.action_id: action.batch_id for action in desk.seen}
    assert batch["a"] == batch["b"]
    assert len({batch["a"], batch["x"], batch["c"]}) == 3
    assert None not in batch.values()


async def test_the_desk_hears_that_a_runtime_has_left(gate: Any, desk: Any, call: Any) -> None:
    async with gate(desk) as caller:
        async with asyncio.TaskGroup() as group:
            asked = group.create_task(caller.post("/gate/claude-code", call()))
            await desk.until(lambda: "toolu_1" in desk.held)
            asked.cancel()  # closes the connection
        await desk.until(lambda: desk.gone == ["toolu_1"])
        assert desk.held["toolu_1"].cancelled()


@pytest.mark.parametrize(("rule", "verdict"), [("open", {}), ("closed", "refused")])
async def test_a_hold_that_nobody_ends_ends_by_its_rule(
    gate: Any, desk: Any, call: Any, rule: str, verdict: object
) -> None:
    async with gate(desk) as caller:
        answer = await caller.post(f"/gate/claude-code?fail={rule}&hold=0.05", call())
    assert desk.gone == ["toolu_1"]
    if verdict == {}:
        assert answer.body == {}
    else:
        said = answer.body["hookSpecificOutput"]
        assert said["permissionDecision"] == "deny"
        assert "nobody decided in time" in said["permissionDecisionReason"]


async def test_nobody_can_ask_for_a_longer_hold_than_the_settings_allow(
    gate: Any, desk: Any, call: Any
) -> None:
    async with gate(desk, hold_s=0.05) as caller:
        for hold in ("9999", "nan", "inf", "x"):
            answer = await caller.post(f"/gate/claude-code?fail=closed&hold={hold}", call(hold))
            assert "permissionDecisionReason" in str(answer.body)


async def test_closing_the_gate_answers_what_is_held(gate: Any, desk: Any, call: Any) -> None:
    async with asyncio.TaskGroup() as group, gate(desk) as caller:
        opened = group.create_task(caller.post("/gate/claude-code?fail=open", call("a")))
        closed = group.create_task(caller.post("/gate/claude-code?fail=closed", call("b")))
        await desk.until(lambda: len(desk.held) == 2)
    assert opened.result().body == {}
    assert "Jarvis was closed" in str(closed.result().body)
    assert sorted(desk.gone) == ["a", "b"]


async def test_a_desk_that_fails_leaves_the_call_to_the_rule(
    gate: Any, desk: Any, call: Any
) -> None:
    async def failing(_action: object) -> Ruling:
        raise GateError("The ledger is full.", "Make room.")

    desk.review = failing
    async with gate(desk, fail="closed") as caller:
        answer = await caller.post("/gate/claude-code", call())
    assert "The ledger is full" in str(answer.body)
    assert desk.faults


async def test_what_only_tells_something_is_answered_at_once_and_passed_on(
    gate: Any, desk: Any
) -> None:
    stop = {"session_id": "s1", "hook_event_name": "Stop", "last_assistant_message": "Done."}
    async with gate(desk) as caller:
        answer = await caller.post("/gate/claude-code", stop)
    assert answer.body == {}
    assert desk.told == [("claude-code", stop)]
    assert desk.seen == []


async def test_any_runtime_asks_and_tells(gate: Any, desk: Any) -> None:
    desk.at_once = DENY
    asked = {"schema": "jarvis.gate/v1", "run": "r1", "tool": "shell", "input": {"command": "ls"}}
    events = [{"schema": "jarvis.event/v1", "run": "r1", "type": "said", "text": "hi"}]
    async with gate(desk) as caller:
        answer = await caller.post("/v1/gate", asked | {"runtime": "my-agent", "action": "c1"})
        nameless = await caller.post("/v1/gate", {"run": "r1"})
        told = await caller.post("/v1/events", {"events": events})
        single = await caller.post("/v1/events", events[0])
        wrong = await caller.post("/v1/events", {"events": ["x"]})
        many = await caller.post("/v1/events", {"events": [{}] * 1001})
    assert answer.body == {"decision": "deny", "reason": DENY.reason, "degraded": ""}
    assert desk.seen[0].runtime == "my-agent"
    assert (told.body, single.body) == ({"accepted": 1}, {"accepted": 1})
    assert desk.told[-1] == ("jarvis.event/v1", events[0])
    assert (nameless.status, wrong.status, many.status) == (400, 400, 413)


async def test_a_canary_is_held_and_refused_without_the_desk(
    gate: Any, desk: Any, call: Any
) -> None:
    async with gate(desk) as caller:
        began = asyncio.get_running_loop().time()
        answer = await caller.post("/gate/claude-code", call(session=canary.run_id("n0nce")))
        took_s = asyncio.get_running_loop().time() - began
    assert took_s >= canary.HOLD_S
    assert "n0nce" in answer.body["hookSpecificOutput"]["permissionDecisionReason"]
    assert (desk.seen, desk.told) == ([], [])


async def test_a_taken_port_is_named(gate: Any, desk: Any) -> None:
    async with gate(desk) as caller:
        with pytest.raises(GateError, match=str(caller.port)):
            async with gate(desk, port=caller.port):
                pass
