"""What the narrator says about one run, question by question. Pure; a snapshot in, sentences out.

The first sentence of every answer is short (about eight words), so that speech can begin while the
rest is still being synthesized. Texts of the agent and its tools are quoted, cut to a length that
can be listened to, and never change what is said about the run itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from jarvis_voice.brain.intents import Intent
from jarvis_voice.brain.lookup import Changes
from jarvis_voice.brain.wording import (
    action_words,
    ago,
    count,
    decision_in,
    duration,
    listed,
    money,
    number,
    quoted,
    sentence,
    short_path,
    split_action,
    split_denial,
)
from jarvis_voice.events import Evidence, EvidenceKind, RunSnapshot, RunStatus

ENDED = (RunStatus.DONE, RunStatus.FAILED, RunStatus.STOPPED)
STALE_S = 60.0
"""Silence of a working run that is worth mentioning: longer than almost any single tool call."""

NO_OUTPUT = "no output"


@dataclass(frozen=True, slots=True)
class View:
    """One run as it is now, and what an answer may need besides."""

    run: RunSnapshot
    now_s: float  # the present in the run's own time, Unix seconds
    changes: Changes | None = None  # since the user last heard of it; None when never


Answer = list[str]


# --- pieces that several answers share ---------------------------------------------------------


def denials(run: RunSnapshot) -> list[Evidence]:
    return [item for item in run.evidence if item.kind is EvidenceKind.DENIAL]


def guidance(run: RunSnapshot) -> list[Evidence]:
    return [item for item in run.evidence if item.kind is EvidenceKind.GUIDANCE]


def denial_sentences(item: Evidence) -> Answer:
    """What was refused and why. A decision of the user is told as theirs."""
    action, reason = split_denial(item.text)
    told = [f"It wanted to do this: {sentence(action_words(action))}"]
    told.append(f"The reason given: {quoted(reason)}" if reason else "No reason was given.")
    return told


def failure_sentence(failure: str) -> str:
    words, rest = split_action(failure)
    if not rest:
        return quoted(failure)
    command, _, output = rest.partition("`: ")
    doing = words if words and words != "run a command" else command
    return f"{sentence(action_words(doing))} It gave: {quoted(output or NO_OUTPUT)}"


def plan_sentences(run: RunSnapshot) -> Answer:
    if not run.plan:
        return []
    done = sum(step.state == "completed" for step in run.plan)
    told = [
        f"{number(done).capitalize()} of {count(len(run.plan), 'plan step')} {_are(done)} done."
    ]
    current = next((step.text for step in run.plan if step.state == "in_progress"), None)
    following = next((step.text for step in run.plan if step.state == "pending"), None)
    if current:
        told.append(f"The step under way: {sentence(quoted(current, 16))}")
    elif following:
        told.append(f"The next step: {sentence(quoted(following, 16))}")
    return told


def doing_sentences(run: RunSnapshot) -> Answer:
    if run.proposed_action and run.status in (RunStatus.HELD, RunStatus.WAITING):
        return [f"The action: {sentence(action_words(run.proposed_action))}"]
    if run.current_action:
        return [f"The action under way: {sentence(action_words(run.current_action))}"]
    return []


def said_sentence(run: RunSnapshot, words: int = 24) -> Answer:
    return [f"It last said: {quoted(run.last_message, words)}"] if run.last_message else []


def trouble_sentences(run: RunSnapshot) -> Answer:
    told = []
    refused = len(denials(run))
    if run.tool_failures:
        told.append(f"{count(run.tool_failures, 'tool call').capitalize()} failed.")
    if refused:
        told.append(f"{count(refused, 'action').capitalize()} {_was(refused)} denied.")
    return told


def caution_sentences(run: RunSnapshot) -> Answer:
    if not run.degraded:
        return []
    return ["My picture may be incomplete.", quoted(run.degraded, 20)]


def silence_sentences(view: View) -> Answer:
    updated = view.run.updated_at_s
    if updated is None or view.run.status in ENDED or view.now_s - updated < STALE_S:
        return []
    return [f"I last heard from it {ago(view.now_s - updated)}."]


def files_sentence(run: RunSnapshot) -> Answer:
    files = [short_path(path) for path in run.files_changed]
    if not files:
        return []
    return [f"It changed {count(len(files), 'file')}: {sentence(listed(files[::-1]))}"]


def _are(value: int) -> str:
    return "is" if value == 1 else "are"


def _was(value: int) -> str:
    return "was" if value == 1 else "were"


def headline(run: RunSnapshot) -> str:
    """The status in one short sentence."""
    return {
        RunStatus.STARTING: "It is just starting.",
        RunStatus.WORKING: "It is still working.",
        RunStatus.WAITING: "It is waiting for you.",
        RunStatus.HELD: "One of its actions is held.",
        RunStatus.DONE: "It is done.",
        RunStatus.FAILED: "It failed.",
        RunStatus.STOPPED: "It was stopped.",
    }[run.status]


def needs_sentence(run: RunSnapshot) -> Answer:
    if not run.waiting_for or run.status not in (RunStatus.WAITING, RunStatus.HELD):
        return []
    return [f"It needs: {quoted(run.waiting_for)}"]


def newest_failure(run: RunSnapshot) -> Answer:
    return [f"The reason: {failure_sentence(run.failures[-1])}"] if run.failures else []


# --- one answer for each question --------------------------------------------------------------


def status(view: View) -> Answer:
    run = view.run
    told = [headline(run)]
    if run.status is RunStatus.STARTING and run.goal:
        told.append(f"Its task: {quoted(run.goal)}")
    if run.status is RunStatus.FAILED:
        told += newest_failure(run)
    told += needs_sentence(run) + doing_sentences(run) + plan_sentences(run)
    if run.status in ENDED:
        told += files_sentence(run)
    told += trouble_sentences(run)
    said = said_sentence(run)
    if not said and run.status is RunStatus.WORKING:
        said = files_sentence(run) or _asked_for(run)
    return told + said + silence_sentences(view) + caution_sentences(run)


def _asked_for(run: RunSnapshot) -> Answer:
    return [f"Its task: {quoted(run.goal, 16)}"] if run.goal else []


def now(view: View) -> Answer:
    run = view.run
    if run.status in ENDED:
        return ["Nothing any more.", headline(run), *said_sentence(run)]
    if run.status in (RunStatus.WAITING, RunStatus.HELD):
        return [headline(run), *needs_sentence(run), *doing_sentences(run)]
    if run.current_action:
        words, command = split_action(run.current_action)
        if command and words == "run a command":
            return ["It is running a command.", f"The command: {quoted(command, 20)}"]
        return [
            "It is at work.",
            sentence(action_words(run.current_action)),
            *silence_sentences(view),
        ]
    if run.last_message:
        return ["It is between two actions.", *said_sentence(run), *silence_sentences(view)]
    return ["I see no action right now.", *silence_sentences(view)]


def progress(view: View) -> Answer:
    run = view.run
    told = plan_sentences(run)
    if run.status in ENDED:
        return [headline(run), *told, *files_sentence(run), *trouble_sentences(run)]
    if told:
        return [*told, *doing_sentences(run), *trouble_sentences(run)]
    calls = f"I count {count(run.tool_calls, 'tool call')} so far."
    return [
        headline(run),
        "It keeps no plan that I see, so I cannot say how close it is.",
        calls,
        *files_sentence(run),
        *trouble_sentences(run),
        *said_sentence(run),
        *doing_sentences(run),
    ]


def done(view: View) -> Answer:
    run = view.run
    if run.status is RunStatus.DONE:
        return [
            "Yes, it is done.",
            *files_sentence(run),
            *trouble_sentences(run),
            *said_sentence(run),
        ]
    if run.status is RunStatus.FAILED:
        return ["It ended, but it failed.", *newest_failure(run)]
    if run.status is RunStatus.STOPPED:
        return ["It was stopped before it was done.", *trouble_sentences(run), *said_sentence(run)]
    return [
        "No, not yet.",
        headline(run),
        *needs_sentence(run),
        *plan_sentences(run),
        *doing_sentences(run),
    ]


def findings(view: View) -> Answer:
    run = view.run
    told: Answer = []
    results = [item for item in run.evidence if item.kind is EvidenceKind.RESULT]
    telling = [item for item in results if item.text != NO_OUTPUT]
    if telling:
        newest = telling[-1]
        told += [
            "This is the newest result."
            if newest.ok is not False
            else "The newest result is a failure.",
            quoted(newest.text),
        ]
    elif results:
        told.append("Its commands gave no output.")
    told += files_sentence(run) + said_sentence(run)
    return (told or ["Nothing that I can see yet."]) + caution_sentences(run)


def unclear(view: View) -> Answer:
    run = view.run
    told = [quoted(text) for text in run.uncertainties[-3:]]
    if told:
        told.insert(
            0,
            f"{count(len(run.uncertainties), 'thing').capitalize()} "
            f"{_are(len(run.uncertainties))} unclear.",
        )
    told += needs_sentence(run)
    cautions = caution_sentences(run)
    if not told and not cautions:
        return ["It reports nothing unclear.", "That is only what the run itself shows me."]
    return told + cautions


def failures(view: View) -> Answer:
    run = view.run
    refused = trouble_sentences(run)[1 if run.tool_failures else 0 :]
    if not run.failures:
        if run.tool_failures:
            return [
                f"{count(run.tool_failures, 'tool call').capitalize()} failed.",
                "I no longer have the details.",
            ]
        return ["No failure so far.", *refused]
    told = [f"{count(max(run.tool_failures, len(run.failures)), 'thing').capitalize()} failed."]
    if run.status is RunStatus.FAILED:
        told = ["The whole run failed."]
    told.append(f"The newest: {failure_sentence(run.failures[-1])}")
    if len(run.failures) > 1:
        told.append(f"Before that: {failure_sentence(run.failures[-2])}")
    return told + refused


def goal(view: View) -> Answer:
    if view.run.goal:
        return ["You asked for this.", quoted(view.run.goal)]
    return ["I did not see the task itself.", *files_sentence(view.run), *said_sentence(view.run)]


def elapsed(view: View) -> Answer:
    run = view.run
    if run.started_at_s is None or run.updated_at_s is None:
        return ["I don't know how long.", "The run gives no times."]
    if run.status in ENDED:
        return [f"It took {duration(run.updated_at_s - run.started_at_s)}.", headline(run)]
    until = max(view.now_s, run.updated_at_s)
    return [
        f"So far {duration(until - run.started_at_s)}.",
        f"Its newest event was {ago(until - run.updated_at_s)}.",
    ]


def remaining_time(view: View) -> Answer:
    if view.run.status in ENDED:
        return [headline(view.run), *elapsed(view)[:1]]
    return ["I can't tell how long it needs.", *plan_sentences(view.run), *elapsed(view)[:1]]


def cost(view: View) -> Answer:
    if view.run.cost_usd is None:
        return ["I don't know its cost.", "The run has not reported one."]
    ended = view.run.status in ENDED
    spent = money(view.run.cost_usd)
    return [
        f"{spent[0].upper()}{spent[1:]}.",
        "That is what it cost." if ended else "That is its cost so far.",
    ]


def files(view: View) -> Answer:
    run = view.run
    changed = [short_path(path) for path in run.files_changed][::-1]
    if not changed:
        return ["I see no changed file.", "I only see files that its tools name."]
    if len(changed) == 1:
        return ["One file.", f"It is {sentence(changed[0])}"]
    return [
        f"{number(len(changed)).capitalize()} files.",
        f"Newest first: {sentence(listed(changed, 5))}",
    ]


def command(view: View) -> Answer:
    run = view.run
    actions = [item for item in run.evidence if item.kind is EvidenceKind.ACTION]
    current = run.current_action or (actions[-1].text if actions else None)
    counted = f"I count {count(run.tool_calls, 'tool call')}."
    if current is None:
        return ["I saw no command yet."] if not run.tool_calls else [counted]
    words, raw = split_action(current)
    lead = "This one is running." if run.current_action else "The newest one is this."
    told = [lead, sentence(action_words(current))]
    if raw and words and words != "run a command":
        told.append(f"The command: {quoted(raw, 20)}")
    return [*told, counted]


def said(view: View) -> Answer:
    if not view.run.last_message:
        return ["It has said nothing yet."]
    return ["It said this.", quoted(view.run.last_message, 48)]


def denied(view: View) -> Answer:
    run = view.run
    refused = denials(run)
    held = [headline(run), *needs_sentence(run), *doing_sentences(run)]
    if run.status is RunStatus.HELD:
        return held + (denial_sentences(refused[-1]) if refused else [])
    if not refused:
        return ["I see nothing that was denied."]
    told = [f"{count(len(refused), 'action').capitalize()} {_was(len(refused))} denied."]
    for item in refused[-2:][::-1]:
        told += denial_sentences(item)
    return told


def decision(view: View) -> Answer:
    run = view.run
    own = [decided for item in denials(run) if (decided := decision_in(item.text))]
    told_it = guidance(run)
    if not own and not told_it:
        if denials(run):
            return ["I only see that it was denied.", *denial_sentences(denials(run)[-1])]
        return ["I see no decision of yours."]
    told: Answer = []
    if own:
        told += ["You made a decision.", *own[-2:]]
    if told_it:
        told.append("It was also told this." if told else "It was told this.")
        told += [quoted(item.text) for item in told_it[-2:]]
    return told


def waiting(view: View) -> Answer:
    run = view.run
    if run.status is RunStatus.WAITING:
        return ["Yes, it is waiting for you.", *needs_sentence(run), *doing_sentences(run)]
    if run.status is RunStatus.HELD:
        return ["One of its actions is held.", *needs_sentence(run), *doing_sentences(run)]
    if run.status in ENDED:
        return ["No.", headline(run)]
    return [
        "No, not that I can see.",
        headline(run),
        *doing_sentences(run),
        *silence_sentences(view),
    ]


def changes(view: View) -> Answer:
    """The news since the user last heard of the run, or all of it when they never did."""
    news = view.changes
    if news is None or news.from_version is None:
        return status(view)
    run = view.run
    told: Answer = []
    if news.status_before is not None and news.status_before is not news.status_now:
        told += [headline(run), *needs_sentence(run)]
    if news.steps_done:
        steps = [quoted(step, 12).rstrip(".") for step in news.steps_done]
        told.append(f"Done since then: {sentence(listed(steps))}")
    told += [f"New failure: {failure_sentence(failure)}" for failure in news.new_failures[-2:]]
    if news.new_files:
        told.append(
            f"Newly changed: {sentence(listed([short_path(path) for path in news.new_files]))}"
        )
    told += _new_evidence(news)
    if not told:
        return ["Nothing new.", headline(run), *silence_sentences(view)]
    if told[0] != headline(run):
        told.insert(0, headline(run))
    return told


def _new_evidence(news: Changes) -> Answer:
    told: Answer = []
    for item in news.new_evidence:
        if item.kind is EvidenceKind.DENIAL:
            told += ["An action was denied.", *denial_sentences(item)]
    newest = {item.kind: item for item in news.new_evidence}
    if EvidenceKind.GUIDANCE in newest:
        told.append(f"It was told: {quoted(newest[EvidenceKind.GUIDANCE].text)}")
    if EvidenceKind.ACTION in newest:
        told.append(
            f"Its newest action: {sentence(action_words(newest[EvidenceKind.ACTION].text))}"
        )
    result = newest.get(EvidenceKind.RESULT)
    if result is not None and result.ok is not False and result.text != NO_OUTPUT:
        told.append(f"It gave: {quoted(result.text, 24)}")
    if EvidenceKind.MESSAGE in newest:
        told.append(f"It said: {quoted(newest[EvidenceKind.MESSAGE].text, 24)}")
    if news.missed:
        told.append(f"{count(news.missed, 'older event').capitalize()} went by in between.")
    return told


ANSWERS: dict[Intent, Callable[[View], Answer]] = {
    Intent.STATUS: status,
    Intent.NOW: now,
    Intent.PROGRESS: progress,
    Intent.DONE: done,
    Intent.FINDINGS: findings,
    Intent.UNCLEAR: unclear,
    Intent.FAILURES: failures,
    Intent.GOAL: goal,
    Intent.ELAPSED: elapsed,
    Intent.REMAINING_TIME: remaining_time,
    Intent.COST: cost,
    Intent.FILES: files,
    Intent.COMMAND: command,
    Intent.SAID: said,
    Intent.DENIALS: denied,
    Intent.DECISION: decision,
    Intent.WAITING: waiting,
    Intent.CHANGES: changes,
}
