"""What a scripted model says, and how the two chat protocols carry it. PURE.

A script is a list of ``Turn``s: each is the model's whole answer to one request, words and tool
calls in order. ``messages_events`` writes a turn as Anthropic's Messages API streams it,
``responses_events`` as OpenAI's Responses API does; both were held against what Claude Code 2.1.332
and Codex 0.171.0 accept.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Event = dict[str, Any]
USAGE = {"input_tokens": 100, "output_tokens": 20}  # nobody checks it; clients want it to be there


@dataclass(frozen=True, slots=True)
class Words:
    """Text that the model says."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that the model calls."""

    call_id: str
    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Turn:
    """The model's answer to one request."""

    parts: tuple[Words | Call, ...]


def turn(*parts: str | Call) -> Turn:
    """A turn of words and calls."""
    return Turn(tuple(Words(part) if isinstance(part, str) else part for part in parts))


def messages_events(answer: Turn, message_id: str, model: str) -> Iterator[Event]:
    """The turn as events of the Messages API; each event's name is its ``type``."""
    message: Event = {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": USAGE,
    }
    yield {"type": "message_start", "message": message}
    for index, part in enumerate(answer.parts):
        block, delta = _block(part)
        yield {"type": "content_block_start", "index": index, "content_block": block}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    called = any(isinstance(part, Call) for part in answer.parts)
    ending = {"stop_reason": "tool_use" if called else "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": USAGE}
    yield {"type": "message_stop"}


def _block(part: Words | Call) -> tuple[Event, Event]:
    if isinstance(part, Words):
        return {"type": "text", "text": ""}, {"type": "text_delta", "text": part.text}
    block = {"type": "tool_use", "id": part.call_id, "name": part.tool, "input": {}}
    return block, {"type": "input_json_delta", "partial_json": json.dumps(dict(part.arguments))}


def message(answer: Turn, message_id: str, model: str) -> Event:
    """The turn as the Messages API answers when the client does not want a stream."""
    content: list[Event] = [
        {"type": "text", "text": part.text}
        if isinstance(part, Words)
        else {
            "type": "tool_use",
            "id": part.call_id,
            "name": part.tool,
            "input": dict(part.arguments),
        }
        for part in answer.parts
    ]
    called = any(isinstance(part, Call) for part in answer.parts)
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if called else "end_turn",
        "stop_sequence": None,
        "usage": USAGE,
    }


def responses_events(answer: Turn, response_id: str, model: str) -> Iterator[Event]:
    """The turn as events of the Responses API; each event's name is its ``type``."""
    begun = _response(response_id, model, "in_progress", [])
    yield {"type": "response.created", "response": begun}
    items = [_item(part, f"{response_id}_{n}") for n, part in enumerate(answer.parts)]
    for index, item in enumerate(items):
        place = {"output_index": index, "item_id": item["id"]}
        begun_item: Event = {**item, "status": "in_progress"}
        if item["type"] == "message":
            begun_item["content"] = []
        else:
            begun_item["arguments"] = ""
        yield {"type": "response.output_item.added", "output_index": index, "item": begun_item}
        if item["type"] == "message":
            yield from _said(item["content"][0], {**place, "content_index": 0})
        else:
            given = item["arguments"]
            yield {"type": "response.function_call_arguments.delta", **place, "delta": given}
            yield {"type": "response.function_call_arguments.done", **place, "arguments": given}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    done = _response(response_id, model, "completed", items)
    yield {"type": "response.completed", "response": done}


def _said(part: Event, place: Event) -> Iterator[Event]:
    text = part["text"]
    yield {"type": "response.content_part.added", **place, "part": {**part, "text": ""}}
    yield {"type": "response.output_text.delta", **place, "delta": text, "logprobs": []}
    yield {"type": "response.output_text.done", **place, "text": text, "logprobs": []}
    yield {"type": "response.content_part.done", **place, "part": part}


def _response(response_id: str, model: str, status: str, output: list[Event]) -> Event:
    usage = {
        **USAGE,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": sum(USAGE.values()),
    }
    return {
        "id": response_id,
        "object": "response",
        "created_at": 0,
        "model": model,
        "status": status,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": usage if status == "completed" else None,
    }


def _item(part: Words | Call, item_id: str) -> Event:
    if isinstance(part, Words):
        said = [{"type": "output_text", "text": part.text, "annotations": []}]
        return {
            "type": "message",
            "id": item_id,
            "role": "assistant",
            "status": "completed",
            "content": said,
        }
    return {
        "type": "function_call",
        "id": item_id,
        "call_id": part.call_id,
        "name": part.tool,
        "arguments": json.dumps(dict(part.arguments)),
        "status": "completed",
    }
