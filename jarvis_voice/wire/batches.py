"""Which calls belong to one model turn, where a runtime tells its end. PURE.

Claude Code fires ``PostToolBatch`` once before the next model request, so the calls of a session
between two of them are one batch. Most runtimes tell no such border.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

SESSIONS = 1024  # that are remembered; the one unheard of for longest goes first


class Batches:
    """Counts the batches of each session."""

    def __init__(self) -> None:
        self._ended: OrderedDict[str, int] = OrderedDict()

    def note(self, observed: Mapping[str, Any], ends: tuple[str, ...]) -> str | None:
        """The batch that a hook input in Claude Code's form belongs to.

        ``ends`` are the events after which the next batch begins; None without any.
        """
        if not ends:
            return None
        session = f"{observed.get('session_id')}/{observed.get('agent_id') or ''}"
        number = self._ended.pop(session, 0)
        self._ended[session] = number + (observed.get("hook_event_name") in ends)
        if len(self._ended) > SESSIONS:
            self._ended.popitem(last=False)
        return f"{session}#{number}"
