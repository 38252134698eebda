"""How a boundary is put to the user: one short question, its options, why it is theirs. Pure."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from jarvis_voice.attention.candidate import Boundary
from jarvis_voice.boundary import ProposedAction

QUESTION_CHARS = 420
_TARGET_CHARS = 80
_ABOUT_CHARS = 240

WORKER_NOUNS = re.compile(
    r"""(?xi)\b(?:
        files? | filenames? | payloads? | logs? | formulas? | rubrics? | json | yaml | schema[s]?
      | stack\ ?traces? | stderr | stdout | exit\ codes? | tool\ calls? | hooks? | regex(?:es)?
      | api\ calls? | subagents? | prompts? | tokens? | sandbox | checkpoints? | diffs? | stdin
      | environment\ variables? | placeholders? | boundar(?:y|ies) | candidates?
    )\b"""
)
"""Words of the agent's workshop that say nothing to someone who only listens."""


@dataclass(frozen=True, slots=True)
class Wording:
    """What the user hears."""

    question: str
    options: tuple[str, ...]
    about: str
    why: str
    reason_code: str


_GO = ("go ahead", "hold off")
_LASTING = "It reaches others and cannot be taken back."

# question with a target, question without, what it is about to do, why it is the user's
_EFFECTS: dict[str, tuple[str, str, str, str]] = {
    "git_push": (
        "May it push its work to {target}?",
        "May it push its work now?",
        "push its work",
        "Whether work leaves this machine is yours to say.",
    ),
    "force_push": (
        "May it overwrite what others have on {target}?",
        "May it overwrite what is on the server?",
        "overwrite work on the server",
        "What is overwritten there is lost.",
    ),
    "github_write": (
        "May it {target}?",
        "May it change the project's site, where others see it?",
        "act on the project's site in your name",
        "It speaks for you to others.",
    ),
    "http_write": (
        "May it change something at {target}?",
        "May it change something on an outside service?",
        "change something on an outside service",
        _LASTING,
    ),
    "publish": (
        "May it publish {target} for everyone?",
        "May it publish this for everyone?",
        "publish a release",
        _LASTING,
    ),
    "remote_copy": (
        "May it copy its work to {target}?",
        "May it copy its work to another machine?",
        "copy data to another machine",
        "Where your data goes is yours to say.",
    ),
    "delete": (
        "May it delete {target} for good?",
        "May it delete this for good?",
        "delete something for good",
        "What is deleted cannot be brought back.",
    ),
    "migrate": (
        "May it change the database now?",
        "May it change the database now?",
        "change the database",
        "Stored data changes with it.",
    ),
    "deploy": (
        "May it change what is live: {target}?",
        "May it change what is live?",
        "change what is live",
        "People may be using it right now.",
    ),
    "spend": (
        "May it spend money on {target}?",
        "May it spend your money on this?",
        "spend money",
        "It is your money.",
    ),
    "credentials": (
        "May it change keys or passwords in {target}?",
        "May it change keys or passwords?",
        "change keys or passwords",
        "Who has access is yours to say.",
    ),
    "send": (
        "May it send this message in your name?",
        "May it send this message in your name?",
        "send a message in your name",
        _LASTING,
    ),
}


def word(action: ProposedAction, boundary: Boundary) -> Wording:
    """The question about this boundary, free of the worker's jargon and short when spoken."""
    if boundary.final_record:
        return _final(action, boundary)
    row = _EFFECTS.get(boundary.effect)
    if row is None and action.waits_for_user:
        row = ("", "It waits for your approval. May it go on?", "go on", "It asks you itself.")
    elif row is None:
        row = ("", "May it go on with this step?", "go on", "It has effects outside its work.")
    with_target, without, doing, why = row
    target = speakable(boundary.effect, boundary.target)
    question = with_target.format(target=target) if target and with_target else without
    if not is_askable(question):
        question = without
    evidence = boundary.quote or action.summary
    about = _cut(f"It is about to {doing}: {evidence}", _ABOUT_CHARS)
    return Wording(question, _GO, about, why, "authority")


def is_askable(question: str) -> bool:
    """Short, one question, and in words that mean something without seeing the work."""
    return 0 < len(question.strip()) <= QUESTION_CHARS and not WORKER_NOUNS.search(question)


def speakable(effect: str, target: str) -> str:
    """A target as one would say it; empty when it cannot be said."""
    target = " ".join(target.split())
    if effect == "http_write":
        found = re.match(r"(?:\w+://)?(?:[^@/\s]*@)?([\w.-]+)", target)
        return found[1] if found else ""
    if effect == "remote_copy":
        found = re.match(r"(?:[\w.-]+@)?([\w.-]+):", target)
        return found[1] if found else ""
    if effect == "github_write":
        return _forge_words(target)
    if effect in ("git_push", "force_push"):
        if not target.startswith("the "):
            target = " on ".join(reversed(target.split()[:2]))
        target = target.lstrip("+:")
    names = target.split()
    if effect == "delete" and len(names) > 3 and not target[:1].isupper():
        target = f"{names[0]} and {len(names) - 1} more"
    return "" if re.search(r"[\"'`|;&{}<>()=]|--", target) else _cut(target, _TARGET_CHARS)


_NOUNS = {"pr": "pull request", "mr": "merge request", "run": "workflow run"}


def _forge_words(target: str) -> str:
    """ "pr merge 12" as "merge pull request 12"."""
    found = re.match(
        r"(pr|mr|issue|release|repo|workflow|run|gist|label) (\w+)(?: ([\w./#-]+))?$", target
    )
    if not found:
        return ""
    noun = _NOUNS.get(found[1], found[1])
    if found[2] in ("comment", "note", "review"):
        return (
            f"{'review' if found[2] == 'review' else 'comment on'} {noun} {found[3] or ''}".strip()
        )
    return f"{found[2]} {'a ' if not found[3] else ''}{noun} {found[3] or ''}".strip()


def _final(action: ProposedAction, boundary: Boundary) -> Wording:
    why = "It was left to you, and the result would settle it without you."
    quote = _cut(boundary.quote, 200)
    if boundary.reasons[0] == "requester_question":
        question = f'Before it finishes, it needs your word on this: "{quote}"'
        plain = "Before it finishes, one question is left for you. What do you decide?"
        about = f'It is about to finish, and this is still open: "{quote}"'
    else:
        question = f'It is about to finish with "{quote}" where your decision belongs. What is it?'
        plain = "It is about to finish, and one decision of yours is missing. What is it?"
        about = f'It is about to write its result with "{quote}" in it.'
    options = offered_options(action.content) or ("you decide", "leave it open")
    return Wording(
        question if is_askable(question) else plain,
        options,
        _cut(about, _ABOUT_CHARS),
        why,
        "judgement",
    )


def offered_options(content: str) -> tuple[str, ...]:
    """The options that the record itself names, when they are few and can be said."""
    try:
        data = json.loads(content) if len(content) <= 100_000 else None
    except (ValueError, RecursionError):
        return ()
    if not isinstance(data, dict):
        return ()
    for key in ("options", "options_considered", "choices", "alternatives"):
        listed = data.get(key)
        if not isinstance(listed, list) or not 2 <= len(listed) <= 4:
            continue
        names = [item.strip() for item in listed if isinstance(item, str)]
        if len(names) == len(listed) and all(_is_spoken(name) for name in names):
            return tuple(names)
    return ()


def _is_spoken(name: str) -> bool:
    return 0 < len(name) <= 48 and re.fullmatch(r"[\w ,.'%$€-]+", name) is not None


def _cut(text: str, limit: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
