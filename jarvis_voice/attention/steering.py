"""From a user's turn to a plan: what Jarvis says, and what is done once the turn is over. Pure.

The order in which a turn is understood:

1. what Jarvis has just asked back (a confirmation, which run, what instead), when that was heard;
2. a correction of the answer that was just understood;
3. a command for a run that is named; 4. an answer to the question that was put;
5. anything else is not for the desk, and the brain answers it.

Nothing that cannot be undone, and nothing that the user has not heard, is allowed without a yes to
a sentence that says what it does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from jarvis_voice.attention import phrases, wording
from jarvis_voice.attention.commands import AskWhich, Command, CommandKind, command
from jarvis_voice.attention.decisions import Answered, decision, guidance, is_yes_or_no
from jarvis_voice.attention.dialogue import (
    Ambiguous,
    Corrected,
    Explain,
    Given,
    Meaning,
    RepeatOptions,
    RepeatQuestion,
    Snoozed,
    Table,
    Unrelated,
    WhichOnes,
    is_question,
    understand,
)
from jarvis_voice.attention.naming import ENDED, Known, called, meant
from jarvis_voice.attention.utterance import is_nearly, utterance
from jarvis_voice.boundary import AnswerKind, AttentionRequest, Verdict
from jarvis_voice.events import RunSnapshot

PAUSE_WORDS = "Pause here: do nothing more until I say that you can go on."
RESUME_WORDS = "You can go on now."
STOP_WORDS = "Stop here and leave the work as it is."
TAKEN_BACK = "I take that back: do not do it."

# --- what is done ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GiveAnswer:
    """Record what the user decided; ``correcting``: in place of what was understood before."""

    answer: Answered
    correcting: bool = False


@dataclass(frozen=True, slots=True)
class PutOff:
    """Put the question later; in the usual time when no time was named."""

    request_id: str
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Guide:
    """Tell a run something at its next action; with ``stop`` that action does not run."""

    run_id: str
    words: str
    stop: bool = False


Effect = GiveAnswer | PutOff | Guide

# --- what Jarvis may have asked back ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Confirming:
    """A yes does it. ``final``: it cannot be undone, so that only a clear yes counts."""

    effects: tuple[Effect, ...]
    say: str  # once it was confirmed
    request: AttentionRequest | None = None  # a no denies it
    final: bool = False


@dataclass(frozen=True, slots=True)
class Choosing:
    """A run's name says which one was meant."""

    kind: CommandKind
    run_ids: tuple[str, ...]
    words: str = ""


@dataclass(frozen=True, slots=True)
class Instead:
    """The next words take the place of an answer that was taken back."""

    given: Given


Expecting = Confirming | Choosing | Instead


@dataclass(frozen=True, slots=True)
class Scene:
    """All that a turn is understood by."""

    runs: tuple[RunSnapshot, ...] = ()
    table: Table = field(default_factory=Table)
    expects: Expecting | None = None  # heard by the user, and nothing was said since
    last_run: str = ""  # that was talked of last
    heard: frozenset[str] = frozenset()  # ids of the questions that the user has heard
    irreversible: frozenset[str] = frozenset()  # ids of those whose yes cannot be undone
    steers: bool = False  # the brain takes the turn for a wish that it cannot fulfil

    @property
    def names(self) -> dict[str, str]:
        """What the runs are called."""
        return called(self.runs)

    @property
    def known(self) -> Known:
        """What a word for a run can refer to."""
        waiting = tuple(dict.fromkeys(run for item in self.table.open for run in item.run_ids))
        put = self.table.put
        last = put.run_ids[0] if put is not None and self.table.fresh else self.last_run
        return Known(self.runs, last, waiting)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is said at once, and what is done when the turn is really over."""

    say: str
    effects: tuple[Effect, ...] = ()
    expects: Expecting | None = None
    about: str = ""  # the question that is still being talked of
    run_id: str = ""  # the run that is being talked of


def plan(said: str, scene: Scene) -> Plan | None:
    """What to say and do; None when the turn is for the brain."""
    if not utterance(said).words:
        return None
    answered_back = _answer_back(said, scene)
    if answered_back is not None:
        return answered_back
    asks = said.rstrip().endswith("?")
    meaning = understand(said, scene.table, asks_something=asks)
    if isinstance(meaning, Corrected):
        return _correct(meaning, scene)
    found = command(said, scene.known)
    if found is not None and _is_for_a_run(found, meaning):
        return _obey(found, scene)
    if isinstance(meaning, Unrelated):
        return _wish(said, scene) if scene.steers and not asks else None
    return _reply(meaning, scene)


def _is_for_a_run(found: Command | AskWhich, meaning: Meaning) -> bool:
    """A command that names its run goes before what may be an answer in the user's own words."""
    decides = found.kind in (CommandKind.APPROVE, CommandKind.DENY)
    free = isinstance(meaning, Answered) and meaning.kind is AnswerKind.WORDS
    return decides or free or isinstance(meaning, Unrelated | Ambiguous | WhichOnes)


# --- what was asked back ------------------------------------------------------------------------


def _answer_back(said: str, scene: Scene) -> Plan | None:
    match scene.expects:
        case Confirming():
            return _confirmed(said, scene.expects, scene)
        case Choosing():
            return _chosen(said, scene.expects, scene)
        case Instead():
            return _instead(said, scene.expects, scene)
    return None


def _confirmed(said: str, expects: Confirming, scene: Scene) -> Plan | None:
    words = utterance(said).words
    if is_nearly(words, phrases.CLEAR_YES):
        return Plan(expects.say, expects.effects, run_id=_run_of(expects.effects))
    if is_nearly(words, phrases.SOFT_YES):
        if not expects.final:
            return Plan(expects.say, expects.effects, run_id=_run_of(expects.effects))
        if expects.request is not None:
            again = wording.still_waits(expects.request, scene.names)
            return Plan(again, expects=expects, about=expects.request.request_id)
    if is_nearly(words, phrases.NO) or words in ("never mind", "nevermind", "forget it"):
        if expects.request is None or not is_nearly(words, phrases.NO):
            return Plan(wording.nothing_done())
        denied = decision(utterance("no"), expects.request)
        correcting = any(isinstance(e, GiveAnswer) and e.correcting for e in expects.effects)
        return None if denied is None else _settle(denied, scene, correcting=correcting)
    return None


def _chosen(said: str, expects: Choosing, scene: Scene) -> Plan | None:
    words = utterance(said).words
    if is_nearly(words, phrases.NO) or words in ("never mind", "nevermind", "neither", "none"):
        return Plan(wording.nothing_done())
    runs = tuple(run for run in scene.runs if run.run_id in expects.run_ids)
    phrase = re.sub(r"^(?:i meant?|its|it is|that is|thats|yes|to|for) ", "", words)
    if is_nearly(words, phrases.CLEAR_YES) and len(runs) == 1:
        phrase = "it"
    target = meant(phrase, Known(runs, runs[0].run_id if len(runs) == 1 else ""))
    if target is None or (len(target.run_ids) > 1 and not target.every):
        return None
    return _obey(Command(expects.kind, target.run_ids, expects.words, target.every), scene)


def _instead(said: str, expects: Instead, scene: Scene) -> Plan | None:
    spoken = utterance(said)
    given = expects.given
    if is_nearly(spoken.words, phrases.NO) or spoken.words in (
        "nothing",
        "never mind",
        "nevermind",
    ):
        return Plan(wording.nothing_done())
    if is_question(spoken.words) or said.rstrip().endswith("?"):
        return None
    named = command(said, scene.known)
    if named is not None and not set(named_runs(named)) & set(given.request.run_ids):
        return None
    answer = decision(spoken, given.request) or guidance(spoken, given.request)
    return _correct(Corrected(given, answer), scene)


def named_runs(found: Command | AskWhich) -> tuple[str, ...]:
    """The runs that a command is or may be for."""
    return found.run_ids if isinstance(found, Command) else found.options


# --- answers ------------------------------------------------------------------------------------


def _reply(meaning: Meaning, scene: Scene) -> Plan | None:
    names = scene.names
    match meaning:
        case Answered():
            return _settle(meaning, scene)
        case Snoozed(request=request) if request is not None:
            said = wording.put_off(meaning.seconds)
            return Plan(said, (PutOff(request.request_id, meaning.seconds),))
        case RepeatOptions(request=request):
            return _about(request, wording.options_again(request))
        case RepeatQuestion(request=request):
            return _about(request, wording.question(request, names))
        case Explain(request=request):
            return _about(request, wording.explain(request, names))
        case WhichOnes():
            return _list(scene)
        case Ambiguous(requests=requests):
            run_ids = tuple(dict.fromkeys(run for item in requests for run in item.run_ids))
            kind = CommandKind.DENY if meaning.verdict is Verdict.DENY else CommandKind.APPROVE
            return _ask_which(AskWhich(kind, run_ids), scene)
    return None


def _about(request: AttentionRequest, say: str) -> Plan:
    return Plan(say, about=request.request_id, run_id=request.run_ids[0])


def _list(scene: Scene) -> Plan | None:
    waiting = scene.table.open
    if not waiting and any(run.waiting_for for run in scene.runs):
        return None  # no question of ours, but a run waits in its own way: the brain knows
    said = wording.waiting(waiting, scene.names)
    return _about(waiting[0], said) if len(waiting) == 1 else Plan(said)


def _settle(answer: Answered, scene: Scene, *, correcting: bool = False) -> Plan:
    """Give the answer, or have it confirmed first."""
    request = answer.request
    say = wording.read_back(answer, scene.names, changed=correcting)
    effects = (GiveAnswer(answer, correcting),)
    run_id = request.run_ids[0]
    if answer.verdict is Verdict.ALLOW:
        final = request.request_id in scene.irreversible
        if final or request.request_id not in scene.heard:
            asked = wording.confirm(request, scene.names, final=final)
            expects = Confirming(effects, say, request, final)
            return Plan(asked, expects=expects, about=request.request_id, run_id=run_id)
    return Plan(say, effects, run_id=run_id)


def _correct(meaning: Corrected, scene: Scene) -> Plan:
    given, new = meaning.old, meaning.new
    request, before = given.request, given.answer
    if new is None:
        new = _opposite(given)
    if new is None:
        # open content: nothing goes out but a no, until the user says what it should be
        nothing = Answered(request, AnswerKind.WORDS, Verdict.DENY, "")
        effects: tuple[Effect, ...] = (GiveAnswer(nothing, correcting=True),) if given.open else ()
        asked = wording.what_instead(request, scene.names)
        later = replace(given, answer=replace(before, verdict=Verdict.DENY, words=""))
        return Plan(asked, effects, Instead(later), run_id=request.run_ids[0])
    if given.open:
        return _settle(new, scene, correcting=True)
    words = (
        new.words if new.verdict is Verdict.ALLOW or new.kind is AnswerKind.WORDS else TAKEN_BACK
    )
    guides = tuple(Guide(run_id, words, stop=True) for run_id in request.run_ids)
    return Plan(wording.too_late(request, scene.names, words), guides, run_id=request.run_ids[0])


def _opposite(given: Given) -> Answered | None:
    """What a bare "no" makes of a yes or a no; None when something else must be said."""
    if given.answer.kind is AnswerKind.WORDS or not is_yes_or_no(given.request):
        return None
    said = "no" if given.answer.verdict is Verdict.ALLOW else "yes"
    return decision(utterance(said), given.request)


# --- commands -----------------------------------------------------------------------------------


def _obey(found: Command | AskWhich, scene: Scene) -> Plan | None:
    if isinstance(found, AskWhich):
        return _ask_which(found, scene)
    if found.kind is CommandKind.WHICH_WAIT:
        return _list(scene)
    if found.kind in (CommandKind.APPROVE, CommandKind.DENY):
        return _decide(found, scene)
    put = scene.table.put if scene.table.fresh else None
    if found.kind is CommandKind.TELL and put is not None and found.run_ids == put.run_ids:
        return _settle(guidance(utterance(found.words), put), scene)
    over = [run for run in scene.runs if run.run_id in found.run_ids and run.status in ENDED]
    if over and len(over) == len(found.run_ids):
        return Plan(wording.is_over(scene.names, found.run_ids), run_id=over[0].run_id)
    if found.kind is CommandKind.STOP and len(found.run_ids) > 1:
        effects = _guides(found)
        expects = Confirming(effects, _said(found, scene), final=True)
        return Plan(wording.confirm_stop(scene.names, found.run_ids), expects=expects)
    return Plan(_said(found, scene), _guides(found), run_id=found.run_ids[0])


_WORDS = {
    CommandKind.PAUSE: PAUSE_WORDS,
    CommandKind.RESUME: RESUME_WORDS,
    CommandKind.STOP: STOP_WORDS,
}
_SAID: dict[CommandKind, Callable[..., str]] = {
    CommandKind.PAUSE: wording.paused,
    CommandKind.RESUME: wording.resumed,
    CommandKind.STOP: wording.stopped,
}


def _guides(found: Command) -> tuple[Effect, ...]:
    words = _WORDS.get(found.kind, found.words)
    stop = found.kind in (CommandKind.PAUSE, CommandKind.STOP)
    return tuple(Guide(run_id, words, stop) for run_id in found.run_ids)


def _said(found: Command, scene: Scene) -> str:
    say: Any = _SAID.get(found.kind)  # Any: each takes names and run ids
    if say is None:
        return wording.told(scene.names, found.run_ids, found.words)
    return str(say(scene.names, found.run_ids))


def _ask_which(found: AskWhich, scene: Scene) -> Plan | None:
    run_ids = found.options
    if not run_ids:
        return None
    said = wording.which(scene.names, run_ids, found.unknown)
    return Plan(said, expects=Choosing(found.kind, run_ids, found.words))


def _decide(found: Command, scene: Scene) -> Plan | None:
    """Approve or deny what these runs wait for."""
    wanted = set(found.run_ids)
    requests = [item for item in scene.table.open if wanted & set(item.run_ids)]
    if not requests:
        return None
    said = "yes" if found.kind is CommandKind.APPROVE else "no"
    put = scene.table.put
    if put in requests and len(wanted) == 1:
        requests = [put] if put is not None else requests
    if found.every and len(requests) > 1:
        return _decide_all(requests, said, scene)
    request = requests[0]
    answer = decision(utterance(said), request)
    if answer is None:  # it cannot be answered by yes: say what it asks
        return _about(request, wording.question(request, scene.names))
    if len(requests) > 1 and answer.verdict is Verdict.ALLOW:
        scene = replace(scene, heard=scene.heard - {request.request_id})  # say which one it is
    return _settle(answer, scene)


def _decide_all(requests: list[AttentionRequest], said: str, scene: Scene) -> Plan | None:
    answers = [decision(utterance(said), request) for request in requests]
    given = [answer for answer in answers if answer is not None]
    if not given:
        return _list(scene)
    effects = tuple(GiveAnswer(answer) for answer in given)
    done = wording.decided_all(len(given), allowed=said == "yes")
    if said == "no":
        return Plan(done, effects)
    asked = wording.confirm_all([answer.request for answer in given], scene.names)
    return Plan(asked, expects=Confirming(effects, done, final=True))


def _wish(said: str, scene: Scene) -> Plan | None:
    """A wish without anyone to hear it, such as "use UTC instead": offer to pass it on."""
    spoken = utterance(said)
    target = meant("it", scene.known)
    if target is None or len(target.run_ids) != 1 or len(spoken.words.split()) < 2:
        return None
    run_id = target.run_ids[0]
    run = next(item for item in scene.runs if item.run_id == run_id)
    if run.status in ENDED:
        return None
    words = spoken.original(0)
    expects = Confirming((Guide(run_id, words),), wording.told(scene.names, (run_id,), words))
    return Plan(wording.shall_i_tell(scene.names, run_id, words), expects=expects, run_id=run_id)


def _run_of(effects: tuple[Effect, ...]) -> str:
    for effect in effects:
        if isinstance(effect, Guide):
            return effect.run_id
        if isinstance(effect, GiveAnswer):
            return effect.answer.request.run_ids[0]
    return ""
