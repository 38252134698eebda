"""The real Codex behind Jarvis's gate, its model a script on loopback."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

from bench.end_to_end import ANSWER
from bench.real_agents import Sandbox, missing, program
from jarvis_voice.cli.build import Engines

NAME = "codex"
REFUSED = "Jarvis was set to refuse then (fail closed)"  # by the stdin bridge

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.real_time,
    pytest.mark.skipif(program(NAME) is None, reason=missing(NAME)),
]


@pytest.mark.alone
@pytest.mark.model
@pytest.mark.slow
async def test_what_the_user_says_stands_in_the_next_model_request(
    agents: ModuleType,
    sandbox: Sandbox,
    engines: Engines,
    spoken_answers: dict[str, NDArray[np.float32]],
):
    await agents.the_user_decides_by_voice(NAME, sandbox, engines, spoken_answers[ANSWER])


async def test_a_denied_batch_ends_with_its_turn(agents: ModuleType, sandbox: Sandbox):
    await agents.denied_batch_ends_with_its_turn(NAME, sandbox)


async def test_a_hold_that_runs_out_is_decided_by_the_chosen_rule(
    agents: ModuleType, sandbox: Sandbox
):
    await agents.hold_that_runs_out(NAME, sandbox)


@pytest.mark.parametrize("dying", [False, True], ids=["gone", "killed"])
async def test_without_jarvis_calls_run_when_that_was_chosen(
    agents: ModuleType, sandbox: Sandbox, *, dying: bool
):
    await agents.without_a_gate(NAME, sandbox, "open", dying=dying)


@pytest.mark.parametrize("dying", [False, True], ids=["gone", "killed"])
async def test_without_jarvis_calls_are_refused_when_that_was_chosen(
    agents: ModuleType, sandbox: Sandbox, *, dying: bool
):
    told = await agents.without_a_gate(NAME, sandbox, "closed", dying=dying)
    assert REFUSED in told


async def test_it_does_a_benchmark_task_and_hears_what_the_user_decided(
    agents: ModuleType, task: Path, monkeypatch: pytest.MonkeyPatch
):
    await agents.does_a_benchmark_task(NAME, task, monkeypatch)
