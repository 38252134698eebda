"""Is a proposed action one at which the user may have something to decide? Pure, never raises.

READ_ONLY is claimed only where it is provable. CONSEQUENTIAL has an effect outside the work at hand
or writes the final record; it is what the policy looks at. All else is ORDINARY and goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import Enum

from jarvis_voice.attention.effect_tables import Effect
from jarvis_voice.attention.effects import effect_of
from jarvis_voice.attention.own_work import removes_own_files, removes_own_thing
from jarvis_voice.attention.paths import is_one_of, is_secret
from jarvis_voice.attention.readonly import changes_nothing
from jarvis_voice.attention.records import (
    FINAL_PATHS,
    placeholder_in,
    requester_question_in,
    writes_near,
)
from jarvis_voice.attention.shell import Reading, Words, program, read
from jarvis_voice.attention.tools import ToolKind, tool_effect, tool_kind
from jarvis_voice.boundary import ProposedAction

QUOTE_CHARS = 240


class Consequence(Enum):
    """How far an action reaches."""

    READ_ONLY = "read-only"
    ORDINARY = "ordinary"
    CONSEQUENTIAL = "consequential"


@dataclass(frozen=True, slots=True)
class Boundary:
    """What is at stake with one action."""

    consequence: Consequence
    effect: str = ""  # "git_push", "delete", ...; empty for none
    irreversible: bool = False
    final_record: bool = False
    reasons: tuple[str, ...] = ()  # in a few words each, most important first
    target: str = ""  # what it acts on, in the action's own words
    quote: str = ""  # the exact words of the action that show it
    quote_field: str = ""  # the field of the action in which they stand


# When one command has several effects, the question is about the gravest.
_GRAVITY = (
    "spend",
    "delete",
    "force_push",
    "publish",
    "send",
    "migrate",
    "deploy",
    "git_push",
    "github_write",
    "http_write",
    "remote_copy",
    "credentials",
)


def classify(
    action: ProposedAction,
    final_paths: tuple[str, ...] = FINAL_PATHS,
    made: Callable[[], Collection[str]] = frozenset,
) -> Boundary:
    """What is at stake.

    ``final_paths`` are places of final records, from the project's root. ``made`` gives the names
    of what the run has made itself (``jarvis_voice.made``); it is only called at a removal.
    """
    kind = tool_kind(action.tool)
    reading = read(action.command) if action.command else None
    if kind is ToolKind.READ and reading is None and not action.files:
        return Boundary(Consequence.READ_ONLY)
    written = (*action.files, *_written(reading)) if reading else action.files
    record = _final_record(action, written, final_paths)
    if record is not None:
        return record
    if reading is not None:
        found = _gravest(reading, action, made)
        if found is not None:
            return _by_effect(action, *found)
    secret = next((path for path in written if is_secret(path)), "")
    if secret:
        effect = Effect("credentials", False, secret[:QUOTE_CHARS])
        return _by_effect(action, effect, secret)
    named = tool_effect(action.tool) if kind is ToolKind.OTHER and reading is None else None
    if named is not None and named.name == "delete" and removes_own_thing(action, made()):
        named = None
    if named is not None:
        return _by_effect(action, named, action.tool)
    whole = not action.files and not action.truncated and kind is not ToolKind.WRITE
    if reading is not None and whole and changes_nothing(reading):
        return Boundary(Consequence.READ_ONLY)
    return Boundary(Consequence.ORDINARY)


def _by_effect(action: ProposedAction, effect: Effect, words: str) -> Boundary:
    quote, field = _quoted(action, words)
    return Boundary(
        Consequence.CONSEQUENTIAL,
        effect.name,
        effect.irreversible,
        reasons=(effect.name,),
        target=effect.target,
        quote=quote,
        quote_field=field,
    )


def _gravest(
    reading: Reading, action: ProposedAction, made: Callable[[], Collection[str]]
) -> tuple[Effect, str] | None:
    found = [
        (effect, command.text)
        for command in reading.commands
        if (effect := effect_of(command)) is not None
        and not (effect.name == "delete" and removes_own_files(command, reading, action, made()))
    ]
    return min(found, key=lambda item: _GRAVITY.index(item[0].name)) if found else None


_COPIERS = frozenset(("cp", "mv", "install", "ln"))


def _written(reading: Reading) -> tuple[str, ...]:
    """The paths that a command plainly writes."""
    paths: list[str] = []
    for command in reading.commands:
        paths += command.writes
        paths += _operands_written(command)
    return tuple(paths)


def _operands_written(command: Words) -> tuple[str, ...]:
    if not command.words:
        return ()
    name = program(command.words[0])
    operands = tuple(word for word in command.words[1:] if not word.startswith("-"))
    if name in ("tee", "touch"):
        return operands
    if name in _COPIERS:
        return operands[-1:]
    if name == "sed" and any(word.startswith("-i") for word in command.words[1:]):
        return operands[1:]
    return ()


def _final_record(
    action: ProposedAction, written: tuple[str, ...], final_paths: tuple[str, ...]
) -> Boundary | None:
    command = action.command or ""
    named = any(is_one_of(path, final_paths) for path in written)
    if not named and not any(writes_near(command, path) for path in final_paths):
        return None
    text = action.content or command
    asked = requester_question_in(text)
    missing = placeholder_in(text)
    reasons = ["final_record"]
    if missing:
        reasons.insert(0, "placeholder")
    if asked:
        reasons.insert(0, "requester_question")
    quote, field = _quoted(action, asked or missing)
    path = next((path for path in written if is_one_of(path, final_paths)), final_paths[0])
    return Boundary(
        Consequence.CONSEQUENTIAL,
        "final_record",
        final_record=True,
        reasons=tuple(reasons),
        target=path[:QUOTE_CHARS],
        quote=quote,
        quote_field=field,
    )


def _quoted(action: ProposedAction, words: str) -> tuple[str, str]:
    """The words, and the first field of the action that holds exactly them."""
    words = words[:QUOTE_CHARS]
    if not words.strip():
        return "", ""
    fields = {
        "command": action.command or "",
        "content": action.content,
        "files": "\n".join(action.files),
        "tool": action.tool,
        "summary": action.summary,
    }
    field = next((name for name, text in fields.items() if words in text), "")
    return (words, field) if field else ("", "")
