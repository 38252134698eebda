"""Puts the desk's questions to the user: one at a time, when the floor is free, a cue first.

The desk says which question is due and when it is asked again; here it becomes a notice, and how
the notice came across becomes what the desk knows: put, or not heard. A question that was cut
before it was understood is put again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from jarvis_voice import events
from jarvis_voice.attention import wording
from jarvis_voice.attention.answering import NOBODY_ANSWERED
from jarvis_voice.attention.naming import called
from jarvis_voice.attention.requests import (
    AskUser,
    MarkDegraded,
    Request,
    TellUser,
    Withdraw,
)
from jarvis_voice.attention.state import AttentionState
from jarvis_voice.boundary import AttentionRequest, Urgency
from jarvis_voice.cli.steering import enough_heard
from jarvis_voice.conversation import Heard, Notice

_KNOWN_REASONS = frozenset(("", NOBODY_ANSWERED, "you stopped it"))
"""The user did it, or hears of it as a run that went on."""

CUT_TRIES = 3  # a question that is cut this often counts as put, and waits in the list


class AskingDesk(Protocol):
    """What of ``attention.desk.Desk`` is needed here."""

    on_ask: Callable[[AttentionRequest], None]
    on_request: Callable[[Request], None]

    @property
    def state(self) -> AttentionState: ...
    def open_requests(self) -> tuple[AttentionRequest, ...]: ...
    def due(self) -> AttentionRequest | None: ...
    def asked(self, request_id: str) -> None: ...


class Speaker(Protocol):
    """What of ``conversation.Conversation`` is needed here."""

    def speak_up(self, notice: Notice) -> None: ...
    def withdraw(self, notice_id: str) -> None: ...


class Listener(Protocol):
    """Is told in which words a question will be put; ``cli.steering.SteeringBrain`` is one."""

    def putting(self, request_id: str, text: str) -> None: ...


class Runs(Protocol):
    """The watched runs."""

    def snapshots(self) -> tuple[events.RunSnapshot, ...]: ...


class Asking:
    """Connects a desk to a conversation; from ``start`` on, questions are put."""

    def __init__(self, desk: AskingDesk, speaker: Speaker, listener: Listener, runs: Runs) -> None:
        self._desk = desk
        self._speaker = speaker
        self._listener = listener
        self._runs = runs
        self._offered: AttentionRequest | None = None  # waits for the floor, or is being said
        self._cuts: dict[str, int] = {}
        self._put: dict[str, AttentionRequest] = {}  # in the air, or left in the list
        self._closes: set[str] = set()  # runs whose unanswered actions are denied
        self._others: Callable[[Request], None] = lambda request: None
        self._closed = False
        self._told = 0

    def start(self) -> None:
        """Listen to the desk, and put what is due already."""
        self._desk.on_ask = self._ask
        self._others = self._desk.on_request
        self._desk.on_request = self._request
        due = self._desk.due()
        if due is not None:
            self._ask(due)

    def close(self) -> None:
        """Put no more questions: the conversation is over."""
        self._closed = True

    def tell(self, text: str, key: str = "") -> None:
        """Say a line when the floor is free; a newer one with the same key takes its place."""
        self._told += 1
        name = f"tell-{key or self._told}"
        if not self._closed:
            self._speaker.speak_up(Notice(name, text, lambda how, heard: None, cue=False))

    # --- what the desk wants

    def _ask(self, request: AttentionRequest) -> None:
        if self._closed:
            return
        held = self._desk.state.held()
        self._closes |= {item.action.run_id for item in held if item.fail_closed}
        before, self._offered = self._offered, request
        if before is not None and before.request_id != request.request_id:
            self._speaker.withdraw(_notice_id(before))
        text = self._words(request)
        self._listener.putting(request.request_id, text)

        def ended(how: Heard, heard: str) -> None:
            self._ended(request, text, how, heard)

        urgent = request.urgency is Urgency.HIGH
        self._speaker.speak_up(Notice(_notice_id(request), text, ended, urgent=urgent))

    def _words(self, request: AttentionRequest) -> str:
        item = self._desk.state.requests.get(request.request_id)
        names = called(self._runs.snapshots())
        if item is not None and item.silences:
            return wording.question_again(request, names)
        return wording.question(request, names)

    def _ended(self, request: AttentionRequest, text: str, how: Heard, heard: str) -> None:
        if self._offered is None or self._offered.request_id != request.request_id:
            return  # another one has taken its place
        self._offered = None
        if self._closed or how is Heard.NOTHING or not self._is_open(request.request_id):
            return
        cuts = self._cuts.get(request.request_id, 0)
        if how is Heard.ALL or enough_heard(text, heard) or cuts + 1 >= CUT_TRIES:
            self._cuts.pop(request.request_id, None)
            self._put[request.request_id] = request
            self._desk.asked(request.request_id)
        else:
            self._cuts[request.request_id] = cuts + 1
            self._ask(request)

    def _is_open(self, request_id: str) -> bool:
        return any(item.request_id == request_id for item in self._desk.open_requests())

    def _request(self, request: Request) -> None:
        """What the lifecycle wants told; whoever listened before hears it too."""
        self._others(request)
        names = called(self._runs.snapshots())
        match request:
            case AskUser(request=shown):
                offered = self._offered
                if offered is not None and offered.request_id == shown.request_id:
                    self._ask(shown)  # another run has joined it
            case Withdraw():
                self._withdraw(request)
            case TellUser():
                name = names.get(request.run_id, "an agent")
                self.tell(f"About {name}: {request.text}", request.run_id)
            case MarkDegraded():
                closed = request.run_id in self._closes and request.reason == NOBODY_ANSWERED
                text = wording.went_on(names, request.run_id, request.reason, closed=closed)
                self.tell(text, f"degraded-{request.run_id}")

    def _withdraw(self, request: Withdraw) -> None:
        """The question needs no answer any more; who heard it is told, unless they know why."""
        self._cuts.pop(request.request_id, None)
        put = self._put.pop(request.request_id, None)
        offered = self._offered
        if offered is not None and offered.request_id == request.request_id:
            self._offered = None
            self._speaker.withdraw(_notice_id(offered))
        elif put is not None and request.reason not in _KNOWN_REASONS:
            names = called(self._runs.snapshots())
            self.tell(wording.gone(put, names, request.reason), f"gone-{request.request_id}")


def _notice_id(request: AttentionRequest) -> str:
    return f"ask-{request.request_id}"
