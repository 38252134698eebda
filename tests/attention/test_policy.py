"""When the embedded policy asks, and that every question it asks can be answered by ear."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jarvis_voice.attention.candidate import classify
from jarvis_voice.attention.policy import (
    Candidate,
    Decision,
    EmbeddedPolicy,
    PolicySettings,
    is_quoted,
    topic_of,
)
from jarvis_voice.attention.questions import WORKER_NOUNS, is_askable
from jarvis_voice.attention.state import SettledDecision
from jarvis_voice.boundary import AnswerKind, ProposedAction, Urgency, Verdict
from jarvis_voice.events import Evidence, EvidenceKind, RunSnapshot, RunStatus

Offer = Callable[..., ProposedAction]
NOW_S = 10_000.0
POLICY = EmbeddedPolicy()


def consider(action: ProposedAction, **around: Any) -> Candidate:
    return Candidate(action, classify(action), now_s=NOW_S, **around)


def snapshot(run_id: str = "run-1", **fields: Any) -> RunSnapshot:
    return RunSnapshot(run_id, "claude-code", "release", RunStatus.WORKING, 1, **fields)


def settled(action: ProposedAction, verdict: Verdict, **fields: Any) -> SettledDecision:
    given: dict[str, Any] = {
        "project_id": action.project_id,
        "run_ids": (action.run_id,),
        "topic": topic_of(classify(action)),
        "fingerprints": (action.fingerprint,),
        "verdict": verdict,
        "kind": AnswerKind.CHOICE,
        "words": "no" if verdict is Verdict.DENY else "yes",
        "question": "May it?",
        "at_s": NOW_S - 60,
    }
    return SettledDecision(**(given | fields))


@pytest.mark.parametrize(
    ("command", "question"),
    [
        ("git push", "May it push its work to the default remote?"),
        ("git push origin main", "May it push its work to main on origin?"),
        ("git push --force origin main", "May it overwrite what others have on main on origin?"),
        ("gh pr merge 12", "May it merge pull request 12?"),
        (
            "curl -X POST https://api.example.com/v1/x",
            "May it change something at api.example.com?",
        ),
        ("npm publish", "May it publish this for everyone?"),
        ("scp build.tar web.example:/srv", "May it copy its work to web.example?"),
        ("rm -rf src", "May it delete src for good?"),
        ("rm -rf a b c d", "May it delete a and 3 more for good?"),
        ("rm -rf logs", "May it delete this for good?"),
        ("alembic upgrade head", "May it change the database now?"),
        ("terraform apply", "May it change what is live?"),
        ("echo A=1 > .env", "May it change keys or passwords in .env?"),
        ("mail -s hi ann@example.com", "May it send this message in your name?"),
    ],
)
def test_what_is_asked(command: str, question: str, shell: Offer) -> None:
    decision = POLICY.decide(consider(shell(command)))
    assert decision.ask
    assert decision.question == question
    assert decision.reason_code == "authority"
    assert decision.options


def test_grave_effects_are_urgent(shell: Offer) -> None:
    assert POLICY.decide(consider(shell("npm publish"))).urgency is Urgency.HIGH
    assert POLICY.decide(consider(shell("git push"))).urgency is Urgency.NORMAL


def test_ordinary_work_is_not_asked_about(shell: Offer, call: Offer) -> None:
    for action in (shell("pytest"), shell("ls"), call("Write", files=("a.py",), content="TBD")):
        assert not POLICY.decide(consider(action)).ask


def test_a_record_that_leaves_something_open_is_asked_about(call: Offer) -> None:
    files = ("/w/results/final.json",)
    content = '{"question_for_requester": "Which city?", "options": ["Berlin", "Rome"]}'
    decision = POLICY.decide(consider(call("Write", files=files, content=content)))
    assert decision.ask
    assert "Which city?" in decision.question
    assert decision.quote == "Which city?"
    assert decision.options == ("Berlin", "Rome")
    assert not POLICY.decide(consider(call("Write", files=files, content='{"city": "Rome"}'))).ask
    missing = POLICY.decide(consider(call("Write", files=files, content='{"owner": "TBD"}')))
    assert missing.ask
    assert missing.quote == "TBD"


@pytest.mark.parametrize(
    ("goal", "asked"),
    [
        ("Fix it and push to main.", False),
        ("Fix it, but do not push.", True),
        ("Fix it. Ask me before you push.", True),
        ("Fix it.", True),
    ],
)
def test_the_users_own_goal_gives_authority(goal: str, asked: bool, shell: Offer) -> None:
    around = snapshot(goal=goal)
    assert POLICY.decide(consider(shell("git push"), snapshot=around)).ask is asked
    child = shell("git push", parent_run_id="parent")  # its goal was written by an agent
    assert POLICY.decide(consider(child, snapshot=around)).ask
    strict = EmbeddedPolicy(PolicySettings(trust_goal=False))
    assert strict.decide(consider(shell("git push"), snapshot=around)).ask


def test_a_goal_gives_no_authority_for_what_cannot_be_made_good(shell: Offer) -> None:
    around = snapshot(goal="Publish it to npm and push with force.")
    for command in ("npm publish", "git push --force"):
        assert POLICY.decide(consider(shell(command), snapshot=around)).ask


def test_what_was_refused_stays_refused_and_is_not_asked_again(shell: Offer) -> None:
    push = shell("git push origin main")
    before = (settled(push, Verdict.DENY),)
    for again in (push, shell("git push -u origin main")):
        decision = POLICY.decide(consider(again, settled=before))
        assert not decision.ask
        assert '"no"' in decision.refusal
    assert POLICY.decide(consider(shell("git push origin fix"), settled=before)).ask


def test_a_user_who_speaks_again_reopens_what_they_refused(shell: Offer) -> None:
    push = shell("git push origin main")
    before = (settled(push, Verdict.DENY),)
    new = Evidence(1, NOW_S - 5, EvidenceKind.GUIDANCE, "Fine, push it now.")
    ours = Evidence(1, NOW_S - 5, EvidenceKind.GUIDANCE, "no [decision r-0123456789abcdef]")
    decision = POLICY.decide(consider(push, settled=before, snapshot=snapshot(evidence=(new,))))
    assert decision.ask
    decision = POLICY.decide(consider(push, settled=before, snapshot=snapshot(evidence=(ours,))))
    assert decision.refusal


def test_what_was_approved_is_not_asked_again_within_its_scope(shell: Offer) -> None:
    push = shell("git push origin main")
    before = (settled(push, Verdict.ALLOW),)
    assert not POLICY.decide(consider(push, settled=before)).ask
    other_run = shell("git push origin main", run_id="run-2")
    assert POLICY.decide(consider(other_run, settled=before)).ask
    old = (settled(push, Verdict.ALLOW, at_s=NOW_S - 13 * 3600),)
    assert POLICY.decide(consider(push, settled=old)).ask


def test_an_approval_of_something_grave_holds_for_that_call_and_shortly(shell: Offer) -> None:
    publish = shell("npm publish")
    assert not POLICY.decide(consider(publish, settled=(settled(publish, Verdict.ALLOW),))).ask
    late = (settled(publish, Verdict.ALLOW, at_s=NOW_S - 1000),)
    assert POLICY.decide(consider(publish, settled=late)).ask
    other = shell("npm publish --tag next")
    before = (settled(publish, Verdict.ALLOW, topic=topic_of(classify(other))),)
    assert POLICY.decide(consider(other, settled=before)).ask


def test_a_record_changed_as_the_user_said_goes_on(call: Offer) -> None:
    files = ("/w/results/final.json",)
    draft = call("Write", files=files, content='{"owner": "TBD"}')
    before = (settled(draft, Verdict.DENY, words="Ann", kind=AnswerKind.WORDS),)
    assert POLICY.decide(consider(draft, settled=before)).refusal
    amended = call("Write", files=files, content='{"owner": "Ann", "date": "TBD"}')
    decision = POLICY.decide(consider(amended, settled=before))
    assert (decision.ask, decision.refusal) == (False, "")


def test_what_the_user_left_to_the_agent_goes_on_as_it_is(call: Offer) -> None:
    draft = call("Write", files=("results/final.json",), content='{"owner": "TBD"}')
    left = (settled(draft, Verdict.DENY, words="you decide", kind=AnswerKind.DELEGATED),)
    decision = POLICY.decide(consider(draft, settled=left))
    assert (decision.ask, decision.refusal) == (False, "")
    assert "left it to the agent" in decision.note


def test_children_that_change_the_same_thing_are_noticed(call: Offer) -> None:
    write = call("Edit", files=("/w/api.py",), content="x", parent_run_id="parent")
    other = snapshot("run-2", files_changed=("/w/api.py",))
    decision = POLICY.decide(consider(write, siblings=(other,)))
    assert decision.ask
    assert decision.reason_code == "judgement"
    assert not POLICY.decide(consider(write, siblings=(snapshot("run-2"),))).ask
    alone = call("Edit", files=("/w/api.py",), content="x")
    assert not POLICY.decide(consider(alone, siblings=(other,))).ask


def test_an_explicit_need_of_approval_is_quoted(shell: Offer) -> None:
    around = snapshot(last_message="The release needs your approval before it goes out.")
    decision = POLICY.decide(consider(shell("npm publish"), snapshot=around))
    assert '"needs your approval"' in decision.why


texts = st.text(max_size=60) | st.sampled_from(
    ["git push origin logs", "rm -rf 'a b' payload", "npm publish", "gh pr merge 1", "TBD", "<x y>"]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(command=texts, content=texts, final=st.booleans())
def test_every_question_can_be_spoken_and_rests_on_real_words(
    command: str, content: str, final: bool, call: Offer
) -> None:
    files = ("results/final.json",) if final else ()
    candidate = consider(call("Bash", command=command or None, content=content, files=files))
    decision = POLICY.decide(candidate)
    assert decision == POLICY.decide(candidate)
    if decision.ask:
        assert_sound(decision, candidate)


def assert_sound(decision: Decision, candidate: Candidate) -> None:
    assert is_askable(decision.question)
    assert not WORKER_NOUNS.search(decision.question)
    assert 0 < len(decision.question) <= 420
    assert is_quoted(candidate, decision.quote)
    assert 2 <= len(decision.options) <= 4
    assert decision.topic
    assert decision.why
    assert len(decision.about) <= 240


def test_a_runtime_that_waits_for_its_user_is_always_asked_about(shell: Offer) -> None:
    build, push = (
        replace(shell(command), waits_for_user=True)
        for command in ("make build", "git push origin main")
    )
    decision = POLICY.decide(consider(build))
    assert decision.ask
    assert decision.question == "It waits for your approval. May it go on?"
    assert is_quoted(consider(build), decision.quote)
    assert not POLICY.decide(consider(shell("make build"))).ask
    wanted = snapshot(goal="Push it to main when it is done")
    assert POLICY.decide(consider(push, snapshot=wanted)).ask  # it waits all the same
    assert POLICY.decide(consider(push, settled=(settled(push, Verdict.ALLOW),))).ask
    assert POLICY.decide(consider(push, settled=(settled(push, Verdict.DENY),))).refusal
