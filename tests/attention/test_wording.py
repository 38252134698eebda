"""How Jarvis says it: short, with the run's name, and true to what was understood."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice.attention import wording
from jarvis_voice.attention.decisions import Answered
from jarvis_voice.boundary import AnswerKind, AttentionRequest, Urgency, Verdict

NAMES = {"r": "the release agent", "d": "the docs agent", "m": "the migration agent"}
PUSH = AttentionRequest(
    "q1",
    "project",
    ("r",),
    ("call",),
    "May it push its work to main?",
    ("go ahead", "hold off"),
    "It is about to push its work: git push origin main",
    "Whether work leaves this machine is yours to say.",
    "git push origin main",
    "authority",
    Urgency.NORMAL,
    100.0,
)
ZONE = replace(
    PUSH,
    request_id="q2",
    run_ids=("d",),
    question="Which time zone should it use?",
    options=("UTC", "local time", "ask again"),
    about='It is about to write its result with "TBD" in it.',
    quote='"zone": "TBD"',
)


def test_a_question_names_the_run_what_it_is_about_to_do_and_the_options() -> None:
    assert wording.question(PUSH, NAMES) == (
        "The release agent is about to push its work. May it push its work to main? "
        "Go ahead, or hold off?"
    )
    assert wording.question(ZONE, NAMES) == (
        'The docs agent is about to write its result with "TBD" in it. '
        "Which time zone should it use? UTC, local time, or ask again?"
    )


def test_what_the_question_says_already_is_not_said_twice() -> None:
    same = replace(PUSH, question="May it push its work?")
    assert wording.question(same, NAMES) == (
        "The release agent is about to push its work. May it? Go ahead, or hold off?"
    )


def test_runs_that_share_a_decision_are_named_together() -> None:
    both = replace(PUSH, run_ids=("r", "d"))
    assert wording.question(both, NAMES).startswith(
        "The release agent and the docs agent are about to push its work. May they push"
    )
    many = replace(PUSH, run_ids=("r", "d", "m", "x"))
    assert "the docs agent and 2 more" in wording.question_again(many, NAMES)


@pytest.mark.parametrize(
    ("request_", "kind", "verdict", "words", "said"),
    [
        (PUSH, AnswerKind.CHOICE, Verdict.ALLOW, "go ahead",
         "All right: the release agent may push its work to main."),
        (PUSH, AnswerKind.CHOICE, Verdict.DENY, "hold off",
         "All right: the release agent does not push its work to main."),
        (PUSH, AnswerKind.WORDS, Verdict.DENY, "use a branch",
         "All right: the release agent holds that step, and I tell it: use a branch."),
        (PUSH, AnswerKind.WORDS, Verdict.ALLOW, "yes, and tag it",
         "All right: the release agent may go on, and I tell it: yes, and tag it."),
        (PUSH, AnswerKind.DELEGATED, Verdict.ALLOW, "you decide",
         "All right: the release agent decides that itself."),
        (ZONE, AnswerKind.CHOICE, Verdict.DENY, "UTC", "All right: the docs agent hears: UTC."),
    ],
)  # fmt: skip
def test_a_read_back_is_one_line_that_can_be_corrected(
    request_: AttentionRequest, kind: AnswerKind, verdict: Verdict, words: str, said: str
) -> None:
    answer = Answered(request_, kind, verdict, words)
    assert wording.read_back(answer, NAMES) == f"{said} {wording.IF_WRONG}"
    changed = wording.read_back(answer, NAMES, changed=True)
    assert changed.startswith("Changed: ")


def test_why_gives_the_reason_and_the_exact_words() -> None:
    said = wording.explain(PUSH, NAMES)
    assert said.startswith("Whether work leaves this machine is yours to say.")
    assert "“git push origin main”" in said
    assert said.endswith("May it push its work to main?")


def test_a_confirmation_says_what_a_yes_does_and_that_it_is_final() -> None:
    said = wording.confirm(PUSH, NAMES, final=True)
    assert said == (
        "The release agent would push its work to main. That cannot be undone. "
        "Say yes to let it push its work to main."
    )
    assert "undone" not in wording.confirm(PUSH, NAMES, final=False)


def test_the_list_of_what_waits() -> None:
    assert wording.waiting((), NAMES) == wording.NOTHING_WAITS
    assert wording.waiting((PUSH,), NAMES).startswith("One waits for you. The release agent")
    both = wording.waiting((PUSH, ZONE), NAMES)
    assert both == (
        "Two wait for you. First, the release agent: May it push its work to main? "
        "Second, the docs agent: Which time zone should it use?"
    )
    assert wording.waiting((PUSH,) * 6, NAMES).endswith("And three more.")


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(30, "30 seconds"), (60, "a minute"), (600, "ten minutes"), (1800, "half an hour"),
     (3600, "an hour"), (7200, "two hours"), (57600, "16 hours"), (1200, "20 minutes")],
)  # fmt: skip
def test_spans_of_time(seconds: float, said: str) -> None:
    assert wording.span(seconds) == said


def test_steering_is_read_back_with_the_run_s_name() -> None:
    assert wording.told(NAMES, ("m",), "use UTC") == (
        "All right: at its next step I tell the migration agent: use UTC."
    )
    assert wording.paused(NAMES, ("r",)) == (
        "All right: the release agent pauses at the next step."
    )
    assert wording.paused(NAMES, ("r", "d", "m")) == (
        "All right: all three agents pause at the next step."
    )
    assert wording.which(NAMES, ("r", "d")) == (
        "Which one do you mean: the release agent, or the docs agent?"
    )
    assert wording.which(NAMES, ("r",), "the blue one").startswith(
        "I know no run called the blue one."
    )


_TEXT = st.text(max_size=600)


@given(
    st.builds(
        AttentionRequest,
        request_id=_TEXT,
        project_id=_TEXT,
        run_ids=st.lists(st.sampled_from(["r", "d", "x"]), min_size=1, max_size=3).map(tuple),
        action_ids=st.just(("call",)),
        question=_TEXT,
        options=st.lists(st.text(max_size=60), max_size=4).map(tuple),
        about=_TEXT,
        why=_TEXT,
        quote=_TEXT,
        reason_code=st.just("authority"),
        urgency=st.just(Urgency.NORMAL),
        at_s=st.just(1.0),
    ),
    _TEXT,
)
def test_any_question_can_be_said_in_all_ways(request_: AttentionRequest, words: str) -> None:
    for said in (
        wording.question(request_, NAMES),
        wording.question_again(request_, NAMES),
        wording.options_again(request_),
        wording.explain(request_, NAMES),
        wording.confirm(request_, NAMES, final=True),
        wording.waiting((request_, request_), NAMES),
        wording.gone(request_, NAMES, words),
    ):
        assert said.strip()
        assert "\n" not in said.strip()
    for kind in AnswerKind:
        for verdict in Verdict:
            read = wording.read_back(Answered(request_, kind, verdict, words), NAMES)
            assert read.endswith(wording.IF_WRONG)
            assert len(read) < 600
