"""Watched runs as text and as JSON: one line per run, and all that is known of one."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Sequence
from enum import Enum
from typing import Any

from jarvis_voice.events import RunSnapshot, RunStatus
from jarvis_voice.runs.projects import Project, projects

_MISSING = "-"
_HEADERS = ("RUN", "RUNTIME", "STATUS", "GOAL", "NOW", "WAITS FOR", "AGE")
_ELASTIC = (0, 3, 4, 5)  # columns that may be cut
_NARROWEST = 8
_EVIDENCE = 8


def table(snapshots: Sequence[RunSnapshot], now_s: float, width: int) -> list[str]:
    """A line of headings and one for each run; children stand under their parent."""
    rows: list[tuple[str, ...]] = [_HEADERS]
    for project in projects(snapshots):
        if project.root is not None:
            rows.append(_row(project.root, now_s, ""))
        mark = "" if project.root is None and len(project.children) == 1 else "- "
        rows += [_row(child, now_s, mark) for child in project.children]
        if project.omitted:
            rows.append((f"- and {project.omitted} more", *[""] * 6))
    lines = [_line(row, _widths(rows, width)) for row in rows]
    conflicts = [item.what for project in projects(snapshots) for item in project.conflicts]
    return lines + [f"! {what}" for what in conflicts]


def _row(run: RunSnapshot, now_s: float, mark: str) -> tuple[str, ...]:
    waits = run.waiting_for or (run.proposed_action if run.status is RunStatus.HELD else None)
    return (
        mark + (run.title or run.run_id),
        run.runtime,
        run.status.value,
        run.goal or _MISSING,
        run.current_action or _MISSING,
        waits or _MISSING,
        age(run.updated_at_s, now_s),
    )


def age(at_s: float | None, now_s: float) -> str:
    """How long ago, in one short word."""
    if at_s is None:
        return _MISSING
    passed = max(now_s - at_s, 0.0)
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if passed >= size:
            return f"{int(passed // size)} {unit}"
    return f"{int(passed)} s"


def _widths(rows: Sequence[tuple[str, ...]], width: int) -> list[int]:
    """As wide as the texts are; what is too much is taken from the widest texts."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(_HEADERS))]
    over = sum(widths) + 2 * (len(_HEADERS) - 1) - width
    while over > 0:
        widest = max(_ELASTIC, key=widths.__getitem__)
        if widths[widest] <= _NARROWEST:
            break
        widths[widest] -= 1
        over -= 1
    return widths


def _line(row: tuple[str, ...], widths: Sequence[int]) -> str:
    cells = (_cell(text, width) for text, width in zip(row, widths, strict=True))
    return "  ".join(cells).rstrip()


def _cell(text: str, width: int) -> str:
    flat = " ".join(text.split())
    return (flat if len(flat) <= width else flat[: width - 1] + "…").ljust(width)


def details(run: RunSnapshot, now_s: float, width: int) -> list[str]:
    """All that is known of a run, for a person."""
    facts = [
        ("run", run.run_id),
        ("child of", run.parent_run_id),
        ("folder", run.cwd),
        ("goal", run.goal),
        ("now", run.current_action),
        ("proposes", run.proposed_action),
        ("waits for", run.waiting_for),
        ("said", run.last_message),
        (
            "tools",
            f"{run.tool_calls} calls, {run.tool_failures} failed" if run.tool_calls else None,
        ),
        ("changed", ", ".join(run.files_changed)),
        ("cost", None if run.cost_usd is None else f"${run.cost_usd:.4f}"),
        ("newest", age(run.updated_at_s, now_s) + " ago" if run.updated_at_s else None),
        ("unsure", "; ".join(run.uncertainties)),
        ("degraded", run.degraded),
    ]
    lines = [f"{run.title or run.run_id}  ({run.runtime}, {run.status.value})"]
    for name, value in facts:
        if value:
            lines += _folded(f"  {name:<10}", value, width)
    lines += [f"  {'plan':<10}[{step.state}] {step.text}" for step in run.plan]
    for failure in run.failures:
        lines += _folded(f"  {'failed':<10}", failure, width)
    for item in run.evidence[-_EVIDENCE:]:
        lines += _folded(f"  {item.kind.value:<10}", item.text, width)
    return lines


def _folded(start: str, value: str, width: int) -> list[str]:
    flat = " ".join(value.split())
    return textwrap.wrap(
        flat,
        max(width, 40),
        initial_indent=start,
        subsequent_indent=" " * len(start),
        max_lines=3,
        placeholder=" …",
    )


def as_json(snapshots: Sequence[RunSnapshot]) -> dict[str, Any]:
    """The runs and the projects that they make up."""
    return {
        "runs": [_plain(snapshot) for snapshot in snapshots],
        "projects": [_project(project) for project in projects(snapshots)],
    }


def _project(project: Project) -> dict[str, Any]:
    plain: dict[str, Any] = _plain(dataclasses.replace(project, root=None, children=()))
    del plain["root"]
    plain["children"] = [child.run_id for child in project.children]
    return plain


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: _plain(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
