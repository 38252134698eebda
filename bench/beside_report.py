"""What two programs did in the same conversations, as figures and as a table. Pure."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from audio.pcm import RATE
from bench.probes.latency import Item
from bench.probes.measures import overlapped, word_errors
from bench.probes.play import Take
from bench.probes.record import shown
from bench.probes.sounds import Sound
from bench.probes.speaker import Clip
from bench.probes.tap import Spoken
from bench.report import intervals, terminal
from bench.report.intervals import Estimate
from bench.wer import normalized
from jarvis_voice.telemetry.recorded import Span, audible_spans


@dataclass(frozen=True, slots=True)
class Nod:
    """What became of an answer into which the user said "mm-hm"."""

    side: str
    spoke: bool  # the answer sounded at its onset; else nothing was measured
    stopped: bool = False
    stop_s: float | None = None
    resumed: bool = False
    gap_s: float | None = None  # longest silence from the onset until a second after its end
    answered_s: float | None = None  # to the start of another answer, from its end
    user: tuple[float, float] | None = None  # when "mm-hm" sounded
    agent: tuple[tuple[float, float], ...] = ()  # when the agent did
    told: tuple[tuple[str, str], ...] = ()  # transcripts: role, text


@dataclass(frozen=True, slots=True)
class Conversation:
    """The five shared prompts, once: what came of each, and what was understood and said."""

    side: str
    items: Sequence[Item]
    words: int
    word_errors: int
    answers: int  # transcripts of the agent
    same_answers: int  # of them, those with the words of a scripted answer or its beginning


def conversation(
    side: str, items: Sequence[Item], told: Sequence[tuple[str, str]], scripted: Sequence[str]
) -> Conversation:
    """From the items of a take, and the transcripts that its server sent."""
    heard = " ".join(text for role, text in told if role == "user")
    wrong = word_errors(" ".join(item.text for item in items if item.user), heard)
    said = [words for role, text in told if role == "agent" if (words := normalized(text))]
    known = [normalized(answer) for answer in scripted]
    same = sum(any(answer[: len(words)] == words for answer in known) for words in said)
    return Conversation(side, items, wrong.words, wrong.errors, len(said), same)


def nod(side: str, take: Take, clip: Clip, answers: tuple[Sound, Sound]) -> Nod:
    """Read from a take whose second cue is the clip.

    ``answers`` are how the answer that it falls into sounds, and how all others do. What sounded
    until then is of that answer too: blocks that come late change its likeness.
    """
    agent = tuple((span.start_s, span.end_s) for span in audible_spans(take.agent, RATE))
    found = Nod(side, spoke=False, agent=agent, told=tuple(take.told))
    if not math.isfinite(take.said_s[1]):
        return found
    user = Span(take.said_s[1] + clip.start_s, take.said_s[1] + clip.end_s)
    before = take.agent[: round(user.start_s * RATE)]
    old, new = Spoken("", (), RATE, [answers[0], before]), Spoken("", (), RATE, [answers[1]])
    became = overlapped(take.agent, user, ([old], [new]))
    found = replace(found, user=(user.start_s, user.end_s))
    if not became.spoke:
        return found
    return replace(
        found,
        spoke=True,
        stopped=became.stopped,
        stop_s=became.stop_s,
        resumed=became.resumed,
        gap_s=became.gap_s,
        answered_s=became.answered_s,
    )


def stop_s(item: Item) -> float | None:
    """From the onset of a prompt to the last sound of the answer that it interrupts.

    That is all that began before the prompt was over, also behind the pause of a sentence. None
    when nothing of the agent sounded meanwhile.
    """
    if not item.user:
        return None
    onset_s, ended_s = item.user[0]
    ends = [end_s for start_s, end_s in item.agent if start_s < ended_s and end_s > onset_s]
    return max(ends) - onset_s if ends else None


# --- figures -----------------------------------------------------------------------------------


def metrics(
    talks: Sequence[Conversation], nods: Sequence[Nod], sides: Sequence[str], seed: int
) -> dict[str, Estimate]:
    """All figures by name; those of the first side have no prefix."""
    found: dict[str, Estimate] = {}
    for side in sides:
        prefix = "" if side == sides[0] else f"{side}."
        own = [talk for talk in talks if talk.side == side]
        of_side = _of_talks(own, seed) | _of_nods([n for n in nods if n.side == side], seed)
        found |= {f"{prefix}{name}": value for name, value in of_side.items()}
    ours, theirs = (_responses(talks, side) for side in sides)
    both = sorted(ours.keys() & theirs.keys())
    pairs = [theirs[key] for key in both], [ours[key] for key in both]
    found["ratio.p50"] = intervals.ratio(*pairs, 0.5, seed)
    found["ratio.p95"] = intervals.ratio(*pairs, 0.95, seed)
    return found


def _of_talks(talks: Sequence[Conversation], seed: int) -> dict[str, Estimate]:
    every = [item for talk in talks for item in talk.items]
    items = [item for item in every if item.user]
    counted = [item for item in items if not item.warm_up]
    response = _ms(counted, lambda item: item.first_audio_s)
    first = _ms([item for item in items if item.warm_up], lambda item: item.first_audio_s)
    stops = [
        stopped_s * 1000
        for talk in talks
        for before, after in itertools.pairwise(talk.items)
        if before.interrupted and not after.early and (stopped_s := stop_s(after)) is not None
    ]
    silent = sum(item.first_audio_s is None and not item.early for item in counted)
    words = sum(talk.words for talk in talks)
    wrong = min(words, sum(talk.word_errors for talk in talks))
    return {
        "response.p50_ms": intervals.quantile(response, 0.5, seed),
        "response.p95_ms": intervals.quantile(response, 0.95, seed),
        "first_prompt.p50_ms": intervals.quantile(first, 0.5, seed),
        "unsaid.share": intervals.share_of(len(every) - len(items), len(every)),
        "unanswered.share": intervals.share_of(silent, len(counted)),
        "early.share": intervals.share_of(sum(item.early for item in counted), len(counted)),
        "stop.p50_ms": intervals.quantile(stops, 0.5, seed),
        "stop.most_ms": intervals.quantile(stops, 1.0, seed),
        "word_errors.share": intervals.share_of(wrong, words),
        "same_answers.share": intervals.share_of(
            sum(talk.same_answers for talk in talks), sum(talk.answers for talk in talks)
        ),
    }


def _of_nods(nods: Sequence[Nod], seed: int) -> dict[str, Estimate]:
    spoke = [one for one in nods if one.spoke]
    gaps = [one.gap_s * 1000 for one in spoke if one.gap_s is not None]
    return {
        "nod.stopped.share": intervals.share_of(sum(one.stopped for one in spoke), len(spoke)),
        "nod.resumed.share": intervals.share_of(sum(one.resumed for one in spoke), len(spoke)),
        "nod.answered.share": intervals.share_of(
            sum(one.answered_s is not None for one in spoke), len(spoke)
        ),
        "nod.gap.p50_ms": intervals.quantile(gaps, 0.5, seed),
    }


def _responses(talks: Sequence[Conversation], side: str) -> dict[tuple[int, str], float]:
    """By which conversation of its side, and which prompt."""
    own = [talk for talk in talks if talk.side == side]
    return {
        (number, item.case): item.first_audio_s
        for number, talk in enumerate(own)
        for item in talk.items
        if item.first_audio_s is not None and not item.warm_up
    }


def _ms(items: Sequence[Item], value: Callable[[Item], float | None]) -> list[float]:
    return [found * 1000 for item in items if (found := value(item)) is not None]


# --- the table ---------------------------------------------------------------------------------

_TIMES = (
    ("response, median, ms", "response.p50_ms"),
    ("response, 95th percentile, ms", "response.p95_ms"),
    ("first prompt of a conversation, median, ms", "first_prompt.p50_ms"),
    ("interruption to silence, median, ms", "stop.p50_ms"),
    ("interruption to silence, longest, ms", "stop.most_ms"),
)
_COUNTS = (
    ("prompts that there was no moment to say", "unsaid.share"),
    ("prompts not answered", "unanswered.share"),
    ("prompts answered before the user had ended", "early.share"),
    ('"mm-hm": answers that it stopped', "nod.stopped.share"),
    ('"mm-hm": of these, went on later', "nod.resumed.share"),
    ('"mm-hm": times that it was answered', "nod.answered.share"),
    ("words misheard", "word_errors.share"),
    ("answers with the same words", "same_answers.share"),
)
NOTE = (
    "From the recorded sound of both, with 95 % intervals and counts. A response runs from the end "
    "of the user's speech to the first audible sound; the first prompt of each conversation stands "
    "by itself. Jarvis prepares likely answers before they are asked for, and is measured so."
)


def as_text(found: Mapping[str, Estimate], sides: Sequence[str]) -> str:
    """For the terminal."""
    prefixes = ["", *(f"{side}." for side in sides[1:])]
    rows = [[label, *(_timed(found[f"{p}{name}"]) for p in prefixes)] for label, name in _TIMES]
    rows += [[label, *(_counted(found[f"{p}{name}"]) for p in prefixes)] for label, name in _COUNTS]
    lines = [terminal.table(["", *sides], rows), ""]
    for label, name in (("median", "ratio.p50"), ("95th percentile", "ratio.p95")):
        if found[name].value is not None:
            times = shown(found[name], 1, 2)
            pairs = found[name].count
            lines.append(f"{sides[1]} takes {times} times as long, {label} of {pairs} pairs.")
    return "\n".join([*lines, "", NOTE])


def _timed(found: Estimate) -> str:
    return "-" if found.value is None else f"{shown(found)}, n {found.count}"


def _counted(found: Estimate) -> str:
    return "-" if found.value is None else f"{round(found.value * found.count)} of {found.count}"


def records(talks: Sequence[Conversation], nods: Sequence[Nod]) -> list[dict[str, Any]]:
    """Every single measurement, for JSON."""
    said = [
        {"scene": "prompts", **asdict(talk), "items": [item.record() for item in talk.items]}
        for talk in talks
    ]
    return [*said, *({"scene": "mm-hm", **asdict(one)} for one in nods)]
