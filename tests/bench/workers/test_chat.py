"""A chat model as a worker: it works through the tools, hears the user, and fails by name."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest

from bench.results import Episode
from bench.suite.catalog import TASKS
from bench.tracks.collaboration import Conditions, run_episode
from bench.tracks.hands import hands_of
from bench.workers.chat import KEPT_CHARS, parsed, shortened
from jarvis_voice.brain.chat_model import ChatMessage
from jarvis_voice.errors import ModelUnreachable

pytestmark = pytest.mark.real_time  # a run has a loop of its own
TASK = "control_crate_deposits"


class Scripted:
    """Plays turns; ``None`` is a model that is away."""

    name = "scripted"

    def __init__(self, *turns: str | None) -> None:
        self.turns = list(turns)
        self.seen: list[str] = []

    async def stream(self, messages: Sequence[ChatMessage]) -> AsyncGenerator[str, None]:
        self.seen.append(messages[-1].content)
        turn = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        if turn is None:
            raise ModelUnreachable("The model is away.", "Wait.")
        yield turn

    async def aclose(self) -> None:
        """Nothing is held."""


def turn(tool: str, **given: object) -> str:
    return json.dumps({"tool": tool} | given)


def run(model: Scripted, controller: str = "none"):
    episode = Episode(task=TASK, controller=controller, workers="chat", mode="paper")
    conditions = Conditions(lambda bundle, name: hands_of(bundle, name, model))
    return run_episode(TASKS / TASK, episode, conditions)


def test_what_it_writes_is_graded() -> None:
    model = Scripted(
        turn("look", path="sources"),
        f"I will read it. {turn('look', path='sources/amendment_2024.md')} Then I go on.",
        turn("run", command="head -n 1 sources/delivery_notes.csv"),
        turn("write", path="../outside.txt", text="x"),
        turn("say", text="The amendment holds."),
        turn("write", path="results/statements.md", text="# Drafts\n"),
        turn("act", action="list", arguments={}),
        turn("dance"),
        turn("done"),
    )
    record = run(model)
    assert record.status == "scored"
    assert record.score is not None
    assert 0 <= record.score < 30
    assert "amendment_2024.md" in model.seen[1]
    assert "21.00" in model.seen[2]
    assert "note,date,customer" in model.seen[3]
    assert model.seen[4].startswith("refused or failed")
    assert "no tool" in model.seen[8]
    assert record.missing  # it left most undone


def test_it_hears_what_the_user_decided() -> None:
    final = {"decision": {"question_for_requester": "Which rate is it?"}, "situation": "open"}
    model = Scripted(turn("write", path="results/final.json", text=json.dumps(final)), turn("done"))
    record = run(model, "always-at-final")
    assert record.status == "scored"
    assert len(record.questions) == 1
    assert "The user" in model.seen[-1]


@pytest.mark.parametrize("turns", [("hello",), ("{}",), (None,)])
def test_a_model_that_does_not_work_is_no_score(turns: tuple[str | None, ...]) -> None:
    record = run(Scripted(*turns))
    assert record.status == "invalid"
    assert record.failure is not None
    assert record.failure.kind == "worker_failed"
    assert record.score is None


def test_without_a_model_there_is_no_such_worker() -> None:
    episode = Episode(task=TASK, controller="none", workers="chat", mode="paper")
    record = run_episode(TASKS / TASK, episode, Conditions(hands_of))
    assert record.failure is not None
    assert "no chat model" in record.failure.problem


def test_calls_are_found_among_words() -> None:
    assert parsed('Sure: {"a": 1} {"tool": "done"}') == {"tool": "done"}
    assert parsed('{"tool": "write", "text": "{}"}') == {"tool": "write", "text": "{}"}
    for text in ("", "no", "{", '{"tool": 3}', "[" * 5000):
        assert parsed(text) is None


def test_the_dialogue_stays_within_its_bound_and_keeps_the_brief() -> None:
    brief = [ChatMessage("system", "s"), ChatMessage("user", "brief" * 100)]
    outputs = [ChatMessage("user", "x" * 10_000) for _ in range(60)]
    kept = shortened([*brief, *outputs])
    assert sum(len(message.content) for message in kept) <= KEPT_CHARS
    assert kept[:2] == brief
    assert kept[-1] == outputs[-1]


def test_a_project_has_a_session_for_each_stream() -> None:
    from bench.suite.bundle import load_bundle
    from bench.workers.chat import chat_worker

    bundle = load_bundle(Path(TASKS) / "project_footbridge")
    worker = chat_worker(bundle, Scripted(turn("done")))
    assert set(worker.streams) == {stream.id for stream in bundle.workstreams}
