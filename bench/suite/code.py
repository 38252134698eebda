"""Loads the Python files of a bundle, each as a module of its own."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from bench.errors import BenchError


def load_module(path: Path, fault: type[BenchError]) -> ModuleType:
    """The module in this file, read once per content. Raises ``fault`` when it cannot be loaded."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise fault(f"{path} cannot be read: {error}.") from error
    mark = hashlib.sha256(str(path.resolve()).encode() + b"\0" + content).hexdigest()[:24]
    name = f"bench_bundle_{mark}"
    known = sys.modules.get(name)
    if known is not None:
        return known
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise fault(f"{path} is no Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their own module up
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise fault(f"{path} cannot be loaded: {type(error).__name__}: {error}.") from error
    return module
