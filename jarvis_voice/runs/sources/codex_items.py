"""What a Codex thread consists of: messages, commands, changes, plans. PURE.

The items are spelled ``command_execution`` by ``exec --json``, ``commandExecution`` by the
app-server and ``CommandExecution`` in rollouts; so are their fields and states.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from jarvis_voice.events import PlanStep
from jarvis_voice.redact import redact
from jarvis_voice.runs.model import (
    AgentSaid,
    PlanUpdated,
    PromptGiven,
    RunEvent,
    ToolDenied,
    ToolFinished,
    ToolRequested,
)
from jarvis_voice.runs.sources import fields
from jarvis_voice.runs.sources.fields import Record, parsed
from jarvis_voice.runs.sources.tools import Asked, requested

_HOOK_REFUSAL = re.compile(
    r"^Command blocked by PreToolUse hook: (?P<reason>.*?)(?:\. Command: .*)?$", re.DOTALL
)
_USER_REFUSAL = re.compile(r"^(?:exec command )?rejected by user|^Rejected by user", re.IGNORECASE)
_EXIT_CODE = re.compile(r"^Process exited with code (-?\d+)$", re.MULTILINE)
_HEADER = re.compile(r"\A(?:Chunk ID:.*\n)?(?:Wall time:.*\n)?(?:.*\n){0,3}?Output:\n")
_FAILED = ("failed", "error", "errored")
_DECLINED = ("declined", "denied", "rejected")


class Item(NamedTuple):
    """One item of a thread, in one spelling."""

    kind: str  # lower case, no underscores
    phase: str  # "started", "updated" or "completed"
    name: str  # its id
    given: Record
    status: str

    @classmethod
    def of(cls, given: Record, phase: str, fallback: str) -> Item:
        """The item in any of the three spellings."""
        kind = fields.text(given, "type").replace("_", "").lower()
        status = fields.text(given, "status").replace("_", "").lower()
        return cls(kind, phase, fields.text(given, "id") or fallback, given, status)


def item_events(item: Item, at_s: float | None) -> Iterator[RunEvent]:
    """What an item tells; of kinds that are not listed nothing."""
    step = _KINDS.get(item.kind)
    if step is not None:
        yield from step(item, at_s)


def plan_events(tool: str, given: Record, key: str, at_s: float | None) -> Iterator[RunEvent]:
    """The plan, when the call keeps one."""
    if tool != "update_plan":
        return
    steps = tuple(
        PlanStep(fields.plain(step, "step", "text"), _plan_state(step))
        for step in fields.items(given, "plan")
    )
    if steps:
        yield PlanUpdated(f"plan:{key}", at_s, steps)


def _plan_state(step: Record) -> str:
    state = fields.text(step, "status").replace("inProgress", "in_progress")
    return state or ("completed" if step.get("completed") is True else "pending")


def reply_events(call_id: str, value: object, at_s: float | None) -> Iterator[RunEvent]:
    """The answer to a call as the model saw it, which is where a refusal stands."""
    told, ok = _reply(value)
    hook = _HOOK_REFUSAL.match(told)
    if hook:
        yield ToolDenied(f"deny:{call_id}", at_s, call_id, redact(hook["reason"]))
    elif _USER_REFUSAL.match(told):
        yield ToolDenied(f"deny:{call_id}", at_s, call_id, "The user refused it.")
    else:
        shown = _HEADER.sub("", told, count=1)
        yield ToolFinished(f"done:{call_id}", at_s, call_id, ok, fields.output(shown))


def _reply(value: object) -> tuple[str, bool | None]:
    """The text of an answer, and whether it says that the call went well."""
    if isinstance(value, dict):
        content = value.get("content")
        told = content if isinstance(content, str) else fields.output(content)
        ok = value.get("success")
        return fields.both_ends(told), ok if isinstance(ok, bool) else None
    if not isinstance(value, str):
        return fields.output(value), None
    boxed = parsed(value) if value.startswith("{") else None
    if boxed and isinstance(boxed.get("output"), str):
        code = fields.number(fields.mapping(boxed, "metadata"), "exit_code")
        return fields.both_ends(boxed["output"]), None if code is None else code == 0
    found = _EXIT_CODE.search(value[:500])
    return fields.both_ends(value), int(found[1]) == 0 if found else None


# --- one step per kind -------------------------------------------------------------------------


def _content(item: Item) -> str:
    told = fields.plain(item.given, "text")
    return told or redact(
        "\n".join(
            filter(None, (fields.text(p, "text") for p in fields.items(item.given, "content")))
        )
    )


def _user(item: Item, at_s: float | None) -> Iterator[RunEvent]:
    told = _content(item)
    if told and not told.lstrip().startswith(("<environment_context", "<hook_prompt")):
        yield PromptGiven(f"prompt:{item.name}", at_s, told)


def _agent(item: Item, at_s: float | None) -> Iterator[RunEvent]:
    told = _content(item)
    if told and item.phase == "completed":
        yield AgentSaid(f"said:{item.name}", at_s, told)


def _command(item: Item, at_s: float | None) -> Iterator[RunEvent]:
    yield requested(f"use:{item.name}", at_s, Asked(item.name, "shell", item.given))
    code = item.given.get("exit_code", item.given.get("exitCode"))
    output = fields.output(
        item.given.get("aggregated_output") or item.given.get("aggregatedOutput") or ""
    )
    ok = code == 0 if isinstance(code, int) else item.status not in _FAILED
    yield from _ended(item, at_s, ok, output)


def _change(item: Item, at_s: float | None) -> Iterator[RunEvent]:
    changes = item.given.get("changes")
    paths = (
        list(changes)
        if isinstance(changes, dict)
        else [fields.text(change, "path") for change in fields.items(item.given, "changes")]
    )
    files = tuple(path for path in paths[:50] if isinstance(path, str) and path)
    words = f"change {', '.join(files[:3]) or 'files'}"
    yield ToolRequested(f"use:{item.name}", at_s, item.name, "apply_patch", words, None, files)
    yield from _ended(item, at_s, item.status not in _FAILED, "")


def _mcp(item: Item, at_s: float | None) -> Iterator[RunEvent]:
    server, tool = fields.text(item.given, "server"), fields.text(item.given, "tool")
    name = f"mcp__{server or 'server'}__{tool or 'tool'}"
    given = fields.mapping(item.given, "arguments")
    yield requested(f"use:{item.name}", at_s, Asked(item.name, name, given))
    error = fields.plain(fields.mapping(item.given, "error"), "message")
    answer = error or fields.output(item.given.get("result"))
    yield from _ended(item, at_s, not error and item.status not in _FAILED, answer)


def _search(item: Item, at_s: float | None) -> Iterator[RunEvent]:
    yield requested(f"use:{item.name}", at_s, Asked(item.name, "web_search", item.given))
    yield from _ended(item, at_s, None, "")


def _todo(item: Item, at_s: float | None) -> Iterator[RunEvent]:
    """An item that is updated in place, so what it says makes its id."""
    steps = tuple(
        PlanStep(fields.plain(step, "text", "step"), _plan_state(step))
        for step in fields.items(item.given, "items")
    )
    if steps:
        done = "".join("x" if step.state == "completed" else "." for step in steps)
        yield PlanUpdated(f"plan:{item.name}:{item.phase}:{done}", at_s, steps)


def _ended(item: Item, at_s: float | None, ok: bool | None, output: str) -> Iterator[RunEvent]:
    """The end of a call, when the item tells of one."""
    if item.status in _DECLINED:
        yield ToolDenied(f"deny:{item.name}", at_s, item.name, "It was declined.")
    elif item.phase == "completed":
        yield ToolFinished(f"done:{item.name}", at_s, item.name, ok, output)


_KINDS: dict[str, Callable[[Item, float | None], Iterator[RunEvent]]] = {
    "usermessage": _user,
    "agentmessage": _agent,
    "commandexecution": _command,
    "filechange": _change,
    "mcptoolcall": _mcp,
    "websearch": _search,
    "todolist": _todo,
}
