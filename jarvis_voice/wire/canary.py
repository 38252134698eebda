"""The harmless call that proves a hold: it is held for a moment and always refused. PURE.

``jarvis attach`` sends it through the very address or command that it has written into a runtime's
settings. Its reason repeats the call's nonce, so an answer from elsewhere cannot pass for ours.
"""

from __future__ import annotations

from jarvis_voice.boundary import ProposedAction, Ruling, Verdict

RUN_PREFIX = "jarvis-canary-"
HOLD_S = 0.3  # longer than any answer that was not held takes to come


def run_id(nonce: str) -> str:
    """The session that a canary call says it is from."""
    return RUN_PREFIX + nonce


def is_canary(action: ProposedAction) -> bool:
    """Is this such a call? An agent that names itself so is only ever refused."""
    return action.run_id.startswith(RUN_PREFIX)


def ruling(action: ProposedAction) -> Ruling:
    """The refusal of a canary call."""
    nonce = action.run_id.removeprefix(RUN_PREFIX)
    return Ruling(Verdict.DENY, f"Jarvis held and refused this test call ({nonce}).")
