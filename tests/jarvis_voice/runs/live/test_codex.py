from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from aiohttp import web

from jarvis_voice.boundary import Ruling, Verdict
from jarvis_voice.errors import RunUnreachable
from jarvis_voice.events import EvidenceKind, RunStatus
from jarvis_voice.runs.live.base import Approvals
from jarvis_voice.runs.live.codex import CodexServer

pytestmark = pytest.mark.real_time
THREAD = "01a22915-1ead-72b0-ac3f-b7f6f6597057"


def frames(samples: Path) -> list[tuple[str, dict]]:
    """What the second of the two clients saw; it read the thread once, which we do not."""
    path = samples / "codex" / "app_server_0.171.0_two_clients_hold_steer_decline.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    found = [(line["dir"], line["m"]) for line in lines if line["client"] == "B"]
    return [
        (way, frame)
        for way, frame in found
        if frame.get("method") != "thread/read" and not ("result" in frame and frame["id"] == 3)
    ]


@pytest.fixture
def socket_path():
    with tempfile.TemporaryDirectory(prefix="jv") as folder:  # a socket's path must be short
        yield Path(folder) / "s.sock"


async def test_hold_steer_and_decline_as_captured(samples, socket_path, tools) -> None:
    script, sink, review = tools.Script(frames(samples)), tools.Watching(), tools.Reviewing()
    app = web.Application()
    app.router.add_get("/", script.serve)
    server = CodexServer(sink, socket_path, Approvals(review))
    async with tools.served(app, socket_path), tools.running(server.run):
        now = await sink.until(lambda run: run.status is RunStatus.DONE)
    assert now.run_id == THREAD
    held = next(change.snapshot for change in sink.changes if change.snapshot.waiting_for)
    assert held.status is RunStatus.WAITING
    # another client answered the second one before anybody could look at it
    assert [action.command for action in review.seen] == ["mkdir -p out && echo hi > out/a.txt"]
    sent = script.received
    assert sent[0]["params"]["capabilities"]["optOutNotificationMethods"]
    steer = next(frame for frame in sent if frame.get("method") == "turn/steer")
    assert steer["params"] == {
        "threadId": THREAD,
        "expectedTurnId": "01a22915-1ef3-7f63-951f-7134823de5a8",
        "input": [{"type": "text", "text": tools.GUIDANCE}],
    }
    assert sent[sent.index(steer) + 1] == {"id": 0, "result": {"decision": "decline"}}
    assert sum(frame.get("method") == "thread/resume" for frame in sent) == 1
    resumed = next(frame for frame in sent if frame.get("method") == "thread/resume")
    assert resumed["params"] == {"threadId": THREAD, "excludeTurns": True}
    # the subscription began after the turn, so the second call's decision was another client's
    assert [item.kind for item in now.evidence].count(EvidenceKind.ACTION) == 2


async def test_what_is_allowed_by_policy_is_left_to_the_user(samples, socket_path, tools) -> None:
    async def allow(action) -> Ruling:
        return Ruling(Verdict.ALLOW)

    script, sink = tools.Script(frames(samples)), tools.Watching()
    app = web.Application()
    app.router.add_get("/", script.serve)
    server = CodexServer(sink, socket_path, Approvals(allow))
    async with tools.served(app, socket_path), tools.running(server.run):
        await sink.until(lambda run: run.status is RunStatus.WAITING and run.proposed_action)
        assert server.reaches(THREAD)
        assert list(server.approvals.open) == ["call_1"]
        assert not any("result" in frame for frame in script.received)
        await server.resolve("call_1", Ruling(Verdict.DENY, "Use out_v2."))
        await sink.until(lambda run: run.status is RunStatus.DONE)
        with pytest.raises(RunUnreachable, match="waits for no approval"):
            await server.resolve("call_1", Ruling(Verdict.DENY))
        with pytest.raises(RunUnreachable, match="does nothing now"):
            await server.stop(THREAD)


async def test_no_daemon_is_no_fault_and_nothing_can_be_told(socket_path, tools) -> None:
    server = CodexServer(tools.Watching(), socket_path)
    async with tools.running(server.run):
        assert not server.reaches(THREAD)
        with pytest.raises(RunUnreachable, match="no connection to Codex"):
            await server.steer(THREAD, "x")
