"""A chat model's answer, with the narrator behind it: never silence, never a crash."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass

from jarvis_voice.brain.chat_model import ChatModel
from jarvis_voice.brain.lookup import RunLookup
from jarvis_voice.brain.narrator import narrate
from jarvis_voice.brain.prompts import chat
from jarvis_voice.brain.thinking import ThoughtFilter
from jarvis_voice.clock import session_now
from jarvis_voice.errors import BrainError, ModelMalformed, ModelUnreachable
from jarvis_voice.events import Question, RunSnapshot

SORRY = "My language model is not answering. Here is what I can see myself."
BROKE_OFF = "Sorry, my language model stopped there. Here is what I can see myself."
_ENDS = (".", "!", "?", '."', '!"', '?"')


@dataclass(frozen=True, slots=True)
class Deadlines:
    """How long a model may take, in seconds, and how much it may say."""

    first_token_s: float = 4.0  # to its first words; a silence longer than this reads as a fault
    stall_s: float = 6.0  # between two pieces: what was said so far covers about this much time
    total_s: float = 30.0  # for the whole answer
    most_chars: int = (
        1600  # of one answer: nearly two minutes of speech; then it ends at a sentence
    )


class ModelBrain:
    """Streams ``model``; when it is dead, slow, broken or empty, apologizes and narrates instead.

    ``on_fault`` is told of every failure, once; it must not raise.
    """

    def __init__(
        self,
        model: ChatModel,
        lookup: RunLookup,
        on_fault: Callable[[BrainError], None],
        deadlines: Deadlines | None = None,
    ) -> None:
        self._model = model
        self._lookup = lookup
        self._on_fault = on_fault
        self._deadlines = deadlines or Deadlines()
        self._versions: dict[str, int] = {}

    @property
    def name(self) -> str:
        """The model's own name."""
        return self._model.name

    def committed(self, question: Question) -> bool:
        """Nothing is done: this brain only tells."""
        return False

    def versions(self) -> dict[str, int]:
        """Run id to version, as the newest reply told about them."""
        return dict(self._versions)

    async def reply(self, question: Question) -> AsyncGenerator[str, None]:
        """The model's words as they come, or an apology and the narrator's answer."""
        runs = self._lookup.snapshots()
        self._versions = {run.run_id: run.version for run in runs}
        said = ""
        fault: BrainError | None = None
        try:
            async with aclosing(self._worded(question, runs)) as pieces:
                async for piece in pieces:
                    said += piece
                    yield piece
        except BrainError as error:
            fault = error
        if fault is None:
            return
        self._on_fault(fault)
        told = narrate(question, self._lookup)
        self._versions = dict(told.versions)
        for line in (_apology(said), *told.sentences):
            yield f"{line} "

    async def _worded(
        self, question: Question, runs: tuple[RunSnapshot, ...]
    ) -> AsyncGenerator[str, None]:
        """The model's speakable text. Raises BrainError when it fails or says nothing."""
        messages = chat(question, runs, self._lookup.run_time_s)
        thoughts = ThoughtFilter()
        length = 0
        async with aclosing(self._timed(self._model.stream(messages))) as pieces:
            async for piece, heard in pieces:
                spoken = thoughts.feed(piece)
                if not length:
                    spoken = spoken.lstrip()
                if spoken:
                    heard()
                    length += len(spoken)
                    yield spoken
                if self._long_enough(length, spoken):
                    return
        rest = thoughts.flush()
        if rest:
            yield rest
        if not (length or rest.strip()):
            raise ModelMalformed(
                "The language model ended without saying anything.",
                "Try another model, or set brain.kind to narrator.",
            )

    def _long_enough(self, length: int, spoken: str) -> bool:
        most = self._deadlines.most_chars
        return length > 2 * most or (length > most and spoken.rstrip().endswith(_ENDS))

    async def _timed(
        self, stream: AsyncGenerator[str, None]
    ) -> AsyncGenerator[tuple[str, Callable[[], None]], None]:
        """Each piece with a callable that notes that it was worth hearing.

        Until then the first-token deadline stands: thoughts alone are silence to the user. The
        time that the consumer takes between two pieces is its own and never counts.
        """
        limits = self._deadlines
        left_s, first_left_s = limits.total_s, limits.first_token_s

        def heard() -> None:
            nonlocal first_left_s
            first_left_s = math.inf

        async with aclosing(stream):
            while True:
                wait_s = min(
                    left_s, first_left_s, limits.stall_s if math.isinf(first_left_s) else left_s
                )
                before_s = session_now()
                try:
                    async with asyncio.timeout(max(wait_s, 0.0)):
                        piece = await anext(stream, None)
                except TimeoutError:
                    raise self._late(first=not math.isinf(first_left_s)) from None
                took_s = session_now() - before_s
                left_s -= took_s
                first_left_s -= took_s
                if piece is None:
                    return
                yield piece, heard

    def _late(self, *, first: bool) -> ModelUnreachable:
        limits = self._deadlines
        what = (
            f"said nothing for {limits.first_token_s:g} seconds"
            if first
            else f"stopped for {limits.stall_s:g} seconds or ran over {limits.total_s:g}"
        )
        return ModelUnreachable(
            f"The language model {self._model.name} {what}.",
            "Check that its server runs and is not overloaded, or choose a smaller model.",
        )


def _apology(said: str) -> str:
    """Once, and joined to what was already said so that it reads as one text."""
    if not said.strip():
        return SORRY
    return f" {BROKE_OFF}" if said.rstrip().endswith(_ENDS) else f"... {BROKE_OFF}"
