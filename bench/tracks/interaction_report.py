"""The interaction track in the terminal and as one self-contained page. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from bench.report import svg, terminal
from bench.report.page import Section, facts, page, paragraph, table
from bench.statistics import Interval
from bench.tracks.interaction_figures import Figures, figures
from bench.tracks.interaction_records import InteractionPlan, Response, Trajectory
from bench.tracks.interaction_sound import POINTS, ErrorRate, SoundFigures, Waiting

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


_SOUND = (
    "Each question and each answer was spoken by a synthesizer and heard by a recognizer, and what "
    "was heard was graded. The same tasks were also examined without sound. The time runs from the "
    "end of the question, with no endpoint and no device in it."
)


def text(records: Sequence[Trajectory], seed: int = 0) -> str:
    """The table, and what was wrong."""
    found = figures(records, seed)
    parts = [terminal.table(_HEADS, [_row(item) for item in found])]
    for item in found:
        if item.tags:
            told = ", ".join(f"{name} {count}" for name, count in item.tags.items())
            parts.append(f"{item.label}: {told}")
        if item.undecided:
            parts.append(
                f"{item.label}: {item.undecided} claims that no rule decides, {item.judged} "
                f"put to model graders, {item.divided} of these with judges of different "
                f"opinions, {item.disputed} without a majority"
            )
        if item.sound is not None:
            rows = _sound_rows(item.sound)
            parts += ["", terminal.table(("aloud", item.answerer), rows), ""]
    parts += _failures(records)
    return "\n".join(parts)


def html(plan: InteractionPlan, records: Sequence[Trajectory], seed: int = 0) -> str:
    """One page with the figures, the grades by task and some dialogues."""
    found = figures(records, seed)
    about = {
        "version": plan.version,
        "tasks": len(plan.bundles),
        "answerers": ", ".join(dict.fromkeys(item.answerer for item in found)),
        **plan.settings,
    }
    sections = [
        Section("What was asked", "", [facts(about)]),
        Section("Scores", _NOTE, [table(_HEADS, [_row(item) for item in found])]),
    ]
    for item in found:
        mine = [
            r
            for r in records
            if (r.answerer, r.aloud) == (item.answerer, item.aloud) and r.status == "graded"
        ]
        bars = {record.task: _mean(record) for record in mine}
        sections.append(Section(f"{item.label}, by task", "", [svg.bars(bars)]))
        if item.sound is not None:
            rows = table(("", ""), _sound_rows(item.sound))
            sections.append(Section(f"{item.label}: what the sound costs", _SOUND, [rows]))
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
        item.label,
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
            _asked(answer),
            _answered(answer),
            str(answer.grade),
            ", ".join(answer.tags) or answer.reason,
        ]
        for answer in record.responses
    ]
    return table(("when", "question", "answer", "grade", "why"), rows)


def _asked(answer: Response) -> str:
    sound = answer.sound
    if sound is None or sound.question_heard == answer.question:
        return answer.question
    return f"{answer.question} [heard: {sound.question_heard or 'nothing'}]"


def _answered(answer: Response) -> str:
    if answer.failure is not None:
        return answer.failure.problem
    sound = answer.sound
    if sound is None or sound.said == answer.answer:
        return answer.answer
    return f"{sound.said} [heard: {answer.answer or 'nothing'}]"


def _failures(records: Sequence[Trajectory]) -> list[str]:
    return [
        f"{record.task} ({record.answerer}) has no grade: {record.failure.kind}, "
        f"{record.failure.problem}"
        for record in records
        if record.failure is not None
    ]


def _sound_rows(item: SoundFigures) -> list[tuple[str, str]]:
    """What the sound did, a row each; what was not measured has none."""
    rows = [
        ("score without sound", _interval(item.text)),
        ("score of the spoken answers as worded", _interval(item.worded)),
        ("score of the spoken answers as heard", _interval(item.aloud)),
        ("as heard - without sound, by task", _interval(item.cost)),
    ]
    rows += [
        (f"word errors of {what}", _rate(rate))
        for what, rate in (("questions", item.questions), ("answers", item.answers))
        if rate.words
    ]
    rows += [("questions of which nothing was heard", str(item.lost))] if item.lost else []
    for what, times in (("made for it", item.made), ("said before", item.kept)):
        if times.p50.count:
            rows.append((f"first audio, first phrase {what}", _times(times)))
    return rows


def _rate(found: ErrorRate) -> str:
    return f"{100 * (found.rate or 0):.1f} % ({found.errors} of {found.words}, {found.count} texts)"


def _times(found: Waiting) -> str:
    return f"p50 {found.p50.value:.2f} s, p95 {found.p95.value:.2f} s ({found.p50.count} answers)"


def _mean(record: Trajectory) -> float:
    marks = [answer.grade for answer in record.responses]
    return POINTS * sum(marks) / len(marks) if marks else 0.0


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _interval(value: Interval) -> str:
    if value.low is None or value.high is None:
        return _number(value.mean)
    return f"{_number(value.mean)} [{value.low:.1f}, {value.high:.1f}]"
