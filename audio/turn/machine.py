"""Who has the floor, and when: facts and the time go in, requests come out.

Rules of this file:

1. Everything that decides about turns is here or in the pure modules beside it. Nothing here reads
   a clock, waits, or knows what performs the requests.
2. Time never goes back. A fact stamped earlier than the newest one is taken in as happening now.
3. ``advance(a)`` then ``advance(b)`` gives what ``advance(b)`` gives: what falls due is done in
   order, each stamped with the moment at which it fell due.
4. No order of facts raises. What makes no sense (a final of another turn or of an older revision,
   the agent starting twice, a time that is no number) changes nothing.

What its shell owes: give each fact as it becomes known, call ``advance(now)`` at
``next_deadline_s``, perform the requests in order, and answer each SettleTurn with a FinalHeard.

The open turn
=============

At most one turn is open. It is SPEAKING, or SETTLED once the user paused for ``settle_s``::

    state     fact                                  request                      next
    --------  ------------------------------------  ---------------------------  --------
    none      speech began                          HoldPlayback, OpenTurn       SPEAKING
    none      speech began, agent speaks            + Duck                       SPEAKING (overlap)
    SPEAKING  pause                                 SettleTurn                   SETTLED
    SPEAKING  max_turn_s is over                    SettleTurn                   SETTLED (closing)
    SETTLED   speech began                          ReopenTurn                   SPEAKING
    SETTLED   silence is over, final has words      CommitTurn                   none
    SETTLED   silence is over, final has none       DiscardTurn                  none
    SETTLED   silence is over, no final yet         -                            SETTLED
    SETTLED   final_timeout_s is over               - (the hypothesis is final)  SETTLED

A turn is an *overlap* while the agent speaks and it is not known who shall have the floor::

    overlap   weighed: YIELD                        StopPlayback                 a plain turn
    overlap   weighed: PAUSE                        PausePlayback                overlap (paused)
    overlap   weighed: PASS, no final yet           ResumePlayback if paused     overlap
    overlap   weighed: PASS, with a final           ResumePlayback, Unduck       set aside
    paused    resume_after_s of silence             ResumePlayback               overlap
    overlap   the agent stops by itself             ResumePlayback, Unduck       a plain turn
    set aside speech began                          Duck, ReopenTurn             overlap
    set aside silence is over                       DiscardTurn                  none
    set aside the agent stops                       -                            a plain turn

How it is weighed is told in ``overlap.py``. ``duck_s`` of speech over the agent Duck it already,
before there is a turn; Unduck follows when it was nothing.

So "yeah" in the middle of a reply is passed over, and "yeah" as the reply ends is its answer. A
turn that began before the agent did is never a backchannel: the user had the floor.

A closing turn takes in no more speech; what is said while its final is awaited opens the next turn.

ReleasePlayback follows HoldPlayback with the commit of a turn, since its controller has judged the
silence; after a turn that was none, once ``resume_silence_s`` were silent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from audio.turn.barge_in import SustainedSpeech, words_of
from audio.turn.endpointing import EndpointContext, Endpointing, FixedEndpointing, Wait
from audio.turn.events import (
    AgentStarted,
    AgentStopped,
    CommitTurn,
    DiscardTurn,
    Fact,
    FinalHeard,
    Floor,
    FrameHeard,
    HypothesisHeard,
    OpenTurn,
    ReopenTurn,
    Request,
    SettleTurn,
    TurnJudged,
)
from audio.turn.overlap import Overheard, Verdict, weigh
from audio.turn.pauses import SpeakerPauses
from audio.turn.playing import Playing
from audio.turn.segmenter import TOLERANCE_S, Segmenter, SpeechBegan, SpeechPaused
from audio.turn.settings import TurnSettings

_NOT_WEIGHED = Wait(0.0, "")  # replaced when the turn is first settled


@dataclass(slots=True)
class _Turn:
    number: int
    onset_s: float
    overlap: bool
    user_first: bool = False  # it was open when the agent began
    revision: int = 0
    settled_s: float | None = None  # when its newest SettleTurn was asked for; None in SPEAKING
    ended_s: float = -math.inf  # end of its last speech, once settled
    words: str = ""  # newest known, hypothesis or final of any revision
    final: str | None = None  # of this revision
    set_aside: str = ""  # why it will be discarded, while the agent speaks
    claim: float | None = None  # how surely its newest sound asks for the floor
    below_db: float = math.inf  # its loudest speech, below the user's usual level; inf: none yet
    to_us: bool = True  # False once it was set aside because it was said to somebody else
    closed_s: float | None = None  # when max_turn_s was over
    note: str = ""  # added to the reason of its commit
    wait: Wait = _NOT_WEIGHED
    judged: TurnJudged | None = None  # by a turn controller, for this revision


class TurnMachine:
    """Decides about turns. See the top of this file for its rules and its table."""

    def __init__(self, settings: TurnSettings, endpointing: Endpointing | None = None) -> None:
        self._settings = settings
        self._endpointing = endpointing or FixedEndpointing(settings.end_s)
        self._segmenter = Segmenter(settings)
        self._sustained = SustainedSpeech(settings.barge_in_gap_s)
        self._pauses = SpeakerPauses()
        self._now_s = -math.inf
        self._onset_s = -math.inf  # of the newest stretch of speech
        self._taken_until_s = -math.inf  # sound before this belongs to an earlier turn
        self._turn: _Turn | None = None
        self._turns = 0
        self._out: list[Request] = []
        self._playing = Playing(self._out)

    # --- what the shell sees ---------------------------------------------------------------

    @property
    def floor(self) -> Floor:
        """Who has the floor now; USER as soon as the agent was asked to stop for the user."""
        agent = self._playing.speaking
        if self._turn is None or self._turn.set_aside:
            return Floor.AGENT if agent else Floor.IDLE
        return Floor.OVERLAP if agent else Floor.USER

    @property
    def open_turn(self) -> int | None:
        """The number of the open turn."""
        return None if self._turn is None else self._turn.number

    @property
    def next_deadline_s(self) -> float | None:
        """When to call ``advance`` if no fact comes before; always later than the newest time."""
        times = (
            self._segmenter.deadline_s,
            self._turn_due_s(),
            self._resume_due_s(),
            self._release_due_s(),
        )
        return min((time_s for time_s in times if time_s is not None), default=None)

    def feed(self, fact: Fact) -> list[Request]:
        """Take in a fact, after all that fell due before it."""
        if not math.isfinite(fact.at_s):
            return []
        self._run(fact.at_s)
        match fact:
            case FrameHeard():
                self._frame_heard(fact)
            case HypothesisHeard():
                self._hypothesis_heard(fact)
            case FinalHeard():
                self._final_heard(fact)
            case TurnJudged():
                self._turn_judged(fact)
            case AgentStarted():
                self._agent_started()
            case AgentStopped():
                self._agent_stopped()
        return self.advance(self._now_s)

    def advance(self, now_s: float) -> list[Request]:
        """Do all that falls due up to and at ``now_s``."""
        if math.isfinite(now_s):
            self._run(now_s)
        requests = self._out.copy()
        self._out.clear()
        return requests

    # --- time ------------------------------------------------------------------------------

    def _run(self, until_s: float) -> None:
        while (due_s := self.next_deadline_s) is not None and due_s <= until_s:
            self._now_s = max(self._now_s, due_s)
            self._do_due()
        self._now_s = max(self._now_s, until_s)

    def _do_due(self) -> None:
        """Do the one thing that comes first; each takes its own deadline away."""
        segment_s, turn_s = self._segmenter.deadline_s, self._turn_due_s()
        if segment_s is not None and segment_s <= self._now_s:
            paused = self._segmenter.advance(self._now_s)
            if paused:
                self._speech_paused(paused.ended_s)
            self._sign_of_speech()
        elif (resume_s := self._resume_due_s()) is not None and resume_s <= self._now_s:
            self._playing.resume(self._now_s, "nothing came of it")
        elif turn_s is not None and turn_s <= self._now_s:
            self._turn_due()
        else:
            silence_s = self._now_s - self._segmenter.voiced_until_s
            self._playing.release(self._now_s, f"silence {silence_s:.2f} s")

    def _turn_due_s(self) -> float | None:
        turn = self._turn
        if turn is None:
            return None
        full_s = turn.onset_s + self._settings.max_turn_s
        if turn.settled_s is None:
            return full_s
        if turn.final is None:
            return turn.settled_s + self._settings.final_timeout_s
        if turn.closed_s is not None:
            return self._now_s
        return min(self._segmenter.silent_at_s(turn.wait.seconds), full_s)

    def _turn_due(self) -> None:
        turn = self._turn
        assert turn is not None  # only an open turn has a deadline
        if turn.settled_s is None:
            turn.closed_s = self._now_s
            turn.note = f"closed after {self._settings.max_turn_s:.0f} s"
            self._settle(turn, self._now_s, turn.note)
        elif turn.final is None:
            turn.note = f"no final within {self._settings.final_timeout_s:.1f} s"
            self._settle_words(turn, turn.words)
        else:
            self._end(turn, turn.final)

    def _release_due_s(self) -> float | None:
        if not self._playing.held or self._turn is not None:
            return None
        return self._segmenter.silent_at_s(self._settings.resume_silence_s)

    def _resume_due_s(self) -> float | None:
        if not self._playing.paused:
            return None
        return self._segmenter.silent_at_s(self._settings.resume_after_s)

    # --- speech ----------------------------------------------------------------------------

    def _frame_heard(self, frame: FrameHeard) -> None:
        before_s = self._segmenter.voiced_until_s
        segment = self._segmenter.heard(frame, self._now_s)
        until_s = self._segmenter.voiced_until_s
        if isinstance(segment, SpeechBegan):
            self._onset_s = segment.onset_s
            self._sustained.voiced(segment.onset_s, until_s)
            self._speech_began()
        elif isinstance(segment, SpeechPaused):
            self._speech_paused(segment.ended_s)
        elif until_s > before_s:
            self._sustained.voiced(until_s - max(frame.duration_s, 0.0), until_s)
        self._sign_of_speech()
        if self._turn is not None and frame.claim is not None:
            self._turn.claim = frame.claim  # also of the silence after it: so a hum ends
        if self._turn is not None and self._segmenter.speaking:
            if frame.probability >= self._settings.speech_threshold:
                self._turn.below_db = min(self._turn.below_db, frame.below_db)
            self._weigh_overlap(self._turn)

    def _sign_of_speech(self) -> None:
        """Lower the agent at the first frame of speech, and raise it when that was all."""
        turn = self._turn
        if not self._playing.speaking or (turn is not None and not turn.set_aside):
            return
        starting_s = self._segmenter.starting_s
        if starting_s >= max(self._settings.duck_s - TOLERANCE_S, TOLERANCE_S):
            self._playing.duck(self._now_s, "a first sign of speech")
        elif not starting_s:
            self._playing.go_on(self._now_s, "it was no speech")

    def _speech_began(self) -> None:
        turn = self._turn
        if turn is None:
            self._open()
        elif turn.settled_s is not None and turn.closed_s is None:
            pause_s = self._onset_s - turn.ended_s
            self._pauses.went_on_after(pause_s)
            waited = turn.wait.reason
            turn.revision += 1
            turn.settled_s = turn.final = turn.judged = None
            turn.set_aside = turn.note = ""
            turn.to_us = True
            if turn.overlap:
                self._playing.duck(self._now_s, "speech over the agent")
            reason = f"speech again after {pause_s:.2f} s"
            if waited:
                reason = f"{reason}; {waited}"
            self._out.append(ReopenTurn(self._now_s, turn.number, reason))

    def _open(self) -> None:
        onset_s = max(self._onset_s, self._taken_until_s)
        overlap = self._playing.speaking
        self._turns += 1
        self._turn = _Turn(self._turns, onset_s, overlap)
        self._playing.hold(self._now_s, "the user speaks")
        if overlap:
            self._playing.duck(self._now_s, "speech over the agent")
        # With the pre-roll, but never with sound that an earlier turn has answered for.
        from_s = max(onset_s - self._settings.pre_roll_s, self._taken_until_s)
        reason = f"{self._segmenter.voiced_until_s - onset_s:.2f} s of speech"
        self._out.append(OpenTurn(self._now_s, self._turns, from_s, reason, onset_s))

    def _speech_paused(self, ended_s: float) -> None:
        turn = self._turn
        if turn is not None and turn.settled_s is None:
            self._settle(turn, ended_s, f"pause {self._now_s - ended_s:.2f} s")

    def _settle(self, turn: _Turn, ended_s: float, reason: str) -> None:
        turn.settled_s, turn.ended_s = self._now_s, ended_s
        self._weigh_wait(turn)
        self._out.append(SettleTurn(self._now_s, turn.number, ended_s, reason, turn.revision))

    # --- words -----------------------------------------------------------------------------

    def _hypothesis_heard(self, fact: HypothesisHeard) -> None:
        turn = self._turn
        if turn is None or turn.number != fact.turn or turn.final is not None:
            return
        if words_of(fact.text):
            turn.words = fact.text
        if turn.settled_s is not None:
            self._weigh_wait(turn)
        self._weigh_overlap(turn)

    def _final_heard(self, fact: FinalHeard) -> None:
        turn = self._turn
        if turn is None or turn.number != fact.turn or turn.final is not None:
            return
        if turn.settled_s is not None and turn.revision == fact.revision:
            self._settle_words(turn, fact.text)
        elif fact.revision < turn.revision and words_of(fact.text):
            turn.words = fact.text  # outdated, yet better than nothing should no other final come

    def _turn_judged(self, fact: TurnJudged) -> None:
        turn = self._turn
        if turn is None or (turn.number, turn.revision) != (fact.turn, fact.revision):
            return
        if turn.settled_s is not None:
            turn.judged = fact
            self._weigh_wait(turn)
            self._weigh_overlap(turn)

    def _settle_words(self, turn: _Turn, text: str) -> None:
        turn.words = turn.final = text
        self._weigh_wait(turn)
        self._weigh_overlap(turn)

    def _weigh_overlap(self, turn: _Turn) -> None:
        """Decide about speech over the agent, as far as that can be done by now."""
        if not turn.overlap or turn.set_aside:
            return
        if turn.user_first and words_of(turn.words):
            self._stop_playback(turn, "the user spoke first")
            return
        settled = turn.final is not None
        heard = Overheard(
            speech_s=self._sustained.seconds,
            words=turn.words,
            settled=settled,
            claim=turn.claim,
            below_db=turn.below_db if math.isfinite(turn.below_db) else 0.0,
            judged=turn.judged.state if turn.judged else None,
        )
        opinion = weigh(heard, self._settings)
        if opinion.verdict is Verdict.YIELD:
            self._stop_playback(turn, opinion.reason)
        elif opinion.verdict is Verdict.PAUSE:
            self._playing.pause(self._now_s, self._sustained.onset_s, opinion.reason)
        elif opinion.verdict is Verdict.PASS and settled:
            turn.set_aside, turn.to_us = opinion.reason, opinion.to_us
            self._playing.go_on(self._now_s, opinion.reason)
        elif opinion.verdict is Verdict.PASS:
            self._playing.resume(self._now_s, opinion.reason)

    def _weigh_wait(self, turn: _Turn) -> None:
        context = EndpointContext(
            text=turn.words,
            settled=turn.final is not None,
            speech_s=max(turn.ended_s - turn.onset_s, 0.0),
            pauses=turn.revision,
            over_agent=turn.overlap,
            judged=turn.judged,
            stretch=self._pauses.stretch,
        )
        wait = self._endpointing.wait_s(context)
        turn.wait = wait._replace(seconds=min(max(0.0, wait.seconds), self._settings.max_turn_s))

    def _end(self, turn: _Turn, text: str) -> None:
        self._turn = None
        self._taken_until_s = max(turn.ended_s, self._taken_until_s)
        if turn.set_aside or not words_of(text):
            reason = turn.set_aside or "nothing was said"
            if turn.note:
                reason = f"{reason}; {turn.note}"
            self._out.append(DiscardTurn(self._now_s, turn.number, reason))
        else:
            silence = f"silence {self._now_s - turn.ended_s:.2f} s"
            reason = "; ".join(part for part in (silence, turn.wait.reason, turn.note) if part)
            waited_s = turn.ended_s + turn.wait.seconds
            due_s = min(self._now_s, waited_s if turn.closed_s is None else turn.closed_s)
            request = CommitTurn(self._now_s, turn.number, turn.ended_s, reason, text, due_s)
            self._out.append(request)
            self._playing.release(self._now_s, "the turn is over")
        if turn.closed_s is not None and self._segmenter.voiced_until_s > turn.closed_s:
            self._open()
            if not self._segmenter.speaking:
                self._speech_paused(self._segmenter.voiced_until_s)

    # --- the agent -------------------------------------------------------------------------

    def _agent_started(self) -> None:
        turn = self._turn
        if not self._playing.started() or turn is None:
            return
        turn.overlap = turn.user_first = True
        if turn.final is None:
            self._playing.duck(self._now_s, "the agent began while the user spoke")
        self._weigh_overlap(turn)

    def _agent_stopped(self) -> None:
        self._playing.stopped(self._now_s)
        if self._turn is not None:
            self._turn.overlap = self._turn.user_first = False
            if self._turn.to_us:
                self._turn.set_aside = ""

    def _stop_playback(self, turn: _Turn, reason: str) -> None:
        turn.overlap = False
        self._playing.stop(self._now_s, self._sustained.onset_s, reason)
