"""Model graders end to end: what they say is kept, and one that fails is a failure and no score."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest
from pydantic import ValidationError

from bench.answerers import Answered, Asked
from bench.results import Failure
from bench.suite.catalog import TASKS
from bench.tracks import interaction_command
from bench.tracks.interaction import Board, examine
from bench.tracks.interaction_figures import figures
from bench.tracks.interaction_records import Response, Trajectory
from bench.tracks.interaction_report import text
from jarvis_voice.brain.chat_model import ChatMessage
from jarvis_voice.cli import main
from jarvis_voice.cli.io import Io
from jarvis_voice.config import BrainSettings
from jarvis_voice.errors import ModelMalformed, ModelUnreachable

pytestmark = pytest.mark.real_time  # each examination runs a loop of its own
TASK = "seed_vault_round"
CLAIM = "The harbour master whistles while moonlight paints dolphins."


class Judge:
    """A chat model with one verdict, one piece of nonsense, or one error."""

    def __init__(self, name: str, says: str | Exception) -> None:
        self.name = name
        self._says = says
        self.closed = 0

    async def stream(self, messages: Sequence[ChatMessage]) -> AsyncGenerator[str, None]:
        if isinstance(self._says, Exception):
            raise self._says
        yield self._says

    async def aclose(self) -> None:
        self.closed += 1


def verdict(word: str) -> str:
    return json.dumps({"verdict": word})


class Says:
    """An answerer of what no rule decides."""

    async def answer(self, asked: Asked) -> Answered:
        return Answered(CLAIM)


def judged(monkeypatch: pytest.MonkeyPatch, *judges: Judge) -> Trajectory:
    monkeypatch.setattr("bench.tracks.interaction.answerer", lambda *_: Says())
    return examine(TASKS / TASK, "narrator", Board(judges=judges))


@pytest.mark.parametrize(
    ("words", "ruling", "grade", "divided"),
    [
        (("supported", "supported"), "supported", 1, False),
        (("unsupported", "unsupported"), "unsupported", 1, False),
        (("contradicted", "contradicted"), "contradicted", 0, False),
        (("contradicted", "contradicted", "supported"), "contradicted", 0, True),
        (("supported", "contradicted"), "disputed", 1, True),
    ],
)
def test_what_judges_say_is_kept_and_their_disagreement_is_told(
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    ruling: str,
    grade: int,
    divided: bool,
) -> None:
    judges = [Judge(f"family{n}", verdict(word)) for n, word in enumerate(words)]
    found = judged(monkeypatch, *judges)
    first = found.responses[0]
    assert (first.judged, first.grade) == ([ruling], grade)
    assert first.votes == [{f"family{n}": word for n, word in enumerate(words)}]
    assert Trajectory.model_validate_json(found.line()) == found
    (figure,) = figures([found])
    assert figure.judged == figure.undecided > 0
    assert (figure.divided, figure.disputed) == (
        figure.judged if divided else 0,
        figure.judged if ruling == "disputed" else 0,
    )
    assert "with judges of different opinions" in text([found])
    assert [item.closed for item in judges] == [1] * len(judges)


@pytest.mark.parametrize(
    ("says", "problem"),
    [
        ("I would say that is fine.", "no verdict"),
        (verdict("mostly"), "no verdict"),
        ('{"verdict": ["supported"]}', "no verdict"),
        ('{"verdict": "supported"', "no verdict"),
        (ModelUnreachable("It is away.", "Wait."), "gave no answer"),
        (ModelMalformed("It sent noise.", "Try another."), "gave no answer"),
    ],
)
def test_a_judge_that_fails_is_a_failure_by_name_and_no_score(
    monkeypatch: pytest.MonkeyPatch, says: str | Exception, problem: str
) -> None:
    good, bad = Judge("good", verdict("supported")), Judge("bad", says)
    found = judged(monkeypatch, good, bad)
    assert found.status == "invalid"
    assert found.failure is not None
    assert found.failure.kind == "judge_failed"
    assert problem in found.failure.problem
    assert "bad" in found.failure.problem
    assert found.responses == []
    (figure,) = figures([found])
    assert (figure.trajectories, figure.invalid) == (0, 1)
    assert figure.scores["overall"].mean is None
    assert "judge_failed" in text([found])
    assert (good.closed, bad.closed) == (1, 1)


def test_a_record_of_a_failure_cannot_hold_grades() -> None:
    failure = Failure(kind="judge_failed", problem="It is away.")
    graded = Response(kind="early", checkpoint="early", question="How?", grade=2)
    for wrong in (
        {"status": "invalid"},
        {"status": "graded", "failure": failure},
        {"status": "invalid", "failure": failure, "responses": [graded]},
    ):
        with pytest.raises(ValidationError, match="a failure and no grades"):
            Trajectory(task="t", answerer="narrator", **wrong)  # type: ignore[arg-type]


def asked(
    monkeypatch: pytest.MonkeyPatch, judges: dict[str, str], *more: str
) -> tuple[int, str, str]:
    """The command with scripted judges; its result, output and notes."""

    def model(brain: BrainSettings) -> Judge:
        return Judge(brain.model, judges[brain.model])

    monkeypatch.setattr("bench.tracks.interaction.answerer", lambda *_: Says())
    monkeypatch.setattr(interaction_command, "chat_model", model)
    out, err = io.StringIO(), io.StringIO()
    words = ["bench", "interact", "--tasks", TASK, "--judges", ",".join(judges), *more]
    return main(words, Io(out, err)), out.getvalue(), err.getvalue()


def test_the_command_puts_what_is_undecided_to_judges_of_two_families(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    judges = {"gpt-9": verdict("supported"), "qwen-9": verdict("contradicted")}
    code, out, err = asked(monkeypatch, judges, "--json", "--out", str(tmp_path))
    (figure,) = json.loads(out)["answerers"]
    assert code == 0
    assert figure["disputed"] == figure["divided"] == figure["judged"] > 0
    assert "family" not in err
    _, line = (tmp_path / "interaction.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["responses"][0]["votes"] == [
        {"gpt-9": "supported", "qwen-9": "contradicted"}
    ]


def test_the_command_tells_of_judges_of_one_family_and_of_one_that_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code, out, err = asked(monkeypatch, {"gpt-9": verdict("supported"), "gpt-8": "Nice."})
    assert code == 1
    assert "of one family" in err
    assert "judge_failed" in out


def test_the_page_tells_no_grade_where_a_judge_failed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    code, _, _ = asked(monkeypatch, {"gpt-9": "Nice."}, "--out", str(tmp_path))
    page = (tmp_path / "interaction.html").read_text(encoding="utf-8")
    assert code == 1
    assert "has no grade: judge_failed" in page
