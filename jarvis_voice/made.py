"""What a run has made itself, and by which name it would take that away again. Pure.

Two parts of the app share these names: whoever follows a run sees things made, and whoever judges
an action asks whether what it removes is one of them. A name is the absolute path of a file, or
the kind and the id of a thing behind a foreign tool ("mcp__wiki__page#p-17"). Only a runtime's or
a tool server's own report that something is *new* makes one, of the call that made it: what an
agent says, and what a shell prints, is no report.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

REPORT_CHARS: Final = 4000  # of an output, in which the report is looked for
_WRITERS: Final = frozenset(
    """write write_file create_file create write_to_file apply_patch applypatch patch file_editor
    str_replace_editor str_replace_based_edit_tool""".split()
)
_NEW_FILE: Final = re.compile(
    r"\A\s*(?:file created successfully at:?|successfully created and wrote to new file:)"
    r"\s*(\S[^\n]*?)\.?\s*(?:\n|\Z)",
    re.IGNORECASE,
)
_PATCHED: Final = re.compile(r"\A\s*success[^\n]*updated the following files:\n", re.IGNORECASE)
_ADDED_LINE: Final = re.compile(r"^A (\S[^\n]*?)\s*$", re.MULTILINE)
_MAKES: Final = frozenset("add create insert append new".split())
_REMOVES: Final = frozenset("remove delete drop destroy purge wipe truncate".split())
_NEW_THING: Final = re.compile(r"\b(?:added|created)\s+([A-Za-z][A-Za-z_]*-?\d[\w-]*)\b")
_MARK: Final = "#"


def made_in(tool: str, files: Sequence[str], output: str, cwd: str | None) -> tuple[str, ...]:
    """The names of what this call is reported to have made new; ``files`` are what it wrote."""
    output = output[:REPORT_CHARS]
    if tool.strip().lower() in _WRITERS:
        return _files(files, _new_files(output), cwd)
    kind = _kind(tool, _MAKES)
    thing = _new_id(output) if kind else ""
    return (f"{kind}{_MARK}{thing}",) if thing else ()


def removed_by(tool: str, content: str) -> tuple[str, ...]:
    """The names of what a foreign tool would remove; empty when that cannot be told for sure."""
    kind = _kind(tool, _REMOVES)
    try:
        given = json.loads(content)
    except (ValueError, RecursionError):
        return ()
    if not kind or not isinstance(given, dict) or any(value is True for value in given.values()):
        return ()  # a switch such as "cascade" may remove more
    noun = kind.rsplit("_", 1)[-1]
    keys = {"id", noun, f"{noun}_id", f"{noun}id", "ids", f"{noun}s", f"{noun}_ids", f"{noun}ids"}
    found = [value for key, value in given.items() if key.lower() in keys]
    values = found[0] if len(found) == 1 and isinstance(found[0], list) else found
    if not values or not all(_is_id(value) for value in values):
        return ()
    return tuple(f"{kind}{_MARK}{value}" for value in values)


def owns(made: Collection[str], removed: Collection[str]) -> bool:
    """All that is removed, and that is something, was made by the run itself."""
    return bool(removed) and all(name in made for name in removed)


# --- files


def _new_files(output: str) -> list[str]:
    found = _NEW_FILE.match(output)
    if found:
        return [found[1]]
    patched = _PATCHED.match(output)
    return _ADDED_LINE.findall(output[patched.end() :]) if patched else []


def _files(files: Sequence[str], reported: Sequence[str], cwd: str | None) -> tuple[str, ...]:
    """Those of the call's own files that were reported as new, by their absolute paths."""
    mine = {_absolute(path, cwd) for path in files}
    return tuple(
        path for path in (_absolute(name, cwd) for name in reported) if path in mine - {""}
    )


def _absolute(path: str, cwd: str | None) -> str:
    """The path from the root on; empty when that is not known."""
    path = path.replace("\\", "/")
    if not is_absolute(path):
        if not cwd or not is_absolute(cwd):
            return ""
        path = f"{cwd.rstrip('/')}/{path.removeprefix('./')}"
    return "" if {"..", "."} & set(path.split("/")) else path


def is_absolute(path: str) -> bool:
    """It begins at a root."""
    return path.startswith("/") or bool(re.match(r"[A-Za-z]:[\\/]", path))


# --- things behind foreign tools


@lru_cache(maxsize=256)  # a run has few tools, and calls them by the thousand
def _kind(tool: str, verbs: frozenset[str]) -> str:
    """What the tool makes or removes, with the server that it belongs to; empty for neither."""
    spelled = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", tool.strip()).lower()
    server, _, name = spelled.rpartition("__")
    words = re.findall(r"[a-z]+", name)
    if len(set(words) & verbs) != 1 or len(words) < 2:
        return ""
    noun = "_".join(word for word in words if word not in verbs)
    return f"{server}__{noun}" if server else noun


def _new_id(output: str) -> str:
    """The id of the new thing, from a JSON object or a sentence; empty when there is none."""
    try:
        value: Any = json.loads(output)
    except (ValueError, RecursionError):
        found = _NEW_THING.search(output)
        return found[1] if found else ""
    for inner in ("result", "data"):
        if isinstance(value, Mapping) and isinstance(value.get(inner), Mapping):
            value = value[inner]
    thing = value.get("id") if isinstance(value, Mapping) else None
    return str(thing) if _is_id(thing) else ""


def _is_id(value: object) -> bool:
    return (isinstance(value, str) and bool(value.strip())) or (
        isinstance(value, int) and not isinstance(value, bool)
    )
