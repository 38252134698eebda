"""The interaction track in the terminal and as one self-contained page. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from bench.report import svg, terminal
from bench.report.page import Section, facts, page, paragraph, table
from bench.statistics import Interval
from bench.tracks.interaction import InteractionPlan, Trajectory
from bench.tracks.interaction_figures import POINTS, Figures, figures

SHOWN = 12  # trajectories whose dialogue the page tells
_HEADS = (
    "answerer",
    "runs",
    "general",
    "follow-up",
    "single",
    "multi",
    "overall (95 %)",
    "2 / 1 / 0",
    "leaks",
)
_NOTE = (
    "Each worker was recorded once and replayed up to two moments; grades come from fixed rules, "
    "a table of facts and what could be seen then, and are comparable with each other only."
)


def text(records: Sequence[Trajectory], seed: int = 0) -> str:
    """The table, and what was wrong."""
    found = figures(records, seed)
    parts = [terminal.table(_HEADS, [_row(item) for item in found])]
    for item in found:
        if item.tags:
            told = ", ".join(f"{name} {count}" for name, count in item.tags.items())
            parts.append(f"{item.answerer}: {told}")
        if item.undecided:
            parts.append(
                f"{item.answerer}: {item.undecided} claims that no rule decides, {item.judged} "
                f"decided by model graders, {item.disputed} of these disputed"
            )
    parts += _failures(records) + _spoken(records)
    return "\n".join(parts)


def html(plan: InteractionPlan, records: Sequence[Trajectory], seed: int = 0) -> str:
    """One page with the figures, the grades by task and some dialogues."""
    found = figures(records, seed)
    about = {
        "version": plan.version,
        "tasks": len(plan.bundles),
        "answerers": ", ".join(item.answerer for item in found),
        **plan.settings,
    }
    sections = [
        Section("What was asked", "", [facts(about)]),
        Section("Scores", _NOTE, [table(_HEADS, [_row(item) for item in found])]),
    ]
    for item in found:
        mine = [r for r in records if r.answerer == item.answerer and r.status == "graded"]
        bars = {record.task: _mean(record) for record in mine}
        sections.append(Section(f"{item.answerer}, by task", "", [svg.bars(bars)]))
    told = [record for record in records if record.status == "graded"][:SHOWN]
    sections += [Section(f"{r.task} ({r.answerer})", "", [_dialogue(r)]) for r in told]
    lost = _failures(records)
    sections += [Section("Not graded", "", [paragraph(" ".join(lost))])] if lost else []
    return page("User interaction", _NOTE, sections)


def _row(item: Figures) -> list[str]:
    scores = item.scores
    plain = [_number(scores[name].mean) for name in ("general", "follow-up", "single", "multi")]
    grades = " / ".join(str(item.grades[grade]) for grade in (2, 1, 0))
    return [
        item.answerer,
        str(item.trajectories),
        *plain,
        _interval(scores["overall"]),
        grades,
        str(item.leaked),
    ]


def _dialogue(record: Trajectory) -> str:
    rows = [
        [
            f"{answer.checkpoint}, {answer.kind}",
            answer.question,
            answer.answer or (answer.failure.problem if answer.failure else ""),
            str(answer.grade),
            ", ".join(answer.tags) or answer.reason,
        ]
        for answer in record.responses
    ]
    return table(("when", "question", "answer", "grade", "why"), rows)


def _failures(records: Sequence[Trajectory]) -> list[str]:
    return [
        f"{record.task} ({record.answerer}) has no grade: {record.failure.kind}, "
        f"{record.failure.problem}"
        for record in records
        if record.failure is not None
    ]


def _spoken(records: Sequence[Trajectory]) -> list[str]:
    times = [
        answer.first_audio_s
        for record in records
        for answer in record.responses
        if answer.first_audio_s is not None
    ]
    if not times:
        return []
    return [
        f"Spoken: {len(times)} answers, from the question's end to the first audio "
        f"{median(times):.2f} s at the median, {max(times):.2f} s at most."
    ]


def _mean(record: Trajectory) -> float:
    marks = [answer.grade for answer in record.responses]
    return POINTS * sum(marks) / len(marks) if marks else 0.0


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _interval(value: Interval) -> str:
    if value.low is None or value.high is None:
        return _number(value.mean)
    return f"{_number(value.mean)} [{value.low:.1f}, {value.high:.1f}]"
