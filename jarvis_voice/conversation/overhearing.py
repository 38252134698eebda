"""What the user's sound tells besides its words: does it ask for the floor, and from where?"""

from __future__ import annotations

from audio.overlap_claim import ClaimJudge
from audio.turn.distance import Distance
from audio.turn.events import FrameHeard
from jarvis_voice.conversation.ears import HeardFrame


class Overhearing:
    """Turns heard frames into facts for the turn machine."""

    def __init__(self, claims: ClaimJudge | None) -> None:
        """``claims`` None: nobody listens to the sound, so facts hold no claim."""
        self._claims = claims
        self._distance = Distance()

    def heard(self, heard: HeardFrame, *, over_agent: bool) -> FrameHeard:
        """The fact of one frame; ``over_agent`` tells that the agent speaks at the same time."""
        frame = heard.frame
        below_db = self._distance.below_db(frame.samples, frame.probability, over_agent=over_agent)
        claim = None
        if self._claims is not None:
            claim = self._claims.hear(frame.samples, frame.probability, wanted=over_agent)
        return FrameHeard(heard.at_s, frame.probability, claim=claim, below_db=below_db)
