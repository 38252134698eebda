"""Controllers that are not ours: any Python object with ``decide(candidate)``.

What such an object says is checked before it counts; what it raises, or says in another form, is a
ControllerFailed, and the action that it was asked about goes on.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from typing import Any, Final, cast

from bench.errors import ControllerFailed
from jarvis_voice.attention.candidate import Consequence
from jarvis_voice.attention.policy import Candidate, Decision
from jarvis_voice.errors import JarvisError

QUESTION_CHARS: Final = 2000
_PROBLEM_CHARS = 400


class Guest:
    """Any object with ``decide(candidate)``, which may be a coroutine function.

    It gets the app's own Candidate of every consequential action, and answers with a Decision or a
    mapping with the fields of the protocol (``request_attention``, ``question``, ``reason``,
    ``reason_code``, ``confidence``, ``evidence_quote``). Raises ControllerFailed for any other.
    """

    def __init__(self, controller: Any) -> None:  # Any: nothing is known of it but one method
        self._controller = controller

    def quick(self, candidate: Candidate) -> Decision | None:
        """Guests are not bothered with ordinary work."""
        if candidate.boundary.consequence is Consequence.CONSEQUENTIAL:
            return None
        return Decision(False, note="ordinary work")

    async def decide(self, candidate: Candidate) -> Decision:
        """What the guest says."""
        try:
            answer = self._controller.decide(candidate)
            if inspect.isawaitable(answer):
                answer = await answer
        except JarvisError as error:
            raise ControllerFailed(f"The controller failed: {error.problem}") from error
        except Exception as error:  # somebody else's code can raise anything
            raise ControllerFailed(_worded("The controller raised", error)) from error
        return taken(answer)


def taken(answer: object) -> Decision:
    """A guest's answer as a decision. Raises ControllerFailed with what is wrong with it."""
    if isinstance(answer, Mapping):
        answer = _from_fields(answer)
    if not isinstance(answer, Decision):
        raise ControllerFailed(f"The controller answered with a {type(answer).__name__}.")
    problem = _fault_in(answer)
    if problem:
        raise ControllerFailed(f"The controller's decision is malformed: {problem}.")
    return answer


_TEXTS = ("question", "reason", "reason_code", "evidence_quote", "scope", "evidence_source")


def _from_fields(fields: Mapping[Any, Any]) -> Decision:
    unknown = [
        str(key) for key in fields if key not in (*_TEXTS, "request_attention", "confidence")
    ]
    if unknown:
        raise ControllerFailed(
            f"The controller's decision has an unknown field: {unknown[0][:60]}."
        )
    ask, confidence = fields.get("request_attention"), fields.get("confidence", 1.0)
    texts = {name: fields.get(name) or "" for name in _TEXTS}
    if not all(isinstance(text, str) for text in texts.values()):
        raise ControllerFailed("The controller's decision is malformed: a text is none.")
    return Decision(
        ask=cast("bool", ask),
        question=texts["question"],
        why=texts["reason"],
        quote=texts["evidence_quote"],
        reason_code=texts["reason_code"],
        confidence=confidence,
    )


def _fault_in(decision: Decision) -> str:
    texts = (decision.question, decision.about, decision.why, decision.quote, decision.reason_code)
    more = (decision.topic, decision.refusal, decision.note)
    rules = (
        (isinstance(decision.ask, bool), "whether it asks is neither true nor false"),
        (all(isinstance(text, str) for text in (*texts, *more)), "a text is none"),
        (_are_texts(decision.options), "its options are no texts"),
        (_is_share(decision.confidence), "its confidence is not between 0 and 1"),
    )
    broken = next((rule for holds, rule in rules if not holds), "")
    if broken or not decision.ask:
        return broken
    length = len(decision.question.strip())
    return "" if 0 < length <= QUESTION_CHARS else f"a question of {length} characters"


def _are_texts(options: object) -> bool:
    return isinstance(options, tuple) and all(isinstance(item, str) for item in options)


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0.0 <= value <= 1.0


def imported(name: str) -> object:
    """The object at ``module:attribute``; a class or function without ``decide`` is called.

    Raises ControllerFailed when there is none, or it is no controller.
    """
    module_name, _, attribute = name.partition(":")
    try:
        found: Any = importlib.import_module(module_name)
        for part in attribute.split("."):
            found = getattr(found, part)
        if inspect.isclass(found) or not hasattr(found, "decide"):
            found = found()
    except Exception as error:  # somebody else's code can raise anything
        raise ControllerFailed(_worded(f'"{name}" is no controller:', error)) from error
    if not callable(getattr(found, "decide", None)):
        raise ControllerFailed(f'"{name}" has no method "decide".')
    return found


def _worded(what: str, error: Exception) -> str:
    return f"{what} {type(error).__name__}: {error}."[:_PROBLEM_CHARS]
