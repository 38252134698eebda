"""What the user wants done with the runs: tell, pause, resume, stop, decide. Pure.

A command goes to the run that was meant. When two could be, it is AskWhich and nothing is done;
what is no command is None, and the brain answers it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from jarvis_voice.attention import phrases
from jarvis_voice.attention.naming import Known, Meant, meant
from jarvis_voice.attention.utterance import Utterance, utterance


class CommandKind(Enum):
    """What is to be done."""

    TELL = "tell"
    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"
    APPROVE = "approve"
    DENY = "deny"
    WHICH_WAIT = "which-wait"


@dataclass(frozen=True, slots=True)
class Command:
    """``run_ids`` is empty for what needs no run. ``words`` are the user's own, for the agent."""

    kind: CommandKind
    run_ids: tuple[str, ...] = ()
    words: str = ""
    every: bool = False  # all runs were meant, in so many words


@dataclass(frozen=True, slots=True)
class AskWhich:
    """Several runs could be meant, or none is called ``unknown``."""

    kind: CommandKind
    options: tuple[str, ...]  # run ids
    words: str = ""
    unknown: str = ""


def command(said: str, known: Known) -> Command | AskWhich | None:
    """The command in a user's turn; None when it is none."""
    spoken = utterance(said)
    if re.search(phrases.WAITING_PATTERN, spoken.words):
        return Command(CommandKind.WHICH_WAIT)
    for read in _READERS:
        found = read(spoken, known)
        if found is not None:
            return found
    return None


_NOUN = re.compile(r"\b(?:agents?|runs?|ones?|jobs?|tasks?|workers?|sessions?)$")


def _aimed(
    kind: CommandKind, phrase: str, known: Known, words: str = "", *, sure: bool = False
) -> Command | AskWhich | None:
    """``sure``: the sentence can be nothing but a command, even to a run that nobody knows."""
    if phrase.split()[:1] in (["me"], ["us"], ["you"], ["yourself"], ["i"], ["we"]):
        return None
    target = meant(phrase, known)
    if target is None:
        if not known.active or not (sure or _NOUN.search(phrase)):
            return None
        options = tuple(run.run_id for run in known.active)
        return AskWhich(kind, options, words, unknown=phrase)
    return _for(kind, target, words)


def _for(kind: CommandKind, target: Meant, words: str) -> Command | AskWhich:
    if len(target.run_ids) == 1 or target.every:
        return Command(kind, target.run_ids, words, target.every)
    return AskWhich(kind, target.run_ids, words)


# --- tell ... to ...


_TELL = re.compile(
    r"^(?:tell|ask|instruct|order|remind|advise|have|get|make|let) "
    r"(?P<who>(?:.{1,60}?)) (?P<how>to|that|not to|never to|it should|they should|know that|"
    r"know|use|stop using|wait for|about) (?P<what>.+)$"
)
_HAVE = re.compile(
    r"^(?:have|make|let) (?P<who>it|him|her|them|(?:the|this|that|my|our) .{1,40}?"
    r"(?:agent|run|one|job|worker|session)) (?P<what>.+)$"
)
_SHOULD = re.compile(
    r"^(?P<who>it|they|(?:the|this|that|my|our|all|every|both) (?:.{1,40}? )??"
    r"(?:agents?|runs?|ones?|jobs?|workers?|sessions?|of them)) "
    r"(?P<what>(?:should|must|needs to|need to|has to|have to|ought to|shouldnt|mustnt|"
    r"should not|must not|is to|are to|is supposed to|may not|can not|cannot) .+)$"
)
_BARE_TELL = re.compile(
    r"^(?:tell|ask|instruct|remind) (?P<who>it|him|her|them|(?:the|this|that) (?:.{1,40}?)"
    r"(?:agent|run|one|job|worker|session)) (?P<what>.+)$"
)
_ASKS_JARVIS = re.compile(
    r"^(?:tell|ask|let|remind|have|get|make) (?:me|us|you|yourself|sure|a|an)\b"
)
_NO_DEED = re.compile(r"^(?:a|an|the|more|less|very|so|that|this|all|too|quite|as|for|been|be)\b")
_NO_WORDS = re.compile(r"^(?:what|how|why|if|whether|again|later|about it)\b")


def _tell(spoken: Utterance, known: Known) -> Command | AskWhich | None:
    words = spoken.words
    if _ASKS_JARVIS.match(words):
        return None
    for pattern in (_TELL, _HAVE, _BARE_TELL, _SHOULD):
        found = pattern.match(words)
        if found is None or _NO_WORDS.match(found["what"]):
            continue
        if pattern is _HAVE and (_NO_DEED.match(found["what"]) or " " not in found["what"]):
            continue
        start = found.start("what")
        if "how" in pattern.groupindex and found["how"] not in ("to", "that", "know", "know that"):
            start = found.start("how")
        told = spoken.original(start)
        nested = _nested(spoken.after(start), found["who"], known)
        sure = words.startswith(("tell ", "ask ", "instruct ", "remind "))
        return nested or _aimed(CommandKind.TELL, found["who"], known, told, sure=sure)
    return None


def _nested(what: Utterance, who: str, known: Known) -> Command | AskWhich | None:
    """ "tell the release agent to stop" stops it."""
    kind = _WHOLE.get(what.words)
    return _aimed(kind, who, known) if kind is not None else None


_WHOLE = {
    "stop": CommandKind.STOP, "stop it": CommandKind.STOP, "stop now": CommandKind.STOP,
    "stop that": CommandKind.STOP, "stop working": CommandKind.STOP, "abort": CommandKind.STOP,
    "cancel": CommandKind.STOP, "quit": CommandKind.STOP,
    "pause": CommandKind.PAUSE, "wait": CommandKind.PAUSE, "hold on": CommandKind.PAUSE,
    "wait for me": CommandKind.PAUSE, "hold": CommandKind.PAUSE, "pause for now": CommandKind.PAUSE,
    "resume": CommandKind.RESUME, "go on": CommandKind.RESUME, "continue": CommandKind.RESUME,
    "carry on": CommandKind.RESUME, "keep going": CommandKind.RESUME,
    "go ahead": CommandKind.APPROVE, "proceed": CommandKind.APPROVE,
}  # fmt: skip


# --- pause, resume, stop, approve, deny


_RUN = r"(?P<who>.{1,60}?)"
_WHEN = r"(?: (?:now|right now|immediately|at once|for now|for a while|for the moment|again|too))?$"
_DEED = (
    r"(?:do (?:it|that)|go ahead|push|publish|deploy|run|send|delete|proceed|through|go through|"
    r"do its thing|happen)\b.*$"
)
_VERBS: tuple[tuple[CommandKind, str], ...] = (
    (CommandKind.PAUSE, rf"^(?:pause|suspend|halt|freeze) {_RUN}{_WHEN}"),
    (CommandKind.PAUSE, rf"^put {_RUN} on hold{_WHEN}"),
    (CommandKind.PAUSE, rf"^hold (?!off|on|that thought)(?:up )?{_RUN}{_WHEN}"),
    (CommandKind.RESUME, rf"^(?:resume|unpause|continue|restart|wake up) (?:with )?{_RUN}{_WHEN}"),
    (
        CommandKind.RESUME,
        rf"^let {_RUN} (?:go on|continue|carry on|resume|keep going|work on){_WHEN}",
    ),
    (CommandKind.STOP, rf"^(?:stop|kill|abort|terminate|end|shut down|cancel|quit) {_RUN}{_WHEN}"),
    (
        CommandKind.DENY,
        rf"^(?:i )?(?:deny|reject|refuse|veto|block|decline|forbid|disapprove|"
        rf"dont (?:allow|approve|permit)|do not (?:allow|approve|permit))(?: {_RUN})?{_WHEN}",
    ),
    (CommandKind.DENY, rf"^(?:dont|do not|never) let {_RUN} {_DEED}"),
    (CommandKind.DENY, rf"^say no to {_RUN}{_WHEN}"),
    (
        CommandKind.APPROVE,
        rf"^(?:i )?(?:approve|allow|permit|authori[sz]e|confirm|green light|okay|ok)"
        rf"(?: {_RUN})?{_WHEN}",
    ),
    (CommandKind.APPROVE, rf"^let {_RUN} {_DEED}"),
    (
        CommandKind.APPROVE,
        rf"^(?:say yes to|give the go ahead to|give permission to) {_RUN}{_WHEN}",
    ),
    (CommandKind.APPROVE, rf"^give {_RUN} (?:the go ahead|permission|the green light|a yes)$"),
)
_COMPILED = tuple((kind, re.compile(pattern)) for kind, pattern in _VERBS)
_NOT_RUNS = frozenset(
    """talking that talk speaking listening there here moment second minute sec on up off asking
    worrying waiting reading now music quiet recording""".split()
)
_DECIDES = (CommandKind.APPROVE, CommandKind.DENY)


def _verbs(spoken: Utterance, known: Known) -> Command | AskWhich | None:
    for kind, pattern in _COMPILED:
        found = pattern.match(spoken.words)
        if found is None:
            continue
        who = _without_asides(found["who"] or "")
        if who in _NOT_RUNS or who.split()[:1] == ["talking"]:
            return None
        if kind in _DECIDES:
            return _decide(kind, who, known)
        return _aimed(kind, who, known)
    return None


def _without_asides(who: str) -> str:
    return re.sub(r"^(?:with|of|what|down|on) |(?: (?:from|do) .*)$", "", who).strip()


def _decide(kind: CommandKind, who: str, known: Known) -> Command | AskWhich | None:
    """Decisions go to runs that wait; a bare one to the only such run, if there is just one."""
    waiting = tuple(run for run in known.runs if run.run_id in known.waiting)
    among = Known(waiting, known.last, known.waiting)
    if not waiting:
        return None
    if not who or who in ("it", "that", "this", "that one", "this one"):
        if known.last in known.waiting:
            return Command(kind, (known.last,))
        return _for(kind, Meant(tuple(run.run_id for run in waiting)), "")
    if re.match(r"^(?:all|both|everything|all of (?:them|it)|them(?: all)?)$", who):
        return Command(kind, tuple(run.run_id for run in waiting), every=True)
    target = meant(who, among)
    if target is None:
        return None if meant(who, known) is None else AskWhich(kind, known.waiting, unknown=who)
    return _for(kind, target, "")


_READERS: tuple[Callable[[Utterance, Known], Command | AskWhich | None], ...] = (_verbs, _tell)
