"""``jarvis log`` shows decisions from the file that the desk writes."""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jarvis_voice.attention.facts import (
    ActionOffered,
    ActionReleased,
    AnswerReleased,
    Fact,
    PolicyDecided,
    QuestionAsked,
    UserAnswered,
    UserGuided,
)
from jarvis_voice.attention.ledger import Ledger
from jarvis_voice.attention.lifecycle import fold
from jarvis_voice.attention.store import AttentionStore, StoreReader
from jarvis_voice.boundary import AnswerKind, ProposedAction, UserAnswer, Verdict
from jarvis_voice.cli import log
from jarvis_voice.cli.io import Io

Jarvis = Callable[..., Any]


def offered(project: str, run_id: str) -> list[Fact]:
    action = ProposedAction(
        "codex", project, run_id, "call", "shell", "run: git push", f"print-{run_id}", 100.0
    )
    held = ActionOffered(100.0, run_id, action, "nonce", 700.0)
    asked = PolicyDecided(
        100.0, run_id, "call", ask=True, question="May it push?", options=("go ahead", "hold off")
    )
    request_id = next(iter(fold([held, asked]).requests))
    answer = UserAnswer(request_id, AnswerKind.WORDS, Verdict.DENY, "use a branch", 110.0)
    return [
        held,
        asked,
        QuestionAsked(101.0, run_id, request_id),
        UserAnswered(110.0, run_id, answer),
        AnswerReleased(112.0, run_id, request_id),
        ActionReleased(120.0, run_id, action, "git_push", "the user decided it before"),
    ]


@pytest.fixture
def decisions(tmp_path: Path) -> Path:
    path = tmp_path / "decisions.sqlite"
    with AttentionStore(path) as store:
        store.append_all([*offered("/home/ann/shop", "r1"), *offered("/home/ann/blog", "r2")])
    return path


def test_the_table_tells_question_answer_and_outcome(jarvis: Jarvis, decisions: Path) -> None:
    ran = jarvis("log", "--file", decisions)
    assert ran.status == 0
    first, second = ran.out.splitlines()
    assert "shop" in first
    assert "blog" in second
    assert 'May it push? -> "use a branch" (no)' in first
    assert "answered" in first


def test_a_project_is_named_by_its_folder_or_the_last_part_of_it(
    jarvis: Jarvis, decisions: Path
) -> None:
    for name in ("shop", "/home/ann/shop", "/home/ann/shop/"):
        (line,) = jarvis("log", "--file", decisions, "--project", name).out.splitlines()
        assert "shop" in line
    assert jarvis("log", "--file", decisions, "--project", "ann").out == ""


def test_what_was_let_go_on_is_shown_when_asked_for(jarvis: Jarvis, decisions: Path) -> None:
    lines = jarvis("log", "--file", decisions, "--all", "--project", "shop").out.splitlines()
    assert len(lines) == 2
    assert "released" in lines[1]
    assert "the user decided it before" in lines[1]


def test_json_holds_every_field(jarvis: Jarvis, decisions: Path) -> None:
    rows = json.loads(jarvis("log", "--file", decisions, "--json", "--last", "1").out)
    assert [row["project_id"] for row in rows] == ["/home/ann/blog"]
    assert (rows[0]["answer"], rows[0]["verdict"]) == ("use a branch", "deny")
    assert rows[0]["options"] == ["go ahead", "hold off"]


def test_before_the_first_decision_there_is_nothing_to_tell(
    jarvis: Jarvis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jarvis_voice.config.decisions_path", lambda: tmp_path / "none")
    assert jarvis("log").status == 0
    assert json.loads(jarvis("log", "--json").out) == []


def test_wrong_files_and_numbers_are_one_line(jarvis: Jarvis, tmp_path: Path) -> None:
    assert "no file" in jarvis("log", "--file", tmp_path / "none").refused()
    (tmp_path / "text").write_text("not a database" * 100)
    jarvis("log", "--file", tmp_path / "text").refused()
    jarvis("log", "--last", "0").refused(2)


def test_following_shows_each_change_as_it_happens(decisions: Path) -> None:
    out = io.StringIO()
    args = argparse.Namespace(all=False, project=None, json=True)
    with AttentionStore(decisions) as store, StoreReader(decisions) as reader:
        ledger = Ledger()
        last = log._read(reader, ledger, 0)
        steps = iter([lambda: store.append(UserGuided(130.0, "r1", "g", "use UTC")), lambda: None])

        def pause() -> None:
            step = next(steps, None)
            if step is None:
                raise KeyboardInterrupt
            step()

        with pytest.raises(KeyboardInterrupt):
            log._follow(
                reader,
                ledger,
                last,
                lambda row: log._print_change(row, args, Io(out, out)),
                pause,
            )
    (line,) = out.getvalue().splitlines()
    assert json.loads(line)["answer"] == "use UTC"
