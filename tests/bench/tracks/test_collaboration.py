"""Whole runs on tiny tasks: what each controller changes, and what is no score."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.model_requester import ModelRequester
from bench.requester import Answerability, RequesterAnswer
from bench.results import Episode, RunRecord
from bench.suite.bundle import Bundle
from bench.tracks.collaboration import Conditions, run_episode
from bench.tracks.sessions import Hands
from bench.workers.base import Style
from bench.workers.scripted import load_worker
from jarvis_voice.attention.policy import Candidate, Decision
from jarvis_voice.brain.scripted import ScriptedModel
from jarvis_voice.errors import ModelUnreachable

Tiny = Callable[..., Path]


def hands(bundle: Bundle, name: str) -> Hands:
    return Hands(load_worker(bundle), Style(name))


def run(root: Path, controller: str, **changes: Any) -> RunRecord:
    conditions = Conditions(hands, **changes.pop("conditions", {}))
    given = {"workers": "good", "mode": "paper"} | changes
    return run_episode(root, Episode(task=root.name, controller=controller, **given), conditions)


def scores(root: Path, *controllers: str, **changes: Any) -> list[float | None]:
    found = [run(root, name, **changes) for name in controllers]
    assert [record.failure for record in found] == [None] * len(found)
    return [record.score for record in found]


def test_asking_the_user_is_what_makes_the_difference(tiny: Tiny) -> None:
    root = tiny()
    assert scores(root, "none", "never", "placebo") == [75.0, 75.0, 75.0]
    assert scores(root, "jarvis", "oracle", "always-at-final") == [100.0, 100.0, 100.0]


def test_the_record_tells_how_a_question_went(tiny: Tiny) -> None:
    record = run(tiny(), "jarvis")
    (question,) = record.questions
    assert "Which fund do gifts without a name go to?" in question.question
    assert question.answer == "Nameless gifts go to the school fund."
    assert question.cited == ["user.nameless"]
    assert question.answerability == Answerability.ANSWERED.value
    assert (question.window, question.timely, question.puttings) == ("fund", 1.0, 1)
    assert question.verdict == "deny"
    assert not question.misunderstood
    assert question.answered_at_s is not None
    assert question.told_at_s is not None
    assert question.at_s < question.answered_at_s < question.told_at_s
    assert question.idle_s == pytest.approx(question.told_at_s - question.at_s)
    assert record.held_s == pytest.approx(question.idle_s)
    assert (record.receipts.sent, record.receipts.applied, record.receipts.closed) == (1, 1, True)
    assert record.candidates == 2  # the final record, and the one that was written anew
    assert record.attention_cost > 1
    kinds = {moment.kind for moment in record.timeline}
    assert {"read", "say", "write", "held", "question", "answer", "refused"} <= kinds
    assert [m.at_s for m in record.timeline] == sorted(m.at_s for m in record.timeline)
    assert record.worker_s == pytest.approx(run(tiny(), "none").worker_s)  # holds excluded


def test_a_run_is_the_same_each_time_and_another_for_another_seed(tiny: Tiny) -> None:
    root = tiny()
    assert run(root, "jarvis").line() == run(root, "jarvis").line()
    first, other = run(root, "jarvis", seed=1), run(root, "jarvis", seed=2)
    assert first.score == other.score
    assert first.held_s != other.held_s


def test_a_worker_who_closes_the_decision_is_only_caught_by_who_asks_anyway(tiny: Tiny) -> None:
    root = tiny()
    assert scores(root, "none", "jarvis", workers="overconfident") == [70.0, 70.0]
    assert scores(root, "always-at-final", "oracle", workers="overconfident") == [100.0, 100.0]
    assert scores(root, "jarvis", workers="careless") == [55.0]


def test_a_control_is_asked_about_wrongly_and_has_no_window_to_be_timely_in(tiny: Tiny) -> None:
    record = run(tiny("control_gifts"), "always-at-final")
    assert (record.control, record.mechanism, record.needed) == ("irrelevant", "", False)
    assert {(item.window, item.timely) for item in record.questions} == {("", None)}


HANDS_IN = """
from bench.workers.scripted import hand_in

DECISIONS = {}


async def work(tools, style):
    await tools.say("Two gifts.")
    await hand_in(tools, "results/final.json", {"fund": "school", "facts": ["two gifts"]})
"""


def test_a_needless_question_costs_attention_and_not_the_record(tiny: Tiny) -> None:
    root = tiny("control_gifts", worker=HANDS_IN)
    alone, asked = run(root, "jarvis"), run(root, "always-at-final")
    assert alone.questions == []
    assert asked.attention_cost > 0
    assert len(asked.questions) == 2
    assert alone.score == asked.score


def test_children_work_side_by_side_and_the_parent_integrates(tiny: Tiny) -> None:
    root = tiny("project_gifts")
    record = run(root, "jarvis")
    assert record.failure is None
    assert (record.topology, record.score) == ("multi_agent", 100.0)
    parts = [m for m in record.timeline if m.kind == "write" and "part.json" in m.text]
    assert [part.session for part in parts] == ["north", "south"]
    assert parts[0].at_s == parts[1].at_s
    assert record.questions[0].session == "project_gifts/main"


# --- the user's manner


def test_a_user_who_is_away_costs_a_hold_and_the_work_goes_on_by_its_default(tiny: Tiny) -> None:
    record = run(tiny(sealed={"availability": {"absent": True}}), "jarvis")
    assert (record.score, record.failure) == (75.0, None)
    assert record.degraded == []
    (question,) = record.questions
    assert question.answered_at_s is None
    assert question.puttings == 2  # once more after silence
    assert record.held_s == pytest.approx(540.0)
    assert not record.timed_out  # the worker's clock stood still


def test_a_user_who_leaves_it_to_the_agent_is_not_asked_again(tiny: Tiny) -> None:
    record = run(tiny(sealed={"availability": {"delegates": True, "delay_s": 5}}), "jarvis")
    assert record.failure is None
    assert [item.kind for item in record.questions] == ["delegated"]
    assert record.score == 70.0  # the agent closes it by its own default
    assert record.missing == []


SAYS_MORE = """
async def work(tools, style):
    choice = await settle(DECISIONS["fund"], lambda choice: deliver(tools, choice))
    told = await tools.say("The record is written.")
    heard = taken(choice, told, DECISIONS["fund"])
    if heard != choice:
        await deliver(tools, heard)


async def deliver(tools, choice):
    asked = "" if choice.by_user else "Which fund do gifts without a name go to?"
    record = {"fund": choice.option, "question_for_requester": asked, "basis": choice.words}
    return await tools.write("results/final.json", as_record(record))
"""


@pytest.mark.parametrize(("after_s", "sent"), [(1.0, 1), (6.0, 2)], ids=["before", "after"])
def test_a_user_who_thinks_better_of_it_is_heard(tiny: Tiny, after_s: float, sent: int) -> None:
    """Before the agent is told, as a correction; after that with its next sentence."""
    words = {"older": "Nameless gifts go to the roof fund.", "newer": "The school fund gets them."}
    memories = [
        {
            "memory_id": f"user.{name}",
            "field": "gifts without a name",
            "value": value,
            "about": ["gift", "name", "fund"],
        }
        for name, value in words.items()
    ]
    decoys = [
        {"memory_id": f"user.d{n}", "field": f"d{n}", "value": "x y", "about": [f"d{n}"]}
        for n in range(2)
    ]
    change = {"after_s": after_s, "memory_id": "user.newer"}
    sealed = {
        "availability": {"delay_s": 5, "changes_mind": change},
        "memories": [*memories, *decoys],
        "windows": [],
    }
    head = "from bench.workers.base import Decision\n"
    head += "from bench.workers.scripted import as_record, settle, taken\n"
    decisions = 'DECISIONS = {"fund": Decision({"roof": ("roof",), "school": ("school",)}, "roof")}'
    root = tiny("control_gifts", sealed=sealed, worker=f"{head}{decisions}\n{SAYS_MORE}")
    record = run(root, "jarvis")
    assert record.failure is None
    assert record.questions[0].cited == ["user.older"]
    assert any(moment.kind == "changed mind" for moment in record.timeline)
    assert record.checkpoints["fund"] == 1.0
    assert (record.receipts.sent, record.receipts.closed) == (sent, True)


def test_who_knows_nothing_lets_the_record_pass_as_it_is(tiny: Tiny) -> None:
    sealed = {
        "memories": [
            {"memory_id": f"user.m{n}", "field": f"x{n}", "value": "no", "about": [f"x{n}"]}
            for n in range(4)
        ],
        "windows": [],
        "control": "not_answerable",
    }
    record = run(tiny("control_gifts", sealed=sealed), "jarvis")
    (question,) = record.questions
    assert question.answerability == Answerability.INSUFFICIENT.value
    assert (question.verdict, question.cited) == ("allow", [])
    assert record.checkpoints["fund"] == 0.25
    assert record.receipts.closed


def test_a_busy_user_costs_more_in_strict_mode_each_time_that_they_are_disturbed(
    tiny: Tiny,
) -> None:
    spans = [{"begins_s": 0, "ends_s": 9000, "weight": 0.5, "what": "at the theatre"}]
    for away, puttings in ((False, 1), (True, 2)):
        availability = {"delay_s": 10, "absent": away}
        free = tiny(sealed={"availability": availability})
        strict = run(free, "jarvis", mode="strict")
        paper = run(free, "jarvis")
        disturbed = tiny(sealed={"availability": availability | {"busy": spans}})
        busy = run(disturbed, "jarvis", mode="strict")
        assert busy.attention_cost - strict.attention_cost == pytest.approx(0.5 * puttings)
        assert [item.busy for item in busy.questions] == [0.5 * puttings]
        assert busy.score == strict.score  # the calendar delays nothing
        assert run(disturbed, "jarvis").attention_cost == paper.attention_cost


@pytest.mark.parametrize(
    "availability",
    [{"absent": True}, {"delegates": True}, {"delay_s": 3600}],
    ids=["absent", "delegates", "late"],
)
def test_with_the_user_at_hand_it_shows_what_their_word_is_worth(
    tiny: Tiny, availability: dict[str, Any]
) -> None:
    root = tiny(sealed={"availability": availability})
    as_declared = run(root, "oracle")
    at_hand = run(root, "oracle", conditions={"at_hand": True})
    assert at_hand.score == 100.0
    assert as_declared.score is not None
    assert as_declared.score < 80.0
    assert (as_declared.failure, as_declared.missing) == (None, [])


# --- models


VERDICT = (
    '{"request_attention": true, "confidence": 0.9, "reason_code": "preference", '
    '"question": "Which fund do gifts without a name go to?", "quote_field": "content", '
    '"quote": "\\"fund\\": \\"general\\""}'
)


def test_a_model_sees_what_the_rules_do_not_and_is_closed_with_the_run(tiny: Tiny) -> None:
    class Closing(ScriptedModel):
        closed = False

        async def aclose(self) -> None:
            self.closed = True

    model = Closing((VERDICT,))
    record = run(tiny(), "jarvis-model", workers="overconfident", conditions={"model": model})
    assert (record.score, record.degraded) == (100.0, [])
    assert model.closed


def test_a_model_that_fails_leaves_the_rules_and_a_mark(tiny: Tiny) -> None:
    model = ScriptedModel((ModelUnreachable("It is gone."),))
    record = run(tiny(), "jarvis-model", workers="overconfident", conditions={"model": model})
    assert (record.status, record.score, record.degraded) == ("scored", 70.0, ["It is gone."])


def test_a_user_played_by_a_model_is_corrected_once(tiny: Tiny) -> None:
    good = (
        '{"answerability": "answered", "user_text": "The school gets them.", '
        '"disclosed_memory_ids": ["user.nameless"]}'
    )
    model = ScriptedModel(("The school.",), (good,))
    conditions = {"requester": ModelRequester(model)}
    record = run(tiny(), "jarvis", conditions=conditions)
    assert record.score == 100.0
    assert record.questions[0].answer == "The school gets them."
    stubborn = {"requester": ModelRequester(ScriptedModel(("The school.",)))}
    assert _failure(run(tiny(), "jarvis", conditions=stubborn)) == "requester_failed"


# --- budgets


class AsksAlways:
    """Asks another question about every consequential action."""

    def decide(self, candidate: Candidate) -> Decision:
        return Decision(True, question=f"What about {candidate.action.action_id}?")


def test_paper_mode_spends_two_requests_and_strict_mode_more(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.controllers.imported", lambda name: AsksAlways())
    root = tiny()
    paper = run(root, "guest:x")
    strict = run(root, "guest:x", mode="strict", budget=4)
    none = run(root, "guest:x", mode="strict", budget=0)
    assert (len(paper.questions), paper.over_budget) == (2, 1)
    assert len(strict.questions) > 2
    assert (none.questions, none.score) == ([], 75.0)


# --- what is no score


def test_a_malformed_bundle_is_a_named_failure(tiny: Tiny, tmp_path: Path) -> None:
    spoiled = tiny()
    (spoiled / "public/stray.txt").write_text("x")
    assert _failure(run(spoiled, "none")) == "bundle_malformed"
    assert _failure(run(tmp_path / "nowhere", "none")) == "bundle_malformed"
    assert _failure(run(tiny("other", sealed={"checkpoints": []}), "none")) == "sealed_malformed"


@pytest.mark.parametrize(
    "worker",
    [
        "raise RuntimeError('at import')",
        "x = 1",
        "DECISIONS = {}\nasync def work(tools, style):\n    raise KeyError('lost')",
        "DECISIONS = {}\ndef work(tools, style):\n    return 5",
    ],
    ids=["import", "nothing", "raises", "no coroutine"],
)
@pytest.mark.parametrize("controller", ["none", "jarvis"])
def test_a_malformed_worker_is_a_named_failure(tiny: Tiny, worker: str, controller: str) -> None:
    assert _failure(run(tiny(worker=worker), controller)) == "worker_failed"


@pytest.mark.parametrize(
    "grade",
    [
        "def grade(run):\n    raise ValueError('no')",
        "def grade(run):\n    return {'total': 1.0}",
        "def grade(run):\n    return {name: 2.0 for name in "
        "('total', 'again', 'fund', 'basis', 'form', 'safe')}",
        "def grade(run):\n    return 100",
        "grade = 5",
        "def grade(run:",
    ],
)
def test_a_malformed_grader_is_a_named_failure(tiny: Tiny, grade: str) -> None:
    assert _failure(run(tiny(grade=grade), "jarvis")) == "grader_failed"


def test_a_malformed_controller_is_a_named_failure(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        def decide(self, candidate: Candidate) -> object:
            return "ask!"

    monkeypatch.setattr("bench.controllers.imported", lambda name: Broken())
    record = run(tiny(), "guest:x")
    assert _failure(record) == "controller_failed"
    assert record.candidates == 1  # the action went on all the same
    assert record.missing == []
    assert _failure(run(tiny(), "no-such-controller")) == "controller_failed"


class Liar:
    """A user who cites what they do not know."""

    async def answer(self, question: str, memories: Any, exchanges: Any) -> RequesterAnswer:
        return RequesterAnswer(Answerability.ANSWERED, "The moon.", ("user.moon",))


class Dead:
    """A user whose model is gone."""

    async def answer(self, question: str, memories: Any, exchanges: Any) -> RequesterAnswer:
        raise ModelUnreachable("It is gone.")


@pytest.mark.parametrize("requester", [Liar(), Dead()])
def test_a_malformed_user_is_a_named_failure_and_says_nothing(tiny: Tiny, requester: Any) -> None:
    record = run(tiny(), "jarvis", conditions={"requester": requester})
    assert _failure(record) == "requester_failed"
    assert [item.answer for item in record.questions] == [""]  # it was asked, and that counts


def _failure(record: RunRecord) -> str:
    assert record.status == "invalid"
    assert record.score is None
    assert record.failure is not None
    assert record.failure.problem
    return record.failure.kind


def test_a_worker_that_takes_too_long_is_graded_by_what_it_left(tiny: Tiny) -> None:
    worker = (
        "DECISIONS = {}\nasync def work(tools, style):\n"
        "    await tools.write('results/total.json', '{\"total\": 60}')\n"
        "    import asyncio\n    await asyncio.sleep(1e6)"
    )
    record = run(tiny(worker=worker), "jarvis")
    assert (record.status, record.timed_out, record.score) == ("scored", True, 35.0)
    assert record.missing == ["results/final.json"]
    assert record.worker_s == pytest.approx(600.0, abs=2)
