"""The user's seat at the app's desk: hears questions, answers late or never, thinks better of it.

A question is put in the app's own words, the answer is read by the app's own understanding, and
what the app makes of it goes its own way: held, corrected, told, refused. A user who has nothing to
say on a question lets a finished record pass and nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bench.errors import RequesterFailed
from bench.requester import (
    DELEGATES,
    EXCHANGES,
    Answerability,
    Exchange,
    Manner,
    Memory,
    Requester,
    RequesterAnswer,
    broken_rule,
)
from bench.results import Question
from bench.statistics import Asked, Span, busy
from bench.tracks.watching import Watching
from jarvis_voice.attention import wording
from jarvis_voice.attention.answering import NOBODY_ANSWERED
from jarvis_voice.attention.decisions import Answered, guidance
from jarvis_voice.attention.desk import Desk
from jarvis_voice.attention.dialogue import Table, understand
from jarvis_voice.attention.naming import ENDED, called
from jarvis_voice.attention.requests import MarkDegraded, Request
from jarvis_voice.attention.utterance import utterance
from jarvis_voice.boundary import AnswerKind, AttentionRequest, UserAnswer, Verdict
from jarvis_voice.errors import BrainError, JarvisError

WORD_S = 0.4
"""A word takes this long to say: 150 words a minute, which is usual for conversation."""

READ_BACK_S = 1.5
"""The app waits so long for a correction once the user has heard what was understood."""

_KNOWS = (Answerability.ANSWERED, Answerability.PARTIAL)


@dataclass(frozen=True, slots=True)
class Talking:
    """How long talking takes. In real time everybody waits for it, so a test may make it short."""

    word_s: float = WORD_S
    after_read_back_s: float = READ_BACK_S


@dataclass(frozen=True, slots=True)
class User:
    """Who sits there."""

    requester: Requester
    manner: Manner
    memories: Sequence[Memory]
    seed: str
    calendar: Sequence[Span] = ()
    word_s: float = WORD_S


@dataclass(slots=True)
class _Put:
    """A question from the moment that it is put. Times are Unix seconds."""

    request: AttentionRequest
    heard: str
    at_s: float
    puttings: int = 0
    busy: float = 0.0
    answered_at_s: float | None = None
    told_at_s: float | None = None
    said: RequesterAnswer | None = None
    taken: UserAnswer | None = None
    misunderstood: bool = False
    idle_s: float = 0.0


@dataclass(slots=True)
class Seat:
    """Answers the desk's questions. ``now`` is Unix time; answers are tasks of ``group``."""

    desk: Desk
    user: User
    watching: Watching
    group: asyncio.TaskGroup
    now: Callable[[], float]
    faults: list[JarvisError] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)
    _put: dict[str, _Put] = field(default_factory=dict)
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)
    _exchanges: list[Exchange] = field(default_factory=list)
    _first_answer_s: float | None = None

    def sit(self) -> None:
        """Take the seat: from now on questions are heard."""
        self.desk.on_ask = self._hear
        self.desk.on_request = self._requested
        self.desk.on_fault = self.faults.append
        self.watching.on_evidence = self.desk.note_guidance_seen

    def leave(self) -> None:
        """The run is over; what was still to be said is not said."""
        for task in self._tasks:
            task.cancel()

    # --- what the desk says

    def _hear(self, request: AttentionRequest) -> None:
        put = self._put.get(request.request_id)
        if put is None:
            names = called(self.watching.snapshots())
            put = _Put(request, wording.question(request, names), self.now())
            self._put[request.request_id] = put
            self.watching.timeline.add(put.at_s, put.at_s, "user", "question", put.heard)
            if not self.user.manner.absent:
                self._tasks.append(self.group.create_task(self._answer(put, len(self._put))))
        put.puttings += 1
        put.busy += busy(self.now() - self.watching.timeline.began_s, self.user.calendar)
        self.desk.asked(request.request_id)

    def _requested(self, request: Request) -> None:
        if isinstance(request, MarkDegraded) and request.reason != NOBODY_ANSWERED:
            self.degraded.append(request.reason)

    # --- what the user says

    async def _answer(self, put: _Put, number: int) -> None:
        manner = self.user.manner
        await asyncio.sleep(self._spoken_s(put.heard) + manner.waits_s(self.user.seed, number))
        since = None if self._first_answer_s is None else self.now() - self._first_answer_s
        said = await self._said(put.heard, manner.known(self.user.memories, since))
        if said is None:
            return
        await asyncio.sleep(self._spoken_s(said.user_text))
        put.said, put.answered_at_s = said, self.now()
        self.watching.timeline.add(self.now(), self.now(), "user", "answer", said.user_text)
        put.taken, put.misunderstood = self._understood(put.request, said)
        self._exchanges.append(Exchange(put.heard, said.user_text))
        self.desk.answer(put.taken)
        self.desk.read_back_ended(put.request.request_id)
        if self._first_answer_s is None:
            self._first_answer_s = self.now()
            if manner.changes_mind is not None:
                await self._think_again(put, manner)

    def _spoken_s(self, text: str) -> float:
        return self.user.word_s * len(text.split())

    async def _said(self, heard: str, memories: Sequence[Memory]) -> RequesterAnswer | None:
        """What the user says; None, and a fault is kept, when that breaks the contract."""
        if self.user.manner.delegates:
            return RequesterAnswer(Answerability.INSUFFICIENT, DELEGATES)
        try:
            said = await self.user.requester.answer(heard, memories, self._exchanges[-EXCHANGES:])
        except BrainError as error:
            self.faults.append(RequesterFailed(error.problem, error.remedy))
            return None
        problem = broken_rule(said, memories)
        if problem:
            self.faults.append(RequesterFailed(f"The simulated user broke a rule: {problem}."))
            return None
        return said

    def _understood(
        self, request: AttentionRequest, said: RequesterAnswer
    ) -> tuple[UserAnswer, bool]:
        """The answer as the app understands it, and whether it took a plain one for none."""
        if said.answerability not in _KNOWS and not self.user.manner.delegates:
            return self._nothing_to_say(request, said), False
        table = Table(self.desk.open_requests(), request, fresh=True)
        meaning = understand(said.user_text, table)
        missed = not isinstance(meaning, Answered)
        answered = (
            meaning
            if isinstance(meaning, Answered)
            else guidance(utterance(said.user_text), request)
        )
        return (
            UserAnswer(
                request.request_id, answered.kind, answered.verdict, answered.words, self.now()
            ),
            missed,
        )

    def _nothing_to_say(self, request: AttentionRequest, said: RequesterAnswer) -> UserAnswer:
        held = [
            self.desk.state.find_held(run_id, action_id) for run_id, action_id in _calls(request)
        ]
        final = all(item is None or item.effect == "final_record" for item in held)
        verdict = Verdict.ALLOW if final else Verdict.DENY
        return UserAnswer(request.request_id, AnswerKind.WORDS, verdict, said.user_text, self.now())

    async def _think_again(self, put: _Put, manner: Manner) -> None:
        """The user holds to something else by now, and says so without being asked."""
        change = manner.changes_mind
        assert change is not None  # the caller has looked
        await asyncio.sleep(change.after_s)
        value = next(m.value for m in self.user.memories if m.memory_id == change.memory_id)
        words = " ".join(value.split())
        self.watching.timeline.add(self.now(), self.now(), "user", "changed mind", words)
        item = self.desk.state.requests.get(put.request.request_id)
        if item is not None and item.answer is not None:
            self.desk.correct(
                UserAnswer(
                    put.request.request_id, AnswerKind.WORDS, Verdict.DENY, words, self.now()
                )
            )
            return
        ended = {run.run_id for run in self.watching.snapshots() if run.status in ENDED}
        for run_id in put.request.run_ids:
            if run_id not in ended:
                self.desk.guide(run_id, words)

    # --- the record

    def told(self, run_id: str, action_id: str, held_s: float) -> None:
        """A session has its ruling on a call that was held so long."""
        for put in self._put.values():
            if (run_id, action_id) in _calls(put.request):
                put.told_at_s = self.now()
                put.idle_s = max(put.idle_s, held_s)

    def questions(self, *, no_window: bool) -> list[Question]:
        """All questions, as they went; without a decision window none is timely or late."""
        return [self._question(put, no_window=no_window) for put in self._put.values()]

    def asked(self, *, by_calendar: bool) -> list[Asked]:
        """The same as what they cost the user, with or without what they were busy with."""
        return [
            Asked(
                len(put.heard.split()),
                len(put.said.user_text.split()) if put.said else 0,
                put.puttings,
                put.idle_s,
                put.busy if by_calendar else 0.0,
            )
            for put in self._put.values()
        ]

    def _question(self, put: _Put, *, no_window: bool) -> Question:
        began_s = self.watching.timeline.began_s
        window, timely = self.watching.windows.judge(put.at_s)
        return Question(
            at_s=round(put.at_s - began_s, 3),
            session=put.request.run_ids[0],
            question=put.heard,
            puttings=put.puttings,
            busy=round(put.busy, 4),
            answered_at_s=_since(put.answered_at_s, began_s),
            told_at_s=_since(put.told_at_s, began_s),
            answerability=put.said.answerability.value if put.said else "",
            answer=put.said.user_text if put.said else "",
            cited=list(put.said.disclosed_memory_ids) if put.said else [],
            kind=put.taken.kind.value if put.taken else "",
            verdict=put.taken.verdict.value if put.taken else "",
            misunderstood=put.misunderstood,
            idle_s=round(put.idle_s, 3),
            window="" if no_window else window,
            timely=None if no_window else round(timely, 4),
        )


def _calls(request: AttentionRequest) -> list[tuple[str, str]]:
    """The held calls of a request; several sessions may share one."""
    return [(run_id, action_id) for action_id in request.action_ids for run_id in request.run_ids]


def _since(at_s: float | None, began_s: float) -> float | None:
    return None if at_s is None else round(at_s - began_s, 3)
