"""What a rehearsal shows: a live transcript, files, and a table of each turn's latency."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from audio.vad.base import SAMPLE_RATE
from jarvis_voice import events
from jarvis_voice.cli.rehearsal import Rehearsal, peak_memory_mb
from jarvis_voice.errors import OutputError
from jarvis_voice.telemetry.latency import STAGES, TurnLatency, summary, turn_latencies
from jarvis_voice.telemetry.recorded import (
    Span,
    audible_spans,
    response_latency_s,
    speech_within,
    yield_latency_s,
)

NEAR_S = 1.0  # the timeline and the sound agree on when a prompt ended to within this


@dataclass(frozen=True, slots=True)
class TurnReport:
    """One prompt and what became of it. Seconds; None was not measured.

    ``response_s`` and ``stop_s`` are read from the recorded sound, ``stages`` from the timeline.
    """

    prompt: str
    recognized: str
    response_s: float | None  # end of the user's speech to the first audible sample of the answer
    stop_s: float | None  # onset of an interruption to the last audible sample of what it cut
    stages: dict[str, float | None]


def output_folder(folder: Path) -> Path:
    """The folder, made and tried before any work is done. Raises OutputError."""
    probe = folder / ".writable"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise OutputError(
            f"Nothing was started: the folder {folder} cannot be written ({error.strerror}).",
            "Name another one, or make it writable.",
        ) from error
    return folder


def turn_reports(held: Rehearsal) -> list[TurnReport]:
    """One report per prompt that was said, in order."""
    user = audible_spans(held.sound[:, 0], held.rate)
    agent = audible_spans(held.sound[:, 1], held.rate)
    latencies = turn_latencies(held.events)
    reports = []
    for prompt, place in zip(held.prompts, held.utterances, strict=False):
        said = speech_within(user, place.start / SAMPLE_RATE, place.end / SAMPLE_RATE)
        latency = _latency_of(latencies, said, held)
        reports.append(_turn_report(prompt.text, said, latency, agent))
    return reports


def _latency_of(
    latencies: Sequence[TurnLatency], said: Span | None, held: Rehearsal
) -> TurnLatency | None:
    """The turn that ended when the prompt did."""
    if said is None:
        return None
    ended_s = held.room_began_s + said.end_s
    committed = {
        event.turn: event.speech_ended_s
        for event in held.events
        if isinstance(event, events.TurnCommitted)
    }
    near = [turn for turn in latencies if abs(committed[turn.turn] - ended_s) < NEAR_S]
    return min(near, key=lambda turn: abs(committed[turn.turn] - ended_s), default=None)


def _turn_report(
    prompt: str, said: Span | None, latency: TurnLatency | None, agent: Sequence[Span]
) -> TurnReport:
    return TurnReport(
        prompt=prompt,
        recognized=latency.text if latency else "",
        response_s=response_latency_s(agent, said.end_s) if said else None,
        stop_s=yield_latency_s(agent, said.start_s) if said else None,
        stages={stage: getattr(latency, f"{stage}_s", None) for stage in STAGES},
    )


def as_document(held: Rehearsal, folder: Path) -> dict[str, Any]:
    """The result for a program."""
    reports = turn_reports(held)
    total = summary(report.response_s for report in reports)
    return {
        "turns": [asdict(report) for report in reports],
        "response_s": {"median": total.median, "mean": total.mean, "counted": total.count},
        "wall_s": round(held.wall_s, 3),
        "peak_memory_mb": peak_memory_mb(),
        "complete": held.complete,
        "faults": held.faults,
        "files": [str(folder / name) for name in FILES],
    }


def as_table(held: Rehearsal) -> str:
    """The result for a person: milliseconds."""
    reports = turn_reports(held)
    heads = ["", *STAGES, "response", "stop"]
    rows = [heads]
    for number, report in enumerate(reports, 1):
        stages = [_ms(report.stages[stage]) for stage in STAGES]
        rows.append([str(number), *stages, _ms(report.response_s), _ms(report.stop_s)])
    total = summary(report.response_s for report in reports)
    widths = [max(len(row[place]) for row in rows) for place in range(len(heads))]
    lines = [_aligned(row, widths) for row in rows]
    memory = peak_memory_mb()
    lines += [
        "",
        "Milliseconds. Response and stop are read from the recorded sound: from the end of the",
        "user's speech to Jarvis's first audible sample, and from the onset of an interruption to",
        "the last audible sample of what it cut.",
        f"Median response of {total.count} turns, the first left out: {_ms(total.median)} ms. "
        f"All in {held.wall_s:.0f} s" + (f", {memory:.0f} MB at the peak." if memory else "."),
    ]
    busy = _busy()
    return "\n".join([*lines, busy] if busy else lines)


def _busy() -> str:
    """A line on how busy the machine was, empty when it was not or does not tell."""
    if not hasattr(os, "getloadavg"):
        return ""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    # Jarvis alone keeps about half of a two-core machine at work while it talks.
    if load <= cores:
        return ""
    return f"The machine was busy (load {load:.1f} on {cores} cores): a quiet one is quicker."


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))


def transcript(held: Rehearsal) -> str:
    """The conversation as it was heard, as Markdown."""
    lines = ["# The conversation, as it was heard", ""]
    began: dict[int, float] = {}  # when each answer was first heard
    for event in held.events:
        if isinstance(event, events.AgentSpeechStarted):
            began[event.reply] = event.at_s
        spoken = _spoken(event)
        if spoken is not None:
            reply = event.reply if isinstance(event, events.AgentSpeechStopped) else 0
            at_s = began.get(reply, event.at_s) - held.room_began_s
            lines += [f"`{at_s:6.2f} s` **{spoken.who}:** {spoken.text}", ""]
    return "\n".join(lines)


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all. Raises OutputError."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise OutputError(
            f"{path} could not be written ({error.strerror}); the other files were kept.",
            "Make room or name another folder with --out.",
        ) from error


class LiveTranscript:
    """Shows a conversation in a plain terminal, line by line, as it happens."""

    def __init__(self, line: Callable[[str], None]) -> None:
        self._line = line

    def __call__(self, event: events.ConversationEvent) -> None:
        """Show an event, if it is something to be seen."""
        spoken = _spoken(event)
        if spoken is not None:
            self._line(f"{spoken.who + ':':8}{spoken.text}")
        elif isinstance(event, events.Faulted):
            self._line(f"[{event.where}] {event.problem} {event.remedy}".rstrip())
        elif isinstance(event, events.DevicesReopened):
            self._line(f"[devices] back: {event.capture}, {event.playback}")


FILES = ("conversation.wav", "timeline.jsonl", "transcript.md")


class _Spoken(NamedTuple):
    who: str
    text: str


def _spoken(event: events.ConversationEvent) -> _Spoken | None:
    match event:
        case events.TurnCommitted():
            return _Spoken("You", event.text)
        case events.AgentSpeechStopped():
            text = f"{event.heard.rstrip()} -- interrupted" if event.cut else event.heard
            return _Spoken("Jarvis", text)
        case _:
            return None


def _ms(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1000:.0f}"
