"""A recorded OpenClaw run, played again into the plugin that ``jarvis attach openclaw`` installs.

The recording holds what OpenClaw 2026.9.6 handed to a plugin's hooks in a run whose first call was
held and blocked, and the transcript that it wrote. Here a small host under Node.js loads the very
plugin that was attached and hands it the same events in the same order. Where the plugin blocks
a call, its reason takes the place of the recorded one in the call's result and in the transcript,
whose messages are what OpenClaw sends to the model next.
"""

from __future__ import annotations

import asyncio
import copy
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.real_agents import Sandbox
from jarvis_voice.clock import session_now

HOOKS = "plugin_hook_events_2026.9.6_hold_block.jsonl"
THINKING_S = 0.4  # of the model before each answer; the recorded one was a script and took 0.1 s
TRANSCRIPT = "transcript_events_2026.9.6_hook_block.jsonl"

_HOST = """
import plugin from {module};
import {{ createInterface }} from "node:readline";
const handlers = new Map();
plugin.register({{ pluginConfig: {config}, on: (name, found) => handlers.set(name, found) }});
for await (const line of createInterface({{ input: process.stdin }})) {{
  const {{ hook, event, ctx }} = JSON.parse(line);
  const answer = await handlers.get(hook)?.(event, ctx);
  process.stdout.write(JSON.stringify(answer ?? {{}}) + "\\n");
}}
"""

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of the replay."""

    answers: dict[str, Record]  # by call: what the plugin's handler gave
    held_s: dict[str, float]  # by call
    transcript: list[Record]  # with the plugin's reasons in place of the recorded ones

    def result_of(self, call_id: str) -> str | None:
        """What the model is told of a call."""
        for message in self.before_answer(len(self.answers)):
            if message.get("toolCallId") == call_id:
                return "\n".join(part["text"] for part in message["content"])
        return None

    def before_answer(self, number: int) -> list[Record]:
        """The messages that stand before the model's answer of that number, from 0."""
        messages = [row["message"] for row in self.transcript if row.get("type") == "message"]
        answers = [at for at, told in enumerate(messages) if told["role"] == "assistant"]
        return messages[: answers[number]]


def node() -> str | None:
    """The program that runs the plugin."""
    return shutil.which("node")


async def replay(samples: Path, sandbox: Sandbox) -> Replayed:
    """Play the recording in ``samples`` into the plugin that is attached in the sandbox."""
    settings = json.loads((sandbox.home / ".openclaw" / "openclaw.json").read_text("utf-8"))
    config = settings["plugins"]["entries"]["jarvis-voice"]["config"]
    module = sandbox.home / ".openclaw" / "extensions" / "jarvis-voice" / "index.mjs"
    script = _HOST.format(module=json.dumps(module.as_uri()), config=json.dumps(config))
    process = await asyncio.create_subprocess_exec(
        node() or "node",
        "--input-type=module",
        "--eval",
        script,
        env=sandbox.variables(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        return await _play(
            process, list(_lines(samples / HOOKS)), list(_lines(samples / TRANSCRIPT))
        )
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _play(
    process: asyncio.subprocess.Process, events: list[Record], transcript: list[Record]
) -> Replayed:
    answers: dict[str, Record] = {}
    held_s: dict[str, float] = {}
    for recorded in events:
        call_id = str(recorded["event"].get("toolCallId", ""))
        sent = recorded
        if recorded["hook"] == "after_tool_call":
            sent = {**recorded, "event": _result(recorded["event"], answers[call_id])}
        if recorded["hook"] == "model_call_ended":
            await asyncio.sleep(THINKING_S)
        began_s = session_now()
        answer = await _ask(process, sent)
        if recorded["hook"] == "before_tool_call":
            answers[call_id], held_s[call_id] = answer, session_now() - began_s
    return Replayed(answers, held_s, [_row(row, answers) for row in transcript])


async def _ask(process: asyncio.subprocess.Process, event: Record) -> Record:
    if process.stdin is None or process.stdout is None:
        raise RuntimeError("the host has no pipes")
    process.stdin.write(json.dumps(event).encode() + b"\n")
    line = await process.stdout.readline()
    if not line:
        raise RuntimeError("the host ended early")
    found: Record = json.loads(line)
    return found


def _result(event: Record, answer: Record) -> Record:
    """The call's end as OpenClaw reports it: of a blocked one, exactly the plugin's reason."""
    if not answer.get("block"):
        return event
    changed = copy.deepcopy(event)
    changed["result"] = {"content": _text(answer), "details": _blocked(answer)}
    changed["error"] = answer["blockReason"]
    return changed


def _row(row: Record, answers: dict[str, Record]) -> Record:
    told = row.get("message", {})
    answer = answers.get(str(told.get("toolCallId", "")), {})
    if not answer.get("block"):
        return row
    changed = copy.deepcopy(row)
    changed["message"] |= {"content": _text(answer), "details": _blocked(answer), "isError": True}
    return changed


def _text(answer: Record) -> list[Record]:
    return [{"type": "text", "text": answer["blockReason"]}]


def _blocked(answer: Record) -> Record:
    reason = answer["blockReason"]
    return {"status": "blocked", "deniedReason": "plugin-before-tool-call", "reason": reason}


def _lines(path: Path) -> Iterator[Record]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
