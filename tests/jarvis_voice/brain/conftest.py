"""Run states with planted facts, made as snapshots: the brain needs no watcher."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest

from jarvis_voice.events import (
    Evidence,
    EvidenceKind,
    Exchange,
    PlanStep,
    Question,
    RunSnapshot,
    RunStatus,
)

NOW_S = 1_800_000_000.0
KIND = EvidenceKind


def evidence(
    *items: tuple[EvidenceKind, str] | tuple[EvidenceKind, str, bool],
) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(n, NOW_S - 60 + n, item[0], item[1], item[2] if len(item) > 2 else None)
        for n, item in enumerate(items, start=1)
    )


BASE = RunSnapshot("r1", "claude-code", "Migrate the invoices", RunStatus.WORKING, version=7)

WORKING = replace(
    BASE,
    goal="Migrate the invoices to the new ledger and keep the totals equal.",
    plan=(
        PlanStep("read the old schema", "completed"),
        PlanStep("write the migration", "in_progress"),
        PlanStep("compare the totals", "pending"),
    ),
    current_action="Run the dry migration `python migrate.py --dry-run`",
    evidence=evidence(
        (KIND.ACTION, "read old/schema.sql"),
        (KIND.RESULT, "84 tables found, 3 without a primary key", True),
        (KIND.MESSAGE, "Three tables have no primary key."),
        (KIND.ACTION, "Drop the archive `psql -c 'drop table archive'`"),
        (
            KIND.DENIAL,
            "Drop the archive `psql -c 'drop table archive'`\n"
            "Held by Jarvis. The user decided: keep the archive table. Scope: this task only.",
            False,
        ),
        (KIND.GUIDANCE, "Use only the staging copy."),
        (KIND.ACTION, "Run the dry migration `python migrate.py --dry-run`"),
    ),
    uncertainties=("It is not known who owns the table customers_old.",),
    failures=("Run the linter `ruff check .`: 2 errors in migrate.py",),
    files_changed=("src/migrate.py", "docs/ledger.md"),
    last_message="Three tables have no primary key.",
    tool_calls=5,
    tool_failures=1,
    started_at_s=NOW_S - 754,
    updated_at_s=NOW_S - 4,
    cost_usd=1.23,
)
WAITING = replace(
    WORKING,
    status=RunStatus.WAITING,
    waiting_for="Which region should hold the ledger?",
    proposed_action="Create the bucket `aws s3 mb s3://ledger`",
    current_action=None,
)
HELD = replace(WAITING, status=RunStatus.HELD, waiting_for="a decision about the bucket")
DONE = replace(
    WORKING,
    status=RunStatus.DONE,
    current_action=None,
    last_message="The totals are equal: 1,204,551 euros.",
    plan=tuple(replace(step, state="completed") for step in WORKING.plan),
)
FAILED = replace(
    WORKING,
    status=RunStatus.FAILED,
    current_action=None,
    failures=(*WORKING.failures, "out of memory in step two"),
)
STOPPED = replace(WORKING, status=RunStatus.STOPPED, current_action=None)
BARE = BASE
DEGRADED = replace(BASE, degraded="A record of the unknown kind hologram was left out.")
STATES = {
    "working": WORKING,
    "waiting": WAITING,
    "held": HELD,
    "done": DONE,
    "failed": FAILED,
    "stopped": STOPPED,
    "bare": BARE,
    "degraded": DEGRADED,
    "starting": replace(BASE, status=RunStatus.STARTING, goal=WORKING.goal),
}


def changes(**more: Any) -> SimpleNamespace:
    """News of a run; nothing changed but what is named."""
    same = {
        "from_version": 3,
        "status_before": RunStatus.WORKING,
        "status_now": RunStatus.WORKING,
        "new_evidence": (),
        "missed": 0,
        "new_failures": (),
        "new_files": (),
        "steps_done": (),
    }
    return SimpleNamespace(**(same | more))


@dataclass
class Lookup:
    """Runs that stand still."""

    runs: Sequence[RunSnapshot]
    news: SimpleNamespace | None = None
    asked_since: list[tuple[str, int]] = field(default_factory=list)

    def snapshots(self) -> tuple[RunSnapshot, ...]:
        return tuple(self.runs)

    def changes_since(self, run_id: str, version: int) -> SimpleNamespace | None:
        self.asked_since.append((run_id, version))
        return self.news

    def run_time_s(self, run_id: str) -> float | None:
        return NOW_S if any(run.run_id == run_id for run in self.runs) else None


def question(text: str, *history: Exchange) -> Question:
    return Question(len(history) + 1, text, 0.0, NOW_S, tuple(history))


def exchange(user: str, said: str, heard: str | None = None, **versions: int) -> Exchange:
    """What Jarvis said; all of it was heard unless ``heard`` says otherwise."""
    cut = heard is not None
    return Exchange(1, user, said, said if heard is None else heard, cut, versions)


@pytest.fixture
def make():
    """The makers above, for test modules (a conftest cannot be imported)."""
    return SimpleNamespace(
        states=STATES,
        changes=changes,
        lookup=Lookup,
        question=question,
        exchange=exchange,
        evidence=evidence,
        now_s=NOW_S,
    )
