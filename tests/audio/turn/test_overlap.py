"""Speech over the agent: what is made of it, and what the machine asks of playback meanwhile."""

from __future__ import annotations

import numpy as np
import pytest

from audio.turn.distance import Distance
from audio.turn.events import (
    CommitTurn,
    DiscardTurn,
    Duck,
    Floor,
    PausePlayback,
    ResumePlayback,
    StopPlayback,
    TurnState,
    Unduck,
)
from audio.turn.overlap import Overheard, Verdict, weigh
from audio.turn.settings import TurnSettings
from audio.turn.side_talk import to_somebody_else

SETTINGS = TurnSettings()
DUCKED = ["Duck", "OpenTurn"]


def verdict(words: str = "", settled: bool = False, speech_s: float = 0.3, **more: object) -> str:
    heard = Overheard(speech_s, words, settled, **more)  # type: ignore[arg-type] - fields by name
    opinion = weigh(heard, SETTINGS)
    assert bool(opinion.reason) == (opinion.verdict is not Verdict.UNDECIDED)
    return opinion.verdict.name


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("", "PASS"),
        ("[coughs]", "PASS"),
        ("Mm-hm.", "PASS"),
        ("Honey, can you get the door?", "PASS"),
        ("what failed", "YIELD"),
        ("stop", "YIELD"),
    ],
)
def test_a_final_decides(words: str, expected: str) -> None:
    assert verdict(words, settled=True) == expected


def test_words_found_in_a_short_sound_that_claims_nothing_are_none() -> None:
    assert verdict("Life.", settled=True, claim=0.01) == "PASS"
    assert verdict("Life now.", settled=True, claim=0.3) == "YIELD"
    assert verdict("Life now.", settled=True, claim=0.01, speech_s=0.7) == "YIELD"
    assert verdict("No.", settled=True, claim=0.01) == "YIELD"


@pytest.mark.parametrize(
    ("words", "claim", "expected"),
    [
        ("Stop", None, "YIELD"),
        ("Stop", 0.5, "YIELD"),
        ("No", 0.2, "PASS"),  # "mm-hm" is heard so at times
        ("Hey", 0.8, "UNDECIDED"),  # whom?
        ("All", 0.6, "UNDECIDED"),  # right?
        ("God", 0.6, "UNDECIDED"),  # it?
        ("All", 0.99, "UNDECIDED"),
        ("M.H.", 0.99, "UNDECIDED"),  # "mm-hm" so far
        ("Yeah, that makes", 0.6, "UNDECIDED"),
        ("Yeah", 0.99, "PASS"),
        ("Okay, stop", 0.9, "YIELD"),
        ("What", 0.6, "PAUSE"),
        ("What did", 0.6, "YIELD"),
        ("What did", 0.1, "PASS"),
        ("What did", None, "UNDECIDED"),
        ("Anna, are you", 0.99, "PASS"),
        ("", 0.99, "PAUSE"),
        ("", 0.5, "UNDECIDED"),
        ("", 0.49, "PASS"),  # it no longer claims the floor
        ("", None, "UNDECIDED"),
    ],
)
def test_a_hypothesis_and_the_sound(words: str, claim: float | None, expected: str) -> None:
    assert verdict(words, claim=claim) == expected


def test_long_speech_takes_the_floor_unless_its_sound_speaks_against_it() -> None:
    assert verdict(speech_s=0.79) == "UNDECIDED"
    assert verdict(speech_s=0.8) == "YIELD"
    assert verdict(speech_s=0.8, claim=0.4) == "YIELD"
    assert verdict(speech_s=3.0, claim=0.1) == "PASS"  # it barks and barks
    assert verdict("what did", speech_s=0.8, claim=0.1) == "YIELD"
    assert verdict("yeah yeah", speech_s=1.5) == "PASS"
    assert verdict("yeah yeah", speech_s=1.6) == "YIELD"


def test_who_is_far_away_needs_a_stop_phrase() -> None:
    assert verdict(claim=0.99, speech_s=3.0, below_db=20.0) == "UNDECIDED"
    assert verdict("it rains today", claim=0.99, below_db=20.0) == "PASS"
    assert verdict("it rains today", settled=True, below_db=20.0) == "PASS"
    assert verdict("Jarvis, stop", claim=0.99, below_db=20.0) == "YIELD"


def test_who_is_a_little_weaker_than_usual_is_heard() -> None:
    assert verdict("why did it change three files", settled=True, below_db=7.0) == "YIELD"
    assert verdict("why did it change three files", settled=True, below_db=8.0) == "PASS"
    assert verdict("wait a moment", claim=0.9, below_db=10.0) == "YIELD"
    assert verdict("no it has failed", claim=0.0, below_db=10.0) == "PASS"


def test_a_hum_that_is_heard_as_a_word_is_none() -> None:
    assert verdict("Amen.", settled=True, claim=0.31, speech_s=0.6) == "PASS"
    assert verdict("M-ham!", settled=True, claim=0.07, speech_s=0.7) == "PASS"
    assert verdict("Amen.", settled=True, claim=0.75, speech_s=0.6) == "YIELD"
    assert verdict("I'm him.", settled=True, claim=0.7, speech_s=0.6) == "PASS"
    assert verdict("It's a man", claim=0.74, speech_s=0.42) == "UNDECIDED"
    assert verdict("It's a man", claim=0.74, speech_s=0.8) == "YIELD"
    assert verdict("Amen.", settled=True, speech_s=0.6) == "YIELD"  # nobody listens to the sound
    assert verdict("Why?", settled=True, claim=0.31, speech_s=0.6) == "YIELD"
    assert verdict("Amen to that.", settled=True, claim=0.31, speech_s=0.6) == "YIELD"


@pytest.mark.parametrize("state", [TurnState.BACKCHANNEL, TurnState.IDLE])
def test_a_turn_controller_may_say_that_it_is_none(state: TurnState) -> None:
    assert verdict(claim=0.99, judged=state) == "PASS"
    assert verdict("stop", claim=0.99, judged=state) == "YIELD"


@pytest.mark.parametrize(
    ("text", "elsewhere"),
    [
        ("Honey, can you get the door?", True),
        ("Hey Tom, have you seen my keys?", True),
        ("I will be there in five minutes, honey.", True),
        ("Thanks, mate.", False),
        ("Hello? Yes, this is Daniel.", True),
        ("Mom, I'm on a call.", True),
        ("Come here, good boy.", True),
        ("Hey Jarvis, one thing.", False),
        ("Anna, no, Jarvis, what failed?", False),
        ("Tell Anna to wait.", False),
        ("Hello?", False),
        ("What does the mark mean?", False),
        ("", False),
    ],
)
def test_talk_to_somebody_else(text: str, elsewhere: bool) -> None:
    assert to_somebody_else(text) is elsewhere


# --- in the machine ------------------------------------------------------------------------------


def test_the_first_frame_of_speech_ducks_and_a_click_is_forgiven(script) -> None:
    script.agent_speaks().say(0.032)
    assert script.story == ["Duck"]
    script.pause(0.064)
    assert script.story == ["Duck", "Unduck"]
    assert script.only(Duck).reason == "a first sign of speech"
    assert script.machine.floor is Floor.AGENT


def test_a_sound_that_claims_the_floor_pauses_and_its_words_cut(script) -> None:
    script.agent_speaks().say(0.256, "what failed", claim=0.95)
    assert script.story == [*DUCKED, "PausePlayback"]
    pause = script.only(PausePlayback)
    assert pause.at_s - pause.onset_s == pytest.approx(SETTINGS.pause_s, abs=0.032)
    assert script.machine.floor is Floor.OVERLAP
    script.hypothesis("What failed").say(0.3, claim=0.95)
    assert script.story == [*DUCKED, "PausePlayback", "StopPlayback"]
    assert script.only(StopPlayback).onset_s == pause.onset_s
    script.pause(0.8)
    assert script.only(CommitTurn).text == "what failed"
    assert not script.all(ResumePlayback)


def test_a_pause_for_a_backchannel_is_taken_back_by_its_words(script) -> None:
    script.agent_speaks().say(0.256, "yeah", claim=0.95).hypothesis("Yeah")
    assert script.story == [*DUCKED, "PausePlayback", "ResumePlayback"]
    script.say(0.1, claim=0.95).pause(0.8)
    assert script.story[4:] == ["SettleTurn", "Unduck", "DiscardTurn"]
    assert script.only(Unduck).reason == 'backchannel "yeah"'


def test_a_pause_for_a_cough_is_taken_back_by_the_final(script) -> None:
    script.agent_speaks().say(0.256, "", claim=0.95).pause(0.8)
    tail = ["PausePlayback", "SettleTurn", "ResumePlayback", "Unduck", "DiscardTurn"]
    assert script.story == [*DUCKED, *tail]


def test_undecided_and_then_silent_goes_on_before_the_recognizer_has_said(make_script) -> None:
    script = make_script(recognizer_s=5.0).agent_speaks().say(0.256, "what failed", claim=0.95)
    script.pause(1.2)
    resumed = script.only(ResumePlayback)
    assert resumed.reason == "nothing came of it"
    assert script.machine.floor is Floor.OVERLAP
    script.pause(5.0)  # it does say at last
    assert script.story[-2:] == ["StopPlayback", "CommitTurn"]


def test_a_sound_that_claims_nothing_only_ducks_until_its_final(script) -> None:
    script.agent_speaks().say(0.5, "lost her", claim=0.01).hypothesis("Lost").pause(0.8)
    assert script.story == [*DUCKED, "SettleTurn", "Unduck", "DiscardTurn"]
    assert script.only(DiscardTurn).reason == 'a sound that asks for nothing (0.01): "lost her"'


def test_the_agent_that_ends_in_a_pause_leaves_nothing_paused(script) -> None:
    script.agent_speaks().say(0.256, "yeah", claim=0.95).agent_ends()
    assert script.story == [*DUCKED, "PausePlayback", "ResumePlayback", "Unduck"]
    script.say(0.1).pause(0.8)
    assert script.only(CommitTurn).text == "yeah"


def test_side_talk_is_set_aside(script) -> None:
    script.agent_speaks().say(1.5, "anna are you there", claim=0.2, below_db=20.0).pause(0.8)
    assert script.story == [*DUCKED, "SettleTurn", "Unduck", "DiscardTurn"]


def test_side_talk_is_no_answer_although_the_agent_ends_meanwhile(script) -> None:
    script.agent_speaks().say(1.5, "anna are you there", below_db=20.0).pause(0.4).agent_ends()
    script.pause(0.8)
    assert not script.all(CommitTurn)
    assert script.only(DiscardTurn).reason.startswith("said to somebody else")


# --- distance ------------------------------------------------------------------------------------


def frame(dbfs: float) -> np.ndarray:
    return np.full(512, 10 ** (dbfs / 20), np.float32)


def test_the_users_own_level_is_learned_before_anybody_is_weaker() -> None:
    distance = Distance()
    assert distance.below_db(frame(-60), 0.9, over_agent=True) == 0.0
    for _ in range(40):
        assert distance.below_db(frame(-22), 0.9, over_agent=False) == 0.0
    for _ in range(12):
        assert distance.below_db(frame(-70), 0.01, over_agent=False) == 0.0
    assert distance.below_db(frame(-45), 0.9, over_agent=True) == pytest.approx(23.0, abs=0.2)
    for _ in range(12):
        below_db = distance.below_db(frame(-30), 0.9, over_agent=True)
    assert below_db == pytest.approx(8.0, abs=0.1)
    assert distance.below_db(frame(-60), 0.1, over_agent=True) == 0.0  # no speech
    assert distance.below_db(frame(-10), 0.9, over_agent=True) == 0.0  # louder than usual


def test_the_loud_part_of_a_users_speech_is_what_is_usual() -> None:
    distance = Distance()
    for _ in range(8):
        for dbfs in [-20.0] * 12 + [-34.0] * 12:
            distance.below_db(frame(dbfs), 0.9, over_agent=False)
    for _ in range(12):
        below_db = distance.below_db(frame(-20), 0.9, over_agent=True)
    assert below_db == 0.0
    for _ in range(12):
        below_db = distance.below_db(frame(-34), 0.9, over_agent=True)
    assert 9.0 < below_db < 14.0


def test_a_level_learned_over_the_agent_counts_for_nothing() -> None:
    distance = Distance()
    for _ in range(40):
        distance.below_db(frame(-22), 0.9, over_agent=True)
    assert distance.below_db(frame(-50), 0.9, over_agent=True) == 0.0
