"""Answers to what will likely be asked: their first phrases are synthesized before anybody asks.

A brain that knows what it would say tells it (``Anticipates``). As the runs change, the beginnings
of those answers are put into the audio cache, in the order of their likelihood, and what is no
longer so is dropped. It costs only what is left over: the thread with the least priority, while
nobody speaks and nothing is to be said, and no more than so many phrases a minute, fewer of them
when nobody has spoken for a while.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from audio.errors import Cancelled, EngineError
from audio.tts.base import SpokenPhrase
from audio.tts.phrasing import Phraser, PhrasingSettings
from audio.tts.spoken_text import speak
from jarvis_voice import clock
from jarvis_voice.conversation.voice import Voice
from jarvis_voice.events import Exchange

LOOK_S = 0.1  # how often it is looked whether the floor is free, while something is to be prepared
MINUTE_S = 60.0


@runtime_checkable
class Anticipates(Protocol):
    """What a brain may offer besides its replies."""

    def anticipated(self, history: tuple[Exchange, ...]) -> Sequence[str]:
        """What it would answer next to likely questions, the likeliest first.

        Whole answers or their beginnings. Quick; changes nothing; never raises.
        """
        ...


@dataclass(frozen=True, slots=True)
class AnticipatingSettings:
    """How much is spent on it."""

    wait_s: float = 0.25  # after a change, as changes come in bursts
    most_phrases: int = 12  # ready at a time
    most_words: int = 14  # a longer first phrase is a quote, which changes with every look
    per_minute: int = 24  # phrases synthesized: about a third of one core at the very most
    lively_s: float = 120.0  # since anybody spoke; later the user has other things to do
    per_minute_later: int = 4  # so that runs that go on for hours do not keep a core warm


@dataclass(slots=True)
class Anticipating:
    """Keeps the beginnings of likely answers ready. All calls are made on the loop.

    ``idle`` tells whether the cores are free: nobody speaks and no answer is being made.
    """

    brain: Anticipates | None
    voice: Voice
    idle: Callable[[], bool]
    history: Callable[[], tuple[Exchange, ...]]
    phrasing: PhrasingSettings = field(default_factory=PhrasingSettings)
    settings: AnticipatingSettings = field(default_factory=AnticipatingSettings)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _ready: dict[str, SpokenPhrase] = field(default_factory=dict)  # text of the phrase -> phrase
    _spent: deque[float] = field(default_factory=deque)  # when phrases were synthesized
    _spoken_s: float = 0.0  # when anybody spoke last

    @property
    def ready(self) -> tuple[str, ...]:
        """The phrases that are ready now, as they will be said."""
        return tuple(self._ready)

    def renew(self) -> None:
        """The runs or the dialogue have changed: other answers are likely now."""
        self._changed.set()

    def disturb(self) -> None:
        """Somebody speaks: the cores are needed."""
        self._spoken_s = clock.session_now()
        self.voice.call_off()

    async def run(self) -> None:
        """Keep them ready for as long as the conversation lasts."""
        if self.brain is None or not self.voice.anticipates:
            return
        self._spoken_s = clock.session_now()
        self._changed.set()
        while True:
            await self._changed.wait()
            await asyncio.sleep(self.settings.wait_s)
            self._changed.clear()
            await self._prepare(self._likely(self.brain))

    def _likely(self, brain: Anticipates) -> dict[str, SpokenPhrase]:
        likely: dict[str, SpokenPhrase] = {}
        for answer in brain.anticipated(self.history()):
            phraser = Phraser(self.phrasing)
            first = next(iter([*phraser.feed(answer), *phraser.finish()]), None)
            if first is None:
                continue
            spoken = speak(first.text, first.offset)
            if 0 < len(spoken.words) <= self.settings.most_words:
                likely.setdefault(spoken.text, spoken)
            if len(likely) == self.settings.most_phrases:
                break
        return likely

    async def _prepare(self, likely: dict[str, SpokenPhrase]) -> None:
        for text in [text for text in self._ready if text not in likely]:
            self.voice.forget(self._ready.pop(text))
        for text, phrase in likely.items():
            if await self._have(phrase):
                self._ready[text] = phrase

    async def _have(self, phrase: SpokenPhrase) -> bool:
        """See that a phrase is in the cache; False when other answers are likely by now."""
        while not self._changed.is_set():
            if self.voice.holds(phrase):
                return True
            if not self._free():
                await asyncio.sleep(LOOK_S)
                continue
            self._spent.append(clock.session_now())
            try:
                await self.voice.prepare(phrase)
            except Cancelled:
                continue  # somebody speaks: tried again when the floor is free
            except EngineError:  # it will be told when it is really to be said
                await asyncio.sleep(MINUTE_S)
            return self.voice.holds(phrase)
        return False

    def _free(self) -> bool:
        """Whether a phrase may be synthesized now."""
        now_s = clock.session_now()
        while self._spent and now_s - self._spent[0] >= MINUTE_S:
            self._spent.popleft()
        lively = now_s - self._spoken_s <= self.settings.lively_s
        most = self.settings.per_minute if lively else self.settings.per_minute_later
        return len(self._spent) < most and self.idle()
