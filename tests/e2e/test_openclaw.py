"""A recorded OpenClaw exchange, played again into the attached plugin."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

from bench import asked_by_voice, behind_gate, end_to_end
from bench.real_agents import Sandbox
from bench.recorded_openclaw import HOOKS, TRANSCRIPT, node
from jarvis_voice.attention.store import AttentionStore
from jarvis_voice.boundary import Verdict
from jarvis_voice.cli.build import Engines

SHARED = Path(os.environ.get("JARVIS_SHARED", Path(__file__).parents[3] / "shared"))
SAMPLES = SHARED / "samples" / "openclaw"
RECORDED = (
    "Held by Jarvis. The user decided: write to out_v2/ instead of out/. Scope: this task only."
)
QUESTION = "May it write into the first folder?"

pytestmark = [
    pytest.mark.real_time,
    pytest.mark.e2e,
    pytest.mark.skipif(not (SAMPLES / HOOKS).exists(), reason="the recording is not here"),
    pytest.mark.skipif(node() is None, reason="the plugin runs under Node.js, which is not here"),
]


async def test_the_recorded_refusal_gives_the_recorded_transcript(
    agents: ModuleType, sandbox: Sandbox
):
    reviewer = agents.Reviewer("call_1", reason=RECORDED)
    outcome = await behind_gate.replayed(SAMPLES, sandbox, behind_gate.Jarvis(reviewer))
    recorded = (SAMPLES / TRANSCRIPT).read_text("utf-8").splitlines()
    assert outcome.transcript == [json.loads(line) for line in recorded]
    assert [action.action_id for action in reviewer.seen] == ["call_1", "call_2"]
    assert outcome.answers["call_2"] == {}
    assert outcome.held_s["call_1"] >= agents.HELD_S


@pytest.mark.alone
@pytest.mark.model
@pytest.mark.slow
async def test_what_the_user_says_stands_in_the_next_model_request(
    agents: ModuleType,
    sandbox: Sandbox,
    engines: Engines,
    spoken_answers: dict[str, NDArray[np.float32]],
):
    with AttentionStore(sandbox.state / "attention.db") as store:
        desk = asked_by_voice.open_desk(store, asked_by_voice.AboutFile("out/a.txt", QUESTION))
        work = behind_gate.replayed(SAMPLES, sandbox, behind_gate.watched(desk))
        answer = spoken_answers[end_to_end.ELSEWHERE]
        outcome, talk = await asked_by_voice.by_voice(desk, engines, answer, work)
        applied = agents.applied_receipts(desk, json.dumps(outcome.transcript))
        desk.close()
    assert [request.question for request in talk.asked] == [QUESTION]
    assert "into the first folder" in talk.jarvis_said
    (heard,) = talk.user_said
    assert "second folder" in heard
    # what OpenClaw sends to its model next ends with the refused call's result
    before, after = outcome.before_answer(0), outcome.before_answer(1)
    told = after[-1]
    assert (told["role"], told["toolCallId"], told["isError"]) == ("toolResult", "call_1", True)
    (part,) = told["content"]
    assert "second folder instead" in part["text"]
    assert part["text"].startswith(f'The user was asked: "{QUESTION}" The user decided: ')
    assert not any("second folder" in json.dumps(message) for message in before)
    assert outcome.held_s["call_1"] > 3.0
    assert outcome.held_s["call_2"] < 1.0
    assert outcome.answers["call_2"] == {}
    (receipt,) = applied
    assert receipt in part["text"]
    assert Verdict.DENY in {decision.verdict for decision in desk.state.settled}
