"""What every live connection shares: where its news go, and how a run is reached through it."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from jarvis_voice.boundary import ProposedAction, Ruling, Verdict
from jarvis_voice.errors import RunUnreachable
from jarvis_voice.redact import redact
from jarvis_voice.runs.model import cut
from jarvis_voice.runs.sources.fields import Record
from jarvis_voice.runs.sources.sorting import Sorted
from jarvis_voice.runs.sources.tools import worded

ANSWER_S = 10.0
"""How long a runtime may take to answer a request of ours."""
RETRY_S = (1.0, 2.0, 5.0, 15.0, 30.0)
"""Pauses before a lost connection is tried again; the last one is kept."""
_CONTENT_BYTES = 8000
_SUMMARY_BYTES = 300

Review = Callable[[ProposedAction], Awaitable[Ruling]]


class Sink(Protocol):
    """Where news of live runs go; the watcher is one."""

    def accept(self, told: Sorted) -> None:
        """Takes in what happened in a run."""
        ...

    def note_trouble(self, run_id: str, reason: str) -> None:
        """Marks the picture of a run as incomplete, in a sentence."""
        ...


class Control(Protocol):
    """How the user reaches the runs of one connection. All raise RunUnreachable."""

    def reaches(self, run_id: str) -> bool:
        """The run is one of this connection's."""
        ...

    async def steer(self, run_id: str, text: str) -> None:
        """Tells the agent something while it works; it stands in its next request to its model."""
        ...

    async def stop(self, run_id: str) -> None:
        """Ends what the agent is doing now. Finished work stays."""
        ...

    async def resolve(self, action_id: str, ruling: Ruling) -> None:
        """Answers an approval that the runtime waits for; a reason is told first, as guidance."""
        ...

    def trouble(self, run_id: str, reason: str) -> None:
        """Marks the picture of a run as incomplete, in a sentence. Raises nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Approval:
    """A call that a runtime holds until someone answers."""

    action: ProposedAction
    request: object  # the runtime's own name of what is asked: a JSON-RPC id, an approval id


@dataclass(slots=True)
class Approvals:
    """The open approvals of one connection, and who reviews them.

    A runtime asks because its user must answer. So a refusal answers it, and so does what the user
    decided here; that a policy has nothing against the call does not, and the question stays open
    in the runtime's own window.
    """

    review: Review | None = None
    open: dict[str, Approval] = field(default_factory=dict)  # by action id
    _reviews: dict[str, asyncio.Task[None]] = field(default_factory=dict)  # by action id

    def take(self, action_id: str) -> Approval:
        """The open approval. Raises RunUnreachable when it is not open any more."""
        if action_id not in self.open:
            raise RunUnreachable(
                "That call waits for no approval any more.", "Ask what the run is doing now."
            )
        return self.open[action_id]

    def asked(self, approval: Approval, control: Control, group: asyncio.TaskGroup | None) -> None:
        """A runtime asks; one and the same request counts once."""
        action_id = approval.action.action_id
        known = self.open.get(action_id)
        if known is not None and known.request == approval.request:
            return
        self.open[action_id] = approval
        if self.review is not None and group is not None:
            review = group.create_task(self._reviewed(self.review, approval, control))
            self._reviews[action_id] = review

    def closed(self, request: object) -> None:
        """The runtime does not wait for it any more, whoever answered; neither does a question."""
        for action_id in [name for name, item in self.open.items() if item.request == request]:
            del self.open[action_id]
            review = self._reviews.pop(action_id, None)
            if review is not None and review is not asyncio.current_task():
                review.cancel()

    async def _reviewed(self, review: Review, approval: Approval, control: Control) -> None:
        action = approval.action
        ruling = await review(action)
        if self.open.get(action.action_id) is not approval:
            return
        self._reviews.pop(action.action_id, None)
        denied = ruling.verdict is Verdict.DENY
        if not denied and not ruling.by_user:
            return
        together = sum(item.request == approval.request for item in self.open.values())
        if not denied and together > 1:
            control.trouble(action.run_id, "It asks about several calls at once: approve it there.")
            return
        try:
            await control.resolve(action.action_id, ruling)
        except RunUnreachable as error:
            done = "refused" if denied else "approved"
            control.trouble(action.run_id, f"It was not {done}: {error.problem}")


@dataclass(frozen=True, slots=True)
class Call:
    """A call as a runtime names it."""

    runtime: str
    run_id: str
    call_id: str
    tool: str
    given: Record
    cwd: str = ""


def action_of(call: Call, now_s: float) -> ProposedAction:
    """The call as an action: redacted, bounded, with a fingerprint of the whole call.

    Only calls that wait for their user's approval come this way.
    """
    use = worded(call.tool, call.given)
    whole = json.dumps([call.tool, call.given], sort_keys=True, default=str)
    fingerprint = hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()
    content = redact(json.dumps(call.given, ensure_ascii=False, default=str)[: _CONTENT_BYTES * 2])
    shown = cut(content, _CONTENT_BYTES)
    return ProposedAction(
        runtime=call.runtime,
        project_id=call.cwd or call.run_id,
        run_id=call.run_id,
        action_id=call.call_id or fingerprint[:16],
        tool=call.tool,
        summary=cut(redact(use.summary), _SUMMARY_BYTES).replace("\n", " "),
        fingerprint=fingerprint,
        at_s=now_s,
        command=cut(redact(use.command), _CONTENT_BYTES) if use.command else None,
        files=use.files,
        content=shown,
        truncated=len(whole) > _CONTENT_BYTES,
        waits_for_user=True,
    )


async def pause(attempt: int) -> None:
    """Waits before the next attempt to connect."""
    await asyncio.sleep(RETRY_S[min(attempt, len(RETRY_S) - 1)])
