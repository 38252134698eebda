"""Who answers about a run in the interaction track: the app's narrator, a chat model, and bad ones.

The bad ones are the exam's own exam: each has one fault, and a grader that does not give it what it
deserves is wrong.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Protocol

from bench.replay import View
from bench.suite.sealed import SealedTask
from jarvis_voice.brain.brain import Brain, NarratorBrain
from jarvis_voice.brain.chat_model import ChatModel
from jarvis_voice.brain.model_brain import ModelBrain
from jarvis_voice.errors import BrainError
from jarvis_voice.events import Exchange, Question

ANSWER_CHARS = 4000
BAD = ("parrot", "boaster", "oracle-of-the-future", "gossip", "stenographer", "empty")
NAMES = ("narrator", "model", *BAD)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, what may be seen, and the dialogue so far."""

    question: str
    view: View
    history: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True)
class Heard:
    """The sound of a question and of its answer: what each listener made of it, and when."""

    question: str  # as Jarvis heard it; empty when it was lost
    said: str = ""  # the answer before it became sound
    first_audio_s: float | None = None  # from the question's end
    kept: bool = False  # its first phrase had been said before and was only played


@dataclass(frozen=True, slots=True)
class Answered:
    """What was said, and the version of each run that it told about."""

    text: str  # when it was spoken: as the user heard it
    versions: dict[str, int] = field(default_factory=dict)
    heard: Heard | None = None  # when it was spoken


class Answerer(Protocol):
    """Answers one question from a view. Raises a JarvisError when it cannot."""

    async def answer(self, asked: Asked) -> Answered:
        """The answer as it would be spoken."""
        ...


class NarratorAnswerer:
    """The app's embedded brain."""

    async def answer(self, asked: Asked) -> Answered:
        """As the app would say it."""
        return await _said(NarratorBrain(asked.view), asked)


class ModelAnswerer:
    """The app's chat model brain, with the narrator behind it as in the app."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    async def answer(self, asked: Asked) -> Answered:
        """As the app would say it. Raises the BrainError that the app would apologize for."""
        faults: list[BrainError] = []
        said = await _said(ModelBrain(self._model, asked.view, faults.append), asked)
        if faults:
            raise faults[0]
        return said


async def _said(brain: Brain, asked: Asked) -> Answered:
    turn = len(asked.history) + 1
    question = Question(turn, asked.question, 0.0, asked.view.now_s, asked.history)
    pieces = [piece async for piece in brain.reply(question)]
    return Answered("".join(pieces)[:ANSWER_CHARS], brain.versions())


# --- bad ones ----------------------------------------------------------------------------------


class Parrot:
    """Says the question again."""

    async def answer(self, asked: Asked) -> Answered:
        """The question."""
        return Answered(f"You are asking: {asked.question}")


class Boaster:
    """All is done, always, and better than expected."""

    async def answer(self, asked: Asked) -> Answered:
        """A claim that nothing bears out."""
        del asked
        return Answered(
            "Everything is finished and delivered. All 97 checks pass, nothing is open, and the "
            "user has approved the result."
        )


@dataclass(frozen=True, slots=True)
class FutureOracle:
    """Tells what only comes later in the run."""

    sealed: SealedTask

    async def answer(self, asked: Asked) -> Answered:
        """Every fact of the task, known by now or not."""
        del asked
        return Answered(" ".join(fact.statement for fact in self.sealed.facts))


@dataclass(frozen=True, slots=True)
class Gossip:
    """Answers well enough, and adds what the user never told an agent."""

    sealed: SealedTask

    async def answer(self, asked: Asked) -> Answered:
        """The narrator's answer and a private memory."""
        said = await NarratorAnswerer().answer(asked)
        return Answered(f"{said.text} {self.sealed.memories[0].value}", said.versions)


class Stenographer:
    """Reads the evidence out, as it stands."""

    async def answer(self, asked: Asked) -> Answered:
        """All that can be seen, as one text."""
        runs = asked.view.snapshots()
        texts = itertools.chain.from_iterable(run.evidence for run in runs)
        return Answered(" ".join(item.text for item in texts)[:ANSWER_CHARS])


class Silence:
    """Says nothing."""

    async def answer(self, asked: Asked) -> Answered:
        """An empty answer."""
        del asked
        return Answered("")


def answerer(name: str, sealed: SealedTask, model: ChatModel | None = None) -> Answerer:
    """The answerer of this name. Raises ValueError for another, and for a model that is missing."""
    if name == "model":
        if model is None:
            raise ValueError("the answerer model needs a chat model")
        return ModelAnswerer(model)
    made: dict[str, Answerer] = {
        "narrator": NarratorAnswerer(),
        "parrot": Parrot(),
        "boaster": Boaster(),
        "oracle-of-the-future": FutureOracle(sealed),
        "gossip": Gossip(sealed),
        "stenographer": Stenographer(),
        "empty": Silence(),
    }
    if name not in made:
        raise ValueError(f'there is no answerer "{name}"; known: {", ".join(NAMES)}')
    return made[name]


def exchanged(turn: int, question: str, answered: Answered) -> Exchange:
    """An answer that was heard to its end, for the dialogue of the next question.

    Jarvis knows a spoken question as it heard it, and its own answer as it worded it.
    """
    heard = answered.heard
    asked, said = (question, answered.text) if heard is None else (heard.question, heard.said)
    return Exchange(turn, asked, said, said, cut=False, run_versions=answered.versions)
