"""One answer: what it replies to, what was said, what was heard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from audio.engine import CancelToken
from audio.playback import PlaybackMark
from jarvis_voice.conversation.speaking_up import Notice
from jarvis_voice.events import Question


@dataclass(frozen=True, slots=True)
class Sound:
    """A piece of an answer's audio at the playback rate, with marks counted from its start."""

    samples: NDArray[np.float32]
    marks: tuple[PlaybackMark, ...]


@dataclass(slots=True)
class Answer:
    """A reply from its question to its last heard word.

    It is prepared silently, may be thrown away, and sounds only once it was released. ``said``
    grows as the brain words it; a barge-in stops the sound, not the wording.
    """

    number: int
    question: Question
    preemptive: bool
    notice: Notice | None = None  # what Jarvis says unasked; its question is empty
    run_versions: dict[str, int] = field(default_factory=dict)
    said: str = ""
    opener: str = ""  # was said before it while its words were late; part of its sound alone
    voicing: bool = False  # its first phrase is being synthesized, or was
    samples: int = 0  # synthesized so far, at the playback rate
    worded: bool = False  # the brain has ended
    broken: bool = False  # a part of it could not be made: not all of it will sound
    silenced: bool = False  # cut by the user: nothing more of it may sound
    acted: bool = False  # committing its question has done something, which must not happen twice
    started: bool = False  # its first audible sample was played
    ended: bool = False  # its last heard word is known
    heard: str = ""  # the prefix of ``said`` that sounded, once it has ended
    cut: bool = False  # not all of it sounded: interrupted, or broken
    released: asyncio.Event = field(default_factory=asyncio.Event)
    token: CancelToken = field(default_factory=CancelToken)  # calls off its synthesis
    waiting: list[Sound] = field(default_factory=list)  # synthesized before the release
    unwanted: Callable[[], object] = lambda: None  # ends its wording; for a prepared one only

    @property
    def spoken(self) -> str:
        """All that its sound says."""
        return f"{self.opener} {self.said}" if self.opener else self.said

    def silence(self) -> None:
        """Let nothing more of it sound; its wording goes on."""
        self.silenced = True
        self.waiting.clear()
        self.token.cancel()
        self.released.set()
