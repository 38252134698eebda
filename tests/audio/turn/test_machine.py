"""Conversations, told as scripts."""

from __future__ import annotations

import pytest

from audio.turn.endpointing import EndpointContext, Wait
from audio.turn.events import (
    AgentStarted,
    AgentStopped,
    CommitTurn,
    DiscardTurn,
    Duck,
    FinalHeard,
    Floor,
    FrameHeard,
    HoldPlayback,
    HypothesisHeard,
    OpenTurn,
    ReleasePlayback,
    ReopenTurn,
    SettleTurn,
    StopPlayback,
    Unduck,
)
from audio.turn.machine import TurnMachine
from audio.turn.settings import TurnSettings

# --- the agent is silent -------------------------------------------------------------------------


def test_plain_question(script):
    script.pause(0.5).say(1.2, "how is it going").pause(0.8)
    assert script.story == ["OpenTurn", "SettleTurn", "CommitTurn"]
    commit = script.only(CommitTurn)
    onset_s = script.opened[0].from_s + 0.4
    assert onset_s == pytest.approx(10.0 + 16 * 0.032)
    assert commit.speech_ended_s == pytest.approx(onset_s + 38 * 0.032)
    assert commit.at_s == pytest.approx(commit.speech_ended_s + 0.544)
    assert commit.text == "how is it going"
    assert commit.reason == "silence 0.54 s"


def test_turn_opens_after_three_frames_of_speech(script):
    script.pause(0.1).say(0.064)
    assert script.story == []
    script.say(0.032)
    assert script.story == ["OpenTurn"]
    assert script.only(OpenTurn).reason == "0.10 s of speech"


def test_thinking_pause_is_one_turn(script):
    script.say(0.8, "what about").pause(0.416).say(0.8, "the tests").pause(0.7)
    assert script.story == ["OpenTurn", "SettleTurn", "ReopenTurn", "SettleTurn", "CommitTurn"]
    assert script.only(CommitTurn).text == "what about the tests"
    assert [settle.revision for settle in script.all(SettleTurn)] == [0, 1]
    assert script.only(ReopenTurn).reason == "speech again after 0.42 s"


def test_click_in_the_pause_does_not_delay_the_end(script):
    script.say(0.8, "stop the run").pause(0.256).say(0.032).pause(0.4)
    commit = script.only(CommitTurn)
    assert script.story == ["OpenTurn", "SettleTurn", "CommitTurn"]
    assert commit.at_s == pytest.approx(commit.speech_ended_s + 0.544)


def test_speech_that_begins_just_before_the_end_keeps_the_turn_open(script):
    script.say(0.8, "and").pause(0.512).say(0.5, "also").pause(0.7)
    assert script.story == ["OpenTurn", "SettleTurn", "ReopenTurn", "SettleTurn", "CommitTurn"]


def test_cough_is_discarded(script):
    script.say(0.2, "").pause(0.7)
    assert script.story == ["OpenTurn", "SettleTurn", "DiscardTurn"]
    assert script.only(DiscardTurn).reason == "nothing was said"


@pytest.mark.parametrize("text", ["...", " [BLANK_AUDIO] ", "(coughing)", "*sighs*"])
def test_transcript_without_a_word_is_discarded(make_script, text):
    script = make_script().say(0.3, text).pause(0.7)
    assert script.story[-1] == "DiscardTurn"


def test_a_lone_yeah_to_a_silent_agent_is_an_answer(script):
    script.say(0.3, "yeah").pause(0.7)
    assert script.only(CommitTurn).text == "yeah"


def test_commit_waits_for_the_final(make_script):
    script = make_script(recognizer_s=1.0).say(0.8, "is it done").pause(1.0)
    assert "CommitTurn" not in script.story
    script.pause(0.4)
    commit = script.only(CommitTurn)
    assert commit.at_s == pytest.approx(script.only(SettleTurn).at_s + 1.0)
    assert commit.text == "is it done"


@pytest.mark.parametrize("recognizer_s", [0.5, 1.2])  # it comes in speech, or in the next pause
def test_final_of_an_older_pause_does_not_count(make_script, recognizer_s):
    script = make_script(recognizer_s).say(0.8, "what").pause(0.288).say(0.48, "failed")
    script.pause(0.64)
    assert script.machine.open_turn == 1 or recognizer_s == 0.5
    script.pause(1.5)
    assert script.only(CommitTurn).text == "what failed"


def test_user_goes_on_while_a_slow_final_is_awaited(make_script):
    script = make_script(recognizer_s=1.5).say(0.8, "run the").pause(1.0).say(0.5, "tests")
    script.pause(2.0)
    assert script.story == ["OpenTurn", "SettleTurn", "ReopenTurn", "SettleTurn", "CommitTurn"]
    assert script.only(CommitTurn).text == "run the tests"


def test_without_a_final_the_last_hypothesis_is_what_was_said(make_script):
    script = make_script(recognizer_s=None).say(0.8).hypothesis("how far").hypothesis("")
    script.pause(10.3)
    commit = script.only(CommitTurn)
    assert commit.text == "how far"
    assert commit.at_s == pytest.approx(script.only(SettleTurn).at_s + 10.0)
    assert "no final within 10.0 s" in commit.reason


def test_without_a_final_an_older_one_is_better_than_nothing(make_script):
    script = make_script(recognizer_s=0.2).say(0.8, "how far").pause(0.3).say(0.5, "along")
    script.recognizer_s = None
    script.pause(11.0)
    assert script.only(CommitTurn).text == "how far"


def test_without_any_word_the_turn_is_given_up(make_script):
    script = make_script(recognizer_s=None).say(0.8).pause(10.3)
    assert script.only(DiscardTurn).reason == "nothing was said; no final within 10.0 s"


def test_the_longest_turn_is_closed_and_the_rest_is_the_next(make_script):
    script = make_script(settings=TurnSettings(max_turn_s=3.2))
    script.say(3.2, "on and on").say(0.32).say(1.28, "and on").pause(0.8)
    first, second = script.all(CommitTurn)
    assert first.at_s == pytest.approx(10.0 + 3.2 + 0.2)
    assert "closed after 3 s" in first.reason
    assert script.opened[1].from_s == pytest.approx(13.2)
    assert second.speech_ended_s == pytest.approx(10.0 + 4.8)


def test_a_word_said_while_a_closed_turn_awaits_its_final_is_not_lost(make_script):
    script = make_script(recognizer_s=1.5, settings=TurnSettings(max_turn_s=3.2))
    script.say(3.2, "on and on").say(0.32, "stop").pause(4.0)
    assert len(script.all(CommitTurn)) + len(script.all(DiscardTurn)) == 2
    assert script.opened[1].from_s == pytest.approx(13.2)
    assert [settle.turn for settle in script.all(SettleTurn)] == [1, 2]


def test_pre_roll_takes_nothing_from_the_turn_before(make_script):
    class Eager:
        def wait_s(self, context: EndpointContext) -> Wait:
            return Wait(0.2, "a whole question")

    script = make_script(recognizer_s=0.01)
    script.machine = TurnMachine(TurnSettings(), Eager())
    script.say(0.8, "first").pause(0.224).say(0.8, "second").pause(0.5)
    first, second = script.all(CommitTurn)
    assert first.reason == "silence 0.22 s; a whole question"
    assert script.opened[1].from_s == pytest.approx(first.speech_ended_s)
    assert second.turn == 2


def test_a_controller_may_wait_longer_and_hears_what_is_known(make_script):
    seen = []

    class Patient:
        def wait_s(self, context: EndpointContext) -> Wait:
            seen.append(context)
            return Wait(1.2, "unfinished") if context.text.endswith("and") else Wait(0.544, "")

    script = make_script()
    script.machine = TurnMachine(TurnSettings(), Patient())
    script.say(0.8, "the logs and").pause(1.0)
    assert script.machine.open_turn == 1
    script.pause(0.3)
    assert script.only(CommitTurn).reason.endswith("unfinished")
    assert [context.settled for context in seen] == [False, True]
    assert seen[1].speech_s == pytest.approx(0.8)


def test_frames_that_come_late_are_no_silence(script):
    script.say(0.8, "the user").no_frames(0.2)
    assert script.story == ["OpenTurn"]
    script.say(0.4, "goes on").pause(0.7)
    assert script.story == ["OpenTurn", "SettleTurn", "CommitTurn"]


def test_a_dead_microphone_ends_the_turn(script):
    script.say(0.8, "hello there").no_frames(1.0)
    commit = script.only(CommitTurn)
    assert commit.at_s == pytest.approx(commit.speech_ended_s + 0.544)


# --- the agent speaks ----------------------------------------------------------------------------


def test_backchannel_is_talked_through(script):
    script.agent_speaks().pause(1.0).say(0.4, "mm-hm").pause(1.0)
    assert script.story == ["Duck", "OpenTurn", "SettleTurn", "Unduck", "DiscardTurn"]
    assert script.only(DiscardTurn).reason == 'backchannel "mm-hm"'
    unduck, settle = script.only(Unduck), script.only(SettleTurn)
    assert unduck.at_s == pytest.approx(settle.at_s + 0.2)  # as soon as the words are known
    assert script.machine.floor is Floor.AGENT


def test_cough_over_the_agent_is_talked_through(script):
    script.agent_speaks().pause(1.0).say(0.3, "").pause(1.0)
    assert script.story == ["Duck", "OpenTurn", "SettleTurn", "Unduck", "DiscardTurn"]


def test_sustained_speech_takes_the_floor(script):
    script.agent_speaks().pause(1.0).say(2.0, "what about the tests").pause(0.8)
    assert script.story == ["Duck", "OpenTurn", "StopPlayback", "SettleTurn", "CommitTurn"]
    stop = script.only(StopPlayback)
    onset_s = script.opened[0].from_s + 0.4
    assert stop.onset_s == pytest.approx(onset_s)
    assert stop.at_s == pytest.approx(onset_s + 0.8)
    assert stop.reason == "0.80 s of speech over the agent"


def test_gaps_in_sustained_speech(script):
    script.agent_speaks().pause(0.5).say(0.4).pause(0.19).say(0.3)
    assert script.story == ["Duck", "OpenTurn", "SettleTurn", "ReopenTurn", "StopPlayback"]


def test_a_longer_gap_is_not_sustained_speech(make_script):
    script = make_script(recognizer_s=None).agent_speaks().pause(0.5)
    script.say(0.4).pause(0.256).say(0.5).pause(0.256).say(0.5)
    assert not script.all(StopPlayback)


def test_stop_word_in_a_hypothesis_stops_at_once(script):
    script.agent_speaks().pause(0.5).say(0.352, "stop").hypothesis("Stop!")
    stop = script.only(StopPlayback)
    assert stop.at_s - stop.onset_s == pytest.approx(0.352)
    assert stop.reason == 'stop phrase "stop"'
    script.pause(0.8)
    assert script.only(CommitTurn).text == "stop"


def test_real_words_in_the_final_stop(script):
    script.agent_speaks().pause(0.5).say(0.5, "which file").pause(0.8)
    assert script.story == ["Duck", "OpenTurn", "SettleTurn", "StopPlayback", "CommitTurn"]
    assert script.only(CommitTurn).text == "which file"


def test_backchannel_then_words_is_an_interruption(script):
    script.agent_speaks().pause(0.5).say(0.3, "yeah").pause(0.416).say(0.4, "but why").pause(0.8)
    kinds = ["Duck", "OpenTurn", "SettleTurn", "Unduck", "Duck", "ReopenTurn", "SettleTurn"]
    assert script.story == [*kinds, "StopPlayback", "CommitTurn"]
    assert script.only(CommitTurn).text == "yeah but why"


def test_speech_after_a_backchannel_is_an_overlap_again(script):
    script.agent_speaks().pause(0.5).say(0.3, "yeah").pause(0.416)
    assert script.machine.floor is Floor.AGENT
    script.say(0.2)
    assert script.machine.floor is Floor.OVERLAP


def test_yeah_as_the_agent_ends_is_an_answer(script):
    script.agent_speaks().pause(0.5).say(0.3, "yeah").agent_ends().pause(0.8)
    assert script.story == ["Duck", "OpenTurn", "Unduck", "SettleTurn", "CommitTurn"]


def test_yeah_already_passed_over_becomes_an_answer_when_the_agent_ends(script):
    script.agent_speaks().pause(0.5).say(0.3, "yeah").pause(0.416)
    assert script.story[-1] == "Unduck"
    script.agent_ends().pause(0.4)
    assert script.only(CommitTurn).text == "yeah"


def test_agent_that_ends_during_an_overlap_leaves_a_plain_turn(script):
    script.agent_speaks().pause(0.5).say(0.4, "and how").agent_ends()
    assert script.machine.floor is Floor.USER
    script.say(1.0, "long").pause(0.8)
    assert not script.all(StopPlayback)
    assert script.only(CommitTurn).text == "and how long"


def test_four_interruptions_in_a_row(script):
    for number in range(4):
        script.agent_speaks().pause(1.0).say(1.2, f"question {number}").pause(0.9)
    commits = script.all(CommitTurn)
    assert [commit.turn for commit in commits] == [1, 2, 3, 4]
    assert len(script.all(StopPlayback)) == 4
    assert [commit.text for commit in commits] == [f"question {number}" for number in range(4)]


def test_agent_that_begins_while_the_user_speaks_yields(script):
    script.say(0.5, "wait I").agent_speaks()
    assert script.machine.floor is Floor.OVERLAP
    assert script.story == ["OpenTurn", "Duck"]
    script.say(0.4)
    stop = script.only(StopPlayback)
    assert stop.at_s == pytest.approx(stop.onset_s + 0.8)


def test_agent_that_begins_over_known_words_yields_at_once(script):
    script.say(0.5, "yes").hypothesis("yes").agent_speaks()
    assert script.only(StopPlayback).at_s == pytest.approx(script.now_s)
    script.pause(0.8)
    assert script.only(CommitTurn).text == "yes"


def test_yeah_that_the_agent_began_to_speak_over_is_an_answer(script):
    script.say(0.3, "yeah").agent_speaks().pause(0.8)
    assert script.story == ["OpenTurn", "Duck", "SettleTurn", "StopPlayback", "CommitTurn"]
    assert script.only(StopPlayback).reason == "the user spoke first"


def test_cough_that_the_agent_began_to_speak_over_is_talked_through(script):
    script.say(0.3, "").agent_speaks().pause(0.8)
    assert script.story == ["OpenTurn", "Duck", "SettleTurn", "Unduck", "DiscardTurn"]


def test_agent_that_begins_in_the_pause_after_known_words_yields(make_script):
    script = make_script(0.05).say(0.6, "what is").pause(0.288).agent_speaks()
    assert script.story[-1] == "StopPlayback"


def test_speech_before_the_agents_first_word_is_a_turn_of_its_own(script):
    script.say(0.8, "how is it").pause(0.7).say(0.5, "and how long").pause(0.7)
    assert [commit.text for commit in script.all(CommitTurn)] == ["how is it", "and how long"]
    # Between the two, a reply could begin only from the first commit to the second onset.
    assert [type(hold) for hold in script.holds] == [HoldPlayback, ReleasePlayback] * 2


# --- holding playback ----------------------------------------------------------------------------


def test_playback_is_released_with_the_commit(script):
    script.say(0.8, "how is it").pause(0.7)
    hold, release = script.holds
    assert isinstance(hold, HoldPlayback)
    assert hold.at_s == script.opened[0].at_s
    assert isinstance(release, ReleasePlayback)
    assert release.at_s == script.only(CommitTurn).at_s


def test_an_early_commit_releases_playback_although_the_silence_is_short(make_script):
    script = make_script(settings=TurnSettings(end_s=0.25), recognizer_s=0.05)
    script.say(0.8, "how is it").pause(0.7)
    commit, release = script.only(CommitTurn), script.only(ReleasePlayback)
    assert release.at_s == commit.at_s < commit.speech_ended_s + 0.29
    assert script.requests.index(release) > script.requests.index(commit)


def test_after_what_was_no_turn_playback_waits_for_silence(make_script):
    script = make_script(settings=TurnSettings(end_s=0.25), recognizer_s=0.05)
    script.say(0.4, "[coughs]").pause(0.7)
    discard, release = script.only(DiscardTurn), script.only(ReleasePlayback)
    assert discard.at_s < release.at_s
    coughed_until_s = script.opened[0].onset_s + 0.4
    assert release.at_s - coughed_until_s == pytest.approx(0.45, abs=0.033)


def test_playback_stays_held_while_a_final_is_awaited(make_script):
    script = make_script(recognizer_s=2.0).say(0.8, "how is it").pause(1.5)
    assert [type(hold) for hold in script.holds] == [HoldPlayback]


# --- the floor -----------------------------------------------------------------------------------


def test_floor(script):
    floors = [script.machine.floor]
    for step in (
        lambda: script.say(0.5, "hi"),
        lambda: script.pause(0.7),
        lambda: script.agent_speaks(),
        lambda: script.say(0.3, "mm-hm"),
        lambda: script.pause(0.416),
        lambda: script.pause(0.4),
        lambda: script.say(1.0, "no wait"),
        lambda: script.pause(0.9),
    ):
        step()
        floors.append(script.machine.floor)
    idle, user, agent, overlap = Floor.IDLE, Floor.USER, Floor.AGENT, Floor.OVERLAP
    assert floors == [idle, user, idle, agent, overlap, agent, agent, user, idle]


# --- what makes no sense -------------------------------------------------------------------------


def test_times_that_go_back_do_not_move_the_machine():
    machine = TurnMachine(TurnSettings())
    machine.advance(50.0)
    requests = []
    for index in range(5):
        requests += machine.feed(FrameHeard(10.0 - index, 0.9))
    assert [type(request) for request in requests] == [HoldPlayback, OpenTurn]
    assert all(request.at_s == 50.0 for request in requests)


@pytest.mark.parametrize("at_s", [float("nan"), float("inf"), float("-inf")])
def test_a_time_that_is_no_number_changes_nothing(at_s):
    machine = TurnMachine(TurnSettings())
    for fact in (FrameHeard(at_s, 0.9), AgentStarted(at_s), FinalHeard(at_s, 1, "x")):
        assert machine.feed(fact) == []
    assert machine.advance(at_s) == []
    assert machine.floor is Floor.IDLE
    assert machine.next_deadline_s is None


def test_agent_starting_twice_is_one_utterance(script):
    script.agent_speaks().pause(0.2).agent_speaks().say(2.0, "what about it")
    assert len(script.all(StopPlayback)) == 1


def test_agent_that_starts_anew_after_a_stop_can_be_stopped_again():
    machine = TurnMachine(TurnSettings())
    requests = machine.feed(AgentStarted(0.0))
    for index in range(60):
        requests += machine.feed(FrameHeard(0.1 + index * 0.032, 0.9))
    requests += machine.feed(AgentStarted(2.0))
    assert [type(request) for request in requests].count(StopPlayback) == 2


def test_finals_and_hypotheses_of_other_turns_change_nothing(script):
    script.agent_speaks().say(0.3)
    for fact in (
        HypothesisHeard(script.now_s, 7, "stop"),
        FinalHeard(script.now_s, 7, "stop"),
        FinalHeard(script.now_s, 1, "stop", revision=3),
        FinalHeard(script.now_s, 1, "stop"),  # nothing was settled yet
    ):
        assert script.machine.feed(fact) == []


def test_agent_stopping_in_silence_changes_nothing():
    machine = TurnMachine(TurnSettings())
    assert machine.feed(AgentStopped(1.0)) == []
    assert machine.floor is Floor.IDLE


def test_duck_is_lifted_when_the_agent_stops(script):
    script.agent_speaks().say(0.3).agent_ends()
    assert script.all(Duck)
    assert script.only(Unduck).reason == "the agent stopped"
