"""The conductor: hears, lets the turn machine decide, and carries out what it asks for.

    ears -> turn machine -> transcriber -> answering (brain, phrasing, synthesizer) -> mouth
                 ^                                                                       |
                 +--------------------- agent started / stopped -------------------------+

Everything runs in one TaskGroup on one event loop; each model has a worker thread of its own.
A fault of an engine becomes a Faulted event and a spoken line, never the end of the conversation.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from audio.asr.base import Hypothesis, Recognizer
from audio.controllers.base import TurnController
from audio.devices.base import CapturePort, PlaybackPort
from audio.echo.base import EchoCanceller
from audio.errors import EngineError
from audio.near_end import NearEnd
from audio.overlap_claim import ClaimJudge
from audio.playback import Playback
from audio.tts.base import Synthesizer
from audio.turn import events as turn
from audio.turn.endpointing import Endpointing
from audio.turn.machine import TurnMachine
from audio.turn.own_voice import is_own_voice
from audio.turn.settings import TurnSettings
from audio.vad.base import Vad
from jarvis_voice import clock, events
from jarvis_voice.conversation.answer import Answer
from jarvis_voice.conversation.answering import Answering, AnsweringSettings, Brain
from jarvis_voice.conversation.anticipating import Anticipates, Anticipating
from jarvis_voice.conversation.ears import Ears
from jarvis_voice.conversation.judging import Judged, Judging
from jarvis_voice.conversation.keeping import DeviceKeeper, Keeping
from jarvis_voice.conversation.mouth import Mouth
from jarvis_voice.conversation.overhearing import Overhearing
from jarvis_voice.conversation.speaking_up import Notice, SpeakingUp
from jarvis_voice.conversation.transcriber import Settled, Transcriber
from jarvis_voice.conversation.voice import Voice

NO_FRAMES_S = 0.3  # longer than the gaps of a busy machine's capture
SURELY_SILENT = 0.2  # probability of speech under which no turn is about to begin
NOT_HEARD = "Sorry, I could not make that out. Please say it again."
TYPED_TURNS = 1_000_000  # where the numbers of turns that were not spoken begin


@dataclass(frozen=True, slots=True)
class ConversationSettings:
    """How the conversation is led."""

    turn: TurnSettings = field(default_factory=TurnSettings)
    answering: AnsweringSettings = field(default_factory=AnsweringSettings)
    preemptive: bool = True  # prepare a reply while the end of the turn is not yet certain
    endpointing: Endpointing | None = None  # how long to wait at a pause; None: always turn.end_s


@dataclass(frozen=True, slots=True)
class Parts:
    """What a conversation is made of; ``cli`` builds it."""

    capture: CapturePort
    playback: PlaybackPort
    canceller: EchoCanceller
    vad: Vad
    recognizer: Recognizer
    synthesizer: Synthesizer
    brain: Brain
    devices: DeviceKeeper | None = None  # without one a lost device ends the conversation
    controller: TurnController | None = None  # without one, words and silence alone end turns
    claims: ClaimJudge | None = None  # without one, words and duration alone tell an interruption


class Conversation:
    """One conversation between a user and Jarvis, from opening the devices to closing them."""

    def __init__(
        self,
        parts: Parts,
        settings: ConversationSettings,
        publish: Callable[[events.ConversationEvent], None],
    ) -> None:
        self._parts = parts
        self._settings = settings
        self._publish = publish
        playback = Playback(parts.playback.info.rate)
        near_end = NearEnd(parts.capture.info.rate, playback.rate, parts.canceller, parts.vad)
        self._ears = Ears(parts.capture, near_end, playback.far_end, self._deaf)
        voice = Voice(parts.synthesizer)
        self._mouth = Mouth(
            parts.playback, playback, voice, self._agent_started, self._agent_stopped
        )
        self._answering = Answering(parts.brain, self._mouth, settings.answering, publish)
        self._transcriber = Transcriber(parts.recognizer, self._hypothesis, self._settled)
        self._anticipating = Anticipating(
            parts.brain if isinstance(parts.brain, Anticipates) else None,
            voice,
            self._cores_are_free,
            lambda: self._answering.history,
            settings.answering.phrasing,
        )
        self._speaking_up = SpeakingUp(self._answering.speak_up, self._floor_is_free)
        self._keeping: Keeping | None = None
        if parts.devices is not None:
            self._keeping = Keeping(parts.devices, self._sound_is_back, publish)
        self._machine = TurnMachine(settings.turn, settings.endpointing)
        self._judging: Judging | None = None
        if parts.controller is not None:
            self._judging = Judging(parts.controller, self._judged, self._cannot_judge)
        self._overlap = Overhearing(parts.claims)
        self.answers_turns = True  # False leaves it to ``ask`` what is answered, and when
        self._typed = TYPED_TURNS
        self._facts: deque[turn.Fact] = deque()  # the first one is being dealt with
        self._last_frame_s = 0.0
        self._stopping = asyncio.Event()
        self._closed_because = "stopped"

    # --- life ---

    @property
    def history(self) -> tuple[events.Exchange, ...]:
        """The dialogue as it was heard, oldest first."""
        return self._answering.history

    async def run(self) -> None:
        """Talk until ``stop``. Raises DeviceUnavailable when a device cannot be opened."""
        loop = asyncio.get_running_loop()

        def lost(reason: str) -> None:
            loop.call_soon_threadsafe(self._device_lost, reason)

        try:
            self._mouth.open(lost)
            self._ears.open(lost)
            self._publish(
                events.SessionStarted(
                    clock.session_now(),
                    self._parts.recognizer.info.name,
                    self._parts.synthesizer.info.name,
                    self._parts.brain.name,
                    clock.wall_now(),
                )
            )
            await self._run_parts()
        finally:
            self._ears.close()
            self._transcriber.close()
            if self._judging is not None:
                self._judging.close()
            self._mouth.close()
            self._publish(events.SessionEnded(clock.session_now(), self._closed_because))

    def stop(self, reason: str = "stopped") -> None:
        """End the conversation soon."""
        self._closed_because = reason
        self._stopping.set()

    def speak_up(self, notice: Notice) -> None:
        """Say a notice unasked, once the floor is free."""
        self._speaking_up.offer(notice)

    def withdraw(self, notice_id: str) -> None:
        """Do not say a notice that still waits."""
        self._speaking_up.withdraw(notice_id)

    # --- for clients that lead the conversation themselves ---

    def ask(self, text: str) -> None:
        """Answer a question as if it had just been said; what sounds now is cut."""
        self._typed += 1
        self._answering.answer(self._typed, text)

    def cancel(self) -> None:
        """Cut what sounds or is about to, though nobody spoke."""
        self._mouth.cut()

    def voiced(self) -> tuple[int, str] | None:
        """The number of the reply that sounds or is about to, and what of it was given out."""
        return self._mouth.voiced()

    def correct(self, reply: int, heard: str) -> None:
        """Only this much of a reply was heard, says who played it: the dialogue keeps no more."""
        self._answering.correct(reply, heard)

    def runs_changed(self) -> None:
        """What the brain knows has changed: other answers are likely now."""
        self._anticipating.renew()

    async def _run_parts(self) -> None:
        async with asyncio.TaskGroup() as group:
            self._answering.open(group)
            tasks = [
                group.create_task(self._listen(), name="listen"),
                group.create_task(self._mind_deadlines(), name="deadlines"),
                group.create_task(self._transcriber.run(), name="transcribe"),
                group.create_task(self._mouth.run(), name="mouth"),
                group.create_task(self._speaking_up.run(), name="speak up"),
                group.create_task(self._anticipating.run(), name="anticipate"),
            ]
            if self._judging is not None:
                tasks.append(group.create_task(self._judging.run(), name="judge"))
            if self._keeping is not None:
                tasks.append(group.create_task(self._keeping.watch(), name="watch devices"))
                tasks.append(group.create_task(self._keeping.run(), name="keep"))
            await self._stopping.wait()
            self._speaking_up.close()
            self._answering.close()
            for task in tasks:
                task.cancel()

    def _device_lost(self, reason: str) -> None:
        self._mouth.lost()
        if self._keeping is not None:
            self._keeping.lost(reason)
            return
        self.stop(reason)
        remedy = "Check the device and start again; the conversation so far was kept."
        self._publish(events.Faulted(clock.session_now(), "devices", reason, remedy))

    def _sound_is_back(self) -> None:
        self._ears.resync()
        if self._judging is not None:
            self._judging.gap("another device")
        self._mouth.reopened()

    def _agent_speaks(self) -> bool:
        return self._machine.floor in (turn.Floor.AGENT, turn.Floor.OVERLAP)

    def _floor_is_free(self) -> bool:
        return self._machine.floor is turn.Floor.IDLE and self._answering.idle

    def _cores_are_free(self) -> bool:
        """Nobody speaks but Jarvis, and what it says is made already."""
        nobody = self._machine.open_turn is None or self._machine.floor is turn.Floor.AGENT
        return nobody and not self._answering.working

    # --- hearing ---

    def _deaf(self, error: EngineError) -> None:
        now_s = clock.session_now()
        self._publish(events.Faulted(now_s, "microphone", error.problem, error.remedy))

    async def _listen(self) -> None:
        async for heard in self._ears.frames():
            self._last_frame_s = clock.session_now()
            self._transcriber.push(heard.frame)
            if self._judging is not None:
                self._judging.push(heard.frame, self._agent_speaks())
            self._feed(self._overlap.heard(heard, over_agent=self._agent_speaks()))
            self._transcriber.hurry(self._machine.floor is turn.Floor.OVERLAP)
            quiet = self._floor_is_free() and heard.frame.probability < SURELY_SILENT
            self._ears.hurry(active=not quiet)

    async def _mind_deadlines(self) -> None:
        """Let time pass for the turn machine although no frame comes, as when a device is lost."""
        while True:
            await asyncio.sleep(NO_FRAMES_S)
            now_s = clock.session_now()
            if now_s - self._last_frame_s >= NO_FRAMES_S and not self._facts:
                for request in self._machine.advance(now_s):
                    self._carry_out(request)

    def _feed(self, fact: turn.Fact) -> None:
        # Carrying out a request may bring up a new fact (a cut stops the agent): it waits its turn.
        self._facts.append(fact)
        if len(self._facts) > 1:
            return
        while self._facts:
            for request in self._machine.feed(self._facts[0]):
                self._carry_out(request)
            self._facts.popleft()

    def _hypothesis(self, number: int, found: Hypothesis) -> None:
        if self._is_echo(found.text):
            return
        now_s = clock.session_now()
        self._publish(events.TranscriptChanged(now_s, number, found.text))
        if self._transcriber.covers_all and self._transcriber.pausing:
            self._prepare(number, found.text)
        if self._judging is not None:
            self._judging.words(found.text)
        self._feed(turn.HypothesisHeard(now_s, number, found.text))

    def _prepare(self, number: int, text: str) -> None:
        if self._settings.preemptive and self._machine.floor is turn.Floor.USER:
            self._answering.prepare(number, text)

    def _settled(self, settled: Settled) -> None:
        now_s = clock.session_now()
        number, final = settled.turn, settled.final
        if self._is_echo(final.text):
            final = replace(final, text="", reason=f"Jarvis's own voice: {final.text}")
        self._publish(
            events.TranscriptSettled(
                now_s, number, final.text, final.engine, final.reason, settled.compute_s
            )
        )
        if settled.fault is not None:
            problem, remedy = settled.fault.problem, settled.fault.remedy
            self._publish(events.Faulted(now_s, "recognizer", problem, remedy, spoken=True))
            self._answering.say(NOT_HEARD)
        elif final.text and self._may_prepare():
            self._answering.prepare(number, final.text)
        self._feed(turn.FinalHeard(now_s, number, final.text, settled.revision))

    def _may_prepare(self) -> bool:
        wanted = self._settings.preemptive and self.answers_turns
        return wanted and self._machine.floor is turn.Floor.USER

    def _is_echo(self, text: str) -> bool:
        """Whether a transcript is what the agent itself is saying, come back through the room."""
        answer = self._mouth.current
        return (
            answer is not None
            and self._machine.floor is turn.Floor.OVERLAP
            and is_own_voice(text, answer.spoken)
        )

    def _judged(self, judged: Judged) -> None:
        now_s, found = clock.session_now(), judged.judgement
        source = self._parts.controller.caps.name if self._parts.controller else ""
        self._publish(
            events.TurnJudged(
                now_s, judged.turn, found.state.value, found.probability, source, found.reason
            )
        )
        self._feed(
            turn.TurnJudged(
                now_s,
                judged.turn,
                judged.revision,
                found.state,
                found.probability,
                source,
                found.reason,
            )
        )

    def _cannot_judge(self, fault: str) -> None:
        remedy = "Nothing is lost; turns may end a little later or sooner than they should."
        self._publish(events.Faulted(clock.session_now(), "turn controller", fault, remedy))

    # --- what the turn machine asks for ---

    def _carry_out(self, request: turn.Request) -> None:
        if self._judging is not None:
            self._judging.follow(request)
        match request:
            case turn.OpenTurn():
                self._open_turn(request)
            case turn.SettleTurn():
                self._transcriber.settle(request.revision)
                self._publish(
                    events.TurnSettled(request.at_s, request.turn, request.speech_ended_s)
                )
            case turn.ReopenTurn():
                self._transcriber.reopen()
                self._publish(events.TurnReopened(request.at_s, request.turn, request.reason))
            case turn.CommitTurn():
                self._commit(request)
            case turn.DiscardTurn():
                self._discard(request)
            case turn.StopPlayback():
                self._barge_in(request)
            case _:
                self._steer_playback(request)

    def _open_turn(self, request: turn.OpenTurn) -> None:
        self._anticipating.disturb()
        self._transcriber.open(request.turn, self._ears.since(request.from_s))
        self._publish(events.SpeechStarted(request.at_s, request.turn, request.onset_s))

    def _commit(self, request: turn.CommitTurn) -> None:
        number, text = request.turn, request.text
        self._transcriber.drop()
        self._publish(
            events.TurnCommitted(
                request.at_s,
                number,
                text,
                request.speech_ended_s,
                request.reason,
                request.due_s,
            )
        )
        if self.answers_turns:
            self._answering.answer(number, text)

    def _discard(self, request: turn.DiscardTurn) -> None:
        overdue = self._transcriber.settling
        self._transcriber.drop()
        self._answering.abandon()
        self._publish(events.TurnDiscarded(request.at_s, request.turn, request.reason))
        if overdue:  # the user may well have said something: silence would be no answer
            problem = "The recognizer did not answer in time; what was just said is lost."
            self._publish(
                events.Faulted(request.at_s, "recognizer", problem, "Say it again.", spoken=True)
            )
            self._answering.say(NOT_HEARD)

    def _barge_in(self, request: turn.StopPlayback) -> None:
        answer = self._mouth.cut()
        if answer is not None:
            now_s = clock.session_now()
            self._publish(events.BargedIn(now_s, request.onset_s, answer.number, request.reason))

    def _steer_playback(
        self,
        request: turn.Duck
        | turn.Unduck
        | turn.PausePlayback
        | turn.ResumePlayback
        | turn.HoldPlayback
        | turn.ReleasePlayback,
    ) -> None:
        playback = self._mouth.playback
        match request:
            case turn.PausePlayback():
                if (paused := self._mouth.pause()) is not None:
                    reply, silent_s = paused
                    self._publish(
                        events.PlaybackPaused(request.at_s, True, reply, request.reason, silent_s)
                    )
            case turn.ResumePlayback():
                if (resumed := self._mouth.resume()) is not None:
                    self._publish(
                        events.PlaybackPaused(request.at_s, False, resumed, request.reason)
                    )
            case turn.Duck():
                playback.duck()
                self._publish(events.PlaybackDucked(request.at_s, True, request.reason))
            case turn.Unduck():
                playback.unduck()
                self._publish(events.PlaybackDucked(request.at_s, False, request.reason))
            case turn.HoldPlayback():
                playback.hold()
            case turn.ReleasePlayback():
                playback.release()

    # --- what was heard ---

    def _agent_started(self, answer: Answer, at_s: float) -> None:
        self._publish(events.AgentSpeechStarted(at_s, answer.question.turn, answer.number))
        self._feed(turn.AgentStarted(at_s))

    def _agent_stopped(self, answer: Answer, at_s: float, heard: str, cut: bool) -> None:
        if not answer.started:
            self._answering.heard(answer, "", cut)
            return
        number = answer.question.turn
        self._publish(
            events.AgentSpeechStopped(at_s, number, answer.number, heard, answer.said, cut)
        )
        self._answering.heard(answer, heard, cut)
        self._anticipating.renew()
        self._feed(turn.AgentStopped(at_s))
