"""The interaction track: does Jarvis answer well when the user asks about a run that goes on?

A worker is recorded once and replayed causally, read-only, up to an early and a late checkpoint. At
each the fixed general question is asked, and then one follow-up that quotes the answer before it.
The four answers are graded on their own; a leak of the future or of private words zeroes all four,
and an answer that failed counts 0 and stays in the denominator.

Aloud, the same is done through a synthesizer and a recognizer. What was *heard* of an answer is
graded, in the spelling of ``bench.grading.heard``; a leak counts as soon as it was said. The
follow-up quotes what was heard, mishearings and all, as the person who asks has nothing else;
Jarvis looks for the quote in what it said, and hears the question with errors of its own. The same
task is also examined without any sound, which shows what the sound costs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from audio.errors import AudioError
from bench.answerers import Answered, Answerer, Asked, answerer, exchanged
from bench.errors import BenchError
from bench.followups import follow_up, is_based
from bench.grading.answers import Exam, Grade, Kind, Tag, grade
from bench.grading.claims import Seen, Verdict, known_facts
from bench.grading.heard import errors_of_hearing, written
from bench.grading.judges import CONTRADICTED, UNSUPPORTED, judge
from bench.replay import Replay, View, record
from bench.results import Failure
from bench.suite.bundle import Bundle, digest_of, load_bundle
from bench.suite.leaks import Detector, claims
from bench.suite.sealed import SealedTask, load_sealed
from bench.tracks.interaction_records import PROBLEM_CHARS, Response, Sound, Trajectory
from bench.workers.scripted import load_worker
from jarvis_voice.attention.naming import ENDED
from jarvis_voice.brain.chat_model import ChatModel
from jarvis_voice.errors import JarvisError
from jarvis_voice.events import Exchange

QUESTIONS = {
    Kind.EARLY: "How is the work going so far?",
    Kind.LATE: "Where do things stand now, and how close is it to being finished?",
}
"""The general questions, the same for every system; version 1."""
KEPT = 64  # recorded runs, of some 100 kB each
RESPONSES = 4  # of a trajectory
_NOT_ASKED = "there was no answer that could be followed"


@dataclass(frozen=True, slots=True)
class Examined:
    """All that one trajectory is examined with."""

    bundle: Bundle
    sealed: SealedTask
    replay: Replay
    answerer: Answerer
    judges: tuple[ChatModel, ...] = ()


@dataclass(frozen=True, slots=True)
class Board:
    """Who answers and who grades beside the rules. Its models are closed by the examination."""

    model: ChatModel | None = None  # of the answerer "model"
    judges: tuple[ChatModel, ...] = ()
    spoken: Callable[[Answerer], Answerer] | None = None  # says and hears all of it


def examine(root: Path, name: str, board: Board | None = None) -> Trajectory:
    """Record, ask and grade one task, the bundle in ``root``. Raises nothing of ours.

    Call it outside an event loop.
    """
    board = board or Board()
    about = Trajectory(task=root.name, answerer=name, aloud=board.spoken is not None)
    try:
        bundle = load_bundle(root)
        sealed = load_sealed(bundle)
        about = about.model_copy(
            update={"topology": bundle.topology.value, "domain": bundle.manifest.domain}
        )
        replay = _recorded(root, digest_of(root, "."))
        who = answerer(name, sealed, board.model)
        examined = Examined(bundle, sealed, replay, who, board.judges)
        responses, text_grades = asyncio.run(_held(examined, board))
    except (JarvisError, AudioError, OSError, ValueError) as error:
        failure = Failure(kind=_kind(error), problem=str(error)[:PROBLEM_CHARS])
        return about.model_copy(update={"status": "invalid", "failure": failure})
    update: dict[str, Any] = {
        "leaked": any(map(_leaks, responses)),
        "frames": len(replay.events),
        "responses": _settled(responses),
        "text_grades": text_grades,
    }
    return about.model_copy(update=update)


async def _held(examined: Examined, board: Board) -> tuple[list[Response], list[int]]:
    """The responses, and when they are spoken the grades of the same exam without sound."""
    models = [*board.judges, *([board.model] if board.model is not None else [])]
    try:
        responses = await _all(examined)
        if board.spoken is None:
            return responses, []
        grades = [item.grade for item in _settled(responses)]
        return await _all(replace(examined, answerer=board.spoken(examined.answerer))), grades
    finally:
        for model in models:
            await model.aclose()


def _kind(error: Exception) -> str:
    if isinstance(error, AudioError):
        return "engine_failed"
    return error.kind if isinstance(error, BenchError) else "harness_failed"


def _leaks(response: Response) -> bool:
    return any(tag in (Tag.FUTURE.value, Tag.PRIVATE.value) for tag in response.tags)


def _settled(responses: list[Response]) -> list[Response]:
    """The responses; without any grade when one of them leaks."""
    if not any(map(_leaks, responses)):
        return responses
    return [item.model_copy(update={"grade": 0}) for item in responses]


@lru_cache(maxsize=KEPT)
def _recorded(root: Path, digest: str) -> Replay:
    """The run of the bundle's worker, recorded once for all answerers. Raises the BenchError."""
    del digest  # another content is another run
    bundle = load_bundle(root)
    return record(bundle, load_worker(bundle))


async def _all(examined: Examined) -> list[Response]:
    history: tuple[Exchange, ...] = ()
    responses: list[Response] = []
    for kind, index in zip((Kind.EARLY, Kind.LATE), examined.replay.checkpoints, strict=True):
        view = examined.replay.view(index)
        general, history = await _ask(examined, view, kind, QUESTIONS[kind], history)
        follow, history = await _follow(examined, view, kind, general, history)
        responses += [general, follow]
    return responses


async def _ask(
    examined: Examined, view: View, kind: Kind, question: str, history: tuple[Exchange, ...]
) -> tuple[Response, tuple[Exchange, ...]]:
    """The general question of a checkpoint."""
    about = Response(kind=kind.value, checkpoint=_checkpoint(kind), question=question, grade=0)
    try:
        said = await examined.answerer.answer(Asked(question, view, history))
    except JarvisError as error:
        return _failed(about, error), history
    exam = Exam(kind, question, _seen(examined, view), _detector(examined))
    graded = await _judged(_graded(about, said, exam), examined, view)
    return graded, (*history, exchanged(len(history) + 1, question, said))


async def _follow(
    examined: Examined, view: View, kind: Kind, general: Response, history: tuple[Exchange, ...]
) -> tuple[Response, tuple[Exchange, ...]]:
    """The follow-up to the answer to it; without an answer there is none, and it counts 0."""
    about = Response(kind="follow-up", checkpoint=_checkpoint(kind), question="", grade=0)
    follow = follow_up(general.answer)
    if follow is None or not is_based(follow, general.answer):
        failure = general.failure or Failure(kind="not_asked", problem=_NOT_ASKED)
        return about.model_copy(update={"failure": failure, "tags": ["non_answer"]}), history
    about = about.model_copy(update={"question": follow.question, "based_on": follow.based_on})
    try:
        said = await examined.answerer.answer(Asked(follow.question, view, history))
    except JarvisError as error:
        return _failed(about, error), history
    seen = _seen(examined, view)
    before, quoted = general.answer, follow.based_on
    if general.sound is not None:
        before, quoted = (written(text, seen.text, seen.over) for text in (before, quoted))
    exam = Exam(Kind.FOLLOW_UP, follow.question, seen, _detector(examined), before, quoted)
    graded = await _judged(_graded(about, said, exam), examined, view)
    return graded, (*history, exchanged(len(history) + 1, follow.question, said))


def _checkpoint(kind: Kind) -> Literal["early", "late"]:
    return "early" if kind is Kind.EARLY else "late"


def _failed(about: Response, error: JarvisError) -> Response:
    failure = Failure(kind="answerer_failed", problem=str(error)[:PROBLEM_CHARS])
    return about.model_copy(update={"failure": failure, "tags": ["non_answer"]})


async def _judged(response: Response, examined: Examined, view: View) -> Response:
    """The response after model graders have looked at what no rule decides."""
    if not examined.judges or not response.undecided:
        return response
    seen = view.text()
    rulings = [await judge(claim, seen, examined.judges) for claim in response.undecided]
    verdicts = [ruling.verdict for ruling in rulings]
    value, tags = response.grade, list(response.tags)
    if CONTRADICTED in verdicts:
        value, tags = 0, [*tags, Tag.CONTRADICTION.value]
    elif UNSUPPORTED in verdicts:
        value, tags = min(value, 1), [*tags, Tag.UNSUPPORTED.value]
    update = {
        "judged": verdicts,
        "votes": [dict(ruling.votes) for ruling in rulings],
        "grade": value,
        "tags": list(dict.fromkeys(tags)),
    }
    return response.model_copy(update=update)


def _graded(about: Response, said: Answered, exam: Exam) -> Response:
    """The response with what the rules say of its answer."""
    sound = None
    found = grade(said.text, exam)
    if said.heard is not None:
        text = written(said.text, exam.seen.text, exam.seen.over)
        ears = replace(exam, seen=replace(exam.seen, heard=True))
        worded, found = grade(said.heard.said, exam), grade(text, ears)
        found = worded if worded.leaks else found  # what was let out is out, heard or not
        sound = _sound(about.question, said, worded, "" if text == said.text else text)
    return about.model_copy(
        update={
            "answer": said.text,
            "sound": sound,
            "grade": found.grade,
            "tags": [tag.value for tag in found.tags],
            "reason": found.reason,
            "refs": list(found.refs),
            "undecided": [
                claim.text for claim in found.claims if claim.verdict is Verdict.UNDECIDED
            ],
        }
    )


def _sound(question: str, said: Answered, worded: Grade, read_as: str) -> Sound | None:
    heard = said.heard
    if heard is None:
        return None
    asked_errors, asked_words = errors_of_hearing(question, heard.question)
    errors, words = errors_of_hearing(heard.said, said.text) if heard.said else (None, None)
    first_s = heard.first_audio_s
    return Sound(
        question_heard=heard.question,
        question_errors=asked_errors,
        question_words=asked_words,
        said=heard.said,
        answer_errors=errors,
        answer_words=words,
        read_as=read_as,
        worded_grade=worded.grade,
        first_audio_s=None if first_s is None else round(first_s, 3),
        kept=heard.kept,
    )


def _detector(examined: Examined) -> Detector:
    """Private words; what the brief says itself may be said."""
    return Detector(examined.sealed, examined.replay.brief)


def _seen(examined: Examined, view: View) -> Seen:
    """What an answer may rest on: all that can be seen, and what can be counted in it."""
    runs = view.snapshots()
    started = [run.started_at_s for run in runs if run.started_at_s is not None]
    passed_s = view.now_s - min(started, default=view.now_s)
    counts = {
        len(runs),
        round(passed_s),
        round(passed_s / 60),
        int(passed_s // 60),
        sum(run.tool_calls for run in runs),
        sum(len(run.files_changed) for run in runs),
    }
    for run in runs:
        quiet_s = view.now_s - (run.updated_at_s or view.now_s)
        counts |= {run.tool_calls, run.tool_failures, len(run.files_changed), round(quiet_s)}
        counts |= {round(view.now_s - item.at_s) for item in run.evidence}
        counts |= {len(run.evidence), len(run.failures), len(run.uncertainties), len(run.plan)}
    text = view.text()
    facts = examined.sealed.facts
    shown = {fact.id for fact in facts if claims(text, fact.true)}  # the materials may say it too
    return Seen(
        text,
        {run.title: run.status in ENDED for run in runs},
        frozenset(counts),
        known_facts(facts, view.happenings) | shown,
        facts,
    )
