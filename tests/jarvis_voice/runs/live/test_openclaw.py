from __future__ import annotations

import json
from pathlib import Path

import pytest
from aiohttp import web

from jarvis_voice.boundary import Ruling, Verdict
from jarvis_voice.errors import RunUnreachable
from jarvis_voice.events import RunStatus
from jarvis_voice.runs.live.base import Approvals
from jarvis_voice.runs.live.openclaw import Gateway, OpenClawGateway

pytestmark = pytest.mark.real_time
SESSION = "5a95901f-20a8-49ef-89f5-63840618ed54"


def frames(samples: Path) -> list[tuple[str, dict]]:
    """The captured exchange, without the task that the captured client gave itself."""
    path = samples / "openclaw" / "gateway_ws_2026.9.6_approval_steer_deny.jsonl"
    found = [(line["dir"], line["m"]) for line in map(json.loads, path.read_text().splitlines())]
    start = next(frame for _, frame in found if frame.get("method") == "chat.send")
    challenge = {"type": "event", "event": "connect.challenge", "payload": {"nonce": "n1"}}
    played = [(way, frame) for way, frame in found if frame.get("id") != start["id"]]
    # our client learns of the session from the first event about it, and subscribes after it
    subscribed = [
        (way, frame)
        for way, frame in played
        if frame.get("method") == "sessions.messages.subscribe"
    ]
    rest = [item for item in played if item not in subscribed]
    first = next(place for place, (_, frame) in enumerate(rest) if "event" in frame)
    return [("<-", challenge), *rest[: first + 1], *subscribed, *rest[first + 1 :]]


async def test_approval_steer_and_deny_as_captured(samples, tools) -> None:
    script, sink, review = tools.Script(frames(samples)), tools.Watching(), tools.Reviewing()
    app = web.Application()
    app.router.add_get("/", script.serve)
    signed = []

    def identity(nonce: str) -> dict:
        signed.append(nonce)
        return {"id": "d1"}

    async with tools.served(app) as address:
        gateway = Gateway(f"ws://{address}", "secret", identity)
        client = OpenClawGateway(sink, gateway, Approvals(review))
        async with tools.running(client.run):
            now = await sink.until(lambda run: run.status is RunStatus.DONE)
    assert (now.run_id, now.goal) == (SESSION, "Write hi into out/a.txt")
    assert signed == ["n1"]
    sent = {frame["method"]: frame["params"] for frame in script.received}
    assert sent["connect"]["auth"] == {"token": "secret"}
    assert sent["connect"]["device"] == {"id": "d1"}
    assert "tool-events" in sent["connect"]["caps"], "without it no tool event arrives"
    assert sent["sessions.messages.subscribe"] == {
        "key": "agent:main:main",
        "includeApprovals": True,
    }
    assert sent["chat.send"]["message"] == tools.GUIDANCE
    assert sent["chat.send"]["queueMode"] == "steer"
    assert sent["approval.resolve"] == {
        "id": "plugin:97e45157-ecab-4118-902d-78f1e9f95dc7",
        "kind": "plugin",
        "decision": "deny",
    }
    order = [frame["method"] for frame in script.received]
    assert order.index("chat.send") < order.index("approval.resolve")
    assert [action.command for action in review.seen] == ["mkdir -p out && echo hi > out/a.txt"]
    assert review.seen[0].action_id == "call_1"
    assert review.seen[0].run_id == SESSION


async def test_a_refused_token_is_tried_again_later_and_nothing_is_reached(tools) -> None:
    async def refuse(request: web.Request) -> web.StreamResponse:
        raise web.HTTPUnauthorized

    app = web.Application()
    app.router.add_get("/", refuse)
    async with tools.served(app) as address:
        client = OpenClawGateway(tools.Watching(), Gateway(f"ws://{address}"))
        async with tools.running(client.run):
            assert not client.reaches(SESSION)
            with pytest.raises(RunUnreachable):
                await client.resolve("x", Ruling(Verdict.ALLOW))
            with pytest.raises(RunUnreachable, match=r"none of OpenClaw's"):
                await client.steer(SESSION, "x")
