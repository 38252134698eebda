"""What each agent runtime sends before and after a tool call, and what it takes for an answer.

One module per runtime, all PURE field mapping and standard library only, since the stdin bridge
starts one process per hook. ``RUNTIMES`` lists them by name; ``recognized`` tells them apart by
what is in a payload. ``attach`` writes the runtimes' own settings.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any, Protocol, cast

from jarvis_voice.boundary import ProposedAction, Ruling


class Runtime(Protocol):
    """The field mapping of one runtime; its module is one."""

    NAME: str
    DEADLINE_S: float  # longest hold; the runtime's own limit is longer
    PRE_TOOL: Mapping[str, Any]  # the least that says "a tool call is about to run"
    BATCH_END: tuple[str, ...]  # observed events after which the next batch of calls begins

    def recognizes(self, payload: Mapping[str, Any]) -> bool:
        """Is this payload one of this runtime's own?"""
        ...

    def proposed(self, payload: Mapping[str, Any], now_s: float) -> ProposedAction | None:
        """The action that waits for an answer, None when this payload only tells."""
        ...

    def reply(self, payload: Mapping[str, Any], ruling: Ruling) -> dict[str, Any]:
        """The exact JSON that the runtime takes as the answer to this payload."""
        ...

    def observed(self, payload: Mapping[str, Any]) -> dict[str, Any] | None:
        """The payload in a form that runs are read from, None when it tells nothing.

        Claude Code's hook input, but for OpenClaw's own hooks and ``jarvis.event/v1``.
        """
        ...


_MODULES = {
    "claude-code": "claude_code",
    "codex": "codex",
    "gemini": "gemini",
    "cursor": "cursor",
    "openhands": "openhands",
    "openclaw": "openclaw",
    "opencode": "opencode",
    "any": "any_runtime",
}
"""Name to module; the order is that of ``recognized``, from the end, the most telling first."""


def load(name: str) -> Runtime:
    """The runtime of this name; imports only its module. Raises KeyError for an unknown one."""
    return cast("Runtime", importlib.import_module(f"{__name__}.{_MODULES[name]}"))


class _Runtimes(Mapping[str, Runtime]):
    """Every runtime by name, each imported when it is first asked for."""

    def __getitem__(self, name: str) -> Runtime:
        return load(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


RUNTIMES: Mapping[str, Runtime] = _Runtimes()
NAMES = tuple(_MODULES)


def recognized(payload: Mapping[str, Any]) -> Runtime | None:
    """The runtime that sends such a payload, None when none does."""
    for name in reversed(_MODULES):
        runtime = load(name)
        if runtime.recognizes(payload):
            return runtime
    return None
