"""What changed in a run since the user last heard of it, and whether that is worth saying. PURE."""

from __future__ import annotations

from dataclasses import dataclass

from jarvis_voice.events import Evidence, EvidenceKind, RunSnapshot, RunStatus

_TELLING = (RunStatus.WAITING, RunStatus.HELD, RunStatus.DONE, RunStatus.FAILED, RunStatus.STOPPED)


@dataclass(frozen=True, slots=True)
class Briefing:
    """The difference between two snapshots of one run. Empty fields mean no change."""

    run_id: str
    from_version: int | None  # None when the user never heard of the run
    to_version: int
    status_before: RunStatus | None
    status_now: RunStatus
    new_evidence: tuple[Evidence, ...]  # oldest first
    missed: int  # pieces of evidence that came and went in between
    new_failures: tuple[str, ...]
    new_files: tuple[str, ...]
    steps_done: tuple[str, ...]  # plan steps completed since
    new_goal: str | None
    waiting_for: str | None  # when that is new
    worth_saying: bool  # would a person want to be told without asking


def brief(before: RunSnapshot | None, now: RunSnapshot) -> Briefing:
    """The news in ``now`` for someone who last heard ``before``, which may be None."""
    last_seq = before.evidence[-1].seq if before and before.evidence else 0
    new_evidence = tuple(item for item in now.evidence if item.seq > last_seq)
    newest_seq = now.evidence[-1].seq if now.evidence else last_seq
    known_failures = set(before.failures) if before else set()
    known_files = set(before.files_changed) if before else set()
    done_before = _completed(before) if before else set()
    status_changed = before is None or before.status is not now.status
    new_failures = tuple(text for text in now.failures if text not in known_failures)
    waiting_changed = before is None or before.waiting_for != now.waiting_for
    goal_changed = before is None or before.goal != now.goal
    return Briefing(
        run_id=now.run_id,
        from_version=before.version if before else None,
        to_version=now.version,
        status_before=before.status if before else None,
        status_now=now.status,
        new_evidence=new_evidence,
        missed=max(newest_seq - last_seq - len(new_evidence), 0),
        new_failures=new_failures,
        new_files=tuple(path for path in now.files_changed if path not in known_files),
        steps_done=tuple(
            step.text
            for step in now.plan
            if step.state == "completed" and step.text not in done_before
        ),
        new_goal=now.goal if goal_changed else None,
        waiting_for=now.waiting_for if waiting_changed else None,
        worth_saying=bool(
            (status_changed and now.status in _TELLING)
            or new_failures
            or any(item.kind is EvidenceKind.DENIAL for item in new_evidence)
        ),
    )


def _completed(snapshot: RunSnapshot) -> set[str]:
    return {step.text for step in snapshot.plan if step.state == "completed"}
