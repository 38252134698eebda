"""From a turn to a plan: what is said, what is done, and what is asked back first."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice.attention.dialogue import Given, Table
from jarvis_voice.attention.steering import (
    PAUSE_WORDS,
    STOP_WORDS,
    Choosing,
    Confirming,
    GiveAnswer,
    Guide,
    Instead,
    Plan,
    PutOff,
    Scene,
    plan,
)
from jarvis_voice.boundary import AnswerKind, AttentionRequest, Urgency, UserAnswer, Verdict
from jarvis_voice.events import RunSnapshot, RunStatus

RUNS = (
    RunSnapshot("r", "claude-code", "release", RunStatus.HELD, 1),
    RunSnapshot("d", "codex", "docs", RunStatus.WORKING, 1),
    RunSnapshot("o", "codex", "old thing", RunStatus.DONE, 1),
)


def asks(run_id: str, deed: str = "push its work", *options: str) -> AttentionRequest:
    return AttentionRequest(
        f"q-{run_id}",
        "project",
        (run_id,),
        (f"call-{run_id}",),
        f"May it {deed}?" if not options else "Which one?",
        options or ("go ahead", "hold off"),
        f"It is about to {deed}: quoted words",
        "It is yours to say.",
        "quoted words",
        "authority",
        Urgency.NORMAL,
        100.0,
    )


PUSH, PAGES = asks("r"), asks("d", "publish the pages")
HEARD = frozenset(("q-r", "q-d"))


def scene(*waiting: AttentionRequest, **changes: object) -> Scene:
    """The first one was just put and heard."""
    table = Table(waiting, waiting[0] if waiting else None, fresh=bool(waiting))
    given = {"runs": RUNS, "table": table, "heard": frozenset(("q-r",))} | changes
    return Scene(**given)  # type: ignore[arg-type]  # the fields, by name


def done(found: Plan | None) -> tuple[object, ...]:
    assert found is not None
    return found.effects


def verdict(found: Plan | None) -> Verdict:
    (effect,) = done(found)
    assert isinstance(effect, GiveAnswer)
    return effect.answer.verdict


def test_an_answer_is_given_at_once_and_read_back() -> None:
    found = plan("Go ahead.", scene(PUSH))
    assert verdict(found) is Verdict.ALLOW
    assert found is not None
    assert found.say.startswith("All right: the release agent may push its work.")


def test_what_cannot_be_undone_is_confirmed_first() -> None:
    here = scene(PUSH, irreversible=frozenset(("q-r",)))
    for said in ("Yes.", "Okay.", "Approve.", "You decide.", "The first one.", "yes, and tag it"):
        found = plan(said, here)
        assert done(found) == ()
        assert found is not None
        assert isinstance(found.expects, Confirming)
        assert "cannot be undone" in found.say
    assert verdict(plan("No.", here)) is Verdict.DENY  # holding back needs no confirmation


def test_a_confirmation_is_done_denied_or_asked_for_again() -> None:
    asked = plan("Yes.", scene(PUSH, irreversible=frozenset(("q-r",))))
    assert asked is not None
    expecting = scene(PUSH, irreversible=frozenset(("q-r",)), expects=asked.expects)
    assert verdict(plan("Yes.", expecting)) is Verdict.ALLOW
    assert verdict(plan("Yes, push it.", expecting)) is Verdict.ALLOW
    assert verdict(plan("No.", expecting)) is Verdict.DENY
    again = plan("Okay.", expecting)
    assert done(again) == ()
    assert again is not None
    assert again.expects == asked.expects
    assert plan("How is it going?", expecting) is None
    never = plan("Never mind.", expecting)
    assert done(never) == ()


def test_what_the_user_has_not_heard_is_said_before_it_is_allowed() -> None:
    here = scene(PUSH, PAGES)
    found = plan("Approve the docs.", here)
    assert done(found) == ()
    assert found is not None
    assert found.say == (
        "The docs agent would publish the pages. Say yes to let it publish the pages."
    )
    assert verdict(plan("Deny the docs.", here)) is Verdict.DENY


def test_a_command_for_another_run_is_no_answer_to_this_one() -> None:
    assert done(plan("Tell the docs agent to wait for Anna.", scene(PUSH))) == (
        Guide("d", "wait for Anna"),
    )
    assert done(plan("Stop the docs agent.", scene(PUSH))) == (Guide("d", STOP_WORDS, stop=True),)
    answered = plan("Tell the release agent to use a branch.", scene(PUSH))
    (effect,) = done(answered)
    assert isinstance(effect, GiveAnswer)
    assert effect.answer.words == "use a branch"


def test_two_that_wait_and_one_yes() -> None:
    stale = Scene(RUNS, Table((PUSH, PAGES)), heard=HEARD)
    found = plan("Approve.", stale)
    assert done(found) == ()
    assert found is not None
    assert isinstance(found.expects, Choosing)
    then = plan("The docs one.", replace(stale, expects=found.expects))
    assert verdict(then) is Verdict.ALLOW
    assert then is not None
    assert then.run_id == "d"


def test_everything_is_approved_only_after_it_was_said_what_that_is() -> None:
    found = plan("Approve all of them.", scene(PUSH, PAGES))
    assert done(found) == ()
    assert found is not None
    assert "the docs agent would publish the pages" in found.say
    then = plan("Yes.", scene(PUSH, PAGES, expects=found.expects))
    assert len(done(then)) == 2


def test_putting_off_asking_back_and_the_list() -> None:
    assert done(plan("Ask me in ten minutes.", scene(PUSH))) == (PutOff("q-r", 600.0),)
    for said in ("Why?", "What are the options?", "What was the question?"):
        found = plan(said, scene(PUSH))
        assert done(found) == ()
        assert found is not None
        assert found.about == "q-r"
    listed = plan("Which ones are waiting?", scene(PUSH, PAGES))
    assert listed is not None
    assert listed.say.startswith("Two wait for you.")


def given_(verdict_: Verdict, words: str, kind: AnswerKind, *, is_open: bool) -> Given:
    return Given(PUSH, UserAnswer("q-r", kind, verdict_, words, 101.0), is_open)


def after(given: Given, **changes: object) -> Scene:
    table = Table(given=given, read_back=True)
    return Scene(RUNS, table, heard=frozenset(("q-r",)), **changes)  # type: ignore[arg-type]  # by name


def test_no_turns_a_yes_into_a_no_and_asks_before_the_other_way_round() -> None:
    yes = given_(Verdict.ALLOW, "go ahead", AnswerKind.CHOICE, is_open=True)
    (effect,) = done(plan("No.", after(yes)))
    assert isinstance(effect, GiveAnswer)
    assert (effect.correcting, effect.answer.verdict) == (True, Verdict.DENY)
    no = given_(Verdict.DENY, "hold off", AnswerKind.CHOICE, is_open=True)
    found = plan("No, approve it.", after(no, irreversible=frozenset(("q-r",))))
    assert done(found) == ()
    assert found is not None
    assert isinstance(found.expects, Confirming)


def test_guidance_that_was_misheard_is_withheld_until_it_is_said_again() -> None:
    words = given_(Verdict.DENY, "use v2", AnswerKind.WORDS, is_open=True)
    found = plan("No.", after(words))
    (effect,) = done(found)
    assert isinstance(effect, GiveAnswer)
    assert (effect.answer.verdict, effect.answer.words) == (Verdict.DENY, "")
    assert found is not None
    assert isinstance(found.expects, Instead)
    then = plan("Use v3.", replace(after(words), expects=found.expects))
    (effect,) = done(then)
    assert isinstance(effect, GiveAnswer)
    assert (effect.correcting, effect.answer.words) == (True, "Use v3")


def test_a_correction_that_comes_too_late_is_told_before_the_next_step() -> None:
    told = given_(Verdict.ALLOW, "go ahead", AnswerKind.CHOICE, is_open=False)
    (guide,) = done(plan("No.", after(told)))
    assert isinstance(guide, Guide)
    assert guide.stop
    (guide,) = done(plan("No, I meant use a branch.", after(told)))
    assert isinstance(guide, Guide)
    assert (guide.words, guide.stop) == ("use a branch", True)


def test_commands_become_guidance() -> None:
    here = Scene(RUNS, last_run="r")
    assert done(plan("Pause that one.", here)) == (Guide("r", PAUSE_WORDS, stop=True),)
    assert len(done(plan("Tell all of them to use UTC.", here))) == 2
    stop_all = plan("Stop all of them.", here)
    assert done(stop_all) == ()
    assert stop_all is not None
    assert len(done(plan("Yes.", replace(here, expects=stop_all.expects)))) == 2
    over = plan("Tell the old thing to go home.", here)
    assert done(over) == ()
    assert over is not None
    assert over.say == "The old thing agent has ended already."


def test_a_wish_without_an_addressee_is_offered_to_be_passed_on() -> None:
    here = Scene(RUNS, last_run="r", steers=True)
    found = plan("Use UTC instead.", here)
    assert done(found) == ()
    assert found is not None
    assert found.say == "Shall I tell the release agent: Use UTC instead."
    assert done(plan("Yes.", replace(here, expects=found.expects))) == (
        Guide("r", "Use UTC instead"),
    )
    assert plan("Use UTC instead.", Scene(RUNS, last_run="r")) is None


@pytest.mark.parametrize("said", ["How is it going?", "Hello.", "", "Thanks.", "Stop."])
def test_the_rest_is_for_the_brain(said: str) -> None:
    assert plan(said, scene(PUSH)) is None
    assert plan(said, Scene(RUNS)) is None


_SAID = st.sampled_from(
    """yes|no|okay|approve|approve all of them|deny it|later|why?|the first one|use utc|you decide
    |no, i meant the other one|tell the docs agent to stop|stop all of them|never mind""".split("|")
) | st.text(max_size=40)


@given(st.lists(_SAID, min_size=1, max_size=6), st.booleans())
def test_nothing_irreversible_is_allowed_without_a_clear_yes_to_its_confirmation(
    turns: list[str], fresh: bool
) -> None:
    table = Table((PUSH, PAGES), PUSH, fresh)
    here = Scene(RUNS, table, heard=HEARD, irreversible=HEARD)
    for said in turns:
        found = plan(said, here)
        allowed = [
            effect
            for effect in (found.effects if found else ())
            if isinstance(effect, GiveAnswer) and effect.answer.verdict is Verdict.ALLOW
        ]
        if allowed:
            assert isinstance(here.expects, Confirming)
            assert here.expects.final
            assert said.strip().lower().rstrip(".!") not in ("okay", "the first one", "you decide")
        here = replace(here, expects=found.expects if found else None)
