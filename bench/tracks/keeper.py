"""The gate of an agent runtime in a run: its calls before they run, their results afterwards.

Before a call the boundary rules on what the runtime proposes, as the app's own gate does. When a
call has ended, the results folder is compared with what was agreed to before: whatever is new there
and was not plainly proposed goes past the boundary as an action of its own, with the content of the
changed files. So a script's writes are held like any other. When that is refused, the files are put
back, and the agent is told. What was proposed file by file (an editor's write), or what the user
has just decided on, is not offered twice.

What was missed (a call whose end nobody told, a program left running) is looked at before the next
call that runs alone, and when the agent wants to stop. Not seen: which of several calls that run at
once wrote a file, so the first that ends answers for it; and anything that a command does outside
the working folder, since the runtime has the rights of who started it. A call that names the folder
of the tasks ends the run, because their sealed halves lie there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.errors import BenchError, WorkerFailed
from bench.tracks.crew import Boundary, Site
from bench.tracks.eyes import MAIN, Eyes
from bench.workers.afterwards import STOP, Done
from bench.workers.base import Deed
from bench.workers.session import MAX_CALLS, with_changes
from bench.workers.view import View, only
from bench.workers.workspace import Changes
from jarvis_voice.boundary import ProposedAction, Ruling, Verdict
from jarvis_voice.runtimes.fields import text

_NOTED = 4  # files that are named in one sentence


@dataclass(frozen=True, slots=True)
class _Open:
    """A call that was let through and has not ended."""

    action: ProposedAction
    by_user: bool

    @property
    def agreed(self) -> frozenset[str]:
        """The files whose new content somebody has seen already."""
        seen = self.action.command is None or self.by_user
        return frozenset(self.action.files) if seen else frozenset()


@dataclass(slots=True)
class Keeper:
    """Rules on what one runtime does. ``transcripts`` lists the files that it writes of itself."""

    site: Site
    boundary: Boundary
    view: View
    eyes: Eyes
    transcripts: Callable[[], list[Path]]
    calls: int = 0
    held_s: float = 0.0
    fault: BenchError | None = None  # the run is over; it has no score
    _open: dict[tuple[str, str], _Open] = field(default_factory=dict)
    _looks: int = 0

    def observe(self, _runtime: str, payload: Mapping[str, Any]) -> None:
        """A hook input, before anybody rules on it."""
        self.eyes.hooked(payload)
        self.eyes.read_on(self.transcripts())
        if text(payload, "hook_event_name") == "PostToolBatch":
            self.boundary.batch_ended(self.eyes.run_in(payload))

    async def review(self, action: ProposedAction) -> Ruling:
        """The ruling on a call, or on what it has left behind."""
        own = self.eyes.own(action)
        try:
            return await (self._after(own) if isinstance(own, Done) else self._before(own))
        except BenchError as error:
            return self._over(error)

    def close(self) -> None:
        """The runtime has ended: what else it has changed does not count, and is noted."""
        now_s, timeline = self.site.now(), self.site.watching.timeline
        unseen = list(self.view.claim().kept)[:_NOTED]  # written when nobody asked any more
        for kind, names in (
            ("put back", self.view.restore()),
            ("not kept", unseen),
            ("left aside", self.view.elsewhere()),
        ):
            if names:
                timeline.add(now_s, now_s, MAIN, kind, ", ".join(names))

    # --- before a call

    async def _before(self, action: ProposedAction) -> Ruling:
        self.calls += 1
        if self.calls > MAX_CALLS:
            raise WorkerFailed(f"The worker made more than {MAX_CALLS} tool calls and was stopped.")
        self._check(action)
        if not self._open:
            missed = await self._settled(action, None)
            if missed.verdict is Verdict.DENY:
                return self._refused(action, missed)
        ruling = await self._ruled(action)
        if ruling.verdict is Verdict.DENY:
            return self._refused(action, ruling)
        self._open[action.run_id, action.action_id] = _Open(action, ruling.by_user)
        return ruling

    def _check(self, action: ProposedAction) -> None:
        shown = (action.summary, action.command or "", action.content, *action.files)
        for folder in self.site.closed:
            if any(folder in words for words in shown):
                raise WorkerFailed(
                    f"The worker turned to the folder {folder}, where the sealed halves of tasks "
                    "lie, and was stopped."
                )

    # --- after it

    async def _after(self, done: Done) -> Ruling:
        call = self._open.pop((done.run_id, done.action_id), None)
        ruling = Ruling(Verdict.ALLOW)
        if done.event == STOP:
            self._open = {key: item for key, item in self._open.items() if key[0] != done.run_id}
        if done.event != STOP or not self._open:
            ruling = await self._settled(done, call)
        if ruling.verdict is Verdict.DENY:
            return self._refused(done, ruling)
        waiting = self.boundary.waiting(done.run_id)
        return Ruling(Verdict.ALLOW, f"{ruling.reason}\n{waiting}".strip())

    async def _settled(self, action: ProposedAction, call: _Open | None) -> Ruling:
        """Look at what is new: agree to it, or take back what the boundary refuses."""
        note = self._restored(action)
        changes = self.view.claim()
        note += changes.note()
        unseen = only(changes.kept, set(changes.kept) - (call.agreed if call else frozenset()))
        proposed = only(changes.kept, set(changes.kept) - set(unseen.kept))
        ruling = Ruling(Verdict.ALLOW)
        try:
            if unseen.kept:
                ruling = await self._ruled(self._about(action, unseen))
        except BaseException:
            self.view.release(changes)  # nobody has ruled on them
            raise
        denied = ruling.verdict is Verdict.DENY
        for part, refused in ((proposed, False), (unseen, denied)):
            if refused:
                self.view.refuse(part)
                note += f"\n[The call itself had run. Put back as it was before: {_listed(part)}]"
            else:
                self._agree(action, part)
        return replace(ruling, reason=f"{ruling.reason}{note}".strip())

    def _restored(self, action: ProposedAction) -> str:
        spoiled = self.view.restore()
        if not spoiled:
            return ""
        names = ", ".join(spoiled[:_NOTED])
        now_s, session = self.site.now(), action.run_id.rpartition("/")[2]
        self.site.watching.timeline.add(now_s, now_s, session, "put back", names)
        return f"\n[Public files are put back when they are changed: {names}]"

    def _agree(self, action: ProposedAction, changes: Changes) -> None:
        self.view.agree(changes)
        for path in changes.kept:
            self.eyes.happened(action.run_id, Deed.WRITTEN, path, action.action_id)

    def _about(self, action: ProposedAction, changes: Changes) -> ProposedAction:
        """What a call has left behind, as an action of its own."""
        self._looks += 1
        about = with_changes(action, changes.texts())
        return replace(about, action_id=f"{action.action_id}+results{self._looks}")

    # --- ruling

    async def _ruled(self, action: ProposedAction) -> Ruling:
        began_s = self.site.now()
        try:
            return await self.boundary.review(action)
        finally:
            self.held_s += self.site.now() - began_s

    def _refused(self, action: ProposedAction, ruling: Ruling) -> Ruling:
        self.eyes.happened(action.run_id, Deed.REFUSED, action.summary, action.action_id)
        return ruling

    def _over(self, error: BenchError) -> Ruling:
        self.fault = self.fault or error
        return Ruling(Verdict.DENY, "The run is over. Nothing more will be run.")


def _listed(changes: Changes) -> str:
    return ", ".join(list(changes.kept)[:_NOTED])
