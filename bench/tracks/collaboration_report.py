"""The collaboration track as a table in the terminal and as one page with plots. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from bench.report import svg, terminal
from bench.report.page import Section, facts, page, table
from bench.results import NONE, Plan, RunRecord, ungraded, valid
from bench.statistics import Interval
from bench.summary import Compared, Figures, figures, groups

_HEADS = (
    "controller",
    "score",
    "gain (95 %)",
    "controls",
    "requests",
    "efficiency",
    "with controls",
    "precision",
    "recall",
    "F1",
    "timely",
    "cost",
    "held s",
)
_UNGRADED_HEADS = ("controller", "tasks", "runs", "requests", "cost", "held s")
_NOTE = (
    "Scores are points of 100, means over tasks that need the user's word; the gain is over the "
    "same runs without Jarvis, with a 95 % interval over tasks and runs. Requests, cost and held "
    "time are means of a run over tasks and controls. Efficiency is gain per request on tasks, "
    "and with the controls counted in."
)
_UNGRADED = (
    "Ungraded, because there is no grader for their tasks; they have no score and are in none of "
    "the figures above. Requests, cost and held time are means of a run."
)


def text(records: Sequence[RunRecord], seed: int = 0) -> str:
    """The tables of all groups, with what was left out and why."""
    parts = []
    for name, runs in groups(records).items():
        found = figures(runs, seed)
        parts.append(f"{name}: {_counts(runs)}\n\n{terminal.table(_HEADS, _rows(found))}")
        rows = _ungraded_rows(found)
        parts += [f"{_UNGRADED}\n\n{terminal.table(_UNGRADED_HEADS, rows)}"] if rows else []
    parts += [_left_out(records)] if _left_out(records) else []
    return "\n\n".join(parts)


def html(plan: Plan, records: Sequence[RunRecord], seed: int = 0) -> str:
    """One self-contained page."""
    sections = [Section("What was run", "", [facts(_about(plan, records))])]
    sections += _frontier(records, seed)
    for name, runs in groups(records).items():
        sections += _group(name, runs, seed)
    left_out = _left_out(records)
    if left_out:
        rows = [
            (run.episode.task, run.episode.controller, run.failure.kind, run.failure.problem)
            for run in records
            if run.failure is not None
        ]
        heads = ("task", "controller", "kind", "what happened")
        sections.append(Section("Not scored", left_out, [table(heads, rows)]))
    return page("Agent collaboration", _NOTE, sections)


def comparison(found: Mapping[str, Mapping[str, Compared]]) -> str:
    """How two results differ, as a table; shared runs without a grade are counted in the last."""
    tests = ("p (signs)", "p (exact)", "least")
    heads = ("group", "controller", "tasks", "difference (95 %)", *tests, "ungraded")
    rows = [
        (
            group,
            controller,
            str(gain.interval.count),
            _interval(gain.interval),
            _number(gain.sign_p, 4),
            _number(gain.permutation_p, 4),
            _number(gain.least_effect),
            str(unknown) if unknown else "",
        )
        for group, gains in found.items()
        for controller, (gain, unknown) in gains.items()
    ]
    return terminal.table(heads, rows, left=2)


# --- parts -------------------------------------------------------------------------------------


def _group(name: str, runs: list[RunRecord], seed: int) -> list[Section]:
    found = figures(runs, seed)
    points = {
        item.controller: [(item.cost or 0.0, item.sets["all"].score or 0.0)]
        for item in found
        if "all" in item.sets
    }
    sections = [
        Section(f"Controllers ({name})", _counts(runs), [table(_HEADS, _rows(found))]),
        Section(
            "Quality against attention",
            "Mean score over tasks and controls against what the questions cost the user; one "
            "unit is one short question.",
            [svg.scatter(points, svg.Axes("attention a run", "score", 1.0, 100.0))],
        ),
        Section(
            "Gain by mechanism",
            "Points, by what the user's word is needed for.",
            [table(("mechanism", *(item.controller for item in found)), _mechanisms(found))],
        ),
    ]
    rows = _ungraded_rows(found)
    if rows:
        heads = _UNGRADED_HEADS
        sections.append(Section(f"Ungraded ({name})", _UNGRADED, [table(heads, rows)]))
    for item in found:
        if item.controller != NONE:
            sections += _controller(item.controller, runs)
    return sections


def _frontier(records: Sequence[RunRecord], seed: int) -> list[Section]:
    """Quality against attention over the budgets of strict mode, when there are several."""
    lines: dict[str, list[tuple[float, float]]] = {}
    for runs in groups(run for run in records if run.episode.mode == "strict").values():
        for item in figures(runs, seed):
            if item.controller != NONE and "all" in item.sets:
                name = f"{item.controller} ({runs[0].episode.workers})"
                point = (item.cost or 0.0, item.sets["all"].score or 0.0)
                lines.setdefault(name, []).append(point)
    if max(map(len, lines.values()), default=0) < 2:
        return []
    plot = svg.lines(lines, svg.Axes("attention a run", "score", 1.0, 100.0))
    return [Section("Budgets", "The same with each budget of requests, in strict mode.", [plot])]


def _controller(name: str, runs: list[RunRecord]) -> list[Section]:
    """Scores by task, and the run of this controller that asked most."""
    mine = [run for run in valid(runs) if run.episode.controller == name]
    if not mine:
        return []
    base = _means(run for run in valid(runs) if run.episode.controller == NONE)
    scores = _means(mine)
    bars = {
        task: (min(score, base.get(task, score)), abs(score - base.get(task, score)))
        for task, score in scores.items()
    }
    marks = {task: f"{base.get(task, score):.1f} → {score:.1f}" for task, score in scores.items()}
    shown = max(mine, key=lambda run: (len(run.questions), run.needed))
    return [
        Section(
            f"Score by task: {name}",
            "Without Jarvis, and the difference.",
            [svg.stacked(bars, ("kept", "difference"), "", marks)],
        ),
        Section(
            f"A run: {shown.episode.task}, {name}",
            "When each session worked and was held, and when the user was asked and answered.",
            [_timeline(shown), _dialogue(shown)],
        ),
    ]


def _timeline(run: RunRecord) -> str:
    rows: dict[str, list[svg.Stretch]] = {}
    marks = []
    end_s = 1.0
    for moment in run.timeline:
        end_s = max(end_s, moment.until_s)
        row = f"{moment.session} held" if moment.kind == "held" else moment.session
        label = f"{moment.kind}: {moment.text}"
        rows.setdefault(row, []).append(svg.Stretch(moment.at_s, moment.until_s, label))
        if moment.session == "user":
            marks.append((moment.at_s, moment.kind))
    return svg.timeline(rows, (0.0, end_s), marks)


def _dialogue(run: RunRecord) -> str:
    rows = [
        (f"{item.at_s:.0f} s", item.question, item.answer or "(no answer)", item.kind)
        for item in run.questions
    ]
    return table(("asked", "question", "answer", "understood as"), rows) if rows else ""


def _rows(found: Sequence[Figures]) -> list[list[str]]:
    return [_row(item) for item in found]


def _row(item: Figures) -> list[str]:
    tasks, controls, both = (item.sets.get(name) for name in ("tasks", "controls", "all"))
    return [
        item.controller,
        _number(tasks.score if tasks else None),
        _interval(tasks.gain.interval) if tasks and item.controller != NONE else "",
        _number(controls.score if controls else None),
        _number(both.requests if both else None, 2),
        _number(tasks.efficiency if tasks else None, 3),
        _number(both.efficiency if both else None, 3),
        _number(item.asking.precision, 2),
        _number(item.asking.recall, 2),
        _number(item.asking.f1, 2),
        _number(item.timely, 2),
        _number(item.cost, 2),
        _number(item.held_s, 0),
    ]


def _ungraded_rows(found: Sequence[Figures]) -> list[list[str]]:
    """The controllers that have runs which nobody could grade."""
    return [
        [
            item.controller,
            str(item.ungraded.tasks),
            str(item.ungraded.runs),
            _number(item.ungraded.requests, 2),
            _number(item.ungraded.cost, 2),
            _number(item.ungraded.held_s, 0),
        ]
        for item in found
        if item.ungraded.runs
    ]


def _mechanisms(found: Sequence[Figures]) -> list[list[str]]:
    names = sorted({name for item in found for name in item.by_mechanism})
    return [[name, *(_number(item.by_mechanism.get(name)) for item in found)] for name in names]


def _means(runs: Iterable[RunRecord]) -> dict[str, float]:
    scores: dict[str, list[float]] = {}
    for run in runs:
        scores.setdefault(run.episode.task, []).append(run.score or 0.0)
    return {task: fmean(values) for task, values in sorted(scores.items())}


def _counts(runs: Sequence[RunRecord]) -> str:
    tasks = {run.episode.task for run in runs if run.needed}
    controls = {run.episode.task for run in runs if not run.needed}
    unknown = sum(1 for _ in ungraded(runs))
    counts = f"{len(tasks)} tasks and {len(controls)} controls, {len(runs)} runs"
    return f"{counts}, {unknown} of them ungraded" if unknown else counts


def _left_out(records: Sequence[RunRecord]) -> str:
    kinds: dict[str, int] = {}
    for run in records:
        if run.failure is not None:
            kinds[run.failure.kind] = kinds.get(run.failure.kind, 0) + 1
    degraded = sum(bool(run.degraded) and run.status == "scored" for run in records)
    parts = [f"{count} invalid ({kind})" for kind, count in sorted(kinds.items())]
    parts += [f"{degraded} degraded"] if degraded else []
    return f"Left out of all figures: {', '.join(parts)}." if parts else ""


def _about(plan: Plan, records: Sequence[RunRecord]) -> dict[str, object]:
    return {
        "version": plan.version,
        "plan": plan.digest()[:16],
        "tasks": len(plan.bundles),
        "runs": f"{len(records)} of {len(plan.episodes)}",
        **{name: value for name, value in plan.settings.items() if value not in ("", None)},
    }


def _interval(interval: Interval) -> str:
    if interval.mean is None:
        return "-"
    low, high = interval.low or 0.0, interval.high or 0.0
    return f"{interval.mean:+.1f} [{low:+.1f}, {high:+.1f}]"


def _number(value: float | None, places: int = 1) -> str:
    return "-" if value is None else f"{value:.{places}f}"
