"""A worker that is a chat model in a tool loop: any model that the app can talk to.

The model answers with one JSON object a turn, which names a tool; what came of it is its next
message. Workspace files, the shell in its copy-on-write view and the app's actions are the same
tools that scripted workers have, so every call passes the same boundary. In a project the children
work at the same time, each with its own workstream, and then the parent integrates.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from bench.errors import WorkerFailed
from bench.suite.bundle import Bundle
from bench.workers.base import Reply, Style, Tools, Work, Worker
from jarvis_voice.brain.chat_model import ChatMessage, ChatModel
from jarvis_voice.errors import BrainError

STEPS = 80  # turns of one session
ANSWER_CHARS = 200_000  # of one turn; a file is written whole
OUTPUT_CHARS = 12_000  # of a tool's output that the model is shown
KEPT_CHARS = 240_000  # of the dialogue; of more, the oldest outputs are shortened
_MALFORMED = 3  # turns in a row that name no tool

_CONTRACT = """\
You work alone in a private workspace, without anybody to talk to, until the work is whole. The \
materials are in the workspace: look at them, do not guess. Deliver only files below results/. The \
output contract and the result schema are public and binding.

The person who gave the brief cannot be reached. Where something is missing that is theirs to say \
(a preference, a permission, a fact that only they know), take the most sensible choice that can \
be undone, write it down as an assumption, and go on. It can happen that a call is refused with \
what that person has decided meanwhile: that is true, and what depends on it is to be done again.

Answer with one JSON object and nothing else, each time:
{"tool": "look", "path": "sources/notes.md"}         a text file, or the names in a folder
{"tool": "write", "path": "results/a.csv", "text": "..."}
{"tool": "run", "command": "python3 results/check.py"}   a shell without a network
{"tool": "act", "action": "list", "arguments": {"collection": "bookings"}}   in app tasks only
{"tool": "say", "text": "..."}                       a sentence on how the work goes
{"tool": "done"}                                     when every result is written"""


@dataclass(frozen=True, slots=True)
class _Chat:
    """One session's dialogue with the model."""

    model: ChatModel
    brief: str

    async def work(self, tools: Tools, style: Style) -> None:
        """Take turns until the model says that it is done. Raises WorkerFailed."""
        del style  # a model works as well as it works
        messages = [ChatMessage("system", _CONTRACT), ChatMessage("user", self.brief)]
        malformed = 0
        for _ in range(STEPS):
            said = await self._turn(messages)
            call = parsed(said)
            malformed = 0 if call is not None else malformed + 1
            if malformed >= _MALFORMED:
                raise WorkerFailed(
                    f"The worker's model {self.model.name} named no tool {_MALFORMED} times in a "
                    f"row; its last words: {said[:120]!r}."
                )
            if call is not None and call.get("tool") == "done":
                return
            reply = await called(tools, call)
            shown = _shown(reply)
            messages = shortened(
                [*messages, ChatMessage("assistant", said), ChatMessage("user", shown)]
            )
        await tools.say(f"I stop after {STEPS} steps.")

    async def _turn(self, messages: Sequence[ChatMessage]) -> str:
        said = ""
        try:
            async with aclosing(self.model.stream(messages)) as pieces:
                async for piece in pieces:
                    said += piece
                    if len(said) > ANSWER_CHARS:
                        break
        except BrainError as error:
            raise WorkerFailed(f"The worker's model gave no answer: {error}.") from error
        return said


def chat_worker(bundle: Bundle, model: ChatModel) -> Worker:
    """A worker for this task; one and the same model plays all sessions."""
    paths = ", ".join(bundle.manifest.episode.result_paths)
    briefs = {
        stream.id: f"Your part of a larger work is: {stream.label}.\n\n{stream.brief}"
        for stream in bundle.workstreams
    }
    whole = f"{bundle.manifest.episode.brief}\n\nResults to write: {paths}."
    if briefs:
        whole += (
            "\n\nThe workstreams have been done by others, whose results are below results/. "
            "Read them, reconcile what does not fit, and write what is the project's."
        )
    streams: Mapping[str, Work] = {name: _Chat(model, text).work for name, text in briefs.items()}
    return Worker(_Chat(model, whole).work, streams)


def parsed(said: str) -> dict[str, Any] | None:
    """The JSON object of a turn, also when there is talk around it; None when there is none."""
    start = said.find("{")
    while start >= 0:
        try:
            value, _ = json.JSONDecoder().raw_decode(said, start)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict) and isinstance(value.get("tool"), str):
            return value
        start = said.find("{", start + 1)
    return None


async def called(tools: Tools, call: Mapping[str, Any] | None) -> Reply:
    """Do what the model asked for; a call that cannot be read is told so."""
    if call is None:
        return Reply(False, "That was no JSON object with a tool. Give one, and nothing else.")
    tool = call["tool"]
    path, text = call.get("path"), call.get("text")
    if tool == "look" and isinstance(path, str):
        return await tools.look(path)
    if tool == "write" and isinstance(path, str) and isinstance(text, str):
        return await tools.write(path, text)
    if tool == "run" and isinstance(call.get("command"), str):
        return await tools.run(call["command"])
    if tool == "say" and isinstance(text, str):
        return await tools.say(text)
    arguments = call.get("arguments", {})
    if tool == "act" and isinstance(call.get("action"), str) and isinstance(arguments, dict):
        return await tools.act(call["action"], arguments)
    return Reply(False, f'"{tool}" is no tool, or lacks what it needs. See the list above.')


def shortened(messages: list[ChatMessage]) -> list[ChatMessage]:
    """The dialogue within KEPT_CHARS: the oldest outputs give way, the brief never does."""
    over = sum(len(message.content) for message in messages) - KEPT_CHARS
    kept = list(messages)
    for place in range(2, len(kept) - 2):
        if over <= 0:
            break
        message = kept[place]
        if len(message.content) > 400:
            short = f"{message.content[:200]}\n(the rest was shown before)"
            over -= len(message.content) - len(short)
            kept[place] = ChatMessage(message.role, short)
    return kept


def _shown(reply: Reply) -> str:
    text = reply.text
    if len(text) > OUTPUT_CHARS:
        text = f"{text[: OUTPUT_CHARS // 2]}\n(cut)\n{text[-OUTPUT_CHARS // 2 :]}"
    return f"{'ok' if reply.ok else 'refused or failed'}\n{text}"
