"""What a runtime is asked after a call, and what it takes for an answer."""

from __future__ import annotations

from typing import Any

import pytest

from bench.workers.afterwards import Afterwards, Done
from jarvis_voice.boundary import Ruling, Verdict
from jarvis_voice.runtimes import RUNTIMES

ALLOW, DENY = Ruling(Verdict.ALLOW), Ruling(Verdict.DENY, "Take the other one.")
CALL = {
    "session_id": "s",
    "agent_id": "a",
    "cwd": "/p",
    "tool_name": "Bash",
    "tool_use_id": "t",
    "tool_input": {"command": "make"},
}


def payload(event: str, **fields: Any) -> dict[str, Any]:
    return {"hook_event_name": event, **CALL, **fields}


@pytest.fixture(params=["claude-code", "codex"])
def runtime(request: pytest.FixtureRequest) -> Afterwards:
    return Afterwards(RUNTIMES[request.param])


def test_before_a_call_it_is_the_runtime_as_it_is(runtime: Afterwards) -> None:
    before, own = payload("PreToolUse"), RUNTIMES[runtime.NAME]
    assert runtime.proposed(before, 1.0) == own.proposed(before, 1.0)
    assert runtime.reply(before, DENY) == own.reply(before, DENY)
    assert runtime.observed(before) == own.observed(before)
    assert runtime.proposed(payload("Notification"), 1.0) is None
    assert runtime.recognizes(before | {"turn_id": "1"})


def test_after_a_call_it_is_asked_about_that_very_call(runtime: Afterwards) -> None:
    done = runtime.proposed(payload("PostToolUse"), 1.0)
    assert isinstance(done, Done)
    assert (done.run_id, done.parent_run_id, done.action_id) == ("s/a", "s", "t")
    assert (done.event, done.command, done.runtime) == ("PostToolUse", "make", runtime.NAME)
    end = runtime.proposed({"hook_event_name": "Stop", "session_id": "s", "cwd": "/p"}, 1.0)
    assert isinstance(end, Done)
    assert (end.run_id, end.event, end.summary) == ("s", "Stop", "finish its work")


def test_a_refusal_blocks_and_whatever_else_goes_along(runtime: Afterwards) -> None:
    blocked = {"decision": "block", "reason": DENY.reason}
    assert runtime.reply(payload("PostToolUse"), DENY) == blocked
    assert runtime.reply(payload("Stop"), DENY) == blocked
    failed = runtime.reply(payload("PostToolUseFailure"), DENY)
    assert failed["hookSpecificOutput"]["additionalContext"] == DENY.reason
    told = Ruling(Verdict.ALLOW, "Use UTC.")
    along = {"hookEventName": "PostToolUse", "additionalContext": "Use UTC."}
    assert runtime.reply(payload("PostToolUse"), told) == {"hookSpecificOutput": along}
    assert runtime.reply(payload("Stop"), told) == {"decision": "block", "reason": "Use UTC."}
    for event in ("PostToolUse", "PostToolUseFailure", "Stop", "PreToolUse", "PostToolBatch"):
        assert runtime.reply(payload(event), ALLOW) == {}
