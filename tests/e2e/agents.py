"""What must hold of every real agent program; each has a test module that runs these."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bench import asked_by_voice, behind_gate, end_to_end
from bench.model_scripts import Call, turn
from bench.model_server import ModelServer
from bench.real_agents import NOWHERE, Sandbox
from bench.results import Episode
from bench.tracks.collaboration import Conditions, run_episode
from bench.tracks.hands import hands_of
from bench.tracks.seat import Talking
from jarvis_voice.attention.desk import Desk
from jarvis_voice.attention.state import GuidancePhase
from jarvis_voice.attention.store import AttentionStore
from jarvis_voice.boundary import ProposedAction, Ruling, Verdict
from jarvis_voice.cli.build import Engines

REASON = 'The user decided: "keep the first version". [decision r-0123456789abcdef]'


HELD_S = 0.3


class Reviewer:
    """Denies the calls named after holding them for a while; allows all others at once."""

    def __init__(self, *denied: str, reason: str = REASON) -> None:
        self.seen: list[ProposedAction] = []
        self._denied = denied
        self._reason = reason

    async def __call__(self, action: ProposedAction) -> Ruling:
        self.seen.append(action)
        if action.action_id not in self._denied:
            return Ruling(Verdict.ALLOW)
        await asyncio.sleep(HELD_S)
        return Ruling(Verdict.DENY, self._reason)


@contextlib.asynccontextmanager
async def _dying(port: int) -> AsyncIterator[list[int]]:
    """A gate that takes questions on this port and is killed before it answers; counts them."""
    asked: list[int] = []

    async def die(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            asked.append(1)
        writer.transport.abort()

    server = await asyncio.start_server(die, "127.0.0.1", port)
    try:
        yield asked
    finally:
        server.close()
        await server.wait_closed()


async def the_user_decides_by_voice(
    name: str, sandbox: Sandbox, engines: Engines, answer: NDArray[np.float32]
) -> None:
    """The whole way: held, asked aloud, answered aloud, refused, told, carried on."""
    with AttentionStore(sandbox.state / "attention.db") as store:
        desk = asked_by_voice.open_desk(store)
        said = end_to_end.dialogue(name, sandbox.project)
        work = behind_gate.gated(name, sandbox, said, behind_gate.watched(desk))
        outcome, talk = await asked_by_voice.by_voice(desk, engines, answer, work)
        applied = applied_receipts(desk, sandbox.record(name))
        desk.close()
        kept = [type(fact).__name__ for fact in store.facts()]
    # one question, put in words that a listener understands
    (request,) = talk.asked
    assert "May it cost more than 500 dollars?" in request.question
    assert "cost more than" in talk.jarvis_said
    assert "500" in talk.jarvis_said
    # the user's spoken words, as they were recognized, stand in the very next model request
    (heard,) = talk.user_said
    words = heard.removeprefix("No").strip(" ,.")
    assert words.startswith("stay below")
    asking, told = outcome.requests[1], outcome.requests[2]
    assert not asking.mentions(words)
    # with the call that was offered first: Codex offers those of one turn in any order
    results = [told.result_of(call) or "" for call in ("call_record", "call_again")]
    guided, pointing = sorted(results, key=lambda text: words not in text)
    assert f'The user decided: "{words}"' in guided, results
    receipt = guided.partition("[decision ")[2].partition("]")[0]
    assert receipt in pointing
    assert words not in pointing
    assert outcome.rulings["call_record"].ruling.verdict is Verdict.DENY
    assert outcome.rulings["call_again"].ruling.verdict is Verdict.DENY
    # it was held until the user had spoken, the rest went through at once
    assert outcome.rulings["call_record"].took_s > 3.0
    for call in ("call_notes", "call_decided"):
        assert outcome.rulings[call].ruling.verdict is Verdict.ALLOW
        assert outcome.rulings[call].took_s < 1.0
    # the run came to its end: finished work was kept, and only what was decided was written
    assert outcome.finished.status == 0
    assert _tree(sandbox.project) == {"notes.md": end_to_end.NOTES, "results/final.json": "decided"}
    # what the user decided is on disk and was seen in the agent's own record
    for fact in ("UserAnswered", "AnswerReleased", "RulingDelivered", "GuidanceSeen"):
        assert fact in kept
    assert applied == [receipt]


def applied_receipts(desk: Desk, record: str) -> list[str]:
    """The decisions of which the agent's own record shows that it has heard them."""
    for run_id in tuple(desk.state.sessions):
        desk.note_guidance_seen(run_id, record)
    known = [item for session in desk.state.sessions.values() for item in session.guidance]
    return [item.receipt for item in known if item.phase is GuidancePhase.APPLIED]


async def denied_batch_ends_with_its_turn(name: str, sandbox: Sandbox) -> None:
    """All calls of a refused turn are refused, those of the next are not."""
    reviewer = Reviewer("call_record", "call_again")
    said = end_to_end.dialogue(name, sandbox.project)
    outcome = await behind_gate.gated(name, sandbox, said, behind_gate.Jarvis(reviewer))
    told = outcome.requests[2]
    for call in ("call_record", "call_again"):
        assert REASON in (told.result_of(call) or "")
    assert [action.action_id for action in reviewer.seen] != []
    assert outcome.finished.status == 0
    assert _tree(sandbox.project) == {"notes.md": end_to_end.NOTES, "results/final.json": "decided"}


async def hold_that_runs_out(name: str, sandbox: Sandbox) -> None:
    """Nobody decides: the gate answers by the chosen rule before the agent gives up on it."""

    async def undecided(_action: ProposedAction) -> Ruling:
        return await asyncio.get_running_loop().create_future()

    turns = [
        turn("I write.", end_to_end.WRITE[name]("call_notes", sandbox.project, "notes.md", "n")),
        turn("That was it."),
    ]
    dialogue = behind_gate.Dialogue("Take notes.", turns)
    jarvis = behind_gate.Jarvis(undecided)
    options = ("--hold", "1", "--fail", "closed")
    outcome = await behind_gate.gated(name, sandbox, dialogue, jarvis, *options)
    assert "nobody decided in time" in (outcome.requests[1].result_of("call_notes") or "")
    assert 1.0 < outcome.requests[1].at_s - outcome.requests[0].at_s < 30.0
    assert outcome.finished.status == 0
    assert _tree(sandbox.project) == {}


async def without_a_gate(name: str, sandbox: Sandbox, fail: str, *, dying: bool) -> str:
    """Jarvis is gone, or is killed with a question on its hands: what the model is told."""
    turns = [
        turn(
            "I write.", end_to_end.WRITE[name]("call_notes", sandbox.project, "notes.md", "notes\n")
        ),
        turn("That was it."),
    ]
    gate_file = sandbox.state / "gate.json"
    async with ModelServer(turns) as model:
        async with behind_gate.gate(sandbox, behind_gate.Jarvis(Reviewer())) as gate:
            await behind_gate.attach(name, sandbox, "--fail", fail)
            port, address = gate.port, gate_file.read_bytes()
        gate_file.touch(0o600)  # a killed Jarvis does not take its address back
        gate_file.write_bytes(address)
        async with _dying(port) if dying else contextlib.nullcontext([1]) as asked:
            finished = await sandbox.run(name, end_to_end.PROMPT, model.url, behind_gate.WITHIN_S)
        assert finished.status == 0
        assert asked
        ran = (sandbox.project / "notes.md").exists()
        assert ran == (fail == "open")
        return model.requests[1].result_of("call_notes") or ""


_GIFTS = {
    "total": 60,
    "fund": "general",
    "question_for_requester": "Which fund do gifts without a \
name go to?",
}
_SHELL = {"claude-code": ("Bash", "command"), "codex": ("exec_command", "cmd")}


async def does_a_benchmark_task(name: str, task: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A script writes the record; it is held, taken back, and written as the user wants it."""

    def shell(call_id: str, command: str) -> Call:
        tool, key = _SHELL[name]
        return Call(call_id, tool, {key: command})

    def script(record: object) -> str:
        wanted = json.dumps(json.dumps(record))
        return f"open('results/' + 'final.json', 'w').write({wanted})"

    decided = {"total": 60, "fund": "school", "basis": "as the user said"}
    again = f"cat > make.py <<'END'\n{script(decided)}\nEND\npython3 make.py"
    turns = [
        turn("The gifts are 60.", shell("total", "echo '{\"total\": 60}' > results/total.json")),
        turn(shell("make", f"cat > make.py <<'END'\n{script(_GIFTS)}\nEND\n")),
        turn(shell("record", "python3 make.py")),
        turn("The school, then.", shell("again", again)),
        turn("That was it."),
    ]
    async with ModelServer(turns, behind_gate.THINKING_S) as model:
        for variable in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"):
            version = "/v1" if variable.startswith("OPENAI") else ""
            monkeypatch.setenv(variable, f"{model.url}{version}")
        for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_MODEL"):
            monkeypatch.setenv(variable, "scripted")
        for variable in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(variable, NOWHERE)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
        episode = Episode(task=task.name, controller="jarvis", workers=name, mode="paper")
        conditions = Conditions(hands_of, talking=Talking(0.0, 0.1))
        record = await asyncio.to_thread(run_episode, task, episode, conditions)
        told = model.requests[3]
    assert record.failure is None
    assert record.score == 100.0
    assert "school fund" not in str(model.requests[2].body)
    assert told.mentions('The user decided: "Nameless gifts go to the school fund"')
    assert told.mentions("Put back as it was before: results/final.json")
    (question,) = record.questions
    assert "Which fund do gifts without a name go to?" in question.question
    assert question.told_at_s is not None
    assert (record.receipts.sent, record.receipts.closed) == (1, True)
    kinds = [moment.kind for moment in record.timeline if moment.session == "main"]
    assert kinds.count("refused") == 1
    assert {"say", "run", "write"} <= set(kinds)
    assert record.calls == 4


def _tree(project: Path) -> dict[str, str]:
    found = {
        str(file.relative_to(project)): file.read_text("utf-8")
        for file in sorted(project.rglob("*"))
        if file.is_file()
    }
    decided = found.get("results/final.json", "").strip() == end_to_end.DECIDED
    return {**found, "results/final.json": "decided"} if decided else found
