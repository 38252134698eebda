"""How long the user waits for an answer: to its first sound, and to its first content.

Two protocols. *Shared*: the five shared prompts in one conversation about a run that goes on, the
fourth one interrupts; the first one is left out as a warm-up, and the mean is taken (the published
protocol). *Prompts*: each of 30 prompts by two speakers, in quiet and in noise, in a session of its
own. All times are read from the recorded sound of both sides against the exact end of the user's
speech; the stages come from the timeline, as sound cannot show them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from audio.pcm import RATE
from bench.probes.corpus import Corpus, shared_prompts
from bench.probes.measures import answered, overlap_s, word_errors
from bench.probes.play import LEAD_S, Cue, Scene, Setting, Side, Take, When
from bench.probes.recipe import PromptCase
from bench.probes.speaker import Clip
from bench.report import intervals
from bench.report.intervals import Estimate
from jarvis_voice import events
from jarvis_voice.telemetry.latency import STAGES, TurnLatency, turn_latencies
from jarvis_voice.telemetry.recorded import Span, audible_spans, yield_latency_s

PAUSE_S = 0.9  # between the end of an answer and the next shared prompt
INTO_S = 1.6  # how far into an answer the fourth prompt interrupts
NEAR_S = 1.0  # timeline and sound agree on the end of a turn to within this
WARM_UP = 1


@dataclass(slots=True)
class Item:
    """One prompt and what came of it. Seconds; None is not measured."""

    protocol: str  # "shared" or "prompts"
    case: str
    side: str
    place: str
    text: str
    heard: str = ""
    first_audio_s: float | None = None
    first_content_s: float | None = None
    opener: str = ""
    early: bool = False  # the agent spoke before the user had ended
    interrupted: bool = False  # the answer was cut by the next prompt
    stop_s: float | None = None  # of the prompt that interrupts
    words: int = 0
    word_errors: int = 0
    stages: dict[str, float | None] | None = None
    missed: str = ""
    user: tuple[tuple[float, float], ...] = ()  # audible spans, for the plot
    agent: tuple[tuple[float, float], ...] = ()
    warm_up: bool = False

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


async def shared(setting: Setting, side: Side) -> list[Item]:
    """The five shared prompts in one conversation."""
    return shared_items(await setting.play(shared_scene(), side), side.name)


@dataclass(frozen=True, slots=True)
class Timing:
    """When the shared prompts are said."""

    lead_s: float = LEAD_S  # before the first one
    pause_s: float = PAUSE_S  # between the end of an answer and the next one
    interrupts: tuple[When, float] = (When.SOUNDING, INTO_S)


def shared_scene(timing: Timing | None = None) -> Scene:
    """The user's part of that conversation."""
    timing = timing or Timing()
    cues = []
    for place, prompt in enumerate(shared_prompts()):
        due = (When.QUIET, timing.pause_s) if place else (When.START, timing.lead_s)
        if prompt.interrupts:
            due = timing.interrupts
        cues.append(Cue(prompt.clip.samples, *due))
    return Scene(cues, linger_s=2.5)


def shared_items(take: Take, side: str) -> list[Item]:
    """What came of each shared prompt in a take of their scene."""
    prompts = shared_prompts()
    items = []
    for place, prompt in enumerate(prompts):
        item = Item("shared", str(place + 1), side, "quiet", prompt.clip.text)
        item.warm_up = place < WARM_UP
        item.interrupted = place + 1 < len(prompts) and prompts[place + 1].interrupts
        measure(item, take, prompt.clip, take.said_s[place], over_answer=prompt.interrupts)
        items.append(item)
    return items


async def prompt(setting: Setting, side: Side, corpus: Corpus, case: PromptCase) -> Item:
    """One prompt in a session of its own."""
    clip = corpus.prompt(case)
    cue = Cue(clip.samples, When.START, LEAD_S)
    scene = Scene([cue], background=corpus.background(case.place))
    take = await setting.play(scene, side)
    item = Item("prompts", case.name, side.name, case.place.name, case.line.text)
    measure(item, take, clip, take.said_s[0])
    return item


def measure(
    item: Item, take: Take, clip: Clip, said_s: float, *, over_answer: bool = False
) -> None:
    """Read an item's figures from a take.

    ``over_answer``: it is said into an answer, whose last words may begin after it has.
    """
    if math.isnan(said_s):
        item.missed = take.missed
        return
    begun_s, ended_s = said_s + clip.start_s, said_s + clip.end_s
    spans = audible_spans(take.agent, RATE)
    item.stop_s = yield_latency_s(spans, begun_s)
    speaking_s = begun_s + (item.stop_s or 0.0)
    later = [span for span in spans if span.start_s >= speaking_s]
    if over_answer:
        later = [span for span in later if span.end_s > ended_s]
    item.early = overlap_s(later, [Span(begun_s, ended_s)]) > 0
    item.user = ((begun_s, ended_s),)
    item.agent = tuple((span.start_s, span.end_s) for span in spans)
    latency = _turn_near(take, ended_s)
    if latency is not None:
        item.heard = latency.text
        item.stages = {stage: getattr(latency, f"{stage}_s") for stage in STAGES}
    wrong = word_errors(clip.text, item.heard)
    item.words, item.word_errors = wrong.words, wrong.errors
    if item.early:
        return
    found = answered(take.agent, ended_s, take.spoken)
    item.first_audio_s, item.opener = found.first_audio_s, found.opener
    item.first_content_s = found.first_content_s
    if found.first_audio_s is None:
        item.missed = item.missed or "no answer"


def _turn_near(take: Take, ended_s: float) -> TurnLatency | None:
    """The committed turn whose speech ended when the prompt did."""
    ended = {
        event.turn: event.speech_ended_s - take.began_s
        for event in take.events
        if isinstance(event, events.TurnCommitted)
    }
    near = [t for t in turn_latencies(take.events) if abs(ended[t.turn] - ended_s) < NEAR_S]
    return min(near, key=lambda turn: abs(ended[turn.turn] - ended_s), default=None)


# --- metrics -----------------------------------------------------------------------------------


def metrics(items: Sequence[Item], sides: Sequence[str], seed: int) -> dict[str, Estimate]:
    """All figures by name; those of the first side have no prefix."""
    found: dict[str, Estimate] = {}
    for side in sides:
        prefix = "" if side == sides[0] else f"{side}."
        own = [item for item in items if item.side == side]
        for name, value in _of_side(own, seed).items():
            found[f"{prefix}{name}"] = value
    if len(sides) == 2:
        found |= _ratios(items, sides, seed)
    return found


def _of_side(items: Sequence[Item], seed: int) -> dict[str, Estimate]:
    prompts = [item for item in items if item.protocol == "prompts"]
    counted = [item for item in items if item.protocol == "shared" and not item.warm_up]
    found: dict[str, Estimate] = {}
    shared_ms = _ms(counted, lambda item: item.first_audio_s)
    found["shared.mean_ms"] = intervals.mean(shared_ms, seed)
    found["shared.p50_ms"] = intervals.quantile(shared_ms, 0.5, seed)
    found["shared.p95_ms"] = intervals.quantile(shared_ms, 0.95, seed)
    groups = {"": prompts}
    for place in sorted({item.place for item in prompts}):
        groups[f".{place}"] = [item for item in prompts if item.place == place]
    for group, chosen in groups.items():
        audio = _ms(chosen, lambda item: item.first_audio_s)
        content = _ms(chosen, lambda item: item.first_content_s)
        found[f"first_audio{group}.p50_ms"] = intervals.quantile(audio, 0.5, seed)
        found[f"first_audio{group}.p95_ms"] = intervals.quantile(audio, 0.95, seed)
        found[f"first_content{group}.p50_ms"] = intervals.quantile(content, 0.5, seed)
        found[f"first_content{group}.p95_ms"] = intervals.quantile(content, 0.95, seed)
    every = [*prompts, *counted]
    found["unanswered.share"] = intervals.share_of(
        sum(item.first_audio_s is None and not item.early for item in every), len(every)
    )
    found["early.share"] = intervals.share_of(sum(item.early for item in every), len(every))
    words = sum(item.words for item in every)
    found["word_errors.share"] = intervals.share_of(
        min(words, sum(item.word_errors for item in every)), words
    )
    for stage in STAGES:
        values = [
            value * 1000
            for item in every
            if item.stages and (value := item.stages.get(stage)) is not None
        ]
        found[f"stage.{stage}.mean_ms"] = intervals.mean(values, seed)
    return found


def _ratios(items: Sequence[Item], sides: Sequence[str], seed: int) -> dict[str, Estimate]:
    """How many times longer the second side takes, on what both answered."""
    found = {}
    for protocol, name in (("prompts", "ratio.p50"), ("shared", "ratio.shared_p50")):
        by_side = [_first_audio_of(items, side, protocol) for side in sides]
        both = sorted(by_side[0].keys() & by_side[1].keys())
        ours, theirs = ([side[case] for case in both] for side in by_side)
        found[name] = intervals.ratio(theirs, ours, 0.5, seed)
    return found


def _first_audio_of(items: Sequence[Item], side: str, protocol: str) -> dict[str, float]:
    return {
        item.case: item.first_audio_s
        for item in items
        if item.side == side
        and item.protocol == protocol
        and item.first_audio_s is not None
        and not item.warm_up
    }


def _ms(items: Sequence[Item], value: Callable[[Item], float | None]) -> list[float]:
    return [found * 1000 for item in items if (found := value(item)) is not None]
