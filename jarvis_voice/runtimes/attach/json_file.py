"""A runtime's settings as JSON: read with care, changed little, written in the style they had."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jarvis_voice.errors import AttachError
from jarvis_voice.runtimes.attach.base import read

Document = dict[str, Any]
Ours = Callable[[Mapping[str, Any]], bool]
"""Tells whether a hook is one that we wrote."""


def load(path: Path) -> tuple[Document, bytes | None]:
    """The document in a file and its bytes; an empty one when there is no file.

    Raises AttachError when it is no plain JSON, since rewriting it would lose its comments.
    """
    try:
        raw = read(path)
    except OSError as error:
        raise AttachError(f"{path} cannot be read: {error}.", "Check its permissions.") from error
    if raw is None or not raw.strip():
        return {}, raw
    try:
        found = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise AttachError(
            f"{path} is no plain JSON ({error}), perhaps for a comment; it was left as it is.",
            "Mend it, or add by hand what the option --print shows.",
        ) from error
    if not isinstance(found, dict):
        raise AttachError(f"{path} holds no settings; it was left as it is.", "Mend it.")
    return found, raw


def dump(document: Document, like: bytes | None) -> bytes:
    """The document as text, indented as the old text was."""
    old = (like or b"").decode("utf-8-sig", "replace")
    indent: int | str = 2
    found = re.search(r"\n([ \t]+)\S", old)
    if found:
        indent = "\t" if "\t" in found[1] else len(found[1])
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    ending = "\n" if old.endswith("\n") or not old else ""
    return (text + ending).encode()


def with_hooks(
    document: Document, wanted: Mapping[str, Document], ours: Ours, *, flat: bool
) -> Document:
    """The document with one hook of ours per event, in the place of any older one.

    ``wanted`` maps an event to its hook, or to its group (a matcher with hooks) unless ``flat``.
    """
    changed = without_hooks(document, ours, flat=flat)
    hooks = changed.setdefault("hooks", {})
    if not isinstance(hooks, dict):
        raise AttachError("The runtime's settings hold hooks of an unknown form.", "Mend them.")
    for event, entry in wanted.items():
        entries = hooks.setdefault(event, [])
        if not isinstance(entries, list):
            raise AttachError(f"The settings hold {event} hooks of an unknown form.", "Mend them.")
        entries.append(copy.deepcopy(entry))
    return changed


def without_hooks(document: Document, ours: Ours, *, flat: bool) -> Document:
    """The document without our hooks, and without what only they had filled."""
    changed = copy.deepcopy(document)
    hooks = changed.get("hooks")
    if not isinstance(hooks, dict):
        return changed
    for event, entries in list(hooks.items()):
        if not isinstance(entries, list):
            continue
        kept = [entry for entry in entries if not (flat and _is(entry, ours))]
        if not flat:
            kept = [entry for entry in (_stripped(entry, ours) for entry in entries) if entry]
        if len(kept) != len(entries) or kept != entries:
            hooks[event] = kept
            if not kept:
                del hooks[event]
                if not hooks:
                    del changed["hooks"]
    return changed


def found_hook(document: Document, event: str, ours: Ours) -> Document | None:
    """Our hook for an event, in a group or not."""
    hooks = document.get("hooks")
    entries = hooks.get(event) if isinstance(hooks, dict) else None
    for entry in entries if isinstance(entries, list) else ():
        inner = entry.get("hooks") if isinstance(entry, dict) else None
        for hook in inner if isinstance(inner, list) else [entry]:
            if _is(hook, ours):
                return dict(hook)
    return None


def _stripped(group: Any, ours: Ours) -> Any:
    """A group without our hooks; None when nothing else was in it."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(hooks, list) or not any(_is(hook, ours) for hook in hooks):
        return group
    kept = [hook for hook in hooks if not _is(hook, ours)]
    return group | {"hooks": kept} if kept else None


def _is(hook: Any, ours: Ours) -> bool:
    return isinstance(hook, Mapping) and ours(hook)
