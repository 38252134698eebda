"""The numbers of turn-taking, in one place; seconds unless said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class TurnSettings:
    """Defaults are the published parameters of the prototype, except where a comment says why."""

    speech_threshold: float = 0.5  # VAD probability at which silence turns into speech
    silence_threshold: float = 0.35  # and below which speech turns into silence (Silero's pair)
    start_s: float = 0.096  # speech needed to begin a turn: three frames
    end_s: float = 0.544  # silence that closes a turn: seventeen frames
    settle_s: float = 0.16  # silence after which the transcript is settled, while the rest runs
    pre_roll_s: float = 0.4  # sound kept from before the onset, so that no first word is lost
    duck_s: float = 0.032  # speech over the agent that lowers it: one frame
    pause_s: float = 0.16  # such speech that may pause it, when its sound claims the floor
    barge_in_s: float = 0.8  # speech during playback that confirms an interruption
    barge_in_gap_s: float = 0.2  # silence that such speech may contain
    resume_after_s: float = 0.9  # silence after which a pause that nothing confirmed is over
    resume_silence_s: float = 0.45  # silence before a held reply sounds after what was no turn
    max_turn_s: float = 120.0  # a turn is closed after this much, whatever is heard
    final_timeout_s: float = 10.0  # a turn whose final does not come is given up
    capture_stall_s: float = 0.25  # after this long without a frame, time alone counts as silence
    controller: Literal["semantic", "acoustic", "smart-turn", "soulx"] = "semantic"
    controller_url: str = ""  # of a controller on a server: ws:// or wss://
    smart_turn_model: str = ""  # its weights; empty takes those of the installed package
    patience_s: float = 2.2  # the longest silence for a turn that is surely not over
    hold_s: float = 5.0  # silence that "hold on" is given
