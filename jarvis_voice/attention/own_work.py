"""Does an action remove nothing but what its own run has made? Then nothing is lost. Pure.

Everything else that is removed for good stays the user's to decide. A removal is the run's own when

- the runtime has tried the command out, and no file that was there before goes away by it;
- each file that goes is one that the run's record shows as made by it, by its absolute path;
- what goes is a temporary file or folder that the same command had ``mktemp`` make;
- a foreign tool removes, by its id, what the same server's tool has made for this run.

What a command would start on another machine, in a container or in a shell of its own is never
looked at like that.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from jarvis_voice.attention.effects import precious
from jarvis_voice.attention.paths import is_outside
from jarvis_voice.attention.shell import Reading, Words, program
from jarvis_voice.boundary import ProposedAction
from jarvis_voice.made import is_absolute, owns, removed_by

_REMOVERS: Final = frozenset(("rm", "unlink"))
_ELSEWHERE: Final = frozenset(
    """ssh docker podman kubectl docker-compose sh bash zsh dash ksh fish eval find xargs su chroot
    nsenter trap""".split()
)
_TEMPORARY: Final = re.compile(
    r"(?:^|[;\n]|&&)[ \t]*(?:(?:local|export|readonly)[ \t]+)?([A-Za-z_]\w*)="
    r"\"?\$\([ \t]*mktemp\b[^()|;&\n]*\)\"?[ \t]*(?=$|[;\n]|&&)"
)
_UNSURE: Final = re.compile(r"[$`*?\[{~\\]")


def removes_own_files(
    command: Words, reading: Reading, action: ProposedAction, made: Collection[str]
) -> bool:
    """This simple command of the action removes files, and only such as the run has made."""
    if not command.words or program(command.words[0]) not in _REMOVERS:
        return False
    if any(item.words and program(item.words[0]) in _ELSEWHERE for item in reading.commands):
        return False
    lost = precious(command.words[1:])
    if action.removes is not None and not any(map(_is_elsewhere, (*lost, *_folders(reading)))):
        return all(path in made for path in action.removes)
    temporary = _temporary(action.command or "")
    return bool(lost) and all(
        path in temporary or (path in made and is_absolute(path) and not _UNSURE.search(path))
        for path in lost
    )


def removes_own_thing(action: ProposedAction, made: Collection[str]) -> bool:
    """This foreign tool removes, by its id, something that the run has made."""
    return not action.truncated and owns(made, removed_by(action.tool, action.content))


def _is_elsewhere(path: str) -> bool:
    """It may lie outside of what a trial of the command would show."""
    return is_outside(path) or bool(re.search(r"[$`~]", path))


def _folders(reading: Reading) -> list[str]:
    """Where the command goes: to be judged like paths."""
    return [
        folder
        for command in reading.commands
        if command.words and program(command.words[0]) in ("cd", "pushd", "popd")
        for folder in command.words[1:] or ("~",)
    ]


def _temporary(command: str) -> frozenset[str]:
    """How a shell names the temporary files that this very command makes, and nothing else.

    When ``mktemp`` fails the name is empty, and nothing is removed. A name that is given a value
    twice, or in a shell of its own, stands for who knows what.
    """
    if re.search(r"(?<!\$)\(", command):
        return frozenset()
    names = [
        name
        for name in _TEMPORARY.findall(command)
        if len(re.findall(rf"\b{name}\+?=|\b(?:read|for|unset)\b[^;\n]*\b{name}\b", command)) == 1
    ]
    return frozenset(spelled for name in names for spelled in (f"${name}", f"${{{name}}}"))
