"""The desk in virtual time: what a runtime hears, and when, for what the user says and when."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from jarvis_voice.attention.agenda import AgendaSettings, QuietHours
from jarvis_voice.attention.desk import Desk
from jarvis_voice.attention.desk_settings import DeskSettings, Outside, Surroundings
from jarvis_voice.attention.facts import ActionReleased, Restarted
from jarvis_voice.attention.journal import ScriptedJournal
from jarvis_voice.attention.policy import Candidate, Decision, EmbeddedPolicy
from jarvis_voice.attention.requests import MarkDegraded, NoteApplied, Request, TellUser
from jarvis_voice.attention.state import GuidancePhase, Phase, Refusal
from jarvis_voice.boundary import (
    AnswerKind,
    AttentionRequest,
    ProposedAction,
    Ruling,
    UserAnswer,
    Verdict,
)
from jarvis_voice.errors import JarvisError, OutputError
from jarvis_voice.events import RunSnapshot, RunStatus

START_S = 1_700_000_000.0
Offer = Callable[..., ProposedAction]


class Room:
    """A desk with a policy, a journal and ears."""

    def __init__(self, journal: ScriptedJournal | None = None, **settings: Any) -> None:
        self.loop = asyncio.get_running_loop()
        self.journal = journal or ScriptedJournal()
        self.asked: list[AttentionRequest] = []
        self.heard: list[Request] = []
        self.faults: list[JarvisError] = []
        self.minute = 12 * 60
        self.around = Surroundings()
        numbers = itertools.count()
        outside = Outside(
            lambda: START_S + self.loop.time(),
            lambda: self.minute,
            lambda: f"nonce-{next(numbers)}-{self.loop.time()}",
            lambda action: self.around,
        )
        self.desk = Desk(
            settings.pop("policy", EmbeddedPolicy()),
            self.journal,
            DeskSettings(**settings),
            outside,
        )
        self.desk.on_ask = self.asked.append
        self.desk.on_request = self.heard.append
        self.desk.on_fault = self.faults.append
        self.desk.start()

    def now(self) -> float:
        return START_S + self.loop.time()

    def says(
        self, words: str, verdict: Verdict, kind: AnswerKind = AnswerKind.CHOICE, which: int = 0
    ) -> UserAnswer:
        request_id = self.desk.open_requests()[which].request_id
        return UserAnswer(request_id, kind, verdict, words, self.now())

    def degraded(self) -> list[str]:
        return [item.run_id for item in self.heard if isinstance(item, MarkDegraded)]


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_ordinary_work_goes_on_and_leaves_no_trace(shell: Offer) -> None:
    room = Room()
    for command in ("ls", "pytest -q", "git commit -m x"):
        assert await room.desk.review(shell(command)) == Ruling(Verdict.ALLOW)
    assert list(room.journal.facts()) == []
    assert room.loop.time() == 0
    room.desk.close()


async def test_what_the_goal_asks_for_is_released_and_recorded(shell: Offer) -> None:
    room = Room()
    goal = "Fix the test, then push it to origin main."
    snapshot = RunSnapshot("run-1", "claude-code", "fix", RunStatus.WORKING, 1, goal=goal)
    room.around = Surroundings(snapshot)
    assert (await room.desk.review(shell("git push origin main"))).verdict is Verdict.ALLOW
    assert [type(fact) for fact in room.journal.facts()] == [ActionReleased]
    room.desk.close()


async def test_a_file_that_the_run_has_made_may_go_and_no_other(shell: Offer) -> None:
    room = Room()
    created = ("/home/ann/shop/draft.py",)
    snapshot = RunSnapshot("run-1", "claude-code", "fix", RunStatus.WORKING, 1, created=created)
    room.around = Surroundings(snapshot)
    own = await room.desk.review(shell("rm -rf /home/ann/shop/draft.py"))
    assert own == Ruling(Verdict.ALLOW)
    async with asyncio.TaskGroup() as tasks:
        other = tasks.create_task(room.desk.review(shell("rm -rf /home/ann/shop/src")))
        await settle()
        assert len(room.asked) == 1
        other.cancel()
    room.desk.close()


async def test_a_denied_push_carries_the_users_words_to_its_agent(shell: Offer) -> None:
    room = Room()
    async with asyncio.TaskGroup() as tasks:
        push = tasks.create_task(room.desk.review(shell("git push origin main")))
        await settle()
        (question,) = room.asked
        assert question.quote == "git push origin main"
        room.desk.asked(question.request_id)
        await asyncio.sleep(2)
        said = room.says("Push to a branch instead.", Verdict.DENY, AnswerKind.WORDS)
        outcome = room.desk.answer(said)
        assert outcome.applied
        assert "branch" in outcome.line
        assert not push.done()  # the answer can still be corrected
    ruling = push.result()
    assert ruling.verdict is Verdict.DENY
    assert '"Push to a branch instead."' in ruling.reason
    assert room.loop.time() == pytest.approx(5.0)
    assert room.desk.open_requests() == ()
    room.desk.close()


async def test_an_answer_can_be_corrected_until_it_goes_out(shell: Offer) -> None:
    room = Room()
    async with asyncio.TaskGroup() as tasks:
        push = tasks.create_task(room.desk.review(shell("git push")))
        await settle()
        yes = room.says("go ahead", Verdict.ALLOW)
        room.desk.answer(yes)
        await asyncio.sleep(2)
        no = replace(yes, verdict=Verdict.DENY, words="No, I meant hold off.", at_s=room.now())
        assert room.desk.answer(no).refusal is Refusal.ALREADY_ANSWERED
        assert room.desk.correct(no).applied
    assert push.result().verdict is Verdict.DENY
    late = room.desk.correct(replace(yes, at_s=room.now()))
    assert late.refusal is Refusal.RELEASED
    assert not late.applied
    room.desk.close()


async def test_the_end_of_the_read_back_lets_the_answer_go(shell: Offer) -> None:
    room = Room()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(room.desk.review(shell("git push")))
        await settle()
        answer = room.says("go ahead", Verdict.ALLOW)
        room.desk.answer(answer)
        room.desk.read_back_ended(answer.request_id)
    assert room.loop.time() == pytest.approx(1.5)
    room.desk.close()


async def test_nobody_answers_and_the_rule_decides(shell: Offer) -> None:
    for closed, verdict in (
        (frozenset[str](), Verdict.ALLOW),
        (frozenset({"codex"}), Verdict.DENY),
    ):
        room = Room(hold_s=50, fail_closed=closed)
        started_s = room.loop.time()
        ruling = await room.desk.review(shell("git push", runtime="codex"))
        assert ruling.verdict is verdict
        assert bool(ruling.degraded) is (verdict is Verdict.ALLOW)
        assert room.loop.time() - started_s == pytest.approx(50)
        await settle()
        assert room.degraded() == ["run-1"]
        late = UserAnswer(room.asked[0].request_id, AnswerKind.CHOICE, Verdict.DENY, "", room.now())
        assert room.desk.answer(late).refusal is Refusal.EXPIRED
        room.desk.close()


async def test_an_answer_that_can_still_be_corrected_beats_the_deadline(shell: Offer) -> None:
    room = Room(hold_s=5)
    async with asyncio.TaskGroup() as tasks:
        push = tasks.create_task(room.desk.review(shell("git push")))
        await asyncio.sleep(4)
        room.desk.answer(room.says("hold off", Verdict.DENY))
    assert push.result().verdict is Verdict.DENY
    assert room.loop.time() == pytest.approx(5)
    assert room.degraded() == []
    room.desk.close()


async def test_the_rest_of_a_denied_turn_is_denied_until_it_ends(shell: Offer) -> None:
    room = Room()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(room.desk.review(shell("git push")))
        other = tasks.create_task(room.desk.review(shell("rm -rf src", action_id="b")))
        elsewhere = tasks.create_task(room.desk.review(shell("git push", run_id="run-2")))
        await settle()
        push = next(
            r for r in room.desk.open_requests() if "run-1" in r.run_ids and "git" in r.quote
        )
        answer = UserAnswer(push.request_id, AnswerKind.CHOICE, Verdict.DENY, "no", room.now())
        room.desk.answer(answer)
        await asyncio.sleep(3.1)
        assert other.result().verdict is Verdict.DENY
        assert (await room.desk.review(shell("ls", action_id="c"))).verdict is Verdict.DENY
        room.desk.batch_ended("run-1")
        assert (await room.desk.review(shell("ls", action_id="d"))).verdict is Verdict.ALLOW
        assert (await room.desk.review(shell("ls", run_id="run-3"))).verdict is Verdict.ALLOW
        # both runs asked the same at once: it was one question
        assert elsewhere.result().verdict is Verdict.DENY
    room.desk.close()


async def test_a_hung_up_runtime_withdraws_its_question(shell: Offer) -> None:
    room = Room()
    async with asyncio.TaskGroup() as tasks:
        push = tasks.create_task(room.desk.review(shell("git push")))
        await settle()
        assert len(room.desk.open_requests()) == 1
        push.cancel()
        await settle()
    assert room.desk.open_requests() == ()
    assert not list(room.desk.state.held())
    room.desk.close()


async def test_a_decision_that_was_not_delivered_is_told_with_the_next_action(shell: Offer) -> None:
    room = Room()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(room.desk.review(shell("git push origin main")))
        await settle()
        room.desk.answer(room.says("Use a branch.", Verdict.DENY, AnswerKind.WORDS))
        await asyncio.sleep(3.0)
    room.desk.runtime_gone("run-1")  # before the ruling counted as delivered
    await settle()
    assert any(isinstance(item, TellUser) for item in room.heard)
    told = await room.desk.review(shell("make", action_id="next"))
    assert told.verdict is Verdict.DENY
    assert "Use a branch." in told.reason
    await asyncio.sleep(40)
    again = await room.desk.review(shell("make", action_id="after that"))
    assert again == Ruling(Verdict.ALLOW)
    room.desk.close()


async def test_a_decision_survives_a_crash_and_is_told_once(shell: Offer) -> None:
    room = Room()
    async with asyncio.TaskGroup() as tasks:
        push = tasks.create_task(room.desk.review(shell("git push origin main")))
        await settle()
        room.desk.answer(room.says("Use a branch.", Verdict.DENY, AnswerKind.WORDS))
        written = list(room.journal.facts())  # the crash comes here
        push.cancel()
    room.desk.close()
    later = Room(ScriptedJournal(written))
    assert isinstance(list(later.journal.facts())[-1], Restarted)
    told = await later.desk.review(shell("make", action_id="next"))
    assert "Use a branch." in told.reason
    await asyncio.sleep(2)
    session = later.desk.state.sessions["run-1"]
    assert [item.phase for item in session.guidance] == [GuidancePhase.DELIVERED]
    later.desk.note_guidance_seen("run-1", f"... {told.reason} ...")
    later.desk.note_guidance_seen("run-1", f"... {told.reason} ...")
    await settle()
    assert len([item for item in later.heard if isinstance(item, NoteApplied)]) == 1
    assert later.desk.state.phase_of("run-1", "next") is Phase.APPLIED
    later.desk.close()


async def test_the_agenda_puts_one_question_at_a_time(shell: Offer) -> None:
    room = Room(hold_s=10_000)
    async with asyncio.TaskGroup() as tasks:
        for number, command in enumerate(("git push", "terraform apply", "npm publish")):
            tasks.create_task(room.desk.review(shell(command, action_id=f"{number}")))
            await asyncio.sleep(1)
        assert [item.quote for item in room.asked] == ["git push", "npm publish"]
        room.desk.asked(room.asked[-1].request_id)
        await asyncio.sleep(29)
        assert len(room.asked) == 2
        await asyncio.sleep(2)  # silence: the next one comes
        assert room.asked[-1].quote == "git push"
        room.desk.asked(room.asked[-1].request_id)
        room.desk.snooze(room.asked[-1].request_id, 600)
        await settle()
        assert room.asked[-1].quote == "terraform apply"
        room.desk.asked(room.asked[-1].request_id)
        await asyncio.sleep(125)
        assert room.asked[-1].quote == "npm publish"  # once more after silence
        room.desk.asked(room.asked[-1].request_id)
        await asyncio.sleep(200)
        assert room.asked[-1].quote == "terraform apply"
        room.desk.ignored(room.asked[-1].request_id)
        await asyncio.sleep(600)
        assert room.asked[-1].quote == "git push"
        assert len(room.desk.open_requests()) == 3  # all of them are still in the list
        room.desk.close()


async def test_quiet_hours_let_only_urgent_questions_through(shell: Offer) -> None:
    room = Room(hold_s=10_000, agenda=AgendaSettings(quiet=(QuietHours(0, 1439),)))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(room.desk.review(shell("git push")))
        await settle()
        assert room.asked == []
        tasks.create_task(room.desk.review(shell("npm publish", action_id="b")))
        await settle()
        assert [item.quote for item in room.asked] == ["npm publish"]
        room.desk.asked(room.asked[0].request_id)
        room.minute = 1439
        await asyncio.sleep(120)
        assert room.asked[-1].quote == "git push"  # the quiet time is over
        room.desk.close()


async def test_a_question_is_not_put_off_beyond_its_deadline(shell: Offer) -> None:
    room = Room(hold_s=300)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(room.desk.review(shell("git push")))
        await settle()
        request = room.asked[0]
        room.desk.asked(request.request_id)
        outcome = room.desk.snooze(request.request_id, 3600)
        assert "cannot wait that long" in outcome.line
        await asyncio.sleep(260)
        assert len(room.asked) == 2
        room.desk.close()


async def test_the_user_guides_and_stops_a_run_unasked(shell: Offer) -> None:
    room = Room()
    room.desk.guide("run-1", "Use UTC.")
    ruling = await room.desk.review(shell("make"))
    assert ruling.verdict is Verdict.ALLOW
    assert "Use UTC." in ruling.reason
    async with asyncio.TaskGroup() as tasks:
        push = tasks.create_task(room.desk.review(shell("git push", action_id="b")))
        await settle()
        room.desk.guide("run-1", "Stop, I will do that.", stop=True)
    assert push.result().verdict is Verdict.DENY
    assert "Stop, I will do that." in push.result().reason
    assert room.desk.open_requests() == ()
    room.desk.close()


async def test_a_journal_that_fails_releases_and_marks_degraded(shell: Offer) -> None:
    room = Room(fail_closed=frozenset({"codex"}))
    room.journal.failure = OutputError("The disk is full.", "Make room.")
    open_ = await room.desk.review(shell("git push"))
    closed = await room.desk.review(shell("git push", runtime="codex"))
    assert (open_.verdict, closed.verdict) == (Verdict.ALLOW, Verdict.DENY)
    assert open_.degraded
    assert room.degraded() == ["run-1", "run-1"]
    assert room.faults
    assert not room.desk.state.sessions
    room.journal.failure = None
    async with asyncio.TaskGroup() as tasks:
        push = tasks.create_task(room.desk.review(shell("git push")))
        await settle()
        room.journal.failure = OutputError("The disk is full.", "Make room.")
        answer = room.says("hold off", Verdict.DENY)
        assert not room.desk.answer(answer).applied
        room.journal.failure = None
        assert room.desk.answer(answer).applied
    assert push.result().verdict is Verdict.DENY
    room.desk.close()


async def test_the_same_call_offered_twice_gets_one_ruling(shell: Offer) -> None:
    room = Room()
    async with asyncio.TaskGroup() as tasks:
        first = tasks.create_task(room.desk.review(shell("git push")))
        second = tasks.create_task(room.desk.review(shell("git push")))
        await settle()
        assert len(room.desk.open_requests()) == 1
        first.cancel()
        await settle()
        assert len(room.desk.open_requests()) == 1
        room.desk.answer(room.says("hold off", Verdict.DENY))
    assert second.result().verdict is Verdict.DENY
    third = await room.desk.review(shell("git push"))
    assert third.verdict is Verdict.DENY
    room.desk.close()


class _Thinks:
    """Takes its time over everything."""

    def __init__(self, seconds: float, decision: Decision | JarvisError) -> None:
        self._seconds = seconds
        self._decision = decision

    def quick(self, candidate: Candidate) -> Decision | None:
        return None

    async def decide(self, candidate: Candidate) -> Decision:
        await asyncio.sleep(self._seconds)
        if isinstance(self._decision, JarvisError):
            raise self._decision
        return self._decision


@pytest.mark.parametrize(
    ("policy", "after_s", "degraded"),
    [
        (_Thinks(1, Decision(False)), 1, False),
        (_Thinks(99, Decision(False)), 10, True),
        (_Thinks(1, OutputError("No.", "")), 1, True),
    ],
)
async def test_a_policy_that_fails_to_think_releases(
    policy: _Thinks, after_s: float, degraded: bool, shell: Offer
) -> None:
    room = Room(policy=policy)
    ruling = await room.desk.review(shell("git push"))
    assert ruling.verdict is Verdict.ALLOW
    assert bool(ruling.degraded) is degraded
    assert room.loop.time() == pytest.approx(after_s)
    room.desk.close()


async def test_closing_resolves_all_that_waits(shell: Offer) -> None:
    room = Room(fail_closed=frozenset({"codex"}))
    async with asyncio.TaskGroup() as tasks:
        answered = tasks.create_task(room.desk.review(shell("git push")))
        await settle()
        room.desk.answer(room.says("hold off", Verdict.DENY))
        opened = tasks.create_task(room.desk.review(shell("git push", run_id="run-2")))
        closed = tasks.create_task(
            room.desk.review(shell("git push", run_id="run-3", runtime="codex"))
        )
        await settle()
        room.desk.close()
    assert answered.result().verdict is Verdict.DENY
    assert opened.result().verdict is Verdict.ALLOW
    assert closed.result().verdict is Verdict.DENY
