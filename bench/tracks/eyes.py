"""How an agent runtime is watched in a run: its hooks as they come, its transcripts as they grow.

Both are read by the app's own sources and folded by its own reducer. Hooks tell of calls, in time;
transcripts add what the agent says, its plan, and what was refused. What runtimes name their
sessions is turned into the names of the run (the first is the main session, the others are its
children in the order in which they act), paths into those of the workspace, and times into those of
the run.

Not seen: what a command reads without naming it, words that are in no transcript yet, and files
that a call of a server of the agent's own (MCP) looks at.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.tracks.crew import Site
from bench.tracks.watching import Recording
from bench.workers.base import Deed, Happening
from jarvis_voice.boundary import ProposedAction
from jarvis_voice.events import RunStatus
from jarvis_voice.runs.model import (
    AgentSaid,
    GuidanceGiven,
    PlanUpdated,
    PromptGiven,
    RunEnded,
    RunEvent,
    RunStarted,
    ToolDenied,
    ToolFinished,
    ToolRequested,
)
from jarvis_voice.runs.sources import hook_sorter
from jarvis_voice.runs.sources.claude_code import run_name
from jarvis_voice.runs.sources.sorting import Sorted
from jarvis_voice.runs.tail import Tail
from jarvis_voice.runtimes.calls import described
from jarvis_voice.runtimes.fields import mapping, text

MAIN = "main"
_FROM_HOOKS = (RunStarted, PromptGiven, ToolRequested, ToolFinished, ToolDenied, GuidanceGiven)
_FROM_TRANSCRIPTS = (AgentSaid, PlanUpdated, ToolDenied, GuidanceGiven)
_READABLE = ("file_path", "path", "notebook_path")


@dataclass(frozen=True, slots=True)
class Names:
    """The workspace's and the run's names for what a runtime calls by its own."""

    task: str
    folder: Path  # where the agent works

    def plain(self, words: str) -> str:
        """A text with paths as they are in the workspace."""
        return words.replace(f"{self.folder}/", "").replace(str(self.folder), ".")


class Eyes:
    """Sees one runtime at work; tells ``site.watching``."""

    def __init__(self, site: Site, runtime: str, folder: Path) -> None:
        self.names = Names(site.bundle.task_id, folder)
        self._site = site
        self._runtime = runtime
        self._sorter = hook_sorter(runtime)
        self._numbers = itertools.count()
        self._sessions: dict[str, str] = {}  # the runtime's name of a run -> ours
        self._recordings: dict[str, Recording] = {}
        self._tails: dict[Path, Tail] = {}
        self._scope = site.workspace.scope()

    # --- names

    def run_of(self, run_id: str) -> str:
        """Our name of a run; the runtime's is ``session`` or ``session/agent``."""
        if run_id not in self._sessions:
            root, _, agent = run_id.partition("/")
            if agent:
                self.run_of(root)  # the session was there before its children
            number = len(self._sessions)
            name = f"{self.names.task}/{f'child-{number}' if number else MAIN}"
            self._sessions[run_id] = name
            self._recordings[name] = self._recording(name, number)
        return self._sessions[run_id]

    def run_in(self, payload: Mapping[str, Any]) -> str:
        """Our name of the run that a hook input is about."""
        return self.run_of(run_name(text(payload, "session_id"), text(payload, "agent_id")))

    def _recording(self, name: str, number: int) -> Recording:
        title = self._site.bundle.manifest.title
        if not number:
            return self._site.watching.recorder(name, title, None, self._runtime)
        parent = f"{self.names.task}/{MAIN}"
        return self._site.watching.recorder(name, f"{title}, part {number}", parent, self._runtime)

    def own(self, action: ProposedAction) -> ProposedAction:
        """The action in the names and the time of the run."""
        plain = self.names.plain
        parent = action.parent_run_id
        return replace(
            action,
            project_id=self.names.task,
            run_id=self.run_of(action.run_id),
            parent_run_id=self.run_of(parent) if parent else None,
            summary=plain(action.summary),
            command=None if action.command is None else plain(action.command),
            files=tuple(plain(path) for path in action.files),
            at_s=self._site.now(),
        )

    # --- what is seen

    def hooked(self, payload: Mapping[str, Any]) -> None:
        """A hook input, as it came."""
        record = {"t": self._site.now(), "in": dict(payload)}
        for told in self._sorter.record(record, f"hook{next(self._numbers)}"):
            self._take(told, _FROM_HOOKS)
        if text(payload, "hook_event_name") in ("PostToolUse", "PostToolUseFailure"):
            self._ran(payload)

    def read_on(self, transcripts: list[Path]) -> None:
        """What is new in the runtime's own transcripts."""
        for path in transcripts:
            tail = self._tails.setdefault(path, Tail(path))
            more = True
            while more:
                news, _ = tail.poll()
                more = tail.more
                for told in news:
                    if told.run_id in self._sessions:
                        self._take(told, _FROM_TRANSCRIPTS)

    def close(self, record: str) -> None:
        """The runtime has ended; ``record`` is all that it wrote down, with receipts in it."""
        for name, recording in self._recordings.items():
            self._site.watching.on_evidence(name, record)
            recording.record(RunEnded("end", self._site.now(), RunStatus.DONE))

    def happened(self, run_id: str, deed: Deed, what: str, call_id: str = "") -> None:
        """Keep what a session did; ``run_id`` is our name of it."""
        session = run_id.rpartition("/")[2]
        recording = self._recordings[run_id]
        recording.happened(Happening(self._site.now(), session, deed, what, call_id))

    def _take(self, told: Sorted, wanted: tuple[type[RunEvent], ...]) -> None:
        name = self.run_of(told.run_id)
        for event in told.events:
            if isinstance(event, wanted):
                self._recordings[name].record(replace(event, at_s=self._site.now()))
            if isinstance(event, AgentSaid) and isinstance(event, wanted):
                self.happened(name, Deed.SAID, event.text)

    def _ran(self, payload: Mapping[str, Any]) -> None:
        """What a call that has run has plainly read."""
        run_id = self.run_in(payload)
        call_id, given = text(payload, "tool_use_id"), mapping(payload, "tool_input")
        call = described(text(payload, "tool_name"), given)
        if call.command is not None:
            command = self.names.plain(call.command)
            paths: tuple[str, ...] = self._scope.named_in(command)
            self.happened(run_id, Deed.RAN, command, call_id)
        else:
            named = self._scope.plain(self.names.plain(text(given, *_READABLE)))
            paths = (named,) if named not in ("", ".") and not call.files else ()
        for path in paths:
            self.happened(run_id, Deed.READ, path, call_id)
