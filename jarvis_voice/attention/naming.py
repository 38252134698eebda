"""What runs are called aloud, and which run the user means. Pure.

Titles and goals come from agents: they are compared with the user's words, and never obeyed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from jarvis_voice.attention.utterance import digits, one_apart, squashed
from jarvis_voice.events import RunSnapshot, RunStatus
from jarvis_voice.titles import is_phrase, shortened

ENDED = frozenset((RunStatus.DONE, RunStatus.FAILED, RunStatus.STOPPED))

_RUNTIMES = {
    "claude-code": "Claude", "codex": "Codex", "openclaw": "OpenClaw", "opencode": "OpenCode",
    "openhands": "OpenHands", "gemini-cli": "Gemini", "gemini": "Gemini", "cursor": "Cursor",
}  # fmt: skip
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_EMPTY = frozenset(
    """a an the this that these those my your our its to of for in on at with and or is are it one
    ones agent agents run runs job jobs task tasks worker workers session sessions thing process
    please from into by as be me you we i all about""".split()
)


def called(runs: Iterable[RunSnapshot]) -> dict[str, str]:
    """Run id to a name that tells it from the others.

    A title of few bare words stands before the noun, "the release agent"; one that is a phrase
    stands after it as it is, 'the agent "Settle the rights of the pieces"'.
    """
    runs = tuple(runs)
    short = {run.run_id: _short(run) for run in runs}
    names: dict[str, str] = {}
    for run in runs:
        name, which = short[run.run_id], ""
        alike = [other for other in runs if short[other.run_id] == name]
        if len(alike) > 1:
            runtimes = {other.runtime for other in alike}
            if len(runtimes) == len(alike):
                which = f"{runtime_name(run.runtime)} "
            else:
                which = f"{_ordinal(alike.index(run))} "
        named = f'agent "{name}"' if is_phrase(name) else f"{name} agent"
        names[run.run_id] = f"the {which}{named}"
    return names


def runtime_name(runtime: str) -> str:
    """A runtime as it is called aloud."""
    return _RUNTIMES.get(runtime, runtime.replace("-", " ").replace("_", " "))


def _ordinal(place: int) -> str:
    return _ORDINALS[place] if place < len(_ORDINALS) else f"number {place + 1}"


def _short(run: RunSnapshot) -> str:
    title = re.sub(
        r"(?i)^\W*(?:the|an?)\s|(?:\s(?:agent|run))+\W*$", "", run.title or run.goal or ""
    )
    name = re.sub(r"[_-]", " ", shortened(title))
    return " ".join(name.split()) or runtime_name(run.runtime)


# --- which one is meant ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Known:
    """What a user's word for a run may refer to."""

    runs: tuple[RunSnapshot, ...]  # in the order in which they are listed
    last: str = ""  # the run that was talked of last
    waiting: tuple[str, ...] = ()  # runs whose questions are open

    @property
    def active(self) -> tuple[RunSnapshot, ...]:
        """Those that can still be told something."""
        return tuple(run for run in self.runs if run.status not in ENDED)


@dataclass(frozen=True, slots=True)
class Meant:
    """The runs that fit; exactly one when it is clear. ``every``: all of them are meant."""

    run_ids: tuple[str, ...]
    every: bool = False


_PRONOUNS = re.compile(
    r"^(?:it|that|this|him|her|"
    r"(?:that|this|the|the same) (?:one|agent|run|job|task|session|thing))$"
)
_EVERY = re.compile(
    r"^(?:all|both|everyone|everybody|everything|them all|all of (?:them|those|these|the agents)|"
    r"both of them|all (?:the )?(?:agents|runs|jobs|tasks|workers|sessions|others)|them|they|"
    r"every (?:agent|run|one|job|task|worker)|each (?:agent|of them|one)|the agents|the runs|"
    r"the whole (?:lot|project)|both (?:agents|runs))$"
)
_PLACE = re.compile(
    r"^(?:the |agent |run |number )*(?P<place>first|second|third|fourth|fifth|last|latest|newest|"
    r"oldest|\d)(?: (?:one|agent|run|job|task|session|1))?$"
)
_PLACES = {name: place for place, name in enumerate(_ORDINALS)} | {
    "last": -1, "latest": -1, "newest": -1, "oldest": 0,
}  # fmt: skip


def meant(phrase: str, known: Known) -> Meant | None:
    """The runs that a phrase such as "the migration agent" fits; None when it fits none."""
    phrase = phrase.strip()
    if _EVERY.match(phrase):
        run_ids = tuple(run.run_id for run in known.active)
        return Meant(run_ids, every=True) if run_ids else None
    if not phrase or _PRONOUNS.match(phrase):
        return _last_mentioned(known)
    place = _PLACE.match(digits(phrase))
    if place is not None:
        return _at_place(place["place"], known)
    return _by_words(phrase, known)


def _last_mentioned(known: Known) -> Meant | None:
    ids = [run.run_id for run in known.runs]
    if known.last in ids:
        return Meant((known.last,))
    if len(known.active) == 1:
        return Meant((known.active[0].run_id,))
    candidates = tuple(run.run_id for run in known.active)
    return Meant(candidates) if candidates else None


def _at_place(place: str, known: Known) -> Meant | None:
    index = _PLACES[place] if place in _PLACES else int(place) - 1
    if -len(known.runs) <= index < len(known.runs):
        return Meant((known.runs[index].run_id,))
    return None


def _by_words(phrase: str, known: Known) -> Meant | None:
    spoken = [word for word in re.findall(r"[\w.+#-]+", phrase) if word not in _EMPTY]
    if not spoken:
        return _last_mentioned(known)
    scores = {run.run_id: _score(spoken, run) for run in known.runs}
    best = max(scores.values(), default=0.0)
    if best <= 0:
        return None
    fitting = [run for run in known.runs if scores[run.run_id] == best]
    working = [run for run in fitting if run.status not in ENDED]
    return Meant(tuple(run.run_id for run in working or fitting))


def _score(spoken: list[str], run: RunSnapshot) -> float:
    """Words of the title count most; a word that fits nothing speaks against the run."""
    title = _words(run.title)
    goal = _words(run.goal or "")
    runtime = [*_words(run.runtime), *_words(runtime_name(run.runtime))]
    if squashed(" ".join(spoken)) in (squashed(run.title), squashed(runtime_name(run.runtime))):
        return 4.0 * len(spoken)
    score, hits = 0.0, 0
    for word in spoken:
        value = 3.0 * _fits(word, title) or 2.0 * _fits(word, runtime) or 1.0 * _fits(word, goal)
        hits += value > 0
        score += value
    return score if hits * 2 >= len(spoken) else 0.0


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in _EMPTY]


def _fits(word: str, known: list[str]) -> bool:
    """The same word, one of its forms, or a long one with a letter wrong."""
    return any(
        word == other
        or (len(word) >= 4 and len(other) >= 4 and _stem(word) == _stem(other))
        or (len(word) >= 5 and len(other) >= 5 and one_apart(word, other))
        for other in known
    )


_ENDINGS = re.compile(r"(?:ations?|ating|ated|ates?|ings?|ions?|ments?|ers?|ors?|ed|es|s|e)$")


def _stem(word: str) -> str:
    stem = _ENDINGS.sub("", word)
    return stem if len(stem) >= 3 else word


def phrase_of(names: Mapping[str, str], run_ids: Iterable[str]) -> str:
    """ "the release agent", "the release agent and the docs agent", "three agents"."""
    known = [names.get(run_id, "an agent") for run_id in run_ids]
    if len(known) <= 2:
        return " and ".join(known) or "an agent"
    return f"{', '.join(known[:2])} and {len(known) - 2} more"
