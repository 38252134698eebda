"""How long is waited, by words, judgements and the speaker's habits."""

from dataclasses import replace

import pytest

from audio.turn.endpointing import EndpointContext, FixedEndpointing
from audio.turn.events import (
    CommitTurn,
    FinalHeard,
    FrameHeard,
    ReopenTurn,
    Request,
    SettleTurn,
    TurnJudged,
    TurnState,
)
from audio.turn.machine import TurnMachine
from audio.turn.pauses import LEAST, MOST, SpeakerPauses
from audio.turn.semantic import JudgedEndpointing, SemanticEndpointing, Waits, endpointing_for
from audio.turn.settings import TurnSettings

WAITS = Waits()
POLICY = SemanticEndpointing(WAITS)
FRAME_S = 0.032


def context(text: str, judged: TurnJudged | None = None, stretch: float = 1.0) -> EndpointContext:
    return EndpointContext(text, True, 1.0, 0, False, judged, stretch)


def judged(state: TurnState, probability: float | None = None) -> TurnJudged:
    return TurnJudged(1.0, 1, 0, state, probability, "tester", "by ear")


def seconds(text: str, state: TurnState | None = None, probability: float | None = None) -> float:
    given = None if state is None else judged(state, probability)
    return POLICY.wait_s(context(text, given)).seconds


def test_a_whole_question_is_answered_early_and_an_open_sentence_waited_for():
    assert 0.22 <= seconds("How is it going?") <= 0.32
    assert 1.6 <= seconds("So the thing is") <= 2.5
    assert seconds("") == pytest.approx(WAITS.usual_s)


def test_a_short_command_is_given_time_to_go_on():
    whole = seconds("Send it to Anna and to the whole team by Friday")
    assert seconds("How is it going?") < whole < seconds("Send it to Anna") < WAITS.usual_s


def test_hold_on_keeps_the_floor_open_and_still_ends():
    wait = POLICY.wait_s(context("Hold on."))
    assert wait.seconds == WAITS.hold_s
    assert "hold on" in wait.reason


def test_a_judgement_moves_the_wait_and_the_reason_names_all():
    assert seconds("Banana.", TurnState.COMPLETE, 0.9) < seconds("Banana.") - 0.1
    assert seconds("Banana.", TurnState.INCOMPLETE, 0.9) > seconds("Banana.") + 0.3
    assert seconds("Banana.", TurnState.UNKNOWN) == seconds("Banana.")
    reason = POLICY.wait_s(context("Stop it", judged(TurnState.COMPLETE, 0.9), 1.3)).reason
    for part in ("a whole command", "tester: complete 0.90 (by ear)", "1.30 times", "probability"):
        assert part in reason


def test_no_voice_ends_a_sentence_that_is_open():
    assert seconds("Tell the agent to", TurnState.COMPLETE, 0.99) > 1.5


def test_a_voice_that_goes_on_holds_back_an_answer():
    assert seconds("Stop the deploy", TurnState.INCOMPLETE, 0.95) > 0.5


def test_who_pauses_for_long_is_given_more_time():
    quick, slow = (POLICY.wait_s(context("Banana.", None, s)).seconds for s in (0.8, 1.5))
    assert quick == pytest.approx(0.8 * WAITS.usual_s)
    assert slow == pytest.approx(1.5 * WAITS.usual_s)
    longest = POLICY.wait_s(context("Tell the agent to", None, 1.6)).seconds
    assert longest <= WAITS.patience_s


def test_the_wait_falls_as_the_end_gets_likelier():
    waits = [WAITS.at(step / 100) for step in range(101)]
    assert waits == sorted(waits, reverse=True)
    assert waits[0] == WAITS.patience_s
    assert waits[-1] == pytest.approx(WAITS.over_s)


def test_a_controller_alone_decides_when_it_is_chosen():
    policy = endpointing_for(TurnSettings(controller="smart-turn"))
    assert policy.wait_s(context("Tell the agent to")).seconds == pytest.approx(0.544)
    over = policy.wait_s(context("Tell the agent to", judged(TurnState.COMPLETE)))
    assert over.seconds < 0.32
    assert policy.wait_s(context("Stop.", judged(TurnState.INCOMPLETE))).seconds > 1.5
    assert policy.wait_s(context("Stop.", judged(TurnState.WAIT))).seconds == WAITS.hold_s


def test_the_settings_choose_the_policy():
    usual = TurnSettings()
    assert isinstance(endpointing_for(usual), SemanticEndpointing)
    assert isinstance(endpointing_for(replace(usual, controller="acoustic")), FixedEndpointing)
    for name in ("smart-turn", "soulx"):
        chosen = replace(usual, controller=name)  # type: ignore[arg-type]  # a Literal in a loop
        assert isinstance(endpointing_for(chosen), JudgedEndpointing)
    patient = endpointing_for(replace(usual, end_s=1.088)).wait_s(context("How is it going?"))
    assert patient.seconds == pytest.approx(2 * seconds("How is it going?"))


def test_one_long_pause_changes_little_and_many_change_it_within_bounds():
    pauses = SpeakerPauses()
    assert pauses.stretch == 1.0
    pauses.went_on_after(2.5)
    assert 1.0 <= pauses.stretch < 1.25
    for _ in range(100):
        pauses.went_on_after(1.4)
    assert 1.3 < pauses.stretch <= MOST
    for _ in range(100):
        pauses.went_on_after(0.25)
    assert LEAST <= pauses.stretch < 1.0


@pytest.mark.parametrize("pause_s", [-1.0, 0.0, 0.1, 30.0, float("nan"), float("inf")])
def test_what_is_no_pause_for_thought_teaches_nothing(pause_s: float):
    pauses = SpeakerPauses()
    pauses.went_on_after(pause_s)
    assert pauses.stretch == 1.0


def play(machine: TurnMachine, parts: list[tuple[float, float]], text: str) -> list[Request]:
    """Speech (probability 0.95) and pauses (0.02) by turns; ``text`` is the final of each pause."""
    asked: list[Request] = []
    at_s = 0.0
    due: list[FinalHeard] = []
    for length_s, chance in parts:
        for _ in range(round(length_s / FRAME_S)):
            at_s += FRAME_S
            while due and due[0].at_s <= at_s:
                asked += machine.feed(due.pop(0))
            for request in machine.feed(FrameHeard(at_s, chance)):
                asked.append(request)
                if isinstance(request, SettleTurn):
                    due.append(FinalHeard(at_s + 0.1, request.turn, text, request.revision))
    return asked


def test_the_machine_learns_pauses_and_says_why_it_waited():
    machine = TurnMachine(TurnSettings(), POLICY)
    asked = play(machine, [(1.0, 0.95), (1.2, 0.02), (1.0, 0.95), (3.0, 0.02)], "Tell the agent to")
    (reopened,) = [request for request in asked if isinstance(request, ReopenTurn)]
    assert 'ends with the preposition "to"' in reopened.reason
    (committed,) = [request for request in asked if isinstance(request, CommitTurn)]
    assert "this speaker's pauses" in committed.reason or "probability" in committed.reason
    assert committed.due_s is not None
    assert 1.5 < committed.due_s - committed.speech_ended_s <= 2.2
