"""What a scripted model answers: a table from questions to answers, read as JSON. Pure.

The recognizer may mishear, so the question that is most like what was heard is taken.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping

NOT_HEARD = ""  # the question that stands for speech without any words


def answer_to(heard: str, answers: Mapping[str, str]) -> str:
    """The answer to the question that is most like ``heard``. Raises ValueError without any."""
    plain = _plain(heard)
    asked = [question for question in answers if bool(_plain(question)) == bool(plain)]
    if not asked:
        asked = list(answers)
    return answers[max(asked, key=lambda question: _likeness(plain, _plain(question)))]


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9']+", text.lower()))


def _likeness(heard: str, question: str) -> float:
    return difflib.SequenceMatcher(None, heard, question).ratio()
