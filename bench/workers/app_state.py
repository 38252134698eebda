"""The app of an app task: records in collections, and the actions that its schema allows. PURE.

``state.json`` is ``{"collections": {name: [record, ...]}}``; ``action_schema.json`` is
``{"actions": {name: {"required": [...], "types": {...}, "enum": {...}, "target": {"collection",
"argument"}, "set": {field: value or {"from_argument": name}}, "append_to": collection,
"id_field": field}}}``. An action with a target changes that record; one with ``append_to`` adds a
record of its arguments there, numbered when the id is not given. Reading actions change nothing:

    collections; list {collection, where?}; get {collection, id}; search {terms}; status;
    ask {question}

``ask`` always finds the requester unavailable. Everything is in the log that graders read.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.errors import BundleMalformed
from bench.workers.base import Reply

UNAVAILABLE = "The requester is not available after the brief."
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
_LISTED = 200  # records that one listing shows
Record = dict[str, Any]


class AppState:
    """The app as one run changes it. Raises BundleMalformed when its files make no sense."""

    def __init__(self, state: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
        collections, actions = state.get("collections"), schema.get("actions")
        if not isinstance(collections, dict) or not isinstance(actions, dict):
            raise BundleMalformed(
                "An app needs collections in its state and actions in its schema."
            )
        self._collections: dict[str, list[Record]] = copy.deepcopy(collections)
        self._actions: dict[str, dict[str, Any]] = actions
        self.log: list[Record] = []
        self.questions: list[Record] = []
        self._readers: dict[str, Callable[[Mapping[str, Any]], Reply]] = {
            "collections": self._list_collections,
            "list": self._list,
            "get": self._get,
            "search": self._search,
            "status": self._status,
            "ask": self._ask,
        }
        for name, action in actions.items():
            self._check_action(name, action)

    @classmethod
    def of(cls, public: Path) -> AppState:
        """The app of a bundle, as it is before a run."""
        state = json.loads((public / "state.json").read_text(encoding="utf-8"))
        schema = json.loads((public / "action_schema.json").read_text(encoding="utf-8"))
        return cls(state, schema)

    @property
    def collections(self) -> Mapping[str, Sequence[Record]]:
        """All records as they stand now."""
        return self._collections

    def changes(self, action: str) -> bool:
        """It is no reading action."""
        return action not in self._readers

    def read_paths(self, action: str, arguments: Mapping[str, Any]) -> tuple[str, ...]:
        """What a reading action looked at, as ``state.json`` and ``app/<collection>``."""
        if action in ("list", "get"):
            return ("state.json", f"app/{arguments.get('collection')}")
        return ("state.json",) if action == "search" else ()

    def act(self, action: str, arguments: Mapping[str, Any]) -> Reply:
        """Carry an action out, or say what is wrong with it. Never raises."""
        reader = self._readers.get(action)
        if reader is not None:
            return reader(arguments)
        fault = self._fault(action, arguments)
        reply = Reply(False, fault) if fault else self._carry_out(action, arguments)
        self.log.append(
            {
                "action": action,
                "arguments": copy.deepcopy(dict(arguments)),
                "ok": reply.ok,
                "result": reply.text,
            }
        )
        return reply

    def save(self, folder: Path) -> None:
        """Leave ``action_log.jsonl`` and ``questions.jsonl`` in the run's folder."""
        for name, entries in (("action_log", self.log), ("questions", self.questions)):
            lines = [json.dumps(entry, ensure_ascii=False, sort_keys=True) for entry in entries]
            text = "".join(f"{line}\n" for line in lines)
            (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")

    # --- reading

    def _list_collections(self, arguments: Mapping[str, Any]) -> Reply:
        del arguments
        counts = [f"{name}: {len(items)} records" for name, items in self._collections.items()]
        return Reply(True, "\n".join(counts))

    def _list(self, arguments: Mapping[str, Any]) -> Reply:
        items = self._collections.get(str(arguments.get("collection")))
        where = arguments.get("where") or {}
        if items is None or not isinstance(where, Mapping):
            return Reply(False, "Name one of the collections, and conditions as an object.")
        found = [
            item
            for item in items
            if all(str(item.get(key)) == str(value) for key, value in where.items())
        ]
        return Reply(True, _lines(found))

    def _get(self, arguments: Mapping[str, Any]) -> Reply:
        found = self._record(str(arguments.get("collection")), arguments.get("id"))
        if found is None:
            return Reply(False, "There is no such record.")
        return Reply(True, json.dumps(found, ensure_ascii=False))

    def _search(self, arguments: Mapping[str, Any]) -> Reply:
        terms = str(arguments.get("terms", "")).lower().split()
        found = [
            {"collection": name, **item}
            for name, items in self._collections.items()
            for item in items
            if terms and all(term in json.dumps(item, ensure_ascii=False).lower() for term in terms)
        ]
        return Reply(True, _lines(found))

    def _status(self, arguments: Mapping[str, Any]) -> Reply:
        del arguments
        done = [entry["action"] for entry in self.log if entry["ok"]]
        return Reply(True, f"{len(done)} actions carried out: {', '.join(done) or 'none'}")

    def _ask(self, arguments: Mapping[str, Any]) -> Reply:
        self.questions.append({"question": str(arguments.get("question", ""))[:2000]})
        return Reply(False, UNAVAILABLE)

    # --- changing

    def _fault(self, action: str, arguments: Mapping[str, Any]) -> str:
        spec = self._actions.get(action)
        if spec is None:
            return f"There is no action {action}."
        for name in spec.get("required", ()):
            if name not in arguments:
                return f"{action} needs {name}."
        for name, value in arguments.items():
            kind = spec.get("types", {}).get(name)
            if kind is None:
                return f"{action} does not take {name}."
            if not _is_a(value, kind):
                return f"{name} must be of type {kind}."
            allowed = spec.get("enum", {}).get(name)
            if allowed is not None and value not in allowed:
                return f"{name} must be one of {', '.join(map(str, allowed))}."
        target = spec.get("target")
        if target and self._record(target["collection"], arguments[target["argument"]]) is None:
            return f"There is no such record in {target['collection']}."
        return ""

    def _carry_out(self, action: str, arguments: Mapping[str, Any]) -> Reply:
        spec = self._actions[action]
        target = spec.get("target")
        if target:
            record = self._record(target["collection"], arguments[target["argument"]])
            assert record is not None  # _fault has looked
            for name, value in spec.get("set", {}).items():
                record[name] = _value(value, arguments)
        kept = spec.get("append_to")
        if kept is None:
            return Reply(True, f"{action}: done.")
        items = self._collections.setdefault(kept, [])
        id_field = spec.get("id_field", "id")
        new = copy.deepcopy(dict(arguments))
        new.setdefault(id_field, f"{kept}-{len(items) + 1}")
        if not target:
            new |= {name: _value(value, arguments) for name, value in spec.get("set", {}).items()}
        items.append(new)
        return Reply(True, f"{action}: added {new[id_field]} to {kept}.")

    def _record(self, collection: str, record_id: object) -> Record | None:
        for item in self._collections.get(collection, ()):
            if str(item.get("id")) == str(record_id):
                return item
        return None

    def _check_action(self, name: str, action: object) -> None:
        if not isinstance(action, dict) or name in self._readers:
            raise BundleMalformed(f'The app action "{name}" is no object, or the name of a reader.')
        types = action.get("types", {})
        target = action.get("target")
        used = [*action.get("required", ()), *action.get("enum", {})]
        if target:
            used.append(target.get("argument"))
            if target.get("collection") not in self._collections:
                raise BundleMalformed(f'The app action "{name}" has an unknown collection.')
        if any(item not in types or types[item] not in _TYPES for item in used):
            raise BundleMalformed(f'The app action "{name}" has an argument without a type.')


def replay(public: Path, actions: Sequence[Mapping[str, Any]]) -> AppState:
    """The app after these ``{"action", "arguments"}``, as a reference outcome lists them."""
    app = AppState.of(public)
    for action in actions:
        arguments = action.get("arguments")
        app.act(str(action.get("action")), arguments if isinstance(arguments, Mapping) else {})
    return app


def _value(value: Any, arguments: Mapping[str, Any]) -> Any:
    if isinstance(value, Mapping) and "from_argument" in value:
        return copy.deepcopy(arguments.get(value["from_argument"]))
    return value


def _is_a(value: object, kind: str) -> bool:
    if isinstance(value, bool) and kind != "boolean":
        return False
    return isinstance(value, _TYPES[kind])


def _lines(found: Sequence[Record]) -> str:
    lines = [json.dumps(item, ensure_ascii=False) for item in found[:_LISTED]]
    if len(found) > _LISTED:
        lines.append(f"[{len(found) - _LISTED} more]")
    return "\n".join(lines) or "none"
