"""The record is whole lines in the order of the plan, and an invalid run can have no score."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pydantic import ValidationError

from bench.errors import ResultUnreadable
from bench.results import (
    FILE_NAME,
    LINE_BYTES,
    Episode,
    Failure,
    Moment,
    Plan,
    ResultFile,
    RunRecord,
    read,
    valid,
)
from jarvis_voice.errors import OutputError

EPISODES = [
    Episode(task="gifts", controller=name, workers="scripted", mode="paper")
    for name in ("none", "jarvis", "never")
]
PLAN = Plan(version="1", settings={"seed": 0}, bundles={"gifts": "ab"}, episodes=EPISODES)


def scored(place: int = 0, score: float = 61.5) -> RunRecord:
    return RunRecord(episode=EPISODES[place], status="scored", score=score)


def invalid() -> RunRecord:
    failure = Failure(kind="grader_failed", problem="It raised KeyError.")
    return RunRecord(episode=EPISODES[1], status="invalid", failure=failure)


def test_a_finished_file_reads_back_as_it_was_written(tmp_path: Path) -> None:
    file = ResultFile(tmp_path / "out" / FILE_NAME, PLAN, RunRecord)
    for record in (scored(), invalid(), scored(2)):
        file.append(record)
    file.close()
    assert read(tmp_path / "out") == (PLAN, [scored(), invalid(), scored(2)])
    assert read(file.path)[0].digest() == PLAN.digest()
    assert [item.episode.controller for item in valid(file.records)] == ["none", "never"]


def test_an_interrupted_file_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    whole = ResultFile(tmp_path / "whole", PLAN, RunRecord)
    for record in (scored(), invalid(), scored(2)):
        whole.append(record)
    whole.close()
    wanted = whole.path.read_bytes()
    path = tmp_path / "cut"
    for length in range(0, len(wanted), 61):
        path.write_bytes(wanted[:length])
        file = ResultFile(path, PLAN, RunRecord)
        for record in (scored(), invalid(), scored(2))[file.done :]:
            file.append(record)
        file.close()
        assert path.read_bytes() == wanted, length


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (PLAN.model_copy(update={"version": "2"}), "version"),
        (PLAN.model_copy(update={"bundles": {"gifts": "cd"}}), "task gifts"),
        (PLAN.model_copy(update={"settings": {"seed": 1}}), "seed"),
        (PLAN.model_copy(update={"episodes": EPISODES[:2]}), "other runs"),
    ],
)
def test_results_of_another_plan_are_left_as_they_are(
    tmp_path: Path, other: Plan, what: str
) -> None:
    file = ResultFile(tmp_path / FILE_NAME, PLAN, RunRecord)
    file.append(scored())
    file.close()
    before = file.path.read_bytes()
    with pytest.raises(ResultUnreadable, match=what):
        ResultFile(file.path, other, RunRecord)
    assert file.path.read_bytes() == before


def test_an_invalid_run_has_a_failure_and_never_a_score() -> None:
    failure = Failure(kind="worker_failed", problem="It raised.")
    for status, score, problem in (
        ("scored", None, None),
        ("scored", 50.0, failure),
        ("invalid", 0.0, failure),
        ("invalid", None, None),
        ("scored", 101.0, None),
        ("scored", float("nan"), None),
    ):
        with pytest.raises(ValidationError):
            RunRecord(episode=EPISODES[0], status=status, score=score, failure=problem)


def test_damaged_and_foreign_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    with pytest.raises(ResultUnreadable, match="no results"):
        read(tmp_path)
    path.write_bytes(b"")
    with pytest.raises(ResultUnreadable, match="empty"):
        read(path)
    path.write_bytes(b'{"schema_version": "other/9"}\n')
    with pytest.raises(ResultUnreadable, match="this version"):
        read(path)
    path.write_bytes(PLAN.line() + b'{"status": "scored", "score": 5}\n')
    with pytest.raises(ResultUnreadable, match="damaged record"):
        read(path)


def test_a_record_that_is_too_long_keeps_its_score_and_loses_its_timeline(tmp_path: Path) -> None:
    moments = [Moment(at_s=0, until_s=1, session="main", kind="say", text="x" * 2000)] * 200
    long = scored().model_copy(update={"timeline": moments})
    assert len(long.line()) > LINE_BYTES
    file = ResultFile(tmp_path / FILE_NAME, PLAN, RunRecord)
    file.append(long)
    file.close()
    assert read(file.path)[1] == [scored()]


def test_a_disk_that_takes_a_part_leaves_no_half_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = ResultFile(tmp_path / FILE_NAME, PLAN, RunRecord)
    before = file.path.read_bytes()
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:20]))
    with pytest.raises(OutputError, match="cannot be written"):
        file.append(scored())
    monkeypatch.undo()
    assert file.path.read_bytes() == before
    file.append(scored())
    file.close()
    assert read(file.path)[1] == [scored()]


def test_a_folder_that_cannot_be_made_is_an_output_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError):
        ResultFile(tmp_path / "file" / FILE_NAME, PLAN, RunRecord)
