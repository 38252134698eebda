"""The two public promises about a deliverable: its output contract, and its record's JSON Schema.

The contract has the shape of JarvisBench's: of a single agent ``required_files`` and
``structured_artifacts``, of a project ``required`` by path. Of JSON Schema the keywords that result
schemas use are checked: type, enum, const, required, properties, additionalProperties, items,
minItems, maxItems, minLength, pattern, minimum, maximum, anyOf.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

_DEPTH = 32


class Results(Protocol):
    """The files that a contract is about."""

    def read_text(self, path: str) -> str: ...
    def read_bytes(self, path: str) -> bytes: ...
    def json(self, path: str, *keys: str | int) -> Any: ...
    def csv(self, path: str) -> list[dict[str, str]]: ...


def contract_share(run: Results, contract: Any) -> float:
    """The share of the contract's promises that the files keep, 0 to 1; 0 for no contract."""
    kept = list(_promises(run, contract)) if isinstance(contract, Mapping) else []
    return sum(kept) / len(kept) if kept else 0.0


def _promises(run: Results, contract: Mapping[str, Any]) -> Iterator[bool]:
    for path in contract.get("required_files", ()):
        yield bool(run.read_bytes(path).strip())
    for artifact in contract.get("structured_artifacts", ()):
        yield _artifact(run, artifact)
    required = contract.get("required", {})
    if isinstance(required, Mapping):
        for path, shape in required.items():
            if isinstance(shape, Mapping):
                yield _table(run, path, shape.get("columns", ()), shape.get("minimum_rows", 1))
            else:
                yield bool(run.read_bytes(path).strip())


def _artifact(run: Results, artifact: Mapping[str, Any]) -> bool:
    path = artifact["path"]
    if artifact.get("constraint") == "unique_column":
        values = [row.get(artifact["column"], "") for row in run.csv(path)]
        return bool(values) and len(set(values)) == len(values)
    if artifact.get("format") == "csv":
        columns = artifact.get("required_columns", ())
        return _table(run, path, columns, artifact.get("minimum_rows", 1))
    value = run.json(path)
    for key in filter(None, str(artifact.get("list_path", "")).split(".")):
        value = value.get(key) if isinstance(value, Mapping) else None
    if "minimum_items" in artifact:
        return isinstance(value, list) and len(value) >= artifact["minimum_items"]
    return value is not None


def _table(run: Results, path: str, columns: Any, minimum_rows: int) -> bool:
    rows = run.csv(path)
    return len(rows) >= minimum_rows and all(column in rows[0] for column in columns if rows)


_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}


def schema_faults(value: Any, schema: Any, where: str = "$", depth: int = 0) -> list[str]:
    """What in ``value`` does not fit the schema, a few words each; empty when all fits."""
    if not isinstance(schema, Mapping):
        return []
    if depth > _DEPTH:
        return [f"{where} is nested too deeply"]
    if "anyOf" in schema and all(
        schema_faults(value, option, where, depth + 1) for option in schema["anyOf"]
    ):
        return [f"{where} fits none of its forms"]
    kinds = schema.get("type")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_is_a(value, kind) for kind in kinds):
        return [f"{where} is not of type {' or '.join(kinds)}"]
    faults = list(_scalar_faults(value, schema, where))
    if isinstance(value, dict):
        faults += _object_faults(value, schema, where, depth)
    if isinstance(value, list):
        faults += _array_faults(value, schema, where, depth)
    return faults


def _is_a(value: Any, kind: str) -> bool:
    if isinstance(value, bool) and kind in ("number", "integer"):
        return False
    return isinstance(value, _TYPES.get(kind, ()))


def _scalar_faults(value: Any, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where} is none of the values allowed"
    if "const" in schema and value != schema["const"]:
        yield f"{where} is not the value required"
    if isinstance(value, str):
        if len(value.strip()) < schema.get("minLength", 0):
            yield f"{where} is too short"
        if "pattern" in schema and not re.search(schema["pattern"], value):
            yield f"{where} does not have the form required"
    if _is_a(value, "number"):
        low, high = schema.get("minimum", value), schema.get("maximum", value)
        if not low <= value <= high:
            yield f"{where} is out of range"


def _object_faults(
    value: dict[str, Any], schema: Mapping[str, Any], where: str, depth: int
) -> Iterator[str]:
    properties = schema.get("properties", {})
    for key in schema.get("required", ()):
        if key not in value:
            yield f"{where}.{key} is missing"
    for key, item in value.items():
        if key in properties:
            yield from schema_faults(item, properties[key], f"{where}.{key}", depth + 1)
        elif schema.get("additionalProperties") is False:
            yield f"{where}.{key} is not expected"
        else:
            extra = schema.get("additionalProperties")
            yield from schema_faults(item, extra, f"{where}.{key}", depth + 1)


def _array_faults(
    value: list[Any], schema: Mapping[str, Any], where: str, depth: int
) -> Iterator[str]:
    if len(value) < schema.get("minItems", 0) or len(value) > schema.get("maxItems", len(value)):
        yield f"{where} has {len(value)} items"
    for number, item in enumerate(value):
        yield from schema_faults(item, schema.get("items"), f"{where}[{number}]", depth + 1)
