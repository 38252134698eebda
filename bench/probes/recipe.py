"""The corpus as a recipe: texts from ``assets/probes``, and what chance adds to them. Pure.

A seed decides who says what, how long each pause is, and in which noise and room; the same seed
gives the same corpus. In a text ``|`` is a pause within the turn. Pauses are drawn from a
log-normal law with median 0.333 s and sigma 0.75: of such pauses 56 % are longer than 300 ms and
22 % than 600 ms, which is how often a plain voice detector with these timeouts cuts turns off in
the published comparison of end-of-turn models (eot-bench: 55.6 % and 21.7 %).
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, TypeVar

from audio.resources import asset

T = TypeVar("T")

DEFAULT_SEED = 20261130
PAUSE_MEDIAN_S, PAUSE_SIGMA = 0.333, 0.75
PAUSE_LEAST_S, PAUSE_MOST_S = 0.1, 2.5
TURN_PARTS = ("seen", "unseen")
DRAWS = 2  # of the pauses for each text
SPEED = 0.95  # of all users' voices


@dataclass(frozen=True, slots=True)
class Line:
    """Something that a voice says. ``pauses`` holds (words said before it, seconds)."""

    text: str
    voice: str
    pauses: tuple[tuple[int, float], ...] = ()
    phonemes: str = ""  # said instead of what the dictionary gives for the text
    speed: float = SPEED


@dataclass(frozen=True, slots=True)
class Place:
    """Where a user is: how far, how reverberant, in which noise."""

    name: str
    reverb_s: float = 0.0
    noise: str = ""  # a noise of ``sounds.NOISES``; none when empty
    snr_db: float = 0.0  # of the user's speech over it


QUIET = Place("quiet")
NOISY = Place("noisy", reverb_s=0.25, noise="babble", snr_db=12.0)


@dataclass(frozen=True, slots=True)
class PromptCase:
    """A question whose answer is awaited."""

    name: str
    line: Line
    place: Place


@dataclass(frozen=True, slots=True)
class TurnCase:
    """A turn with pauses in it, none for a plain finished one."""

    name: str
    kind: str
    line: Line


@dataclass(frozen=True, slots=True)
class DuplexCase:
    """Something that is heard while the agent speaks.

    ``kind``: interruption (takes the floor), backchannel, aside, sound, noise or echo (none does).
    ``what`` names a sound or noise; ``line`` is what is said. With ``echo`` the microphone hears
    the loudspeaker.
    """

    name: str
    kind: str
    line: Line | None = None
    what: str = ""
    into_s: float = 2.5  # the answer has sounded for so long
    echo: bool = False
    seed: int = 0

    @property
    def takes_the_floor(self) -> bool:
        return self.kind == "interruption"


@cache
def texts(name: str) -> dict[str, Any]:
    """A file of ``assets/probes``."""
    loaded: dict[str, Any] = json.loads(asset("probes", f"{name}.json").read_text("utf-8"))
    return loaded


def parse(marked: str) -> tuple[str, tuple[int, ...]]:
    """A text without its ``|`` marks, and how many words precede each of them."""
    words: list[str] = []
    places: list[int] = []
    for word in marked.split():
        if word == "|":
            places.append(len(words))
        else:
            words.append(word)
    return " ".join(words), tuple(places)


def pause_s(chance: random.Random) -> float:
    """The length of a pause."""
    drawn = chance.lognormvariate(math.log(PAUSE_MEDIAN_S), PAUSE_SIGMA)
    return round(min(max(drawn, PAUSE_LEAST_S), PAUSE_MOST_S), 3)


def prompt_cases(seed: int = DEFAULT_SEED, items: int | None = None) -> list[PromptCase]:
    """Each prompt by each speaker, in quiet and in noise; ``items`` takes an even choice."""
    data = texts("latency")
    cases = [
        PromptCase(f"{voice}/{place.name}/{number:02}", Line(text, voice), place)
        for (number, text), voice, place in product(
            enumerate(data["prompts"], 1), data["speakers"], (QUIET, NOISY)
        )
    ]
    return chosen(cases, seed, items)


def turn_cases(
    seed: int = DEFAULT_SEED, items: int | None = None, part: str = TURN_PARTS[0]
) -> list[TurnCase]:
    """Every text with its pauses drawn twice, by two voices; finished ones once.

    ``part`` is one of TURN_PARTS. The unseen texts were written by somebody who knew neither the
    rules nor the other texts, and no rule was made for them.
    """
    data = texts("turns")
    chance = random.Random(f"{seed} {part}" if part != TURN_PARTS[0] else seed)
    cases = []
    for number, entry in enumerate(data[part]):
        text, places = parse(entry["text"])
        voices = chance.sample(data["speakers"], DRAWS)
        for draw, voice in enumerate(voices[: DRAWS if places else 1]):
            pauses = tuple((place, pause_s(chance)) for place in places)
            name = f"{entry['kind']}/{number:02}/{draw}"
            cases.append(TurnCase(name, entry["kind"], Line(text, voice, pauses)))
    return chosen(cases, seed, items)


def duplex_cases(seed: int = DEFAULT_SEED, items: int | None = None) -> list[DuplexCase]:
    """Interruptions, backchannels, asides, sounds, noises and the agent's own echo."""
    chance = random.Random(seed)
    cases = list(_duplex(chance))
    return chosen(cases, seed, items)


def _duplex(chance: random.Random) -> Iterator[DuplexCase]:
    data = texts("duplex")
    speakers: Sequence[str] = data["speakers"]

    def into_s() -> float:
        return round(chance.uniform(1.5, 4.0), 2)

    for number, text in enumerate(data["interruptions"]):
        line = Line(text, chance.choice(speakers))
        echo = number % 4 == 3  # a quarter of them over a loudspeaker
        yield DuplexCase(f"interruption/{number:02}", "interruption", line, "", into_s(), echo)
    for number, entry in enumerate(data["backchannels"]):
        line = Line(entry["text"], chance.choice(speakers), phonemes=entry.get("phonemes", ""))
        yield DuplexCase(f"backchannel/{number:02}", "backchannel", line, "", into_s())
    for number, text in enumerate(data["asides"]):
        line = Line(text, chance.choice(speakers))
        yield DuplexCase(f"aside/{number:02}", "aside", line, "", into_s())
    for number, what in enumerate(data["sounds"]):
        drawn = chance.randrange(1 << 30)
        yield DuplexCase(f"sound/{number:02}-{what}", "sound", None, what, into_s(), seed=drawn)
    for what in data["noises"]:
        yield DuplexCase(f"noise/{what}", "noise", None, what, 1.0)
    for number in range(2):
        yield DuplexCase(f"echo/{number}", "echo", None, "", 1.0, echo=True, seed=number + 1)


def chosen(cases: Sequence[T], seed: int, items: int | None) -> list[T]:
    """``items`` cases in order, one drawn from each of as many stretches; all when None or more.

    Drawn, not counted off: cases that alternate (quiet, noisy) would else all be of one kind.
    """
    if items is None or items >= len(cases):
        return list(cases)
    chance = random.Random(seed)
    edges = [len(cases) * place // items for place in range(items + 1)]
    return [cases[chance.randrange(edges[k], edges[k + 1])] for k in range(items)]
