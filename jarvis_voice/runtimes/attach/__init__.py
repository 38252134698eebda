"""Writes Jarvis into the settings of agent runtimes, takes it out again, and proves that it holds.

One module per runtime with an ``ATTACHMENT``; ``changes`` applies and undoes edits, ``probe`` runs
what was written as the runtime would.
"""

from __future__ import annotations

import importlib
from typing import cast

from jarvis_voice.runtimes.attach.base import Attachment

_MODULES = {
    "claude-code": "claude_code",
    "codex": "codex",
    "gemini": "gemini",
    "cursor": "cursor",
    "openhands": "openhands",
    "openclaw": "openclaw",
    "opencode": "opencode",
}
NAMES = tuple(_MODULES)


def attachment(name: str) -> Attachment:
    """How to attach the runtime of this name. Raises KeyError for an unknown one."""
    module = importlib.import_module(f"{__name__}.{_MODULES[name]}")
    return cast("Attachment", module.ATTACHMENT)
