"""From a question to sound: words from the brain, phrases, audio, and the dialogue as heard.

One answer may be *prepared* (silent, while the end of the turn is not yet certain) while another
one still sounds. Preparing makes as much sound as a start needs; the rest is made once it was
released. When the user goes on, what was prepared is kept for the case that they say no more words
(a cough, a breath, "er"), and thrown away with the first text that says something else.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from audio import earcon
from audio.errors import AudioError, Cancelled, EngineError
from audio.tts.phrasing import Phrase, Phraser, PhrasingSettings
from audio.tts.spoken_text import speak
from jarvis_voice import clock, events
from jarvis_voice.conversation.answer import Answer, Sound
from jarvis_voice.conversation.mouth import Mouth
from jarvis_voice.conversation.speaking_up import Heard, Notice
from jarvis_voice.errors import JarvisError

MAX_REPLY_CHARS = 4000  # a spoken answer of about five minutes; what comes after is not said
PREPARED_S = 1.5  # of sound before the release: a short first phrase, and what follows it at once
_EDGES = ".,;:!?\u2026\u2014-\"'()[]"
FRESH_S = 3.0  # a prepared answer is about the state of things when it was worded


class Brain(Protocol):
    """What the conversation needs of a brain."""

    @property
    def name(self) -> str: ...

    def reply(self, question: events.Question) -> AsyncIterator[str]:
        """Yield the answer's text as it comes. Never raises for a fault of a model."""
        ...

    def versions(self) -> dict[str, int]:
        """Run id to version, as the newest reply told about them."""
        ...

    def committed(self, question: events.Question) -> bool:
        """The turn is over: the question is really asked, and what it commands is done now.

        Called once a turn, after ``reply`` was; replies alone must change nothing, as they are
        prepared for words that the user may still go on with. True when something was done.
        """
        ...


@dataclass(frozen=True, slots=True)
class AnsweringSettings:
    """How answers are made."""

    phrasing: PhrasingSettings = field(default_factory=PhrasingSettings)
    stall_s: float = 0.7  # words that wait longer than this for their phrase are said as they are
    history: int = 20  # exchanges given to the brain
    openers: tuple[str, ...] = ()  # said, in turns, while the first words are late; no content
    opener_after_s: float = 0.6  # of silence since the turn was over; a second reads as trouble


class Answering:
    """Makes answers; every call is made on the loop."""

    def __init__(
        self,
        brain: Brain,
        mouth: Mouth,
        settings: AnsweringSettings,
        publish: Callable[[events.ConversationEvent], None],
    ) -> None:
        self._brain = brain
        self._mouth = mouth
        self._settings = settings
        self._publish = publish
        self._history: deque[events.Exchange] = deque(maxlen=settings.history)
        self._prepared: Answer | None = None
        self._sounded: deque[Answer] = deque(maxlen=settings.history)
        self._count = 0
        self._group: asyncio.TaskGroup | None = None
        self._makings: set[asyncio.Task[None]] = set()  # under way
        self._openers: deque[tuple[str, Sound]] = deque()  # the next one first

    @property
    def history(self) -> tuple[events.Exchange, ...]:
        """The dialogue as it was heard, oldest first."""
        return tuple(self._history)

    def open(self, group: asyncio.TaskGroup) -> None:
        """Answers run as tasks of this group from now on."""
        self._group = group
        if self._settings.openers:
            self._keep(group.create_task(self._make_openers()))

    def close(self) -> None:
        """Silence everything and end what is being made; nothing new is begun."""
        self._group = None
        self.abandon()
        current = self._mouth.cut()
        if current is not None:
            current.silence()
        for task in self._makings:  # or a brain that says nothing would keep the group open
            task.cancel()

    # --- answers to turns ---

    def prepare(self, turn: int, text: str) -> None:
        """Begin, silently, the answer to what a turn seems to say, unless it is there already."""
        if self._fits(turn, text):
            return
        self.abandon()
        self._prepared = self._ask(turn, text, preemptive=True)

    def abandon(self) -> None:
        """Throw away what was prepared."""
        prepared, self._prepared = self._prepared, None
        if prepared is not None:
            prepared.silence()
            prepared.unwanted()

    def answer(self, turn: int, text: str) -> None:
        """The turn is over and says this: let its answer sound, prepared or not."""
        waiting = self._take_back_unheard()
        before = ""
        if waiting is not None and waiting.acted:
            before = f"{waiting.said} "  # what was done must still be told
        elif waiting is not None:
            text = f"{waiting.question.text} {text}"
        prepared = self._prepared
        if before or prepared is None or not self._fits(turn, text):
            self.abandon()
            prepared = self._ask(turn, text, preemptive=False, before=before)
        self._prepared = None
        prepared.acted = self._brain.committed(prepared.question)
        self._release(prepared)
        if self._openers and self._group is not None:
            self._keep(self._group.create_task(self._bridge(prepared)))

    def _fits(self, turn: int, text: str) -> bool:
        """Whether the prepared answer is one to this: the same words, and not too long ago."""
        prepared = self._prepared
        if prepared is None or prepared.question.turn != turn:
            return False
        fresh = clock.session_now() - prepared.question.at_s <= FRESH_S
        return fresh and same_words(prepared.question.text, text)

    def say(self, text: str) -> None:
        """Say a line of Jarvis's own at once; what sounds now is cut."""
        self._say(text, None)

    def speak_up(self, notice: Notice) -> None:
        """Say a notice; the floor must be free."""
        self._say(notice.text, notice)

    def _say(self, text: str, notice: Notice | None) -> None:
        question = events.Question(0, "", clock.session_now(), clock.unix_now())
        answer = self._new(question, preemptive=False)
        answer.notice = notice
        if notice is not None and notice.cue:
            cue = earcon.attention(self._mouth.playback.rate)
            answer.waiting.append(Sound(cue, ()))
            answer.samples += cue.size
        self._start(answer, _once(text))
        self._release(answer)

    @property
    def idle(self) -> bool:
        """Whether nothing sounds, and nothing is about to."""
        return self._mouth.current is None and self._prepared is None

    @property
    def working(self) -> bool:
        """Whether an answer is being worded or voiced."""
        return bool(self._makings)

    def heard(self, answer: Answer, heard: str, cut: bool) -> None:
        """An answer has ended: keep in the dialogue what of it was heard."""
        answer.heard, answer.cut = heard, cut
        if answer.notice is not None:
            how = Heard.ALL if heard and not cut else Heard.PART
            if self._group is None and not heard:
                how = Heard.NOTHING
            answer.notice.ended(how, heard)
        if answer.started:
            self._sounded.append(answer)
            self._remember(answer)

    def correct(self, reply: int, heard: str) -> None:
        """Only ``heard`` of an answer that has ended was really heard."""
        for answer in self._sounded:
            if answer.number == reply and answer.heard.startswith(heard):
                answer.heard, answer.cut = heard, answer.cut or heard != answer.heard
                self._remember(answer)

    def _take_back_unheard(self) -> Answer | None:
        """The answer that has not begun to sound: the user went on, so both are answered as one."""
        answer = self._mouth.current
        if answer is None or answer.started or not answer.question.turn:
            return None
        self._mouth.cut()
        return answer

    def _ask(self, turn: int, text: str, *, preemptive: bool, before: str = "") -> Answer:
        now_s = clock.session_now()
        question = events.Question(turn, text, now_s, clock.unix_now(), self.history)
        answer = self._new(question, preemptive)
        self._publish(events.ReplyStarted(now_s, turn, answer.number, preemptive))
        self._start(answer, _after(before, self._brain.reply(question)))
        return answer

    def _new(self, question: events.Question, preemptive: bool) -> Answer:
        self._count += 1
        return Answer(self._count, question, preemptive)

    def _start(self, answer: Answer, words: AsyncIterator[str]) -> None:
        if self._group is None:
            return
        making = _Making(answer, Phraser(self._settings.phrasing), asyncio.Queue())
        thinking = self._group.create_task(self._think(making, words))
        voicing = self._group.create_task(self._voice(making))
        if answer.preemptive:
            answer.unwanted = thinking.cancel  # or a model would go on for nobody
        self._keep(thinking)
        self._keep(voicing)

    def _keep(self, task: asyncio.Task[None]) -> None:
        self._makings.add(task)
        task.add_done_callback(self._makings.discard)

    def _release(self, answer: Answer) -> None:
        self._mouth.cut()
        self._mouth.begin(answer)
        answer.released.set()

    # --- openers ---

    async def _make_openers(self) -> None:
        """Have them ready as sound, so that one can be put before an answer at any moment."""
        for text in self._settings.openers:
            question = events.Question(0, "", clock.session_now(), clock.unix_now())
            scratch = Answer(0, question, preemptive=False)
            try:
                made = [sound async for sound in self._mouth.synthesize(speak(text), scratch)]
            except (Cancelled, EngineError):
                return  # an answer without an opener comes late, and comes all the same
            if made:
                sound = np.concatenate([piece.samples for piece in made])
                self._openers.append((text, Sound(sound, ())))

    async def _bridge(self, answer: Answer) -> None:
        """Say an opener if the brain lets the user wait; the words of the answer follow it."""
        await asyncio.sleep(self._settings.opener_after_s)
        if answer.voicing or answer.worded or answer.silenced:
            return
        text, sound = self._openers[0]
        self._openers.rotate(-1)
        answer.opener = text
        answer.samples += sound.samples.size
        self._mouth.enqueue(answer, sound)
        now_s, lasts_s = clock.session_now(), sound.samples.size / self._mouth.playback.rate
        self._publish(events.OpenerSaid(now_s, answer.question.turn, answer.number, text, lasts_s))

    def _remember(self, answer: Answer) -> None:
        """Put the answer into the dialogue; again once a cut one is worded to its end.

        What Jarvis said unasked has no turn; it is told apart by a number below zero.
        """
        turn = answer.question.turn or -answer.number
        exchange = events.Exchange(
            turn,
            answer.question.text,
            answer.said,
            answer.heard,
            answer.cut,
            answer.run_versions,
        )
        for place, known in enumerate(self._history):
            if known.turn == turn:
                self._history[place] = exchange
                return
        self._history.append(exchange)

    # --- the making of one answer ---

    async def _think(self, making: _Making, words: AsyncIterator[str]) -> None:
        answer = making.answer
        try:
            await self._word(making, words)
        except JarvisError as error:
            self._fault("brain", error)
        finally:  # also when it is called off: its voice must not wait for more
            making.worded = answer.worded = True
            making.put(making.phraser.finish())
            making.phrases.put_nowait(None)
        if answer.ended and answer.started:
            self._remember(answer)

    async def _word(self, making: _Making, words: AsyncIterator[str]) -> None:
        answer = making.answer
        async for piece in words:
            delta = piece[: MAX_REPLY_CHARS - len(answer.said)]
            if not answer.said and delta:
                now_s = clock.session_now()
                self._publish(events.ReplyWorded(now_s, answer.question.turn, answer.number))
                answer.run_versions = self._brain.versions()
            answer.said += delta
            making.put(making.phraser.feed(delta))
            unwanted = answer.silenced and not answer.started
            if unwanted or len(answer.said) >= MAX_REPLY_CHARS:
                break

    async def _voice(self, making: _Making) -> None:
        answer = making.answer
        index = 0
        while not answer.silenced:
            phrase = await self._next_phrase(making)
            if phrase is None:
                break
            answer.voicing = True
            try:
                await self._voice_phrase(answer, phrase, index)
            except Cancelled:
                return
            except EngineError as error:
                answer.broken = True
                self._fault("synthesizer", error)
                break
            index += 1
            if answer.samples >= PREPARED_S * self._mouth.playback.rate:
                await answer.released.wait()
            await self._mouth.room_for(answer)
        await answer.released.wait()
        self._mouth.finish(answer)

    async def _next_phrase(self, making: _Making) -> Phrase | None:
        while True:
            try:
                async with asyncio.timeout(self._settings.stall_s):
                    return await making.phrases.get()
            except TimeoutError:
                if not making.worded:
                    making.put(making.phraser.flush())

    async def _voice_phrase(self, answer: Answer, phrase: Phrase, index: int) -> None:
        spoken = speak(phrase.text, phrase.offset)
        began_s = clock.session_now()
        first = True
        async for sound in self._mouth.synthesize(spoken, answer):
            if first:
                first = False
                self._phrase_ready(answer, phrase, index, began_s)
            if answer.released.is_set():
                self._mouth.enqueue(answer, sound)
            else:
                answer.waiting.append(sound)

    def _phrase_ready(self, answer: Answer, phrase: Phrase, index: int, began_s: float) -> None:
        now_s = clock.session_now()
        turn, number = answer.question.turn, answer.number
        took_s = now_s - began_s
        self._publish(events.PhraseReady(now_s, turn, number, index, phrase.text, took_s))

    def _fault(self, where: str, error: AudioError | JarvisError) -> None:
        now_s = clock.session_now()
        self._publish(events.Faulted(now_s, where, error.problem, error.remedy))


def same_words(one: str, other: str) -> bool:
    """Whether two transcripts say the same, whatever the case and the punctuation between words.

    A question mark counts: "delete it?" is no command.
    """
    return _plain(one) == _plain(other)


def _plain(text: str) -> tuple[list[str], bool]:
    words = [word.strip(_EDGES) for word in text.casefold().split()]
    return [word for word in words if word], text.rstrip().endswith("?")


@dataclass(slots=True)
class _Making:
    """An answer under way: its words become phrases, and its phrases wait to be voiced."""

    answer: Answer
    phraser: Phraser
    phrases: asyncio.Queue[Phrase | None]
    worded: bool = False  # the brain has ended

    def put(self, phrases: list[Phrase]) -> None:
        for phrase in phrases:
            self.phrases.put_nowait(phrase)


async def _after(before: str, words: AsyncIterator[str]) -> AsyncIterator[str]:
    if before:
        yield before
    async for delta in words:
        yield delta


async def _once(text: str) -> AsyncIterator[str]:
    yield text
